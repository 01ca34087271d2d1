package ecs_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestAppendChunks checks that the list begins with the given chunk, and ends with the last one.
func TestAppendChunks(t *testing.T) {
	w := ecs.NewWorld("example")
	a := w.Archetype(ecs.With[Fuel]())
	w.Create(a, 5000)
	n := a.ChunkCount()
	if n < 3 {
		t.Fatalf("%d chunks", n)
	}
	all, rows := a.AppendChunks(nil, 0, 1<<30), 0
	for _, c := range all {
		rows += c.Rows
	}
	if len(all) != n || rows != 5000 {
		t.Errorf("%d of %d chunks, with %d rows", len(all), n, rows)
	}
	for _, c := range []struct{ from, n, lo, hi int }{
		{0, 2, 0, 2}, {1, 1, 1, 2}, {-5, 2, 0, 2}, {1, 1 << 30, 1, n}, {n, 5, n, n}, {1 << 30, 1 << 30, n, n}, {0, 0, 0, 0}, {1, -1, 1, 1},
	} {
		if got, want := a.AppendChunks(all[:1:1], c.from, c.n), append(all[:1:1], all[c.lo:c.hi]...); !slices.Equal(got, want) {
			t.Errorf("%d from %d: %v, want %v", c.n, c.from, got, want)
		}
	}
}

// TestLanes checks that Lanes contains the lane that FindLane returns, and that the rows of this
// lane contain the same values as views.
func TestLanes(t *testing.T) {
	w, ids := fleet()
	a := w.ArchetypeOf(ids[0])
	field := reflect.TypeFor[Fuel]().Field(1)
	lane, ok := a.FindLane(reflect.TypeFor[Fuel](), field.Offset)
	if !ok || lane.Lane.Name != field.Name || lane.Size != 4 || !slices.Contains(a.Lanes(), lane) {
		t.Fatalf("%+v, found: %v", lane, ok)
	}
	rows := a.AppendLane(nil, lane, 0, 0, 1)
	for k, id := range a.AppendEntities(nil, 0, 0, 1) {
		row, err := w.Untyped().AppendRow(nil, id, lane)
		if err != nil || !slices.Equal(row, rows[4*k:4*k+4]) || id != ids[k] {
			t.Errorf("row %d of %v: %v, want %v: %v", k, id, row, rows, err)
		}
	}
	for _, wrong := range []ecs.LaneInfo{{}, {Component: lane.Component, At: lane.At + 4, Size: 4}, {Component: lane.Component, At: lane.At, Size: 8}} {
		if _, err := w.Untyped().AppendRow(nil, ids[0], wrong); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// TestComponentTypesIsACopy checks that a caller's changes of the list are invisible to other
// callers.
func TestComponentTypesIsACopy(t *testing.T) {
	fleet()
	first := ecs.ComponentTypes()
	want := slices.Clone(first)
	clear(first)
	if got := ecs.ComponentTypes(); len(got) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestErrors checks that an error names the function as its caller wrote it.
func TestUntypedErrors(t *testing.T) {
	w, ids := fleet()
	team := reflect.TypeFor[Team]()
	for want, f := range map[string]func() error{
		"Untyped.Get":        func() error { _, err := w.Untyped().Get(ids[0], team); return err },
		"Untyped.Head":       func() error { _, _, err := w.Untyped().Head(ids[0], team, 1); return err },
		"Untyped.Set":        func() error { return w.Untyped().Set(ids[0], Team{}) },
		"Untyped.Add":        func() error { return w.Untyped().Add(ids[0], team, 1) },
		"Untyped.Enabled":    func() error { _, err := w.Untyped().Enabled(ids[0], team); return err },
		"Untyped.SetEnabled": func() error { return w.Untyped().SetEnabled(ids[0], team, true) },
		"World.CreateShared": func() error { _, err := w.CreateShared(w.ArchetypeOf(ids[0]), 1, Team{}); return err },
		"Term.OfType":        func() error { return panicOf(func() { ecs.AnyOf().OfType(team) }) },
		"NewProbe":           func() error { return panicOf(func() { ecs.NewProbe(nil) }) },
		"Archetype.AppendLane": func() error {
			return panicOf(func() { w.ArchetypeOf(ids[0]).AppendLane(nil, ecs.LaneInfo{}, 0, 0, 1) })
		},
	} {
		err := f()
		if of := (*ecs.Error)(nil); !errors.As(err, &of) || of.Op != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAllocates checks that functions for each chunk and each row do not allocate.
func TestAllocates(t *testing.T) {
	w, ids := fleet()
	a := w.ArchetypeOf(ids[0])
	fuel := reflect.TypeFor[Fuel]()
	lane, _ := a.FindLane(fuel, 0)
	q, p := w.Query(ecs.Read[Fuel]()), ecs.NewProbe(w, ecs.Read[Fuel]())
	room := make([]uint64, 32)
	var sum int
	if n := testing.AllocsPerRun(100, func() {
		var buf [64]byte
		row, _ := w.Untyped().AppendRow(buf[:0], ids[0], lane)
		sum += len(row) + len(a.AppendLane(buf[:0], lane, 0, 0, 1))
		for c := range q.Chunks() {
			x, _ := c.Floats(fuel, 0)
			sum += len(x) + len(c.LaneBytes(fuel, 1))
		}
		if rows, _ := p.Rows(a, 0, room); p.Matches(ids[1]) {
			sum += rows
		}
	}); n != 0 || sum == 0 {
		t.Errorf("%v allocations", n)
	}
}
