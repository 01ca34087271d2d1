package ecs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestHooksAreLists: several functions of one hook are called in order, and each can be
// taken out alone, in any order, while they are called too, and more than once.
func TestHooksAreLists(t *testing.T) {
	for name, hook := range map[string]func(w *World, f func()) (remove func()){
		"OnSync": (*World).OnSync,
		"OnWait": func(w *World, f func()) func() {
			return w.OnWait(func(*jobs.Access) func() { f(); return func() {} })
		},
		"OnCommit": func(w *World, f func()) func() { return w.OnCommit(func(string) { f() }) },
	} {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}} {
			w := newWorld(t, 2)
			q := w.Query(Write[A]())
			w.Spawn(A{})
			var said []int
			var remove [3]func()
			for k := range 3 {
				remove[k] = hook(w, func() { said = append(said, k) })
			}
			left := []int{0, 1, 2}
			for _, gone := range append([]int{-1}, order...) {
				if gone >= 0 {
					remove[gone]()
					remove[gone]()
					left = slices.DeleteFunc(left, func(k int) bool { return k == gone })
				}
				hold := make(chan bool)
				said = nil
				q.ParallelFor(chunkFunc(func(*Chunk) { <-hold }))
				close(hold)
				w.Spawn(B{})
				if name == "OnWait" && len(said) == 0 {
					continue // the job was done already
				}
				if !slices.Equal(said, left) {
					t.Errorf("%s, removed up to %d of %v: called %v, want %v", name, gone, order, said, left)
				}
			}
		}
		w := newWorld(t, 1)
		q := w.Query(Write[A]())
		w.Spawn(A{})
		calls := 0
		var remove func()
		remove = hook(w, func() { calls++; remove() })
		hook(w, func() { calls += 10 })
		q.ParallelFor(chunkFunc(func(*Chunk) {}))
		w.Spawn(B{})
		q.ParallelFor(chunkFunc(func(*Chunk) {}))
		w.Spawn(B{})
		if calls != 21 {
			t.Errorf("%s: one that removes itself: %d", name, calls)
		}
	}
	w := newWorld(t, 1)
	var order []int
	for k := range 3 {
		remove := w.OnClose(func() error { order = append(order, k); return nil })
		if k == 1 {
			remove()
			remove()
		}
	}
	must(t, w.Close())
	if !slices.Equal(order, []int{2, 0}) {
		t.Errorf("Close has called %v", order)
	}
}

// TestOnWaitNests: what the functions return is called in the other order.
func TestOnWaitNests(t *testing.T) {
	w := newWorld(t, 2)
	var log []string
	for k := range 2 {
		w.OnWait(func(*jobs.Access) func() {
			log = append(log, fmt.Sprint("begin ", k))
			return func() { log = append(log, fmt.Sprint("end ", k)) }
		})
	}
	w.waiting(nil)()
	if want := []string{"begin 0", "begin 1", "end 1", "end 0"}; !slices.Equal(log, want) {
		t.Errorf("%q", log)
	}
}

// TestOnCommit: every way to change the structure of a world is told, with its name, once
// it cannot fail any more; what is refused, and what changes values alone, is not.
func TestOnCommit(t *testing.T) {
	w, src := newWorld(t, 2), newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 1})
	q := w.Query(With[B]())
	var ops []string
	w.OnCommit(func(op string) {
		if !w.Exists(e) && op != "Playback" {
			t.Error("the world is not whole")
		}
		ops = append(ops, op)
	})
	arch := w.Archetype(With[A](), With[B]())
	buf := w.Commands()
	for _, c := range []struct {
		want string
		do   func() error
	}{
		{"Spawn", func() error { w.Spawn(B{}); return nil }},
		{"Create", func() error {
			for range w.Create(arch, 300) {
			}
			return nil
		}},
		{"Add", func() error { return Add(w, e, B{}) }},
		{"Remove", func() error { _, err := Remove[B](w, e); return err }},
		{"SetShared", func() error { return Set(w, e, Sh{Value: 2}) }},
		{"DestroyMatching", func() error { return w.DestroyMatching(q) }},
		{"MoveFrom", func() error { src.Spawn(A{}); return w.MoveFrom(src, nil) }},
		{"CopyFrom", func() error { _, err := w.CopyFrom(src, []Entity{src.Spawn(A{}, Sh{Value: 7})}); return err }},
		{"Playback Spawn", func() error { buf.Spawn(A{}); return buf.Playback(w) }},
		{"BeginTransaction Transaction.End", func() error {
			x, err := w.BeginTransaction()
			must(t, err)
			x.Schedule(TransactionFunc(func(w *World) error { w.Spawn(A{}); w.Spawn(A{}); return nil }))
			return x.End()
		}},
		{"", func() error { return Set(w, e, A{2}) }},
		{"", func() error { fails(t, ErrArgument, Add(w, Entity{}, B{})); return nil }},
	} {
		ops = nil
		must(t, c.do())
		got := strings.Join(ops, " ")
		if got != c.want && !(c.want == "SetShared" && len(ops) == 1) && !(c.want == "Playback Spawn" && len(ops) == 2 && ops[0] == "Playback") {
			t.Errorf("got %q, want %q", got, c.want)
		}
		must(t, w.integrity())
	}
}

// TestCommitHookChangesNothing: what is told of a change is refused to make one.
func TestCommitHookChangesNothing(t *testing.T) {
	w := newWorld(t, 1)
	e, other := w.Spawn(A{1}), w.Spawn(A{2})
	calls := 0
	remove := w.OnCommit(func(string) {
		calls++
		fails(t, ErrState, w.Destroy(other))
		fails(t, ErrState, w.Close())
		panics(t, ErrState, func() { w.Spawn(A{3}) })
	})
	must(t, Add(w, e, B{}))
	must(t, w.Destroy(e))
	if calls != 2 || w.Len() != 1 || !w.Exists(other) {
		t.Errorf("%d calls, %d entities", calls, w.Len())
	}
	remove()
	must(t, w.integrity())
	must(t, w.Destroy(other))
}

// TestCommitHookPanics: the operation has changed nothing then, also where values of
// shared components or whole worlds were about to come.
func TestCommitHookPanics(t *testing.T) {
	w, src := newWorld(t, 1), newWorld(t, 1)
	e := w.Spawn(A{}, Sh{Value: 1})
	other := src.Spawn(A{}, Sh{Value: 9})
	remove := w.OnCommit(func(string) { spring() })
	hash, there := w.Hash(), src.Hash()
	for name, do := range map[string]func() error{
		"Spawn":    func() error { w.Spawn(B{}, Sh{Value: 3}); return nil },
		"Destroy":  func() error { return w.Destroy(e) },
		"Set":      func() error { return Set(w, e, Sh{Value: 4}) },
		"MoveFrom": func() error { return w.MoveFrom(src, nil) },
		"CopyFrom": func() error { _, err := w.CopyFrom(src, []Entity{other}); return err },
	} {
		if panicked, err := caught(1, do); !panicked || err != nil {
			t.Errorf("%s: a panic: %v, error %v", name, panicked, err)
		}
		must(t, w.integrity())
		must(t, src.integrity())
		if w.Hash() != hash || src.Hash() != there {
			t.Errorf("%s has changed something", name)
		}
	}
	remove()
	must(t, w.MoveFrom(src, nil))
	must(t, w.integrity())
}

// TestNames: a name is the entity's, outside of the hash, and ends with it.
func TestNames(t *testing.T) {
	w := newWorld(t, 2)
	a, b := w.Spawn(A{}), w.Spawn(B{})
	hash := w.Hash()
	must(t, w.SetNameOf(a, "wheel"))
	must(t, w.SetNameOf(b, "wheel"))
	if w.NameOf(a) != "wheel" || w.NameOf(b) != "wheel" || w.Hash() != hash {
		t.Errorf("names %q and %q, hash %x, want %x", w.NameOf(a), w.NameOf(b), w.Hash(), hash)
	}
	must(t, w.SetNameOf(b, ""))
	if w.NameOf(b) != "" {
		t.Error("the name stays")
	}
	must(t, Add(w, a, B{}))
	if w.NameOf(a) != "wheel" {
		t.Error("the name is lost where the entity moves")
	}
	_, err := Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0v1 "wheel": `) {
		t.Error(err)
	}
	must(t, w.Destroy(a))
	again := w.Spawn(A{})
	if again.Index != a.Index || w.NameOf(again) != "" || w.NameOf(a) != "" {
		t.Errorf("%v is named %q", again, w.NameOf(again))
	}
	_, err = Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0v1 "wheel": `) {
		t.Errorf("an error about the dead one: %v", err)
	}
	fails(t, ErrArgument, w.SetNameOf(a, "x"))
	fails(t, ErrArgument, w.SetNameOf(Entity{}, "x"))
	h := w.Query(Read[A]()).ParallelFor(chunkFunc(func(*Chunk) { fails(t, ErrState, w.SetNameOf(again, "x")) }))
	must(t, h.Wait())
	must(t, w.Sync())
	for range 1000 { // names of the dead do not heap up
		e := w.Spawn(A{})
		must(t, w.SetNameOf(e, "spark"))
		must(t, w.Destroy(e))
	}
	if n := len(w.labels.of); n > 40 {
		t.Errorf("%d names are kept", n)
	}
	x, err := w.BeginTransaction()
	must(t, err)
	panics(t, ErrState, func() { w.NameOf(again) })
	x.Schedule(TransactionFunc(func(w *World) error { return w.SetNameOf(again, "lent") }))
	must(t, x.End())
	if w.NameOf(again) != "lent" {
		t.Error("a transaction's name is lost")
	}
}

// TestNamesGoAlong: names come along to another world, with references or without.
func TestNamesGoAlong(t *testing.T) {
	for _, n := range []int{1, 3, 5000} {
		src, w := newWorld(t, 1), newWorld(t, 1)
		w.Spawn(D{}) // so that ids differ
		var list []Entity
		for range n {
			list = append(list, src.Spawn(A{}, B{}))
		}
		last := list[n-1]
		must(t, src.SetNameOf(last, "last"))
		copies, err := w.CopyFrom(src, list)
		must(t, err)
		if w.NameOf(copies[n-1]) != "last" || src.NameOf(last) != "last" {
			t.Errorf("%d copied: %q, %q", n, w.NameOf(copies[n-1]), src.NameOf(last))
		}
		var m Moved
		must(t, w.MoveFrom(src, &m))
		if w.NameOf(m.Of(last)) != "last" || src.NameOf(last) != "" {
			t.Errorf("%d moved: %q, %q", n, w.NameOf(m.Of(last)), src.NameOf(last))
		}
		must(t, src.MoveFrom(w, nil))
		found := 0
		for e := range src.Entities() {
			if src.NameOf(e) == "last" {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%d: %d have the name after a move of which nobody asked for the ids", n, found)
		}
	}
}

// TestTools: what tools see of the memory is what is there.
func TestTools(t *testing.T) {
	w := newWorld(t, 2)
	arch := w.Archetype(With[A](), With[Position](), With[Sh](), With[Tag](), With[En]())
	const n = 3000 // several chunks
	i := 0
	for c := range w.Create(arch, n) {
		a, pos := *Column[A](c), Column[Position](c)
		for k := range a {
			a[k], pos.Y[k] = int32(i), float32(i)/2
			i++
		}
	}
	q := w.Query(With[En](), Read[A]())
	all := slices.Collect(w.Entities())
	for k, e := range all {
		if k%3 == 0 {
			must(t, SetEnabled[En](w, e, false))
		}
	}
	at := ArchetypeAt(w, arch.Index())
	if at != arch || ArchetypeAt(w, -1) != (Archetype{}) || ArchetypeAt(w, 1000) != (Archetype{}) {
		t.Errorf("place %d is %v", arch.Index(), at)
	}
	y := reflect.TypeFor[Position]().Field(1)
	lane, ok := arch.FindLane(y.Type, y.Offset)
	if ok {
		t.Error("a field's type is no component")
	}
	if lane, ok = arch.FindLane(reflect.TypeFor[Position](), y.Offset); !ok || lane.Size != 4 || lane.Lane.Name != "Y" {
		t.Fatalf("lane %+v", lane)
	}
	lanes := arch.Lanes()
	if !slices.Contains(lanes, lane) || !slices.IsSortedFunc(lanes, func(a, b LaneInfo) int { return a.At - b.At }) || len(lanes) != 5 {
		t.Errorf("lanes %+v", lanes)
	}
	chunks := arch.AppendChunks(nil, 0, 1<<30)
	if len(chunks) != arch.ChunkCount() || len(arch.AppendChunks(nil, 1, 1)) != 1 || len(arch.AppendChunks(nil, 99, 5)) != 0 || len(arch.AppendChunks(nil, -5, -1)) != 0 {
		t.Errorf("%d chunks, want %d", len(chunks), arch.ChunkCount())
	}
	total, matching := 0, 0
	var room [32]uint64
	for k, c := range chunks {
		rows := arch.AppendLane(nil, lane, k, 0, 1)
		list := arch.AppendEntities(nil, k, 0, 1)
		some := arch.AppendLane(nil, lane, k, 1, 7)
		if len(rows) != 4*c.Rows || len(list) != c.Rows || len(some) != 4*((c.Rows-1+6)/7) {
			t.Errorf("chunk %d of %d rows: %d bytes, %d ids, %d in steps", k, c.Rows, len(rows), len(list), len(some))
		}
		for r, e := range list {
			p, err := Get[Position](w, e)
			must(t, err)
			if got := elements[float32](rows)[r]; got != p.Y || e != all[total+r] {
				t.Fatalf("row %d of chunk %d: %v, want %v", r, k, got, p.Y)
			}
		}
		some2 := arch.AppendEntities(nil, k, 1, 7)
		if len(some2)*4 != len(some) {
			t.Error("steps of ids and of lanes differ")
		}
		n, mask := MatchingRows(q, arch, k, room[:])
		for r := range c.Rows {
			if on := mask == nil || mask[r/64]>>(r%64)&1 != 0; on == ((total+r)%3 == 0) {
				t.Fatalf("row %d of chunk %d matches: %v", r, k, on)
			}
		}
		total, matching = total+c.Rows, matching+n
	}
	if total != n || matching != q.Count() {
		t.Errorf("%d rows, %d match, want %d and %d", total, matching, n, q.Count())
	}
	if n, _ := MatchingRows(q, arch, 999, nil); n != 0 {
		t.Error("rows of a chunk that is not there")
	}
	must(t, w.AddTypesMatching(w.Query(With[A]()), With[B]()))
	if n, _ := MatchingRows(w.Query(With[C]()), w.ArchetypeOf(all[0]), 0, nil); n != 0 {
		t.Error("rows of an archetype that does not match")
	}
	if n, mask := MatchingRows(w.Query(With[A]()), w.ArchetypeOf(all[0]), 0, nil); n != w.ArchetypeOf(all[0]).AppendChunks(nil, 0, 1)[0].Rows || mask != nil {
		t.Error("all rows match, but not all are said to")
	}
	bare := w.Archetype()
	if bare.SharedValues(0) != nil || len(bare.AppendEntities(nil, 0, 0, 1)) != 0 || len(bare.Lanes()) != 0 {
		t.Error("an archetype without rows has some")
	}
	panics(t, ErrArgument, func() { arch.AppendLane(nil, LaneInfo{}, 0, 0, 1) })
	panics(t, ErrArgument, func() { arch.AppendLane(nil, lane, 0, 0, 0) })
	wrong := lane
	wrong.At += 4
	panics(t, ErrArgument, func() { arch.AppendLane(nil, wrong, 0, 0, 1) })
}

// TestChunkGroups: chunks of equal shared values have one number, and the values can be
// asked for.
func TestChunkGroups(t *testing.T) {
	w := newWorld(t, 1)
	var a Archetype
	for i := range 3 {
		for range 2000 {
			a = w.ArchetypeOf(w.Spawn(A{}, Position{}, Sh{Value: int32(i)}))
		}
	}
	numbers := map[int]Sh{}
	for k, c := range a.AppendChunks(nil, 0, 100) {
		v := a.SharedValues(k)[0].(Sh)
		if was, known := numbers[c.Group]; known && was != v {
			t.Errorf("chunk %d: group %d has %v and %v", k, c.Group, was, v)
		}
		numbers[c.Group] = v
	}
	if len(numbers) != 3 {
		t.Errorf("groups %v", numbers)
	}
}

// TestValueOf: values by run-time type are those of Get and Set.
func TestValueOf(t *testing.T) {
	w := newWorld(t, 1)
	seven := int32(7)
	ref := w.Spawn()
	e := w.Spawn(A{7}, Position{1, 2, 3}, Matrix{}, Tag{}, Sh{Value: 5}, BufferOf(Elem{1}, Elem{2}), Cl{Value: 3}, Ref{1, ref}, En{}, PerChunk[D]{D{4}}, Obj{Number: &seven})
	for _, c := range []struct{ want any }{
		{A{7}}, {Position{1, 2, 3}}, {Matrix{}}, {Tag{}}, {Sh{Value: 5}}, {Cl{Value: 3}}, {Ref{1, ref}}, {PerChunk[D]{D{4}}}, {Obj{Number: &seven}},
	} {
		v, err := ValueOf(w, e, reflect.TypeOf(c.want))
		if must(t, err); v != c.want {
			t.Errorf("got %#v, want %#v", v, c.want)
		}
	}
	v, err := ValueOf(w, e, reflect.TypeFor[Buf]())
	if must(t, err); !reflect.DeepEqual(v, []Elem{{1}, {2}}) {
		t.Errorf("the buffer is %#v", v)
	}
	_, err = ValueOf(w, e, reflect.TypeFor[C]())
	fails(t, ErrArgument, err)
	_, err = ValueOf(w, Entity{99, 1}, reflect.TypeFor[A]())
	fails(t, ErrArgument, err)
	_, err = ValueOf(w, e, nil)
	fails(t, ErrArgument, err)
	_, err = ValueOf(nil, e, nil)
	fails(t, ErrArgument, err)

	q := w.Query(Changed[A](), Read[A]())
	w.EndUpdate(w.BeginUpdate(""))
	q.Since(w.Version())
	w.EndUpdate(w.BeginUpdate(""))
	must(t, SetValueOf(w, e, A{8}))
	must(t, SetValueOf(w, e, Position{4, 5, 6}))
	if a, _ := Get[A](w, e); a != (A{8}) || q.Count() != 1 {
		t.Errorf("A is %v, %d have changed", a, q.Count())
	}
	if p, _ := Get[Position](w, e); p != (Position{4, 5, 6}) {
		t.Errorf("Position is %v", p)
	}
	hash := w.Hash()
	for _, v := range []any{Tag{}, Sh{Value: 1}, BufferOf(Elem{9}), PerChunk[D]{}, Obj{}, C{}, nil} {
		fails(t, ErrArgument, SetValueOf(w, e, v))
	}
	fails(t, ErrArgument, SetValueOf(nil, e, nil))
	fails(t, ErrArgument, SetValueOf(w, Entity{99, 1}, A{}))
	if w.Hash() != hash {
		t.Error("a refused value has changed something")
	}
	for _, want := range []bool{true, false, true} {
		must(t, SetEnabled[En](w, e, want))
		if on, err := EnabledOf(w, e, reflect.TypeFor[En]()); on != want || err != nil {
			t.Error(on, err)
		}
	}
	if on, err := EnabledOf(w, e, reflect.TypeFor[A]()); !on || err != nil {
		t.Error(on, err)
	}
	_, err = EnabledOf(w, e, reflect.TypeFor[C]())
	fails(t, ErrArgument, err)
}

// TestTermOf: a term of a type that is known at run time only is the one of the type.
func TestTermOf(t *testing.T) {
	w := newWorld(t, 1)
	a := reflect.TypeFor[A]()
	for _, c := range []struct{ got, want Term }{
		{With[struct{}]().Of(a), With[A]()}, {Without[B]().Of(a), Without[A]()}, {Read[B]().Of(a), Read[A]()}, {Write[B]().Of(a), Write[A]()},
	} {
		if w.Query(c.got) != w.Query(c.want) {
			t.Errorf("%v is not %v", c.got, c.want)
		}
	}
	panics(t, ErrArgument, func() { AnyOf(With[A]()).Of(a) })
	panics(t, ErrArgument, func() { Only(Sh{}).Of(a) })
}

// TestComponentTypes lists every type once, sorted, with its kinds.
func TestComponentTypes(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{}, Sh{}, Cl{}, Tag{}, BufferOf[Elem](), Obj{}, En{}, PerChunk[D]{})
	all := ComponentTypes()
	if !slices.IsSortedFunc(all, func(a, b ComponentType) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for typ, want := range map[reflect.Type]func(ComponentType) bool{
		reflect.TypeFor[A]():           func(c ComponentType) bool { return len(c.Lanes) == 1 },
		reflect.TypeFor[Sh]():          func(c ComponentType) bool { return c.Shared },
		reflect.TypeFor[Cl]():          func(c ComponentType) bool { return c.Cleanup },
		reflect.TypeFor[Tag]():         func(c ComponentType) bool { return c.Tag },
		reflect.TypeFor[Buf]():         func(c ComponentType) bool { return c.Buffer },
		reflect.TypeFor[Obj]():         func(c ComponentType) bool { return c.Managed },
		reflect.TypeFor[En]():          func(c ComponentType) bool { return c.Enableable },
		reflect.TypeFor[PerChunk[D]](): func(c ComponentType) bool { return c.PerChunk },
		reflect.TypeFor[ChunkHeader](): func(c ComponentType) bool { return c.Own },
	} {
		i := slices.IndexFunc(all, func(c ComponentType) bool { return c.Type == typ })
		if i < 0 || !want(all[i]) {
			t.Errorf("%v: place %d", typ, i)
		}
	}
}
