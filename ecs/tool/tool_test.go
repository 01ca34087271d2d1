package tool_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/tool"
)

// TestAppendChunks: what is appended begins where it is told to, and ends where the chunks do.
func TestAppendChunks(t *testing.T) {
	w := ecs.NewWorld("example")
	a := w.Archetype(ecs.With[Fuel]())
	w.Create(a, 5000)
	n := a.ChunkCount()
	if n < 3 {
		t.Fatalf("%d chunks", n)
	}
	all, rows := tool.AppendChunks(nil, a, 0, 1<<30), 0
	for _, c := range all {
		rows += c.Rows
	}
	if len(all) != n || rows != 5000 {
		t.Errorf("%d of %d chunks, with %d rows", len(all), n, rows)
	}
	for _, c := range []struct{ from, n, lo, hi int }{
		{0, 2, 0, 2}, {1, 1, 1, 2}, {-5, 2, 0, 2}, {1, 1 << 30, 1, n}, {n, 5, n, n}, {1 << 30, 1 << 30, n, n}, {0, 0, 0, 0}, {1, -1, 1, 1},
	} {
		if got, want := tool.AppendChunks(all[:1:1], a, c.from, c.n), append(all[:1:1], all[c.lo:c.hi]...); !slices.Equal(got, want) {
			t.Errorf("%d from %d: %v, want %v", c.n, c.from, got, want)
		}
	}
}

// TestLanes: a lane that is found is one of those that are listed, and its rows are those of views.
func TestLanes(t *testing.T) {
	w, ids := fleet()
	a := w.ArchetypeOf(ids[0])
	field := reflect.TypeFor[Fuel]().Field(1)
	lane, ok := tool.FindLane(a, reflect.TypeFor[Fuel](), field.Offset)
	if !ok || lane.Lane.Name != field.Name || lane.Size != 4 || !slices.Contains(tool.Lanes(a), lane) {
		t.Fatalf("%+v, found: %v", lane, ok)
	}
	rows := tool.AppendLane(nil, a, lane, 0, 0, 1)
	for k, id := range tool.AppendEntities(nil, a, 0, 0, 1) {
		row, err := tool.AppendRow(nil, w, id, lane)
		if err != nil || !slices.Equal(row, rows[4*k:4*k+4]) || id != ids[k] {
			t.Errorf("row %d of %v: %v, want %v: %v", k, id, row, rows, err)
		}
	}
	for _, wrong := range []tool.LaneInfo{{}, {Component: lane.Component, At: lane.At + 4, Size: 4}, {Component: lane.Component, At: lane.At, Size: 8}} {
		if _, err := tool.AppendRow(nil, w, ids[0], wrong); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// TestComponentTypesIsACopy: what one caller does to the list no other sees.
func TestComponentTypesIsACopy(t *testing.T) {
	fleet()
	first := tool.ComponentTypes()
	want := slices.Clone(first)
	clear(first)
	if got := tool.ComponentTypes(); len(got) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestErrors: an error names the function as its caller wrote it.
func TestErrors(t *testing.T) {
	w, ids := fleet()
	team := reflect.TypeFor[Team]()
	for want, f := range map[string]func() error{
		"tool.ValueOf":       func() error { _, err := tool.ValueOf(w, ids[0], team); return err },
		"tool.HeadOf":        func() error { _, _, err := tool.HeadOf(w, ids[0], team, 1); return err },
		"tool.SetValueOf":    func() error { return tool.SetValueOf(w, ids[0], Team{}) },
		"tool.PutValueOf":    func() error { return tool.PutValueOf(w, ids[0], team, 1) },
		"tool.EnabledOf":     func() error { _, err := tool.EnabledOf(w, ids[0], team); return err },
		"tool.SetEnabledOf":  func() error { return tool.SetEnabledOf(w, ids[0], team, true) },
		"tool.CreateSharing": func() error { _, err := tool.CreateSharing(w, w.ArchetypeOf(ids[0]), 1, Team{}); return err },
		"tool.TermOf":        func() error { return panicOf(func() { tool.TermOf(ecs.AnyOf(), team) }) },
		"tool.NewProbe":      func() error { return panicOf(func() { tool.NewProbe(nil) }) },
		"tool.AppendLane": func() error {
			return panicOf(func() { tool.AppendLane(nil, w.ArchetypeOf(ids[0]), tool.LaneInfo{}, 0, 0, 1) })
		},
	} {
		err := f()
		if of := (*ecs.Error)(nil); !errors.As(err, &of) || of.Op != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// panicOf returns the error that f panics with.
func panicOf(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if err, _ = r.(error); err == nil {
				err = fmt.Errorf("%v", r)
			}
		}
	}()
	f()
	return nil
}

// TestAllocates: what is called for each chunk and each row leaves nothing behind.
func TestAllocates(t *testing.T) {
	w, ids := fleet()
	a := w.ArchetypeOf(ids[0])
	fuel := reflect.TypeFor[Fuel]()
	lane, _ := tool.FindLane(a, fuel, 0)
	q, p := w.Query(ecs.Read[Fuel]()), tool.NewProbe(w, ecs.Read[Fuel]())
	room := make([]uint64, 32)
	var sum int
	if n := testing.AllocsPerRun(100, func() {
		var buf [64]byte
		row, _ := tool.AppendRow(buf[:0], w, ids[0], lane)
		sum += len(row) + len(tool.AppendLane(buf[:0], a, lane, 0, 0, 1))
		for c := range q.Chunks() {
			x, _ := tool.FloatsOf(c, fuel, 0)
			sum += len(x) + len(tool.LaneOf(c, fuel, 1))
		}
		if rows, _ := p.Rows(a, 0, room); p.Matches(ids[1]) {
			sum += rows
		}
	}); n != 0 || sum == 0 {
		t.Errorf("%v allocations", n)
	}
}
