package system

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

func (g *plainGroup) instance() *Instance { return g.ownInstance }

// Conformance: 245
func TestMemberFails(t *testing.T) {
	for _, panics := range []bool{false, true} {
		b := newBench(t)
		p, _ := b.add("p")
		q, _ := b.add("q")
		r, _ := b.add("r")
		if panics {
			q.panics = "update"
		} else {
			q.fail = map[string]error{"update": errBroken}
		}
		g := b.group(p, q, r)
		b.log = nil
		if err := g.instance().Update(); err == nil || !strings.HasPrefix(err.Error(), "system: github.com/lanewise/lanewise/ecs/system.probe: Update: ") {
			t.Errorf("error %q", err)
		}
		b.want("p start, p update, q start, q update, r start, r update")
		if g.instance().Update() == nil { // the member runs again
			t.Error("no error the second time")
		}
		b.want("p update, q update, r update")
		q.panics, q.fail = "", nil
		b.ok(g.instance().Update())
	}
}

// Conformance: 247
func TestGroupAdd(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	inner := b.group()
	g := b.group(p, inner)
	tests := []struct {
		name string
		s    System
		want error
	}{
		{"nil", nil, nil},
		{"nil pointer", (*probe)(nil), nil},
		{"member", p, nil},
		{"itself", g, ecs.ErrArgument},
		{"no system", new(probe), ecs.ErrArgument},
	}
	for _, tt := range tests {
		if err := g.Add(tt.s); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := inner.Add(g); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("a group above: %v", err)
	}
	b.ok(g.Sort())
	if len(g.Members()) != 2 {
		t.Errorf("%d members", len(g.Members()))
	}
	b.ok(Destroy(b.w, g))
	for _, g := range []*plainGroup{g, new(plainGroup)} {
		if err := g.Add(p); !errors.Is(err, ecs.ErrState) {
			t.Errorf("a group that is no part of a world: %v", err)
		}
	}
	if new(plainGroup).Update(nil) == nil || new(plainGroup).Sort() == nil {
		t.Error("a group that is no part of a world updates")
	}
}

// Conformance: 254
func TestGroupUnsorted(t *testing.T) {
	b := newBench(t)
	g := b.group()
	g.SetSorting(false)
	late, early, mid := new(sortLate), new(sortEarly), new(sortMid)
	for _, s := range []System{late, mid, early} {
		b.adopt(s)
		b.ok(g.Add(s))
	}
	check := func(want ...System) {
		t.Helper()
		b.ok(g.instance().Update())
		var got []System
		for _, m := range g.Members() {
			got = append(got, m.System())
		}
		if !slices.Equal(got, want) {
			t.Errorf("members %T, want %T", got, want)
		}
	}
	check(late, mid, early)
	g.Remove(mid)
	check(late, early)
	b.ok(g.Add(mid))
	check(late, early, mid)
	if !g.unsorted {
		t.Error("the group says that it sorts")
	}
	g.SetSorting(true)
	check(early, mid, late)
	g.SetSorting(false)
	check(late, early, mid)
}

type (
	sortEarly struct{ valueSystem }
	sortMid   struct {
		valueSystem
		_ After[sortEarly]
	}
	sortLate struct {
		valueSystem
		_ After[sortMid]
	}
)

// Members that are added during an update run in the next one. Members that are removed still run.
func TestGroupChangesDuringUpdate(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	q, _ := b.add("q")
	r, _ := b.add("r")
	g := b.group(p, q)
	p.update = func(*Frame) error {
		g.Remove(q)
		return errors.Join(g.Add(r), g.Sort())
	}
	b.log = nil
	b.ok(g.instance().Update())
	b.want("p start, p update, q start, q update")
	b.ok(g.instance().Update())
	b.want("p update, r start, r update")
}

func TestGroupRemoveCancelled(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	g := b.group(p)
	g.Remove(p, p, nil, new(probe))
	b.ok(g.Add(p))
	b.log = nil
	b.ok(g.instance().Update())
	b.want("p start, p update")
}

func TestGroupStops(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	q, _ := b.add("q")
	r, ri := b.add("r")
	inner := b.group(q)
	g := &loggedGroup{log: &b.log}
	b.adopt(g)
	b.ok(g.Add(p, r, inner))
	ri.SetEnabled(false)
	b.log = nil
	b.ok(g.ownInstance.Update())
	b.want("group start, q start, q update, p start, p update") // plainGroup sorts before probe
	g.ownInstance.SetEnabled(false)
	b.ok(g.ownInstance.Update())
	b.want("group stop, q stop, p stop")
	if !InstanceOf(b.w, p).Enabled() || ri.Enabled() {
		t.Error("the members' own switches were touched")
	}
	g.ownInstance.SetEnabled(true)
	b.ok(g.ownInstance.Update())
	b.want("group start, q start, q update, p start, p update")
}

type loggedGroup struct {
	Group
	log *[]string
}

func (g *loggedGroup) StartRunning(*Frame) error { *g.log = append(*g.log, "group start"); return nil }
func (g *loggedGroup) StopRunning(*Frame) error  { *g.log = append(*g.log, "group stop"); return nil }

// If a group type has its own Update method, that method runs the members.
func TestGroupOverride(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	g := new(twiceGroup)
	b.adopt(g)
	b.ok(g.Add(p))
	b.log = nil
	b.ok(g.ownInstance.Update())
	b.want("p start, p update, p update")
	g.fail = errBroken
	if err := g.ownInstance.Update(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "twiceGroup: Update") {
		t.Errorf("error %v", err)
	}
}

type twiceGroup struct {
	Group
	fail error
}

func (g *twiceGroup) Update(f *Frame) error {
	if g.fail != nil {
		return g.fail
	}
	return errors.Join(g.Group.Update(f), g.Group.Update(f))
}

// Conformance: 258
func TestQuit(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	q, _ := b.add("q")
	g := b.group(p, q)
	p.update = func(f *Frame) error { f.Quit(); return nil }
	b.log = nil
	b.ok(g.instance().Update())
	b.want("p start, p update")
	p.update = nil
	b.ok(g.instance().Update())
	b.want("p update, q start, q update")
}

func TestGroupRate(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	g := b.group(p)
	clk := ClockOf(b.w)
	var seen []Time
	p.update = func(f *Frame) error {
		seen = append(seen, Time{Elapsed: f.Elapsed(), Delta: f.Delta()})
		return nil
	}
	outer := Time{Elapsed: 0.25, Delta: 0.01}
	clk.SetNow(outer)
	b.ok(g.instance().Update())
	g.SetRate(CatchUpRate(0.125))
	b.ok(g.instance().Update())
	want := []Time{outer, {Elapsed: 0, Delta: 0.125}, {Elapsed: 0.125, Delta: 0.125}, {Elapsed: 0.25, Delta: 0.125}}
	if !slices.Equal(seen, want) {
		t.Errorf("the member saw %v, want %v", seen, want)
	}
	if clk.Now() != outer || clk.depth() != 0 || g.rate == nil {
		t.Errorf("the world's time is %v after the group", clk.Now())
	}

	p.update = func(f *Frame) error { clk.Push(Time{}); return nil }
	clk.SetNow(Time{Elapsed: 0.5})
	if err := g.instance().Update(); !errors.Is(err, ecs.ErrState) || clk.Now() != (Time{Elapsed: 0.5}) {
		t.Errorf("a member that forgets to pop: %v, time %v", err, clk.Now())
	}
	p.update = func(f *Frame) error { return clk.Pop() }
	g.SetRate(SimpleRate(0.1))
	b.ok(g.instance().Update()) // pops the moment that the rate has pushed, which does no harm
	g.SetRate(SimpleRate(0.1))
	g.SetStep(1e9)
	if want := SimpleRate(10); !reflect.DeepEqual(g.rate, want) {
		t.Errorf("the rate is %+v, want %+v", g.rate, want)
	}
	g.SetRate(IntervalRate(time.Second, nil))
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "the rate of the group is a *system.intervalRate, which has no step") {
			t.Errorf("SetStep of a rate without one: %v", err)
		}
	}()
	g.SetStep(1)
	if clk.Now() != (Time{Elapsed: 0.5}) || clk.depth() != 0 {
		t.Errorf("a member that pops too much: time %v", clk.Now())
	}
}

// TestNoCommonGroup checks the warning about two systems that both exist, but in groups that no group contains.
func TestNoCommonGroup(t *testing.T) {
	b := newBench(t)
	early, late := new(sortEarly), new(sortMid)
	b.adopt(early)
	b.adopt(late)
	b.group(early)
	g := b.group(late)
	b.ok(g.Sort())
	if ws := g.warnings; len(ws) != 1 || !strings.HasSuffix(ws[0], "system.sortEarly, but no group holds both of them: put both into one group, or remove the attribute") {
		t.Errorf("warnings %q", ws)
	}
}

func TestWarnings(t *testing.T) {
	b := newBench(t)
	s := new(sortMid)
	b.adopt(s)
	g := b.group(s)
	b.ok(g.Sort())
	if ws := g.warnings; len(ws) != 1 || !strings.Contains(ws[0], "system.sortMid after github.com/lanewise/lanewise/ecs/system.sortEarly, but the world has no system.sortEarly: create it, or remove the attribute") {
		t.Errorf("warnings %q", ws)
	}
	if ws := Warnings(b.w); !slices.Equal(ws, g.warnings) {
		t.Errorf("warnings of the world %q", ws)
	}
	early := new(sortEarly)
	b.adopt(early)
	b.ok(g.Add(early))
	b.ok(g.Sort())
	if ws := g.warnings; len(ws) != 0 {
		t.Errorf("warnings %q", ws)
	}
}

// If a group changes, the groups above it sort their members again.
func TestLiftedAfterChange(t *testing.T) {
	b := newBench(t)
	early, mid := new(sortEarly), new(sortMid)
	b.adopt(early)
	b.adopt(mid)
	x, y := b.group(), b.group()
	top := b.group(x, y)
	b.ok(top.Sort())
	check := func(want ...System) {
		t.Helper()
		b.ok(top.Sort())
		for i, m := range top.Members() {
			if m.System() != want[i] {
				t.Errorf("member %d is the wrong one", i)
			}
		}
	}
	check(x, y)
	b.ok(x.Add(mid))
	b.ok(y.Add(early))
	check(y, x)
	x.Remove(mid)
	check(x, y)
	if len(Warnings(b.w)) != 0 {
		t.Errorf("warnings %q", Warnings(b.w))
	}
}
