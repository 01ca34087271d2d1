package ecs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tools is what package tool calls.
var tools dynamic

// plumb is what package plumbing calls.
var plumb plumbing

func orderCount[T any](w *World) uint32 { return tools.OrderCountOf(w, reflect.TypeFor[T]()) }

func enabledBits[T any](c *Chunk) []uint64 { return tools.SwitchesOf(c, reflect.TypeFor[T]()) }

// TestTools: what tools see of the memory is what is there.
func TestTools(t *testing.T) {
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
	at := tools.ArchetypeAt(w, tools.ArchetypeIndex(arch))
	if at != arch || tools.ArchetypeAt(w, -1) != (Archetype{}) || tools.ArchetypeAt(w, 1000) != (Archetype{}) {
		t.Errorf("place %d is %v", tools.ArchetypeIndex(arch), at)
	}
	y := reflect.TypeFor[Position]().Field(1)
	lane, ok := tools.FindLane(arch, y.Type, y.Offset)
	if ok {
		t.Error("a field's type is no component")
	}
	if lane, ok = tools.FindLane(arch, reflect.TypeFor[Position](), y.Offset); !ok || lane.Size != 4 || lane.Lane.Name != "Y" {
		t.Fatalf("lane %+v", lane)
	}
	lanes := tools.Lanes(arch)
	if !slices.Contains(lanes, lane) || !slices.IsSortedFunc(lanes, func(a, b laneInfo) int { return a.At - b.At }) || len(lanes) != 5 {
		t.Errorf("lanes %+v", lanes)
	}
	for _, k := range []int{-1, arch.ChunkCount()} {
		if c, ok := tools.ChunkAt(arch, k); ok {
			t.Errorf("chunk %d is %+v", k, c)
		}
	}
	total, matching := 0, 0
	var room [32]uint64
	probe := tools.NewProbe(w, q.terms...)
	for k := range arch.ChunkCount() {
		c, ok := tools.ChunkAt(arch, k)
		if !ok {
			t.Fatalf("there is no chunk %d", k)
		}
		rows := tools.AppendLane(nil, arch, lane.Component, lane.At, lane.Size, k, 0, 1)
		list := tools.AppendEntities(nil, arch, k, 0, 1)
		some := tools.AppendLane(nil, arch, lane.Component, lane.At, lane.Size, k, 1, 7)
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
		some2 := tools.AppendEntities(nil, arch, k, 1, 7)
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
	if tools.SharedValues(bare, 0) != nil || len(tools.AppendEntities(nil, bare, 0, 0, 1)) != 0 || len(tools.Lanes(bare)) != 0 {
		t.Error("an archetype without rows has some")
	}
	panics(t, ErrArgument, func() { tools.AppendLane(nil, arch, nil, 0, 0, 0, 0, 1) })
	panics(t, ErrArgument, func() { tools.AppendLane(nil, arch, lane.Component, lane.At, lane.Size, 0, 0, 0) })
	panics(t, ErrArgument, func() { tools.AppendLane(nil, arch, lane.Component, lane.At+4, lane.Size, 0, 0, 1) })
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
	for k := range a.ChunkCount() {
		c, _ := tools.ChunkAt(a, k)
		v := tools.SharedValues(a, k)[0].(Sh)
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
		v, err := tools.ValueOf(w, e, reflect.TypeOf(c.want))
		if must(t, err); v != c.want {
			t.Errorf("got %#v, want %#v", v, c.want)
		}
	}
	v, err := tools.ValueOf(w, e, reflect.TypeFor[Buf]())
	if must(t, err); !reflect.DeepEqual(v, []Elem{{1}, {2}}) {
		t.Errorf("the buffer is %#v", v)
	}
	_, err = tools.ValueOf(w, e, reflect.TypeFor[C]())
	fails(t, ErrArgument, err)
	_, err = tools.ValueOf(w, Entity{99, 1}, reflect.TypeFor[A]())
	fails(t, ErrArgument, err)
	_, err = tools.ValueOf(w, e, nil)
	fails(t, ErrArgument, err)
	_, err = tools.ValueOf(nil, e, nil)
	fails(t, ErrArgument, err)

	q := w.Query(Changed[A](), Read[A]())
	plumb.EndUpdate(w, plumb.BeginUpdate(w, ""))
	q.SetSince(w.Version())
	plumb.EndUpdate(w, plumb.BeginUpdate(w, ""))
	must(t, tools.SetValueOf(w, e, A{8}))
	must(t, tools.SetValueOf(w, e, Position{4, 5, 6}))
	if a, _ := Get[A](w, e); a != (A{8}) || q.Count() != 1 {
		t.Errorf("A is %v, %d have changed", a, q.Count())
	}
	if p, _ := Get[Position](w, e); p != (Position{4, 5, 6}) {
		t.Errorf("Position is %v", p)
	}
	hash := w.Hash()
	for _, v := range []any{Tag{}, Sh{Value: 1}, BufferOf(Elem{9}), PerChunk[D]{}, Obj{}, C{}, nil} {
		fails(t, ErrArgument, tools.SetValueOf(w, e, v))
	}
	fails(t, ErrArgument, tools.SetValueOf(nil, e, nil))
	fails(t, ErrArgument, tools.SetValueOf(w, Entity{99, 1}, A{}))
	if w.Hash() != hash {
		t.Error("a refused value has changed something")
	}
	for _, want := range []bool{true, false, true} {
		must(t, SetEnabled[En](w, e, want))
		if on, err := tools.EnabledOf(w, e, reflect.TypeFor[En]()); on != want || err != nil {
			t.Error(on, err)
		}
	}
	if on, err := tools.EnabledOf(w, e, reflect.TypeFor[A]()); !on || err != nil {
		t.Error(on, err)
	}
	_, err = tools.EnabledOf(w, e, reflect.TypeFor[C]())
	fails(t, ErrArgument, err)
}

// TestTermOf: a term of a type that is known at run time only is the one of the type.
func TestTermOf(t *testing.T) {
	w := newWorld(t, 1)
	a := reflect.TypeFor[A]()
	for _, c := range []struct{ got, want Term }{
		{tools.TermOf(With[struct{}](), a), With[A]()}, {tools.TermOf(Without[B](), a), Without[A]()}, {tools.TermOf(Read[B](), a), Read[A]()}, {tools.TermOf(Write[B](), a), Write[A]()},
	} {
		if w.Query(c.got) != w.Query(c.want) {
			t.Errorf("%v is not %v", c.got, c.want)
		}
	}
	panics(t, ErrArgument, func() { tools.TermOf(AnyOf(With[A]()), a) })
	panics(t, ErrArgument, func() { tools.TermOf(Only(Sh{}), a) })
}

// TestComponentTypes lists every type once, sorted, with its kinds.
func TestComponentTypes(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{}, Sh{}, Cl{}, Tag{}, BufferOf[Elem](), Obj{}, En{}, PerChunk[D]{})
	all := tools.ComponentTypes()
	if !slices.IsSortedFunc(all, func(a, b componentType) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for typ, want := range map[reflect.Type]func(componentType) bool{
		reflect.TypeFor[A]():           func(c componentType) bool { return len(c.Lanes) == 1 },
		reflect.TypeFor[Sh]():          func(c componentType) bool { return c.Shared },
		reflect.TypeFor[Cl]():          func(c componentType) bool { return c.Cleanup },
		reflect.TypeFor[Tag]():         func(c componentType) bool { return c.Tag },
		reflect.TypeFor[Buf]():         func(c componentType) bool { return c.Buffer && !c.Own },
		reflect.TypeFor[Obj]():         func(c componentType) bool { return c.Managed },
		reflect.TypeFor[En]():          func(c componentType) bool { return c.Enableable },
		reflect.TypeFor[PerChunk[D]](): func(c componentType) bool { return c.PerChunk && !c.Own },
		reflect.TypeFor[ChunkHeader](): func(c componentType) bool { return c.Own },
		reflect.TypeFor[LinkedGroup](): func(c componentType) bool { return c.Own && c.Buffer },
	} {
		i := slices.IndexFunc(all, func(c componentType) bool { return c.Type == typ })
		if i < 0 || !want(all[i]) {
			t.Errorf("%v: place %d", typ, i)
		}
	}
}

// TestToolChunks: what tools that know no types see of a query's chunks is what views show.
func TestToolChunks(t *testing.T) {
	w := newWorld(t, 2)
	arch := w.Archetype(With[A](), With[Position](), With[Sh](), With[En]())
	for _, n := range []int{1, 3000} {
		rows, err := tools.CreateSharing(w, arch, n, Sh{Value: int32(n)})
		must(t, err)
		for c := range rows.Chunks() {
			lane := tools.WriteLaneOf(c, reflect.TypeFor[Position](), 1)
			y := Column[Position](c).Y
			y[len(y)-1] = 2
			if len(lane) != 4*c.Len() || lane[len(lane)-1] != 0x40 {
				t.Fatalf("%d rows are %d bytes, the last %v", c.Len(), len(lane), y[len(y)-1])
			}
		}
	}
	w.Spawn(A{1})
	q := w.Query(Write[A](), Optional(Read[Position]()), IgnoreEnabled())
	seen := map[int32]int{}
	for c := range q.Chunks() {
		ids := tools.LaneOf(c, reflect.TypeFor[Entity](), 0)
		if len(ids) != 8*c.Len() || int32(ids[0])|int32(ids[1])<<8 != c.Entities()[0].Index&0xFFFF {
			t.Errorf("ids %v of %v", ids[:8], c.Entities()[0])
		}
		lane := tools.LaneOf(c, reflect.TypeFor[Position](), 2)
		if has := tools.HasOf(c, reflect.TypeFor[Position]()); has != (lane != nil) || has != Has[Position](c) {
			t.Errorf("has %v, %d bytes", has, len(lane))
		}
		bits := tools.SwitchesOf(c, reflect.TypeFor[En]())
		value := tools.ValueIn(c, reflect.TypeFor[Sh]())
		if !Has[Position](c) {
			if bits != nil || value != nil || tools.SwitchesOf(c, reflect.TypeFor[A]()) != nil || tools.ValueIn(c, reflect.TypeFor[A]()) != nil {
				t.Errorf("switches %v, value %v", bits, value)
			}
			continue
		}
		if bits[0]&1 != 1 {
			t.Errorf("switches %x", bits)
		}
		seen[value.(Sh).Value] += c.Len()
		before := ChangeVersion[A](w, c.Entities()[0])
		tools.LaneOf(c, reflect.TypeFor[A](), 0)
		if v := ChangeVersion[A](w, c.Entities()[0]); v != before {
			t.Error("LaneOf marks as changed")
		}
	}
	if seen[1] != 1 || seen[3000] != 3000 {
		t.Errorf("rows by value: %v", seen)
	}
	var last Entity
	for e := range w.Entities() {
		if HasComponent[En](w, e) {
			last = e
		}
	}
	must(t, tools.SetEnabledOf(w, last, reflect.TypeFor[En](), false))
	if on, _ := Enabled[En](w, last); on {
		t.Error("it is on")
	}
	_, err := tools.CreateSharing(w, arch, 1, Sh{Value: 8}, Sh{Value: 9})
	fails(t, ErrArgument, err)
	must(t, w.integrity())
	if rows, err := tools.CreateSharing(w, arch, 0, Sh{Value: 5}); err != nil {
		t.Error(err)
	} else {
		for range rows.Chunks() {
			t.Error("a chunk of no rows")
		}
	}
	var names []string
	for _, c := range tools.TermTypes(Read[A](), With[Sh](), Without[Tag](), AnyOf(With[Tag](), AllOf(Write[Position](), With[En]())), Optional(Read[A]()), Only(Sh{Value: 1}), OrderChanged()) {
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
