package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Bound and the types after it are values of chunks.
type (
	Bound   struct{ Lo, Hi int32 }
	BoundCl struct {
		Cleanup
		Value int32
	}
	BoundTo struct{ To Entity }
)

func (Bound) Column() (c struct{ Lo, Hi []int32 }) { return }

// Conformance: 132.
func TestChunkComponent(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(With[PerChunk[A]](), With[B]())
	ids := make([]Entity, a.Capacity()+1)
	must(t, w.CreateInto(a, ids))
	e := ids[0]
	if !Has[PerChunk[A]](w, e) || Has[A](w, e) {
		t.Error("a chunk component is a component of the entity, or not there")
	}
	if get[PerChunk[A]](t, w, e).Value.Value != 0 {
		t.Error("the value of a new chunk is not zero")
	}
	w.gate.bump()
	must(t, Set(w, e, PerChunk[A]{A{7}}))
	if ChangeVersion[PerChunk[A]](w, e) != w.Version() || ChangeVersion[A](w, w.MetaOf(e)) != w.Version() {
		t.Error("setting the value does not mark it as changed")
	}
	if first, last := get[PerChunk[A]](t, w, ids[1]), get[PerChunk[A]](t, w, ids[len(ids)-1]); first.Value.Value != 7 || last.Value.Value != 0 {
		t.Errorf("a neighbour sees %v, another chunk %v", first, last)
	}
	q := w.Query(Write[PerChunk[A]]())
	for c := range q.Chunks() {
		if got := ChunkValue[A](c); got.Value != 7*int32(1-c.Index()) {
			t.Errorf("chunk %d sees %v", c.Index(), got)
		}
		SetChunkValue(c, A{int32(c.Index()) + 20})
	}
	q.ParallelFor(&countRows{})
	if got := get[PerChunk[A]](t, w, e); got.Value.Value != 20+int32(a.Capacity()) {
		t.Errorf("the job has left %v", got)
	}
	if got := get[A](t, w, w.MetaOf(ids[len(ids)-1])); got.Value != 22 {
		t.Errorf("the meta entity has %v", got)
	}
	look := w.Query(Read[PerChunk[A]]())
	for c := range look.Chunks() {
		panics(t, ErrState, func() { SetChunkValue(c, A{}) })
		panics(t, ErrArgument, func() { ChunkValue[B](c) })
	}
	if _, err := Get[PerChunk[A]](w, w.Spawn(A{})); err == nil {
		t.Error("an entity without chunk components has one")
	}
	fails(t, ErrArgument, Set(w, w.Spawn(B{}), PerChunk[A]{}))
	panics(t, ErrArgument, func() { NewWorldLookup[PerChunk[A]](w) })
	must(t, w.integrity())
}

// countRows adds the number of rows to the value of their chunk.
type countRows struct{}

func (*countRows) Chunk(c *Chunk) {
	v := ChunkValue[A](c)
	v.Value += int32(c.Len())
	SetChunkValue(c, v)
}

// Conformance: 133.
func TestAddChunkComponent(t *testing.T) {
	w := newWorld(t, 1)
	e0, e1 := w.Spawn(A{1}), w.Spawn(A{2})
	must(t, Add(w, e0, PerChunk[B]{B{3, 4}}))
	if w.MetaOf(e0).IsZero() || !w.MetaOf(e1).IsZero() || w.Query(With[ChunkHeader]()).Count() != 1 {
		t.Error("there must be one meta entity, of e0's chunk")
	}
	if get[A](t, w, e0).Value != 1 || get[A](t, w, e1).Value != 2 || get[PerChunk[B]](t, w, e0).Value.Y != 4 {
		t.Error("values are lost")
	}
	if !w.MetaOf(Entity{9, 9}).IsZero() {
		t.Error("what does not exist has a meta entity")
	}
	must(t, w.integrity())
}

// Conformance: 135.
func TestMetaEnds(t *testing.T) {
	w := newWorld(t, 1)
	metas := w.Query(Read[ChunkHeader]())
	e := w.Spawn(A{1}, PerChunk[B]{})
	f := w.Spawn(A{2}, PerChunk[B]{})
	meta := w.MetaOf(e)
	must(t, w.Destroy(e))
	if !w.Exists(meta) || w.Len() != 1 {
		t.Error("the meta entity has ended before the last row")
	}
	must(t, w.Destroy(f))
	if w.Exists(meta) || metas.Count() != 0 {
		t.Error("the meta entity outlives the last row")
	}
	g := w.Spawn(A{1}, PerChunk[B]{B{1, 2}}, PerChunk[Bound]{Bound{3, 4}})
	meta = w.MetaOf(g)
	must(t, RemoveTypes(w, Matching(w.Query(With[A]())), With[PerChunk[B]]())) // relabels the chunk
	if w.MetaOf(g) != meta || get[PerChunk[Bound]](t, w, g).Value.Hi != 4 || Has[B](w, meta) {
		t.Error("a chunk with fewer components has lost the others")
	}
	must(t, AddTypes(w, Matching(w.Query(With[A]())), With[PerChunk[B]]()))
	if w.MetaOf(g) != meta || get[PerChunk[B]](t, w, g).Value.Y != 0 {
		t.Error("a component that comes back has an old value")
	}
	if err := RemoveTypes(w, One(g), With[PerChunk[B]](), With[PerChunk[Bound]]()); err != nil || w.Exists(meta) || !w.MetaOf(g).IsZero() {
		t.Errorf("the meta entity outlives the last chunk component: %v", err)
	}
	must(t, AddTypes(w, Matching(w.Query(With[A]())), With[PerChunk[B]]()))
	must(t, RemoveTypes(w, Matching(w.Query(With[A]())), With[PerChunk[B]]()))
	if metas.Count() != 0 {
		t.Error("a relabelled chunk keeps its meta entity")
	}
	must(t, w.integrity())
}

// Conformance: 98.
func TestCleanupChunkComponent(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, PerChunk[BoundCl]{BoundCl{Value: 5}}, PerChunk[B]{})
	meta := w.MetaOf(e)
	must(t, w.Destroy(e))
	if w.Exists(e) || !w.Exists(meta) || get[BoundCl](t, w, meta).Value != 5 || Has[B](w, meta) || Has[ChunkHeader](w, meta) {
		t.Error("the meta entity must stay, with its cleanup component alone")
	}
	if w.Query(With[BoundCl]()).Count() != 1 {
		t.Error("no query finds the meta entity that is to be cleaned up")
	}
	if _, err := Remove[BoundCl](w, meta); err != nil || w.Exists(meta) {
		t.Errorf("the meta entity outlives its cleanup: %v", err)
	}
	must(t, w.integrity())
}

// Conformance: 14.
func TestAllEntities(t *testing.T) {
	w := newWorld(t, 1)
	normal, prefab, inactive := w.Spawn(A{}), w.Spawn(A{}, Prefab{}), w.Spawn(A{}, Inactive{})
	both := w.Spawn(A{}, Prefab{}, Inactive{})
	chunked := w.Spawn(A{}, PerChunk[B]{})
	if got, want := slices.Collect(w.Entities()), []Entity{normal, prefab, inactive, both, chunked}; !slices.Equal(got, want) || w.Len() != 5 {
		t.Errorf("got %v, want %v; %d entities", got, want, w.Len())
	}
	if got := w.Query(With[ChunkHeader]()).AppendEntities(nil); !slices.Equal(got, []Entity{w.MetaOf(chunked)}) {
		t.Errorf("the meta entities are %v", got)
	}
	for _, c := range []struct {
		terms []Term
		want  int
	}{
		{[]Term{With[A]()}, 2},
		{[]Term{With[A](), IncludePrefabs()}, 3},
		{[]Term{With[A](), IncludeInactive()}, 3},
		{[]Term{With[A](), IncludePrefabs(), IncludeInactive()}, 5},
		{[]Term{With[Prefab]()}, 1},
		{[]Term{With[Prefab](), IncludeInactive()}, 2},
		{[]Term{AnyOf(With[Inactive](), With[A]())}, 3},
		{[]Term{Present[Inactive]()}, 1},
		{[]Term{Optional(Read[Bound]()), With[B]()}, 0},
		{[]Term{With[B](), With[ChunkHeader]()}, 1},
	} {
		if q := w.Query(c.terms...); q.Count() != c.want {
			t.Errorf("%v matches %d, want %d", q, q.Count(), c.want)
		}
	}
	copies, err := w.Instantiate(both, 1)
	must(t, err)
	if Has[Prefab](w, copies[0]) || !Has[Inactive](w, copies[0]) {
		t.Error("a copy must be no prefab, and as inactive as the original")
	}
}

// TestSetActive: an entity is made inactive and active again, once.
func TestSetActive(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{5})
	q := w.Query(With[A]())
	for _, active := range []bool{true, false, false, true, true} {
		must(t, w.SetActive(e, active))
		if (q.Count() == 1) != active || get[A](t, w, e).Value != 5 {
			t.Errorf("active is %v, and %d match", active, q.Count())
		}
	}
	fails(t, ErrArgument, w.SetActive(Entity{4, 4}, true))
}

// TestMetaIsTheWorlds: only the world makes, changes or destroys a meta entity.
func TestMetaIsTheWorlds(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, PerChunk[B]{})
	meta := w.MetaOf(e)
	metas := w.Query(With[ChunkHeader]())
	fails(t, ErrArgument, w.Destroy(meta))
	fails(t, ErrArgument, DestroyAll(w, Entities([]Entity{e, meta})))
	fails(t, ErrArgument, DestroyAll(w, Matching(metas)))
	fails(t, ErrArgument, Add(w, meta, A{}))
	fails(t, ErrArgument, Add(w, e, ChunkHeader{}))
	_, err := Remove[B](w, meta)
	fails(t, ErrArgument, err)
	err = AddTypes(w, One(e), With[ChunkHeader]())
	fails(t, ErrArgument, err)
	err = AddTypes(w, One(meta), With[A]())
	fails(t, ErrArgument, err)
	_, err = w.Instantiate(meta, 1)
	fails(t, ErrArgument, err)
	fails(t, ErrArgument, w.SetArchetype(meta, w.Archetype()))
	fails(t, ErrArgument, AddAll(w, Matching(metas), Sh{Value: 1}))
	fails(t, ErrArgument, AddAll(w, Matching(metas), A{1}))
	fails(t, ErrArgument, AddAll(w, Entities([]Entity{e}), ChunkHeader{}))
	panics(t, ErrArgument, func() { w.Spawn(ChunkHeader{}) })
	panics(t, ErrArgument, func() { w.Archetype(With[ChunkHeader]()) })
	heads := w.ArchetypeOf(meta)
	panics(t, ErrArgument, func() { w.Create(heads, 1) })
	panics(t, ErrArgument, func() { w.CreateChunks(heads, 1) })
	fails(t, ErrArgument, w.CreateInto(heads, make([]Entity, 1)))
	fails(t, ErrArgument, w.SetArchetype(e, heads))
	_, err = w.NewCommands().Create(heads)
	fails(t, ErrArgument, err)
	for _, v := range []any{PerChunk[Sh]{}, PerChunk[En]{}, PerChunk[Obj]{}, PerChunk[int32]{}} {
		panics(t, ErrArgument, func() { w.Spawn(v) })
	}
	if !w.Exists(e) || !w.Exists(meta) || w.Len() != 1 {
		t.Error("what failed has changed something")
	}
	must(t, Set(w, meta, B{1, 2})) // values may be set
	if get[PerChunk[B]](t, w, e).Value.Y != 2 {
		t.Error("the chunk does not see its meta entity's value")
	}
	for c := range w.Query(Read[ChunkHeader]()).Chunks() {
		h := (*Column[ChunkHeader](c))[0]
		if h.Len() != 1 || h.Entities()[0] != e || h.Archetype() != w.ArchetypeOf(e) {
			t.Errorf("the header says %v", h.Entities())
		}
	}
	if h := (ChunkHeader{}); h.Len() != 0 || h.Entities() != nil || h.Archetype() != (Archetype{}) {
		t.Error("a zero header shows something")
	}
}

// TestChunkComponentsInCommands: recorded values for a chunk, with ids in them.
func TestChunkComponentsInCommands(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, PerChunk[BoundTo]{})
	cmd := w.NewCommands()
	made, err := cmd.Spawn(B{}, PerChunk[BoundTo]{})
	must(t, err)
	must(t, Set(cmd, e, PerChunk[BoundTo]{BoundTo{made}}))
	must(t, Add(cmd, made, PerChunk[Tag]{}))
	_, err = cmd.Spawn(D{}, PerChunk[BoundTo]{BoundTo{made}})
	must(t, err)
	must(t, cmd.Playback(w))
	for c := range w.Query(With[D](), Read[PerChunk[BoundTo]]()).Chunks() {
		if to := ChunkValue[BoundTo](c).To; !Has[B](w, to) {
			t.Errorf("the chunk of what was spawned refers to %v", to)
		}
	}
	if to := get[PerChunk[BoundTo]](t, w, e).Value.To; !Has[B](w, to) || !Has[PerChunk[Tag]](w, to) {
		t.Errorf("the chunk refers to %v", to)
	}
	must(t, w.integrity())
}

// TestChunkComponentsAtRandom: after random operations each chunk with chunk components has exactly one
// meta entity.
func TestChunkComponentsAtRandom(t *testing.T) {
	w := newWorld(t, 1)
	rng := rand.New(rand.NewPCG(8, 9))
	types := []Term{With[A](), With[B](), With[Tag](), With[Cl](), With[PerChunk[A]](), With[PerChunk[BoundCl]](), With[PerChunk[Bound]](), With[Sh]()}
	some := func() (list []Term) {
		for _, t := range types {
			if rng.IntN(3) == 0 {
				list = append(list, t)
			}
		}
		return list
	}
	var alive []Entity
	steps := 200
	if *full {
		steps = 1500
	}
	for step := range steps {
		switch q := w.Query(types[rng.IntN(3)]); rng.IntN(7) {
		case 0, 1:
			ids := make([]Entity, 1+rng.IntN(1500))
			must(t, w.CreateInto(w.Archetype(some()...), ids))
		case 2:
			must(t, AddTypes(w, Matching(q), some()...))
		case 3:
			must(t, RemoveTypes(w, Matching(q), some()...))
		case 4:
			must(t, AddAll(w, Matching(q), Sh{Value: rng.Int32N(3)}))
		case 5:
			if len(alive) > 0 {
				err := AddTypes(w, One(alive[rng.IntN(len(alive))]), some()...)
				must(t, err)
				must(t, DestroyAll(w, Entities(alive[:rng.IntN(len(alive))])))
			}
		case 6:
			if w.Len() > 5000 {
				must(t, DestroyAll(w, Matching(q)))
			}
		}
		if err := w.integrity(); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		alive = slices.Collect(w.Entities())
	}
}

// Conformance: 137.
func TestChunkWithoutComponent(t *testing.T) {
	w := newWorld(t, 1)
	bare := w.Spawn(A{1})
	w.Spawn(A{1}, PerChunk[B]{})
	_, err := Get[PerChunk[B]](w, bare)
	fails(t, ErrArgument, err)
	fails(t, ErrArgument, Set(w, bare, PerChunk[B]{}))
	for c := range w.Query(Write[A](), Optional(Write[PerChunk[B]]())).Chunks() {
		if HasColumn[PerChunk[B]](c) {
			SetChunkValue(c, B{1, 1})
			panics(t, ErrArgument, func() { ChunkValue[Bound](c) })
			continue
		}
		panics(t, ErrArgument, func() { ChunkValue[B](c) })
		panics(t, ErrArgument, func() { SetChunkValue(c, B{}) })
	}
	for c := range w.Query(With[PerChunk[B]]()).Chunks() {
		panics(t, ErrState, func() { ChunkValue[B](c) })
	}
}

// Three types of 10 KiB; a chunk has room for one of them.
type (
	large1 struct{ Data [10 << 10]byte }
	large2 struct{ Data [10 << 10]byte }
	large3 struct{ Data [10 << 10]byte }
)

// Conformance: 138.
func TestLargeChunkComponents(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(large1{})
	_, err := Ensure[large2](w, e)
	fails(t, ErrArgument, err)
	_, err = Ensure[PerChunk[large2]](w, e)
	must(t, err)
	_, err = Ensure[PerChunk[large3]](w, e)
	fails(t, ErrArgument, err)
	if !Has[PerChunk[large2]](w, e) || Has[PerChunk[large3]](w, e) || w.Query(With[ChunkHeader]()).Count() != 1 {
		t.Error("what failed has changed something")
	}
	must(t, w.integrity())
}
