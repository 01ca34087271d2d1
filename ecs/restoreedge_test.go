package ecs

import (
	"math"
	"reflect"
	"testing"
)

// Slots that have had every version stay retired, and the rows of unwritten chunks stay alive.
func TestRestoreRetired(t *testing.T) {
	w := newWorld(t, 1)
	must(t, w.Destroy(nearTheEnd(w, w.Spawn(A{1}))))
	a := w.Archetype(With[A]())
	ids := make([]Entity, a.Capacity()+1)
	must(t, w.CreateInto(a, ids))
	m, hash := mustCapture(t, w, nil), w.Hash()
	w.Spawn(A{2}) // in the second chunk
	must(t, Restore(w, m))
	must(t, integrity(w))
	if w.Hash() != hash || !w.Exists(ids[0]) || w.Len() != len(ids) {
		t.Errorf("hash %#x, want %#x; %d entities, want %d", w.Hash(), hash, w.Len(), len(ids))
	}
}

// A chunk of meta entities must not keep headers of rows that a Restore removes.
func TestRestoreHeaders(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A](), With[PerChunk[B]]())
	must(t, w.CreateInto(a, make([]Entity, 1)))
	m := mustCapture(t, w, nil)
	must(t, w.CreateInto(a, make([]Entity, 3*a.Capacity())))
	must(t, Restore(w, m))
	must(t, integrity(w))
}

// A query may match both meta entities and their chunks. When the archetype of the chunks leaves the
// order, the query must still declare access to the meta entities.
func TestRestoreAccess(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[B](), Optional(Read[ChunkHeader]()))
	heads := w.ArchetypeOf(w.MetaOf(w.Spawn(A{}, PerChunk[B]{}))).arch
	w.Spawn(B{}, C{})
	m := mustCapture(t, w, nil)
	w.Spawn(B{}, PerChunk[B]{})
	if n := len(q.matches); n != 3 {
		t.Fatalf("%d archetypes match, want 3", n)
	}
	must(t, Restore(w, m))
	must(t, integrityQueries(w))
	if !q.access.Where.Has(heads.index) {
		t.Errorf("the query touches archetypes %v, and not %d", q.access.Where, heads.index)
	}
}

// A function of OnRestore may restore the world again; the later functions are still called.
func TestRestoreInRestore(t *testing.T) {
	w := newWorld(t, 1)
	m := mustCapture(t, w, nil)
	calls := 0
	w.Hooks().OnRestore(func(m *Image) {
		if calls++; calls == 1 {
			must(t, Restore(w, m))
		}
	})
	told := 0
	w.Hooks().OnRestore(func(got *Image) {
		if told++; got != m {
			t.Errorf("the image is %p, want %p", got, m)
		}
	})
	must(t, Restore(w, m))
	if calls != 2 || told != 2 {
		t.Errorf("%d and %d calls, want 2 and 2", calls, told)
	}
	must(t, integrity(w))
}

// SetBuffer must refuse a capacity whose size in bytes exceeds the range of int.
func TestSetBufferLimit(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("what fits the limit of elements fits 64 bits")
	}
	b := NewImageBuilder()
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Buffer[flagElem]]()}}))
	c, err := b.AddChunk(ImageChunk{}, 1)
	must(t, err)
	wantCategory(t, ErrArgument, c.Columns[0].SetBuffer(0, nil, 1<<29))
}
