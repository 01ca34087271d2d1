package ecs

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// orderCount returns the sum of the order counts of all archetypes with a T.
func orderCount[T any](w *World) uint32 {
	n := w.hooks.orderCountBase()
	for _, a := range w.tables.archetypes {
		if a.findColumn(typeKey(reflect.TypeFor[T]())) >= 0 {
			n += a.orderCount
		}
	}
	return n
}

// chunkAt returns the ChunkInfo of one chunk. ok is false if there is no such chunk.
func chunkAt(a Archetype, k int) (c ChunkInfo, ok bool) {
	if k < 0 {
		return c, false
	}
	if list := a.AppendChunks(nil, k, 1); len(list) == 1 {
		return list[0], true
	}
	return c, false
}

func enabledBits[T any](c *Chunk) []uint64 { return c.EnabledBits(reflect.TypeFor[T]()) }

// TestUntyped checks that the functions for tools return the data that chunks actually contain.
func TestUntyped(t *testing.T) {
	w := newWorld(t, 2)
	arch := w.Archetype(With[A](), With[Position](), With[Sh](), With[Tag](), With[En]())
	const n = 3000 // several chunks
	i := 0
	for c := range w.Create(arch, n).Chunks() {
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
	at := w.ArchetypeAt(arch.Index())
	if at != arch || w.ArchetypeAt(-1) != (Archetype{}) || w.ArchetypeAt(1000) != (Archetype{}) {
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
	for _, k := range []int{-1, arch.ChunkCount()} {
		if c, ok := chunkAt(arch, k); ok {
			t.Errorf("chunk %d is %+v", k, c)
		}
	}
	total, matching := 0, 0
	var room [32]uint64
	probe := NewProbe(w, q.terms...)
	for k := range arch.ChunkCount() {
		c, ok := chunkAt(arch, k)
		if !ok {
			t.Fatalf("there is no chunk %d", k)
		}
		rows := arch.AppendLane(nil, lane, k, 0, 1)
		list := arch.AppendEntities(nil, k, 0, 1)
		some := arch.AppendLane(nil, lane, k, 1, 7)
		if len(rows) != 4*c.Rows || len(list) != c.Rows || len(some) != 4*((c.Rows-1+6)/7) {
			t.Errorf("chunk %d of %d rows: %d bytes, %d ids, %d in steps", k, c.Rows, len(rows), len(list), len(some))
		}
		for r, e := range list {
			p, err := Get[Position](w, e)
			must(t, err)
			if got := bufferElements[float32](rows)[r]; got != p.Y || e != all[total+r] {
				t.Fatalf("row %d of chunk %d: %v, want %v", r, k, got, p.Y)
			}
		}
		some2 := arch.AppendEntities(nil, k, 1, 7)
		if len(some2)*4 != len(some) {
			t.Error("steps of ids and of lanes differ")
		}
		n, mask := probe.Rows(arch, k, room[:])
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
	if n, _ := probe.Rows(arch, 999, nil); n != 0 {
		t.Error("rows of a chunk that is not there")
	}
	must(t, AddTypes(w, Matching(w.Query(With[A]())), With[B]()))
	bare := w.Archetype()
	if bare.SharedValues(0) != nil || len(bare.AppendEntities(nil, 0, 0, 1)) != 0 || len(bare.Lanes()) != 0 {
		t.Error("an archetype without rows has some")
	}
	wantPanic(t, ErrArgument, func() { arch.AppendLane(nil, LaneInfo{}, 0, 0, 1) })
	wantPanic(t, ErrArgument, func() { arch.AppendLane(nil, lane, 0, 0, 0) })
	moved := lane
	moved.At += 4
	wantPanic(t, ErrArgument, func() { arch.AppendLane(nil, moved, 0, 0, 1) })
}

// TestChunkGroups checks that chunks with equal shared values have the same group number, and that
// their shared values can be read.
func TestChunkGroups(t *testing.T) {
	w := newWorld(t, 1)
	var a Archetype
	for i := range 3 {
		for range 2000 {
			a = w.ArchetypeOf(w.Spawn(A{}, Position{}, Sh{Value: int32(i)}))
		}
	}
	numbers := map[int]Sh{}
	for k := range a.ChunkCount() {
		c, _ := chunkAt(a, k)
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

// TestUntypedGet checks that Untyped.Get and Untyped.Set read and write the same values as Get and
// Set.
func TestUntypedGet(t *testing.T) {
	w := newWorld(t, 1)
	seven := int32(7)
	ref := w.Spawn()
	e := w.Spawn(A{7}, Position{1, 2, 3}, Matrix{}, Tag{}, Sh{Value: 5}, BufferOf(Elem{1}, Elem{2}), Cl{Value: 3}, Ref{1, ref}, En{}, PerChunk[D]{D{4}}, Obj{Number: &seven})
	for _, c := range []struct{ want any }{
		{A{7}}, {Position{1, 2, 3}}, {Matrix{}}, {Tag{}}, {Sh{Value: 5}}, {Cl{Value: 3}}, {Ref{1, ref}}, {PerChunk[D]{D{4}}}, {Obj{Number: &seven}},
	} {
		v, err := w.Untyped().Get(e, reflect.TypeOf(c.want))
		if must(t, err); v != c.want {
			t.Errorf("got %#v, want %#v", v, c.want)
		}
	}
	v, err := w.Untyped().Get(e, reflect.TypeFor[Buf]())
	if must(t, err); !reflect.DeepEqual(v, []Elem{{1}, {2}}) {
		t.Errorf("the buffer is %#v", v)
	}
	_, err = w.Untyped().Get(e, reflect.TypeFor[C]())
	wantCategory(t, ErrArgument, err)
	_, err = w.Untyped().Get(Entity{99, 1}, reflect.TypeFor[A]())
	wantCategory(t, ErrArgument, err)
	_, err = w.Untyped().Get(e, nil)
	wantCategory(t, ErrArgument, err)
	_, err = (*World)(nil).Untyped().Get(e, nil)
	wantCategory(t, ErrArgument, err)

	q := w.Query(Changed[A](), Read[A]())
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	q.SetSince(w.Version())
	w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
	must(t, w.Untyped().Set(e, A{8}))
	must(t, w.Untyped().Set(e, Position{4, 5, 6}))
	if a, _ := Get[A](w, e); a != (A{8}) || q.Count() != 1 {
		t.Errorf("A is %v, %d have changed", a, q.Count())
	}
	if p, _ := Get[Position](w, e); p != (Position{4, 5, 6}) {
		t.Errorf("Position is %v", p)
	}
	hash := w.Hash()
	for _, v := range []any{Tag{}, Sh{Value: 1}, BufferOf(Elem{9}), PerChunk[D]{}, Obj{}, C{}, nil} {
		wantCategory(t, ErrArgument, w.Untyped().Set(e, v))
	}
	wantCategory(t, ErrArgument, (*World)(nil).Untyped().Set(e, nil))
	wantCategory(t, ErrArgument, w.Untyped().Set(Entity{99, 1}, A{}))
	if w.Hash() != hash {
		t.Error("a refused value has changed something")
	}
	for _, want := range []bool{true, false, true} {
		must(t, SetEnabled[En](w, e, want))
		if on, err := w.Untyped().Enabled(e, reflect.TypeFor[En]()); on != want || err != nil {
			t.Error(on, err)
		}
	}
	if on, err := w.Untyped().Enabled(e, reflect.TypeFor[A]()); !on || err != nil {
		t.Error(on, err)
	}
	_, err = w.Untyped().Enabled(e, reflect.TypeFor[C]())
	wantCategory(t, ErrArgument, err)
}

// TestTermOfType checks that a term of a type that is known only at run time equals the term of
// that type.
func TestTermOfType(t *testing.T) {
	w := newWorld(t, 1)
	a := reflect.TypeFor[A]()
	for _, c := range []struct{ got, want Term }{
		{With[struct{}]().OfType(a), With[A]()}, {Without[B]().OfType(a), Without[A]()}, {Read[B]().OfType(a), Read[A]()}, {Write[B]().OfType(a), Write[A]()},
	} {
		if w.Query(c.got) != w.Query(c.want) {
			t.Errorf("%v is not %v", c.got, c.want)
		}
	}
	wantPanic(t, ErrArgument, func() { AnyOf(With[A]()).OfType(a) })
	wantPanic(t, ErrArgument, func() { WithShared(Sh{}).OfType(a) })
}

// TestComponentTypes checks that ComponentTypes returns each type once, sorted by name, with its
// kinds.
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
		reflect.TypeFor[Buf]():         func(c ComponentType) bool { return c.Buffer && !c.Builtin },
		reflect.TypeFor[Obj]():         func(c ComponentType) bool { return c.Managed },
		reflect.TypeFor[En]():          func(c ComponentType) bool { return c.Enableable },
		reflect.TypeFor[PerChunk[D]](): func(c ComponentType) bool { return c.PerChunk && !c.Builtin },
		reflect.TypeFor[ChunkHeader](): func(c ComponentType) bool { return c.Builtin },
		reflect.TypeFor[LinkedGroup](): func(c ComponentType) bool { return c.Builtin && c.Buffer },
	} {
		i := slices.IndexFunc(all, func(c ComponentType) bool { return c.Type == typ })
		if i < 0 || !want(all[i]) {
			t.Errorf("%v: place %d", typ, i)
		}
	}
}

// TestUntypedChunks checks that the lanes of a query's chunks, read without the component types,
// contain the same values as views.
func TestUntypedChunks(t *testing.T) {
	w := newWorld(t, 2)
	arch := w.Archetype(With[A](), With[Position](), With[Sh](), With[En]())
	for _, n := range []int{1, 3000} {
		rows, err := w.CreateShared(arch, n, Sh{Value: int32(n)})
		must(t, err)
		for c := range rows.Chunks() {
			lane := c.WriteLaneBytes(reflect.TypeFor[Position](), 1)
			y := Column[Position](c).Y
			y[len(y)-1] = 2
			if len(lane) != 4*c.Len() || math.Float32frombits(binary.NativeEndian.Uint32(lane[len(lane)-4:])) != 2 {
				t.Fatalf("%d rows are %d bytes, the last four %x", c.Len(), len(lane), lane[len(lane)-4:])
			}
		}
	}
	w.Spawn(A{1})
	q := w.Query(Write[A](), Optional(Read[Position]()), IgnoreEnabled())
	seen := map[int32]int{}
	for c := range q.Chunks() {
		ids := c.LaneBytes(reflect.TypeFor[Entity](), 0)
		if len(ids) != 8*c.Len() || int32(binary.NativeEndian.Uint32(ids)) != c.Entities()[0].Index {
			t.Errorf("ids %v of %v", ids[:8], c.Entities()[0])
		}
		lane := c.LaneBytes(reflect.TypeFor[Position](), 2)
		if has := c.HasType(reflect.TypeFor[Position]()); has != (lane != nil) || has != HasColumn[Position](c) {
			t.Errorf("has %v, %d bytes", has, len(lane))
		}
		bits := c.EnabledBits(reflect.TypeFor[En]())
		value := c.SharedValue(reflect.TypeFor[Sh]())
		if !HasColumn[Position](c) {
			if bits != nil || value != nil || c.EnabledBits(reflect.TypeFor[A]()) != nil || c.SharedValue(reflect.TypeFor[A]()) != nil {
				t.Errorf("switches %v, value %v", bits, value)
			}
			continue
		}
		if bits[0]&1 != 1 {
			t.Errorf("switches %x", bits)
		}
		seen[value.(Sh).Value] += c.Len()
		before := ChangeVersion[A](w, c.Entities()[0])
		c.LaneBytes(reflect.TypeFor[A](), 0)
		if v := ChangeVersion[A](w, c.Entities()[0]); v != before {
			t.Error("LaneBytes marks as changed")
		}
	}
	if seen[1] != 1 || seen[3000] != 3000 {
		t.Errorf("rows by value: %v", seen)
	}
	var last Entity
	for e := range w.Entities() {
		if Has[En](w, e) {
			last = e
		}
	}
	must(t, w.Untyped().SetEnabled(last, reflect.TypeFor[En](), false))
	if on, _ := Enabled[En](w, last); on {
		t.Error("it is on")
	}
	_, err := w.CreateShared(arch, 1, Sh{Value: 8}, Sh{Value: 9})
	wantCategory(t, ErrArgument, err)
	must(t, integrity(w))
	if rows, err := w.CreateShared(arch, 0, Sh{Value: 5}); err != nil {
		t.Error(err)
	} else {
		for range rows.Chunks() {
			t.Error("a chunk of no rows")
		}
	}
	var names []string
	for _, c := range TermTypes(Read[A](), With[Sh](), Without[Tag](), AnyOf(With[Tag](), AllOf(Write[Position](), With[En]())), Optional(Read[A]()), WithShared(Sh{Value: 1}), OrderChanged()) {
		name := strings.TrimPrefix(c.Type.String(), "ecs.")
		if c.Column {
			name += " column"
		}
		if c.Optional {
			name += " optional"
		}
		names = append(names, name)
	}
	if got := strings.Join(names, ", "); got != "A column, Sh, Tag optional, Position column optional, En optional" {
		t.Errorf("types %s", got)
	}
}
