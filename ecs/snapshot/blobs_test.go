package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/system"
)

// These are components that refer to blobs, and the types of these blobs.
type (
	Route struct {
		Name  blob.String
		Stops blob.Array[Stop]
		Best  blob.Ptr[Stop]
	}
	Stop struct {
		At   [2]float64
		Near bool
	}
	Drives struct {
		Speed float32
		Way   blob.Ref[Route]
	}
	Plans struct{ Ways [2]blob.Ref[Route] }
	Leg   struct {
		Way blob.Ref[Route]
		N   int32
	}
	Line struct {
		ecs.Shared
		Way blob.Ref[Route]
	}
	Sound struct {
		ecs.Enableable
		Data blob.Ref[int64]
	}
)

func newRoute(t testing.TB, name string, stops int) blob.Ref[Route] {
	b := blob.New(func(b *blob.Builder, r *Route) {
		r.Name.Set(b, name)
		list := r.Stops.Make(b, stops)
		for i := range list {
			list[i] = Stop{[2]float64{float64(i), 0.5}, i%2 == 0}
		}
		if stops > 0 {
			r.Best.Set(b, &list[stops-1])
		}
	})
	t.Cleanup(func() { _ = b.Dispose() })
	return b
}

// newFullWorld creates a world of n entities with everything that a snapshot can have, with systems
// and blobs.
func newFullWorld(t testing.TB, n int) *ecs.World {
	w := game(t)
	for i := range 7 {
		frameOf(t, w, i)
	}
	m := imageOf(t, newFamilies(t, n, 1)) // the remaining kinds
	system.AttachState(m, system.StateOf(imageOf(t, w)))
	must(t, system.Restore(w, m))
	ring := newRoute(t, "ring", 3)
	w.Spawn(Drives{1, ring}, Line{Way: ring}, ecs.BufferOf(Leg{ring, 1}, Leg{}))
	w.Spawn(Plans{[2]blob.Ref[Route]{newRoute(t, "", 0), ring}})
	w.Spawn(Drives{}, Line{})
	b := blob.New(func(_ *blob.Builder, v *int64) { *v = -7 })
	t.Cleanup(func() { _ = b.Dispose() })
	w.Spawn(Sound{Data: b}, ecs.PerChunk[Whole]{})
	return w
}

func disposeAll(t testing.TB, m *ecs.Image) {
	for _, b := range Blobs(m) {
		must(t, b.Dispose())
	}
}

// TestBlobs checks that a blob to which several values refer is only once in the file, and that it is a
// single blob after reading.
//
// Conformance: 329
func TestBlobs(t *testing.T) {
	w := newWorld(t, 2)
	ring, other := newRoute(t, "the ring line", 5), newRoute(t, "another", 2)
	a := w.Spawn(Drives{1, ring}, Line{Way: other}, ecs.BufferOf(Leg{}, Leg{ring, 2}))
	b := w.Spawn(Plans{[2]blob.Ref[Route]{ring, {}}})
	for i := range 2000 {
		w.Spawn(Drives{float32(i), ring})
	}
	image := imageOf(t, w)
	file := bytesOf(t, image)
	if n := bytes.Count(file, []byte("the ring line")); n != 1 {
		t.Errorf("the blob is there %d times", n)
	}
	live := blob.Count()
	m, err := Read(bytes.NewReader(file))
	must(t, err)
	defer disposeAll(t, m)
	if n := blob.Count() - live; n != 2 || len(Blobs(m)) != 2 {
		t.Errorf("there are %d blobs, %v", n, Blobs(m))
	}
	f, err := ecs.Fork(m, "fork")
	must(t, err)
	defer func() { must(t, f.Close()) }()
	drives, err := ecs.Get[Drives](f, a)
	must(t, err)
	legs, err := ecs.GetBuffer[Leg](f, a)
	must(t, err)
	plans, err := ecs.Get[Plans](f, b)
	must(t, err)
	line, err := ecs.Get[Line](f, a)
	must(t, err)
	way := drives.Way
	if way == ring || plans.Ways != [2]blob.Ref[Route]{way, {}} || legs.Slice()[1] != (Leg{way, 2}) || legs.Slice()[0] != (Leg{}) || line.Way == way {
		t.Errorf("the references are %v, %v, %v, %v", drives, plans, legs.Slice(), line)
	}
	r := way.Get()
	if r.Name.String() != "the ring line" || r.Stops.Len() != 5 || r.Best.Get() != r.Stops.At(4) || *r.Stops.At(4) != (Stop{[2]float64{4, 0.5}, true}) {
		t.Errorf("the blob is %v", r)
	}
	if again := bytesOf(t, m); !bytes.Equal(again, file) || f.Hash() != w.Hash() {
		t.Error("the second save has other bytes, or the world another hash")
	}
	// If Read refuses a snapshot, it leaves no blobs.
	live = blob.Count()
	if _, err := Read(io.MultiReader(bytes.NewReader(file), strings.NewReader("x"))); !errors.Is(err, ErrCorrupt) || blob.Count() != live {
		t.Errorf("%d blobs, %v", blob.Count()-live, err)
	}
	// If a blob has another type than the program's field, Read returns an error of category ErrSchema.
	bad := fixChecksums(bytes.Replace(bytes.Clone(file), []byte("f8*2b1"), []byte("i8*2b1"), -1))
	if _, err := Read(bytes.NewReader(bad)); !errors.Is(err, ErrSchema) || !strings.Contains(fmt.Sprint(err), "Route") {
		t.Error(err)
	}
}

// Conformance: 330
func TestDisposedBlobs(t *testing.T) {
	gone := newRoute(t, "gone", 1)
	fails := func(name string, spawn func(w *ecs.World) ecs.Entity) {
		w := newWorld(t, 1)
		w.Spawn(Place{})
		e := spawn(w)
		m := imageOf(t, w)
		var b bytes.Buffer
		_, err := Write(&b, m)
		if !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), name) || name != "Line" && !strings.Contains(err.Error(), e.String()) || b.Len() > 0 {
			t.Errorf("%d bytes, %v", b.Len(), err)
		}
	}
	drive := newRoute(t, "there", 1)
	must(t, gone.Dispose())
	fails("Drives", func(w *ecs.World) ecs.Entity {
		w.Spawn(Drives{1, drive})
		return w.Spawn(Drives{2, gone})
	})
	fails("Leg", func(w *ecs.World) ecs.Entity { return w.Spawn(ecs.BufferOf(Leg{drive, 1}, Leg{gone, 2})) })
	fails("Line", func(w *ecs.World) ecs.Entity { return w.Spawn(Line{Way: gone}) })
}
