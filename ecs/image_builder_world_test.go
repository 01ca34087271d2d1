package ecs

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// everyPlace makes the builder put all chunks into the memory of the world, even those with few
// rows.
func everyPlace(t *testing.T) {
	was := placedDivisor
	placedDivisor = 1 << 20
	t.Cleanup(func() { placedDivisor = was })
}

// An image that is built for a world can be restored into that world or into another one, and can be
// forked, like any other image. If the image is never restored, but released or dropped, the world
// must be unchanged.
func TestImageForModel(t *testing.T) {
	everyPlace(t)
	u, other := NewWorld("for"), NewWorld("other")
	defer func() { must(t, errors.Join(u.Close(), other.Close())) }()
	adopted := 0
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 32))
		m := newModel(t)
		for i := range *steps / 16 {
			var b [48]byte
			for k := range b {
				b[k] = byte(rng.Uint32())
			}
			m.step(b[:])
			if i%11 != 0 {
				continue
			}
			image := mustCapture(t, m.w, nil)
			hash, live := u.Hash(), u.tables.memory.LiveBytes()
			again, err := rebuiltBy(NewImageBuilder(), u, image)
			must(t, err)
			if u.Hash() != hash || again.Hash() != image.Hash() || imageText(again) != imageText(image) {
				t.Fatalf("step %d: the image is another one, or the world has changed", i)
			}
			apart := u.tables.memory.Detached()
			switch rng.IntN(4) {
			case 0:
				must(t, Restore(other, again))
				if other.Hash() != image.Hash() {
					t.Fatalf("step %d: another world has another hash", i)
				}
				must(t, again.Release())
			case 1:
				f, err := Fork(again, "fork")
				must(t, err)
				if f.Hash() != image.Hash() {
					t.Fatalf("step %d: a fork has another hash", i)
				}
				must(t, errors.Join(f.Close(), again.Release()))
			default:
				adopted += apart
				must(t, Restore(u, again))
				if again.Release() == nil {
					t.Fatalf("step %d: the image is not released", i)
				}
				if hash, live = image.Hash(), u.tables.memory.LiveBytes(); len(image.archetypes) != len(u.tables.archetypes) {
					t.Fatalf("step %d: %d archetypes, want %d", i, len(u.tables.archetypes), len(image.archetypes))
				}
			}
			if err := integrity(u); err != nil || u.Hash() != hash || u.tables.memory.LiveBytes() != live || u.tables.memory.Detached() != 0 {
				t.Fatalf("step %d: %v, or another hash, or %d bytes of chunks, not %d, with %d apart", i, err, u.tables.memory.LiveBytes(), live, u.tables.memory.Detached())
			}
			must(t, image.Release())
			u.Spawn(Position{X: float32(i)}, Velocity{})
		}
		must(t, m.w.Close())
	}
	if adopted < 100 {
		t.Errorf("%d chunks were taken over: the test shows little", adopted)
	}
}

// The builder must not use memory of the world for chunks with only one row each.
func TestImageForFew(t *testing.T) {
	w := NewWorld("game")
	defer func() { must(t, w.Close()) }()
	b := NewImageBuilder()
	must(t, b.AddState(ImageState{For: w}))
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Position]()}}))
	for range 1000 {
		if _, err := b.AddChunk(ImageChunk{}, 1); err != nil {
			t.Fatal(err)
		}
	}
	if w.tables.memory.LiveBytes() > 0 {
		t.Errorf("%d bytes of the world", w.tables.memory.LiveBytes())
	}
	b.Close()
}

// While a builder builds an image for a world, structural changes are refused. While the image exists,
// only Compact and Defragment are refused.
func TestImageFor(t *testing.T) {
	w := NewWorld("game")
	ids := make([]Entity, 5000)
	must(t, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), ids))
	image, hash := mustCapture(t, w, nil), w.Hash()
	must(t, w.Destroy(ids[0]))
	changed := w.Hash()

	b := NewImageBuilder()
	must(t, b.AddState(ImageState{For: w}))
	if err := w.Destroy(ids[1]); !errors.Is(err, ErrState) {
		t.Errorf("the world is changed meanwhile: %v", err)
	}
	if err := NewImageBuilder().AddState(ImageState{For: w}); !errors.Is(err, ErrState) {
		t.Errorf("two at a time: %v", err)
	}
	b.Close()
	b.Close()
	b = NewImageBuilder()
	must(t, b.AddState(ImageState{For: w}))
	must(t, b.AddArchetype(image.Archetypes()[0]))
	_, err := b.AddChunk(image.Chunk(0, 0), len(image.Chunk(0, 0).Entities))
	must(t, err)
	if _, err := b.Image(); err == nil {
		t.Error("null ids make an image")
	}
	b.Close()
	if w.Hash() != changed || w.tables.memory.Detached() != 0 || integrity(w) != nil {
		t.Error("what was given up has changed the world")
	}

	m, err := rebuiltBy(NewImageBuilder(), w, image)
	must(t, err)
	for _, err := range []error{Compact(w), Defragment(w)} {
		if !errors.Is(err, ErrState) {
			t.Errorf("the world is compacted under an image: %v", err)
		}
	}
	must(t, w.Destroy(ids[1])) // all other operations work
	m.Attach("key", 7)
	told := 0
	remove := w.Hooks().OnRestore(func(m *Image) {
		told, _ = m.Attached("key").(int)
		if m.Release() == nil || Restore(w, m) == nil {
			t.Error("the image is not released")
		}
	})
	views := slices.Collect(w.Query(Read[Position]()).Chunks())
	must(t, Restore(w, m))
	if told != 7 || w.Hash() != hash || len(views) == 0 {
		t.Errorf("what was kept is %d, the hash %x, want %x", told, w.Hash(), hash)
	}
	remove()
	before := mustCapture(t, w, nil)
	must(t, Set(w, ids[7], Position{X: 9}))
	must(t, Restore(w, before)) // which copies now
	if w.Hash() != hash {
		t.Error("the next Restore brings nothing back")
	}
	must(t, Compact(w))
	if err := errors.Join(integrity(w), Defragment(w), integrity(w)); err != nil || w.Hash() != hash {
		t.Errorf("%v, or another hash behind Compact", err)
	}

	left, err := rebuiltBy(NewImageBuilder(), w, image)
	must(t, err)
	must(t, w.Close())
	must(t, left.Release()) // the world is gone, but its memory is not
	if err := NewImageBuilder().AddState(ImageState{For: w}); !errors.Is(err, ErrDisposed) {
		t.Errorf("a closed world: %v", err)
	}
}

// An image that is built for a world does not change when the rows of that world move to another world
// and new rows are created.
func TestImageForMoved(t *testing.T) {
	w, other := newWorld(t, 1), NewWorld("other")
	kind, ids := w.Archetype(With[Position](), With[Velocity]()), make([]Entity, 3000)
	must(t, w.CreateInto(kind, ids))
	for i, e := range ids {
		must(t, Set(w, e, Position{X: float32(i)}))
	}
	image, hash := mustCapture(t, w, nil), w.Hash()
	must(t, DestroyAll(w, Entities(ids[:1500]))) // so that places of the image are between those of the world
	m, err := rebuiltBy(NewImageBuilder(), w, image)
	must(t, err)
	if w.tables.memory.Detached() == 0 {
		t.Fatal("no rows lie in the world")
	}
	must(t, MoveEntities(other, w, nil))
	must(t, w.CreateInto(kind, ids))
	if imageText(m) != imageText(image) {
		t.Error("it is another image")
	}
	must(t, Restore(w, m))
	must(t, errors.Join(integrity(other), other.Close(), integrity(w)))
	if w.Hash() != hash {
		t.Error("the world has another hash")
	}
}
