package ecs

import (
	"math"
	"slices"
	"testing"
)

// nearTheEnd sets the version of the slot of e to the highest version. It returns the id that e has
// from then on.
func nearTheEnd(w *World, e Entity) Entity {
	s := w.tables.entities.find(e)
	s.version = math.MaxInt32
	last := Entity{e.Index, math.MaxInt32}
	*w.tables.chunks[s.chunk].idAt(int(s.row)) = last
	return last
}

// everyVersion returns ids with many versions of a slot, some of them beyond the highest version.
func everyVersion(index int32) (list []Entity) {
	for _, v := range []int32{math.MinInt32, math.MinInt32 + 1, -2, -1, 0, 1, 2, 3, math.MaxInt32 - 1, math.MaxInt32} {
		list = append(list, Entity{index, v})
	}
	return list
}

// A slot that has used all versions must never be used again. Otherwise an old id could refer to a new
// entity. For slot 0, a wrapped version would even give the null entity.
func TestSlotsEnd(t *testing.T) {
	for _, index := range []int{0, 3} {
		w := newWorld(t, 1)
		list := make([]Entity, 6)
		must(t, w.CreateInto(w.Archetype(With[A](), With[Ref]()), list))
		last := nearTheEnd(w, list[index])
		must(t, Set(w, list[5], Ref{1, last}))
		must(t, integrity(w))
		if !w.Exists(last) || w.Exists(list[index]) {
			t.Fatalf("%v exists: %v", last, w.Exists(last))
		}
		must(t, w.Destroy(list[1]))
		must(t, w.Destroy(last))
		must(t, integrity(w))
		want := []Entity{{1, 2}, {6, 1}, {7, 1}}
		var got []Entity
		for range want {
			got = append(got, w.Spawn(A{1}))
		}
		if !slices.Equal(got, want) {
			t.Errorf("slot %d: the next ids are %v, want %v", index, got, want)
		}
		if n := w.Len(); n != 7 || w.Stats().Entities != n || len(slices.Collect(w.Entities())) != n {
			t.Errorf("%d entities, want 7", n)
		}
		for _, e := range everyVersion(int32(index)) {
			if w.Exists(e) || Has[A](w, e) {
				t.Errorf("%v exists", e)
			}
			must(t, w.Destroy(e)) // it is dead, like any other
			wantCategory(t, ErrArgument, Set(w, e, A{1}))
		}
		if r := get[Ref](t, w, list[5]); w.Exists(r.To) {
			t.Errorf("a reference leads to %v", r.To)
		}
		must(t, integrity(w))
	}
}

// This must also hold if many entities are destroyed together (by a list, by a query, or with
// cleanup components), or are moved to another world. Hash, transactions and Close still work.
func TestSlotsEndTogether(t *testing.T) {
	const n = 1500 // more than two chunks
	for name, tc := range map[string]struct {
		values []any
		end    func(w *World, list []Entity) error
	}{
		"list":  {[]any{A{}}, func(w *World, list []Entity) error { return DestroyAll(w, Entities(list)) }},
		"query": {[]any{A{}}, func(w *World, _ []Entity) error { return DestroyAll(w, Matching(w.Query(With[A]()))) }},
		"cleanup": {[]any{A{}, Cl{}}, func(w *World, list []Entity) error {
			if err := DestroyAll(w, Entities(list)); err != nil {
				return err
			}
			return RemoveTypes(w, Matching(w.Query(With[Cl]())), With[Cl]())
		}},
		"moved": {[]any{A{}}, func(w *World, _ []Entity) error { return MoveEntities(newWorld(t, 1), w, nil) }},
		"commands": {[]any{A{}}, func(w *World, list []Entity) error {
			c := w.NewCommands()
			for _, e := range list {
				must(t, c.Destroy(e))
			}
			return c.Playback(w)
		}},
		"transaction": {[]any{A{}}, func(w *World, list []Entity) error {
			tr, err := BeginTransaction(w)
			must(t, err)
			tr.Schedule(TransactionFunc(func(w *World) error { return DestroyAll(w, Entities(list)) }))
			return tr.End()
		}},
	} {
		w := newWorld(t, 1)
		list := make([]Entity, n)
		for i := range list {
			list[i] = w.Spawn(tc.values...)
		}
		used := 0
		for i := 0; i < n; i += 7 {
			list[i] = nearTheEnd(w, list[i])
			used++
		}
		must(t, integrity(w))
		must(t, tc.end(w, list))
		must(t, integrity(w))
		if w.Len() != 0 || w.Stats().Utilisation != 0 {
			t.Errorf("%s: %d entities are left, %v", name, w.Len(), w.Stats())
		}
		before := w.Hash()
		again := make([]Entity, n)
		must(t, w.CreateInto(w.Archetype(With[A]()), again))
		fresh := 0
		for _, e := range again {
			if e.Index%7 == 0 && e.Index < n {
				t.Fatalf("%s: %v is used again", name, e)
			}
			if e.Index >= n {
				fresh++
			}
		}
		if fresh != used {
			t.Errorf("%s: %d fresh slots, want %d", name, fresh, used)
		}
		for _, e := range list {
			if w.Exists(e) {
				t.Fatalf("%s: %v exists", name, e)
			}
		}
		must(t, integrity(w))
		must(t, DestroyAll(w, Entities(again)))
		if w.Hash() == before {
			t.Errorf("%s: the hash does not tell of the new slots", name)
		}
	}
}

// The source world has slots that have used all versions. Copying or moving its entities must
// create ordinary entities.
func TestSlotsEndBetweenWorlds(t *testing.T) {
	src, dst := newWorld(t, 1), newWorld(t, 1)
	e := src.Spawn(Ref{1, Entity{}})
	last := nearTheEnd(src, e)
	must(t, Set(src, last, Ref{1, last}))
	copies, err := CopyEntities(dst, src, []Entity{last})
	must(t, err)
	var moved EntityMap
	must(t, MoveEntities(dst, src, &moved))
	for _, e := range []Entity{copies[0], moved.NewID(last)} {
		if r := get[Ref](t, dst, e); r.To != e {
			t.Errorf("%v refers to %v", e, r.To)
		}
	}
	if src.Exists(last) || src.Spawn().Index == last.Index {
		t.Error("the slot is used again")
	}
	must(t, integrity(src))
	must(t, integrity(dst))
	// The id of a deferred entity has a negative index, and must not be confused with any slot.
	c := dst.NewCommands()
	p, err := c.Spawn(A{1})
	must(t, err)
	if p.Index >= 0 || dst.Exists(Entity{-p.Index, p.Version}) || dst.Exists(Entity{0, p.Version}) {
		t.Error(p)
	}
	must(t, src.Close())
}
