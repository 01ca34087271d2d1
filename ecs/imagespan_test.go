package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// spannedWorld returns a world with a little more than three spans of chunks.
func spannedWorld(t *testing.T) (*World, *Query, Archetype) {
	w := newWorld(t, 1)
	a := w.Archetype(With[Position](), With[Velocity]())
	for range w.Create(a, (3*spanChunks+2)*a.Capacity()-5).Chunks() {
	}
	return w, w.Query(Write[Position](), Read[Velocity]()), a
}

// TestSpanHolds releases images in any order. The remaining images must keep their contents,
// even though they share most chunks with released images. After all images are released, no
// chunk may be in use.
func TestSpanHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	w, q, _ := spannedWorld(t)
	type kept struct {
		image *Image
		hash  uint64
	}
	var list []kept
	var last *Image
	for step := range 200 {
		i := 0
		for c := range q.Chunks() {
			if r.IntN(20) == 0 {
				Column[Position](c).X[i%c.Len()] = float32(step)
			}
			i++
		}
		m, err := Capture(w, last)
		must(t, err)
		list, last = append(list, kept{m, w.Hash()}), m
		if len(list) > 5 {
			at := r.IntN(len(list) - 1) // not the last one
			must(t, list[at].image.Release())
			list = slices.Delete(list, at, at+1)
		}
		if step%20 == 0 {
			for _, k := range list {
				f, err := Fork(k.image, "fork")
				must(t, err)
				if got := f.Hash(); got != k.hash {
					t.Fatalf("step %d: an image has become %x, it was %x", step, got, k.hash)
				}
				must(t, f.Close())
			}
		}
	}
	p := w.imagePool
	free := map[*int32]bool{}
	for _, hold := range p.freeSpanRefs {
		free[hold] = true
	}
	had := map[*int32]bool{}
	for _, k := range list {
		for i := range k.image.archetypes {
			for _, c := range k.image.archetypes[i].chunks {
				if had[c.spanRefs] = true; free[c.spanRefs] {
					t.Fatal("a chunk of an image has a hold that is free")
				}
			}
		}
	}
	for _, k := range list {
		must(t, k.image.Release())
	}
	if len(p.freeSpanRefs) != len(free)+len(had) || len(p.freeSpanRefs)%(16*spanChunks) != 0 {
		t.Errorf("%d holds are free, when no image is left: %d were, and images had %d", len(p.freeSpanRefs), len(free), len(had))
	}
	for _, hold := range p.freeSpanRefs {
		if delete(had, hold); *hold != 0 {
			t.Errorf("a hold that is free counts %d", *hold)
		}
	}
	if len(had) != 0 {
		t.Errorf("%d holds were not given back", len(had))
	}
}

// TestVersionTable checks that the table of each archetype contains the versions of its chunks after all
// kinds of changes. An image uses these versions to find the written columns.
func TestVersionTable(t *testing.T) {
	w, q, a := spannedWorld(t)
	whole := func(when string) {
		t.Helper()
		if err := integrity(w); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
	}
	whole("made")
	m, err := Capture(w, nil)
	must(t, err)
	versions := func() (list []uint32) {
		for _, r := range a.arch.chunks {
			list = append(list, r.versions...)
		}
		return list
	}
	want := versions()
	for _, chunk := range []int{0, spanChunks - 1, spanChunks, 3*spanChunks + 1} {
		i := 0
		for c := range q.Chunks() {
			if i == chunk {
				Column[Position](c).X[0]++
			}
			i++
		}
		next, err := Capture(w, m)
		must(t, err)
		for k := range a.arch.chunks {
			if shared := m.SharesChunk(next, a.arch.index, k); shared != (k != chunk) {
				t.Errorf("chunk %d was written, chunk %d is shared: %v", chunk, k, shared)
			}
		}
		must(t, next.Release())
		must(t, Restore(w, m))
		whole("restored")
	}
	if got := versions(); !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
	var gone []Entity // two chunks in the middle, and half of others
	for k, r := range a.arch.chunks {
		switch {
		case k == 3 || k == spanChunks+1:
			gone = append(gone, r.ids()[:r.count]...)
		case k%5 == 0:
			gone = append(gone, r.ids()[:r.count/2]...)
		}
	}
	setVersion(w, 99)
	for _, e := range gone {
		must(t, w.Destroy(e))
	}
	whole("destroyed")
	must(t, Restore(w, m))
	whole("restored after chunks ended")
	if got := versions(); !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
}
