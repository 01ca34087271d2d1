package ecs_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// Fuel has two lanes, Mass and Burn. Mass is in kilograms.
type Fuel struct{ Mass, Burn float32 }

func (Fuel) Column() (c struct{ Mass, Burn []float32 }) { return }

// fleet returns a world with three ships, and the ids of the first two. The third ship has no fuel.
func fleet() (w *ecs.World, ids []ecs.Entity) {
	w = ecs.NewWorld("fleet")
	ids = []ecs.Entity{w.Spawn(Fuel{10, 1}, Alert{Range: 3}), w.Spawn(Fuel{20, 2}, Alert{Range: 4})}
	w.Spawn(Alert{Range: 5})
	return w, ids
}

// This example lists the component types of the process, and the archetypes of a world.
func ExampleComponentTypes() {
	w, ids := fleet()
	for _, t := range ecs.ComponentTypes() {
		if strings.HasSuffix(t.Name, ".Fuel") {
			fmt.Println(t.Type, t.Lanes, t.Enableable) // a ComponentType
		}
	}
	a := w.ArchetypeAt(w.ArchetypeOf(ids[0]).Index())
	for _, c := range a.AppendChunks(nil, 0, a.ChunkCount()) {
		fmt.Println(c.Rows, "rows in a chunk of", c.Bytes, "bytes;", a.RowBytes(), "are in use")
	}
	bytes, live := w.SlabBytes()
	fmt.Println(bytes >= live && live > 0)
	// Output:
	// ecs_test.Fuel [Mass float32 Burn float32] false
	// 2 rows in a chunk of 320 bytes; 40 are in use
	// true
}

// Files and messages name types by their full names.
func ExampleComponentByName() {
	ecs.RegisterComponent[Fuel]()
	t, err := ecs.ComponentByName("github.com/lanewise/lanewise/ecs_test.Fuel")
	fmt.Println(t.Type, len(t.Lanes), err)
	// Output: ecs_test.Fuel 2 <nil>
}

// AppendRow returns a value whose type is known only at run time, as bytes in the byte order of
// this machine.
func ExampleLaneInfo() {
	w, ids := fleet()
	a := w.ArchetypeOf(ids[0])
	for _, l := range a.Lanes() {
		if l.Component == reflect.TypeFor[Fuel]() && l.Lane.Name == "Burn" {
			row, err := w.Untyped().AppendRow(nil, ids[1], l)
			fmt.Println(l.Lane, math.Float32frombits(binary.NativeEndian.Uint32(row)), err)
		}
	}
	// Output: Burn float32 2 <nil>
}

// Untyped.Get and Untyped.Set read and write components as Go values, for example in an editor.
func ExampleUntyped_Set() {
	w, ids := fleet()
	t := reflect.TypeFor[Fuel]()
	v, _, err := w.Untyped().Head(ids[0], t, 10) // the first ten elements of a buffer
	fmt.Println(v, err)
	fmt.Println(w.Untyped().Set(ids[0], Fuel{Mass: 11}))
	fmt.Println(w.Untyped().Get(ids[0], t))
	fmt.Println(ecs.ChangeVersion[Fuel](w, ids[0]) > 0)
	// Output:
	// {10 1} <nil>
	// <nil>
	// {11 0} <nil>
	// true
}

// A loop that gets a component type at run time can access the lanes of a chunk without a copy. It
// gets the bytes of a lane, the floats of a lane that contains only floats, or the enabled bits.
func ExampleChunk_LaneBytes() {
	w, _ := fleet()
	fuel, alert := reflect.TypeFor[Fuel](), reflect.TypeFor[Alert]()
	q := w.Query(ecs.Write[Fuel](), ecs.Read[Alert]())
	for c := range q.Chunks() {
		mass, _ := c.Floats(fuel, 0)
		fmt.Println(mass, len(c.LaneBytes(fuel, 0)), "bytes")
		burn := c.WriteLaneBytes(fuel, 1) // marked as changed
		binary.NativeEndian.PutUint32(burn, math.Float32bits(0.5))
		fmt.Printf("%02b %v\n", c.EnabledBits(alert)[0]&3, ecs.EnabledAt[Alert](c, 0))
		fmt.Println(ecs.ReadColumn[Fuel](c).Burn, c.SharedValue(reflect.TypeFor[Team]()))
	}
	// Output:
	// [10 20] 8 bytes
	// 11 true
	// [0.5 2] <nil>
}

// Mismatch returns the reason why a query does not match an entity.
func ExampleQuery_Mismatch() {
	w, _ := fleet()
	alone := w.Spawn(Fuel{})
	q := w.Query(ecs.Read[Fuel](), ecs.Read[Alert]())
	fmt.Println(q.Mismatch(alone))
	fmt.Println(q.NeverMatched(), w.Query(ecs.With[Team]()).NeverMatched())
	for _, t := range ecs.TermTypes(ecs.Read[Fuel](), ecs.Optional(ecs.Read[Alert]())) {
		fmt.Println(t.Type, t.Column, t.Optional)
	}
	_, err := ecs.Get[Alert](w, alone)
	var e *ecs.Error
	fmt.Println(errors.As(err, &e), errors.Is(err, ecs.ErrArgument), errors.Is(err, ecs.ErrRange), e.Op, e.Entity)
	// Output:
	// it lacks ecs_test.Alert
	// false true
	// ecs_test.Fuel true false
	// ecs_test.Alert true true
	// true true false Get 3:1
}

// A tool that must not block the owner for long visits the archetypes one by one, some in each
// pause between two frames.
func ExampleProbe() {
	w, _ := fleet()
	p := ecs.NewProbe(w, ecs.Read[Fuel]())
	room := make([]uint64, 4)
	for a := range w.Archetypes() {
		if !p.MatchesArchetype(a) {
			continue
		}
		for chunk := range a.ChunkCount() {
			n, _ := p.Rows(a, chunk, room)
			fmt.Println(n, "of", a.Len())
		}
	}
	// Output: 2 of 2
}

// Team is a shared component: entities of one team share chunks.
type Team struct {
	ecs.Shared
	Color string
}

// This example creates many entities with a shared value, and then sets a value for a whole linked
// group.
func ExampleWorld_CreateShared() {
	w := ecs.NewWorld("example")
	a := w.Archetype(ecs.With[Team](), ecs.With[Fuel]())
	rows, err := w.CreateShared(a, 3, Team{Color: "red"})
	for c := range rows.Chunks() {
		fmt.Println(c.Len(), c.SharedValue(reflect.TypeFor[Team]()).(Team).Color)
	}
	fmt.Println(err)

	leader, wing := w.Spawn(Fuel{Mass: 1}), w.Spawn(Alert{})
	if err := ecs.Add(w, leader, ecs.BufferOf(ecs.Linked{Entity: leader}, ecs.Linked{Entity: wing})); err != nil {
		fmt.Println(err)
	}
	fleet := w.Query(ecs.AnyOf(ecs.Read[Fuel](), ecs.Read[Alert]()))
	fmt.Println(ecs.AddAll(w, ecs.LinkedTo(leader, fleet), Fuel{Mass: 7}), ecs.SetAll(w, ecs.LinkedTo(leader, nil), Fuel{Mass: 8}))
	fmt.Println(ecs.Get[Fuel](w, wing))
	// Output:
	// 3 red
	// <nil>
	// <nil> <nil>
	// {8 0} <nil>
}
