package ecs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// BoundTo is the value of a chunk component.
type (
	BoundTo struct{ To ecs.Entity }
)

// Conformance: 132.
func TestChunkComponent(t *testing.T) {
	w := newWorld(t, 2)
	a := w.Archetype(ecs.With[ecs.PerChunk[A]](), ecs.With[B]())
	ids := make([]ecs.Entity, a.Capacity()+1)
	must(t, w.CreateInto(a, ids))
	e := ids[0]
	if !ecs.Has[ecs.PerChunk[A]](w, e) || ecs.Has[A](w, e) {
		t.Error("a chunk component is a component of the entity, or not there")
	}
	if get[ecs.PerChunk[A]](t, w, e).Value.Value != 0 {
		t.Error("the value of a new chunk is not zero")
	}
	bump(w)
	must(t, ecs.Set(w, e, ecs.PerChunk[A]{A{7}}))
	if ecs.ChangeVersion[ecs.PerChunk[A]](w, e) != w.Version() || ecs.ChangeVersion[A](w, w.MetaOf(e)) != w.Version() {
		t.Error("setting the value does not mark it as changed")
	}
	if first, last := get[ecs.PerChunk[A]](t, w, ids[1]), get[ecs.PerChunk[A]](t, w, ids[len(ids)-1]); first.Value.Value != 7 || last.Value.Value != 0 {
		t.Errorf("a neighbour sees %v, another chunk %v", first, last)
	}
	q := w.Query(ecs.Write[ecs.PerChunk[A]]())
	for c := range q.Chunks() {
		if got := ecs.ChunkValue[A](c); got.Value != 7*int32(1-c.Index()) {
			t.Errorf("chunk %d sees %v", c.Index(), got)
		}
		ecs.SetChunkValue(c, A{int32(c.Index()) + 20})
	}
	q.ParallelFor(&countRows{})
	if got := get[ecs.PerChunk[A]](t, w, e); got.Value.Value != 20+int32(a.Capacity()) {
		t.Errorf("the job has left %v", got)
	}
	if got := get[A](t, w, w.MetaOf(ids[len(ids)-1])); got.Value != 22 {
		t.Errorf("the meta entity has %v", got)
	}
	look := w.Query(ecs.Read[ecs.PerChunk[A]]())
	for c := range look.Chunks() {
		panics(t, ecs.ErrState, func() { ecs.SetChunkValue(c, A{}) })
		panics(t, ecs.ErrArgument, func() { ecs.ChunkValue[B](c) })
	}
	if _, err := ecs.Get[ecs.PerChunk[A]](w, w.Spawn(A{})); err == nil {
		t.Error("an entity without chunk components has one")
	}
	fails(t, ecs.ErrArgument, ecs.Set(w, w.Spawn(B{}), ecs.PerChunk[A]{}))
	panics(t, ecs.ErrArgument, func() { ecs.NewWorldLookup[ecs.PerChunk[A]](w) })
	must(t, integrity(w))
}

// countRows adds the number of rows in a chunk to the value of the chunk.
type countRows struct{}

func (*countRows) Chunk(c *ecs.Chunk) {
	v := ecs.ChunkValue[A](c)
	v.Value += int32(c.Len())
	ecs.SetChunkValue(c, v)
}

// Conformance: 133.
func TestAddChunkComponent(t *testing.T) {
	w := newWorld(t, 1)
	e0, e1 := w.Spawn(A{1}), w.Spawn(A{2})
	must(t, ecs.Add(w, e0, ecs.PerChunk[B]{B{3, 4}}))
	if w.MetaOf(e0).IsZero() || !w.MetaOf(e1).IsZero() || w.Query(ecs.With[ecs.ChunkHeader]()).Count() != 1 {
		t.Error("there must be one meta entity, of e0's chunk")
	}
	if get[A](t, w, e0).Value != 1 || get[A](t, w, e1).Value != 2 || get[ecs.PerChunk[B]](t, w, e0).Value.Y != 4 {
		t.Error("values are lost")
	}
	if !w.MetaOf(ecs.Entity{9, 9}).IsZero() {
		t.Error("what does not exist has a meta entity")
	}
	must(t, integrity(w))
}

// Conformance: 135.
func TestMetaEnds(t *testing.T) {
	w := newWorld(t, 1)
	metas := w.Query(ecs.Read[ecs.ChunkHeader]())
	e := w.Spawn(A{1}, ecs.PerChunk[B]{})
	f := w.Spawn(A{2}, ecs.PerChunk[B]{})
	meta := w.MetaOf(e)
	must(t, w.Destroy(e))
	if !w.Exists(meta) || w.Len() != 1 {
		t.Error("the meta entity has ended before the last row")
	}
	must(t, w.Destroy(f))
	if w.Exists(meta) || metas.Count() != 0 {
		t.Error("the meta entity outlives the last row")
	}
	g := w.Spawn(A{1}, ecs.PerChunk[B]{B{1, 2}}, ecs.PerChunk[Bound]{Bound{3, 4}})
	meta = w.MetaOf(g)
	must(t, ecs.RemoveTypes(w, ecs.Matching(w.Query(ecs.With[A]())), ecs.With[ecs.PerChunk[B]]())) // relabels the chunk
	if w.MetaOf(g) != meta || get[ecs.PerChunk[Bound]](t, w, g).Value.Hi != 4 || ecs.Has[B](w, meta) {
		t.Error("a chunk with fewer components has lost the others")
	}
	must(t, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[A]())), ecs.With[ecs.PerChunk[B]]()))
	if w.MetaOf(g) != meta || get[ecs.PerChunk[B]](t, w, g).Value.Y != 0 {
		t.Error("a component that comes back has an old value")
	}
	if err := ecs.RemoveTypes(w, ecs.One(g), ecs.With[ecs.PerChunk[B]](), ecs.With[ecs.PerChunk[Bound]]()); err != nil || w.Exists(meta) || !w.MetaOf(g).IsZero() {
		t.Errorf("the meta entity outlives the last chunk component: %v", err)
	}
	must(t, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[A]())), ecs.With[ecs.PerChunk[B]]()))
	must(t, ecs.RemoveTypes(w, ecs.Matching(w.Query(ecs.With[A]())), ecs.With[ecs.PerChunk[B]]()))
	if metas.Count() != 0 {
		t.Error("a relabelled chunk keeps its meta entity")
	}
	must(t, integrity(w))
}

// Conformance: 98.
func TestCleanupChunkComponent(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, ecs.PerChunk[BoundCl]{BoundCl{Value: 5}}, ecs.PerChunk[B]{})
	meta := w.MetaOf(e)
	must(t, w.Destroy(e))
	if w.Exists(e) || !w.Exists(meta) || get[BoundCl](t, w, meta).Value != 5 || ecs.Has[B](w, meta) || ecs.Has[ecs.ChunkHeader](w, meta) {
		t.Error("the meta entity must stay, with its cleanup component alone")
	}
	if w.Query(ecs.With[BoundCl]()).Count() != 1 {
		t.Error("no query finds the meta entity that is to be cleaned up")
	}
	if _, err := ecs.Remove[BoundCl](w, meta); err != nil || w.Exists(meta) {
		t.Errorf("the meta entity outlives its cleanup: %v", err)
	}
	must(t, integrity(w))
}

// Conformance: 14.
func TestAllEntities(t *testing.T) {
	w := newWorld(t, 1)
	normal, prefab, inactive := w.Spawn(A{}), w.Spawn(A{}, ecs.Prefab{}), w.Spawn(A{}, ecs.Inactive{})
	both := w.Spawn(A{}, ecs.Prefab{}, ecs.Inactive{})
	chunked := w.Spawn(A{}, ecs.PerChunk[B]{})
	if got, want := slices.Collect(w.Entities()), []ecs.Entity{normal, prefab, inactive, both, chunked}; !slices.Equal(got, want) || w.Len() != 5 {
		t.Errorf("got %v, want %v; %d entities", got, want, w.Len())
	}
	if got := w.Query(ecs.With[ecs.ChunkHeader]()).AppendEntities(nil); !slices.Equal(got, []ecs.Entity{w.MetaOf(chunked)}) {
		t.Errorf("the meta entities are %v", got)
	}
	for _, c := range []struct {
		terms []ecs.Term
		want  int
	}{
		{[]ecs.Term{ecs.With[A]()}, 2},
		{[]ecs.Term{ecs.With[A](), ecs.IncludePrefabs()}, 3},
		{[]ecs.Term{ecs.With[A](), ecs.IncludeInactive()}, 3},
		{[]ecs.Term{ecs.With[A](), ecs.IncludePrefabs(), ecs.IncludeInactive()}, 5},
		{[]ecs.Term{ecs.With[ecs.Prefab]()}, 1},
		{[]ecs.Term{ecs.With[ecs.Prefab](), ecs.IncludeInactive()}, 2},
		{[]ecs.Term{ecs.AnyOf(ecs.With[ecs.Inactive](), ecs.With[A]())}, 3},
		{[]ecs.Term{ecs.Present[ecs.Inactive]()}, 1},
		{[]ecs.Term{ecs.Optional(ecs.Read[Bound]()), ecs.With[B]()}, 0},
		{[]ecs.Term{ecs.With[B](), ecs.With[ecs.ChunkHeader]()}, 1},
	} {
		if q := w.Query(c.terms...); q.Count() != c.want {
			t.Errorf("%v matches %d, want %d", q, q.Count(), c.want)
		}
	}
	copies, err := w.Instantiate(both, 1)
	must(t, err)
	if ecs.Has[ecs.Prefab](w, copies[0]) || !ecs.Has[ecs.Inactive](w, copies[0]) {
		t.Error("a copy must be no prefab, and as inactive as the original")
	}
}

// TestSetActive makes an entity inactive and active again. A repeated call must have no effect.
func TestSetActive(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{5})
	q := w.Query(ecs.With[A]())
	for _, active := range []bool{true, false, false, true, true} {
		must(t, w.SetActive(e, active))
		if (q.Count() == 1) != active || get[A](t, w, e).Value != 5 {
			t.Errorf("active is %v, and %d match", active, q.Count())
		}
	}
	fails(t, ecs.ErrArgument, w.SetActive(ecs.Entity{4, 4}, true))
}

// TestMetaIsTheWorlds checks that only the world creates, changes or destroys a meta entity.
func TestMetaIsTheWorlds(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, ecs.PerChunk[B]{})
	meta := w.MetaOf(e)
	metas := w.Query(ecs.With[ecs.ChunkHeader]())
	fails(t, ecs.ErrArgument, w.Destroy(meta))
	fails(t, ecs.ErrArgument, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{e, meta})))
	fails(t, ecs.ErrArgument, ecs.DestroyAll(w, ecs.Matching(metas)))
	fails(t, ecs.ErrArgument, ecs.Add(w, meta, A{}))
	fails(t, ecs.ErrArgument, ecs.Add(w, e, ecs.ChunkHeader{}))
	_, err := ecs.Remove[B](w, meta)
	fails(t, ecs.ErrArgument, err)
	err = ecs.AddTypes(w, ecs.One(e), ecs.With[ecs.ChunkHeader]())
	fails(t, ecs.ErrArgument, err)
	err = ecs.AddTypes(w, ecs.One(meta), ecs.With[A]())
	fails(t, ecs.ErrArgument, err)
	_, err = w.Instantiate(meta, 1)
	fails(t, ecs.ErrArgument, err)
	fails(t, ecs.ErrArgument, w.SetArchetype(meta, w.Archetype()))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Matching(metas), Sh{Value: 1}))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Matching(metas), A{1}))
	fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Entities([]ecs.Entity{e}), ecs.ChunkHeader{}))
	panics(t, ecs.ErrArgument, func() { w.Spawn(ecs.ChunkHeader{}) })
	panics(t, ecs.ErrArgument, func() { w.Archetype(ecs.With[ecs.ChunkHeader]()) })
	heads := w.ArchetypeOf(meta)
	panics(t, ecs.ErrArgument, func() { w.Create(heads, 1) })
	panics(t, ecs.ErrArgument, func() { w.CreateChunks(heads, 1) })
	fails(t, ecs.ErrArgument, w.CreateInto(heads, make([]ecs.Entity, 1)))
	fails(t, ecs.ErrArgument, w.SetArchetype(e, heads))
	_, err = w.NewCommands().Create(heads)
	fails(t, ecs.ErrArgument, err)
	for _, v := range []any{ecs.PerChunk[Sh]{}, ecs.PerChunk[En]{}, ecs.PerChunk[Obj]{}, ecs.PerChunk[int32]{}} {
		panics(t, ecs.ErrArgument, func() { w.Spawn(v) })
	}
	if !w.Exists(e) || !w.Exists(meta) || w.Len() != 1 {
		t.Error("what failed has changed something")
	}
	must(t, ecs.Set(w, meta, B{1, 2})) // values may be set
	if get[ecs.PerChunk[B]](t, w, e).Value.Y != 2 {
		t.Error("the chunk does not see its meta entity's value")
	}
	for c := range w.Query(ecs.Read[ecs.ChunkHeader]()).Chunks() {
		h := (*ecs.Column[ecs.ChunkHeader](c))[0]
		if h.Len() != 1 || h.Entities()[0] != e || h.Archetype() != w.ArchetypeOf(e) {
			t.Errorf("the header says %v", h.Entities())
		}
	}
	if h := (ecs.ChunkHeader{}); h.Len() != 0 || h.Entities() != nil || h.Archetype() != (ecs.Archetype{}) {
		t.Error("a zero header shows something")
	}
}

// TestChunkComponentsInCommands records values of chunk components that contain ids of entities.
func TestChunkComponentsInCommands(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, ecs.PerChunk[BoundTo]{})
	cmd := w.NewCommands()
	made, err := cmd.Spawn(B{}, ecs.PerChunk[BoundTo]{})
	must(t, err)
	must(t, ecs.Set(cmd, e, ecs.PerChunk[BoundTo]{BoundTo{made}}))
	must(t, ecs.Add(cmd, made, ecs.PerChunk[Tag]{}))
	_, err = cmd.Spawn(D{}, ecs.PerChunk[BoundTo]{BoundTo{made}})
	must(t, err)
	must(t, cmd.Playback(w))
	for c := range w.Query(ecs.With[D](), ecs.Read[ecs.PerChunk[BoundTo]]()).Chunks() {
		if to := ecs.ChunkValue[BoundTo](c).To; !ecs.Has[B](w, to) {
			t.Errorf("the chunk of what was spawned refers to %v", to)
		}
	}
	if to := get[ecs.PerChunk[BoundTo]](t, w, e).Value.To; !ecs.Has[B](w, to) || !ecs.Has[ecs.PerChunk[Tag]](w, to) {
		t.Errorf("the chunk refers to %v", to)
	}
	must(t, integrity(w))
}

// TestChunkComponentsAtRandom checks that after random operations each chunk with chunk components has
// exactly one meta entity.
func TestChunkComponentsAtRandom(t *testing.T) {
	w := newWorld(t, 1)
	rng := rand.New(rand.NewPCG(8, 9))
	types := []ecs.Term{ecs.With[A](), ecs.With[B](), ecs.With[Tag](), ecs.With[Cl](), ecs.With[ecs.PerChunk[A]](), ecs.With[ecs.PerChunk[BoundCl]](), ecs.With[ecs.PerChunk[Bound]](), ecs.With[Sh]()}
	some := func() (list []ecs.Term) {
		for _, t := range types {
			if rng.IntN(3) == 0 {
				list = append(list, t)
			}
		}
		return list
	}
	var alive []ecs.Entity
	steps := 200
	if *full {
		steps = 1500
	}
	for step := range steps {
		switch q := w.Query(types[rng.IntN(3)]); rng.IntN(7) {
		case 0, 1:
			ids := make([]ecs.Entity, 1+rng.IntN(1500))
			must(t, w.CreateInto(w.Archetype(some()...), ids))
		case 2:
			must(t, ecs.AddTypes(w, ecs.Matching(q), some()...))
		case 3:
			must(t, ecs.RemoveTypes(w, ecs.Matching(q), some()...))
		case 4:
			must(t, ecs.AddAll(w, ecs.Matching(q), Sh{Value: rng.Int32N(3)}))
		case 5:
			if len(alive) > 0 {
				err := ecs.AddTypes(w, ecs.One(alive[rng.IntN(len(alive))]), some()...)
				must(t, err)
				must(t, ecs.DestroyAll(w, ecs.Entities(alive[:rng.IntN(len(alive))])))
			}
		case 6:
			if w.Len() > 5000 {
				must(t, ecs.DestroyAll(w, ecs.Matching(q)))
			}
		}
		if err := integrity(w); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		alive = slices.Collect(w.Entities())
	}
}

// Conformance: 137.
func TestChunkWithoutComponent(t *testing.T) {
	w := newWorld(t, 1)
	bare := w.Spawn(A{1})
	w.Spawn(A{1}, ecs.PerChunk[B]{})
	_, err := ecs.Get[ecs.PerChunk[B]](w, bare)
	fails(t, ecs.ErrArgument, err)
	fails(t, ecs.ErrArgument, ecs.Set(w, bare, ecs.PerChunk[B]{}))
	for c := range w.Query(ecs.Write[A](), ecs.Optional(ecs.Write[ecs.PerChunk[B]]())).Chunks() {
		if ecs.HasColumn[ecs.PerChunk[B]](c) {
			ecs.SetChunkValue(c, B{1, 1})
			panics(t, ecs.ErrArgument, func() { ecs.ChunkValue[Bound](c) })
			continue
		}
		panics(t, ecs.ErrArgument, func() { ecs.ChunkValue[B](c) })
		panics(t, ecs.ErrArgument, func() { ecs.SetChunkValue(c, B{}) })
	}
	for c := range w.Query(ecs.With[ecs.PerChunk[B]]()).Chunks() {
		panics(t, ecs.ErrState, func() { ecs.ChunkValue[B](c) })
	}
}

// The types large1, large2 and large3 have 10 KiB each. So a chunk value can have only one of them.
type (
	large3 struct{ Data [10 << 10]byte }
)

// Conformance: 138.
func TestLargeChunkComponents(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(large1{})
	_, err := ecs.Ensure[large2](w, e)
	fails(t, ecs.ErrArgument, err)
	_, err = ecs.Ensure[ecs.PerChunk[large2]](w, e)
	must(t, err)
	_, err = ecs.Ensure[ecs.PerChunk[large3]](w, e)
	fails(t, ecs.ErrArgument, err)
	if !ecs.Has[ecs.PerChunk[large2]](w, e) || ecs.Has[ecs.PerChunk[large3]](w, e) || w.Query(ecs.With[ecs.ChunkHeader]()).Count() != 1 {
		t.Error("what failed has changed something")
	}
	must(t, integrity(w))
}
