package ecs_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// ShAll is a shared value with a field of every kind that the hash includes.
type ShAll struct {
	ecs.Shared
	Bool bool
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	Int  int
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	Uint uint
	F32  float32
	F64  float64
	C64  complex64
	C128 complex128
	Text string
	List [2]int16
	Ref  *int // not included in the hash
}

// ShHash has methods Equal and Hash.
type ShHash struct {
	ecs.Shared
	Exact, About int32
}

func (s ShHash) Hash() uint64        { return uint64(s.About) }
func (s ShHash) Equal(o ShHash) bool { return s.About == o.About }

// TestHashOfSharedValues checks that each field of a shared value affects the hash, and that pointers
// do not. If the value has a method Hash, only its result counts.
func TestHashOfSharedValues(t *testing.T) {
	hash := func(v any) uint64 {
		w := newWorld(t, 1)
		w.Spawn(v)
		return w.Hash()
	}
	seen := map[uint64]int{}
	for i, v := range []ShAll{
		{}, {Bool: true}, {I8: 1}, {I16: 1}, {I32: 1}, {I64: 1}, {Int: 1}, {U8: 1}, {U16: 1}, {U32: 1}, {U64: 1}, {Uint: 1},
		{F32: 1}, {F64: 1}, {C64: 1}, {C64: 1i}, {C128: 1}, {C128: 1i}, {Text: "a"}, {List: [2]int16{0, 1}},
	} {
		h := hash(v)
		if other, ok := seen[h]; ok {
			t.Errorf("values %d and %d have one hash", other, i)
		}
		seen[h] = i
	}
	if one := 1; hash(ShAll{Ref: &one}) != hash(ShAll{}) {
		t.Error("the hash sees a pointer")
	}
	if hash(ShHash{Exact: 1, About: 5}) != hash(ShHash{Exact: 2, About: 5}) || hash(ShHash{About: 5}) == hash(ShHash{About: 6}) {
		t.Error("the Hash method is not asked")
	}
}

// TestHashOfWideNumbers checks that numbers of all widths, with padding between them, are hashed
// one by one, and that all NaNs are equal.
func TestHashOfWideNumbers(t *testing.T) {
	nan := func(payload uint64) float64 { return math.Float64frombits(0x7ff8<<48 | payload) }
	hash := func(v mixed) uint64 {
		w := newWorld(t, 1)
		w.Spawn(v)
		return w.Hash()
	}
	var a, b, c mixed
	a.In.F64, b.In.F64 = nan(1), nan(2)
	c.In.U16 = 7
	if hash(a) != hash(b) || hash(a) == hash(c) || hash(c) == hash(mixed{}) {
		t.Error("NaNs differ, or numbers do not")
	}
}

// TestChangedSince checks that a chunk reports when it was written, and when rows were added.
func TestChangedSince(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Spin{W: 1})
	bump(w)
	since := w.Version()
	bump(w)
	q := w.Query(ecs.Read[A](), ecs.Read[Spin]())
	look := func(a, spin, order bool) {
		t.Helper()
		for c := range q.Chunks() {
			if ecs.ChangedSince[A](c, since) != a || ecs.ChangedSince[Spin](c, since) != spin || ecs.ChangedSince[B](c, since) || c.OrderChangedSince(since) != order {
				t.Errorf("A %v, Spin %v, order %v", ecs.ChangedSince[A](c, since), ecs.ChangedSince[Spin](c, since), c.OrderChangedSince(since))
			}
			if s := ecs.Column[Spin](c); s.W[0] != 1 || len(s.X) != c.Len() {
				t.Errorf("the column of four lanes is %v", s)
			}
		}
	}
	look(false, false, false)
	must(t, ecs.Set(w, e, Spin{W: 1}))
	look(false, true, false)
	w.Spawn(A{2}, Spin{W: 1})
	look(true, true, true)
}

// TestLookupKinds checks lookups of tags, buffers and managed components.
func TestLookupKinds(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Tag{}, ecs.BufferOf(Elem{1}), Obj{})
	if _, ok := ecs.NewWorldLookup[Tag](w).Get(e); !ok || !ecs.NewWorldLookup[Tag](w).Set(e, Tag{}) {
		t.Error("a tag is not found")
	}
	look := ecs.NewWorldLookup[Buf](w)
	b, ok := look.Get(e)
	if b.Append(Elem{2}); !ok || b.Len() != 2 || !look.Set(e, ecs.BufferOf(Elem{3})) || b.Len() != 1 {
		t.Errorf("the buffer has %d elements", b.Len())
	}
	for c := range w.Query(ecs.Read[Buf]()).Chunks() {
		if n := ecs.Column[Buf](c).Len(); n != 1 {
			t.Errorf("%d buffers in the column", n)
		}
	}
}

// TestWrongTypes checks that every function fails for a type that is no component.
func TestWrongTypes(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	cmd := w.NewCommands()
	_, errGet := ecs.Get[int32](w, e)
	_, errEnsure := ecs.Ensure[int32](w, e)
	_, errRemove := ecs.Remove[int32](w, e)
	errRemoveTypes := ecs.RemoveTypes(w, ecs.One(e), ecs.With[int32]())
	errAddTypes := ecs.AddTypes(w, ecs.One(e), ecs.With[int32]())
	_, errBuffer := ecs.GetBuffer[int](w, e)
	for i, err := range []error{
		errGet, errEnsure, errRemove, errRemoveTypes, errAddTypes, errBuffer,
		ecs.Add(w, e, int32(1)), ecs.Set(w, e, int32(1)), ecs.AppendBuffer(w, e, 1),
		ecs.Add(cmd, e, int32(1)), ecs.AppendBuffer(cmd, e, 1), ecs.AddTypes(cmd, ecs.One(e), ecs.With[int32]()), ecs.RemoveTypes(cmd, ecs.One(e), ecs.Changed[A]()),
		ecs.AddTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[int32]()), ecs.RemoveTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[int32]()),
		ecs.AddTypes(w, ecs.Matching(w.Query()), ecs.With[int32]()), ecs.RemoveTypes(w, ecs.Matching(w.Query()), ecs.With[int32]()),
		ecs.AddAll(w, ecs.Entities([]ecs.Entity{e}), int32(1)), ecs.AddAll(w, ecs.Matching(w.Query()), int32(1)),
		w.Scheduler().AddAccess(&access.Access{}, ecs.Read[int32]()),
	} {
		if !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%d: got %v", i, err)
		}
	}
	panics(t, ecs.ErrArgument, func() { ecs.NewWorldLookup[int32](w) })
	panics(t, ecs.ErrArgument, func() { w.Query(ecs.Read[int32]()) })
	panics(t, ecs.ErrArgument, func() { w.Query(ecs.Optional(ecs.Read[int32]())) })
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.With[int32]()) })
	if (ecs.Archetype{}).String() != "no archetype" {
		t.Error("the zero Archetype has types")
	}
}

// TestChangesWhileVisiting checks that every structural change is refused in a loop.
func TestChangesWhileVisiting(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 1}, Cl{})
	q := w.Query(ecs.With[A]())
	a := w.Archetype(ecs.With[B]())
	for range q.Chunks() {
		_, errEnsure := ecs.Ensure[B](w, e)
		_, errRemove := ecs.Remove[A](w, e)
		errTypes := ecs.AddTypes(w, ecs.One(e), ecs.With[B]())
		_, errCopies := w.Instantiate(e, 1)
		for i, err := range []error{
			errEnsure, errRemove, errTypes, errCopies,
			w.Destroy(e), ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{e})), ecs.DestroyAll(w, ecs.Matching(q)), ecs.Add(w, e, B{}), ecs.Set(w, e, Sh{Value: 2}),
			w.SetArchetype(e, w.Archetype(ecs.With[A](), ecs.With[Cl]())), w.CreateInto(a, []ecs.Entity{{}}),
			ecs.AddTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[B]()), ecs.AddTypes(w, ecs.Matching(q), ecs.With[B]()), ecs.AddAll(w, ecs.Matching(q), Sh{Value: 3}),
			ecs.AddAll(w, ecs.Entities([]ecs.Entity{e}), Sh{Value: 3}), w.SetActive(e, false), w.NewCommands().Playback(w), q.Close(), w.Close(),
		} {
			if !errors.Is(err, ecs.ErrState) {
				t.Errorf("%d: got %v", i, err)
			}
		}
	}
	if !w.Exists(e) || get[Sh](t, w, e).Value != 1 || ecs.Has[B](w, e) {
		t.Error("what was refused has changed something")
	}
}
