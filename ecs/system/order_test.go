package system

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// fakeType returns a system type that only the sorter uses.
func fakeType(name string, group bool) *Type {
	t := &Type{name: name, isSystem: true, isGroup: group}
	t.attributesOnce.Do(func() {})
	return t
}

// fake returns an instance of a fake type, with members if the type is a group.
func fake(t *Type) *Instance {
	in := &Instance{typ: t, phase: alive}
	if t.isGroup {
		in.group = &Group{ownInstance: in}
	}
	return in
}

// fakeGroup returns a group of fake instances, one of each type.
func fakeGroup(t *testing.T, name string, ts ...*Type) *Group {
	t.Helper()
	g := fake(fakeType(name, true)).group
	for _, typ := range ts {
		if err := g.add(fake(typ)); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (t *Type) before(ts ...*Type) *Type {
	t.attributes.Before = append(t.attributes.Before, ts...)
	return t
}

func (t *Type) after(ts ...*Type) *Type {
	t.attributes.After = append(t.attributes.After, ts...)
	return t
}

func (t *Type) in(g *Type, o groupPart) *Type {
	t.attributes.addPlacement(groupPlacement{Group: g, First: o == partFirst, Last: o == partLast})
	return t
}

// memberNames returns the full type names of the members in the order in which they run.
func (g *Group) memberNames() []string {
	var s []string
	for _, m := range g.runOrder {
		s = append(s, m.typ.name)
	}
	return s
}

func wantOrder(t *testing.T, g *Group, want string) {
	t.Helper()
	if err := g.Sort(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(g.memberNames(), " "); got != want {
		t.Errorf("order of %s is %q, want %q", g.ownInstance.typ.name, got, want)
	}
}

func wantWarnings(t *testing.T, g *Group, parts ...string) {
	t.Helper()
	if len(g.warnings) != len(parts) {
		t.Fatalf("warnings %q, want %d", g.warnings, len(parts))
	}
	for i, p := range parts {
		if !strings.Contains(g.warnings[i], p) {
			t.Errorf("warning %q does not say %q", g.warnings[i], p)
		}
	}
}

// Conformance: 240
func TestSortTwo(t *testing.T) {
	s1, s2 := fakeType("s1", false), fakeType("s2", false)
	s1.after(s2)
	wantOrder(t, fakeGroup(t, "G", s1, s2), "s2 s1")
	wantOrder(t, fakeGroup(t, "G", s2, s1), "s2 s1")
}

// Conformance: 241
func TestSortSameType(t *testing.T) {
	s := fakeType("s", false)
	a, b, c := fake(s), fake(s), fake(s)
	g := fake(fakeType("G", true)).group
	for _, in := range []*Instance{b, a, c} {
		if err := g.add(in); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		wantOrder(t, g, "s s s")
		if !slices.Equal(g.runOrder, []*Instance{b, a, c}) {
			t.Error("instances of one type changed places")
		}
		g.markOrderStale()
	}
}

// Conformance: 244
func TestSortUnconstrained(t *testing.T) {
	ts := []*Type{fakeType("s1", false), fakeType("s2", false), fakeType("s3", false), fakeType("s10", false)}
	for range 50 {
		rand.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
		wantOrder(t, fakeGroup(t, "G", ts...), "s1 s10 s2 s3") // byte by byte
	}
}

// Conformance: 253
func TestSortCleanParent(t *testing.T) {
	for _, sorting := range []bool{true, false} {
		child := fakeType("child", true)
		g := fakeGroup(t, "G", child)
		g.SetSorting(sorting)
		if err := g.Sort(); err != nil {
			t.Fatal(err)
		}
		below := g.members[0].group
		s1, s2 := fakeType("s1", false), fakeType("s2", false)
		s1.after(s2)
		for _, typ := range []*Type{s1, s2} {
			if err := below.add(fake(typ)); err != nil {
				t.Fatal(err)
			}
		}
		g.orderStale = false // this group is clean, and one below is dirty
		if err := g.Sort(); err != nil {
			t.Fatal(err)
		}
		if got := below.memberNames(); !slices.Equal(got, []string{"s2", "s1"}) {
			t.Errorf("parent sorting %v: child's order is %q", sorting, got)
		}
	}
}

func TestSortParts(t *testing.T) {
	g := fakeType("G", true)
	a := fakeType("a", false).in(g, partLast)
	b := fakeType("b", false)
	c := fakeType("c", false).in(g, partFirst)
	d := fakeType("d", false).in(fakeType("other", true), partFirst) // ignored here
	e := fakeType("e", false).in(g, partLast).before(a)
	in := fake(g)
	for _, typ := range []*Type{a, b, c, d, e} {
		if err := in.group.add(fake(typ)); err != nil {
			t.Fatal(err)
		}
	}
	wantOrder(t, in.group, "c b d e a")
	wantWarnings(t, in.group)
}

func TestSortWarnings(t *testing.T) {
	g := fakeType("G", true)
	first := fakeType("first", false).in(g, partFirst)
	last := fakeType("last", false).in(g, partLast)
	plain := fakeType("plain", false)
	number := &Type{name: "int"}
	number.attributesOnce.Do(func() {})
	tests := []struct {
		name string
		s    *Type
		want []string
	}{
		{"no system", fakeType("s", false).before(number), []string{"order of G: s before int, which is not a system"}},
		{"itself", fakeType("s", false), nil}, // filled below
		{"redundant", fakeType("s", false).after(first).before(last), nil},
		{"contradiction", fakeType("s", false).before(first).after(last), []string{
			"s before first, but First and Last have precedence", "s after last, but First and Last have precedence"}},
		{"nowhere", fakeType("s", false).after(fakeType("absent", false)), []string{"the world has no absent: create it, or remove the attribute"}},
		{"own group", fakeType("s", false).after(g), []string{"one of them stands inside the other"}},
		{"plain", fakeType("s", false).after(plain), nil},
	}
	tests[1].s.before(tests[1].s)
	tests[1].want = []string{"cannot be ordered against itself"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := fake(g)
			for _, typ := range []*Type{first, last, plain, tt.s} {
				if err := in.group.add(fake(typ)); err != nil {
					t.Fatal(err)
				}
			}
			if err := in.group.Sort(); err != nil {
				t.Fatal(err)
			}
			wantWarnings(t, in.group, tt.want...)
		})
	}
}

func TestSortLifts(t *testing.T) {
	b := fakeType("b", false)
	inner := fakeType("inner", true)
	a := fakeType("a", false).after(b)  // in inner; b is next to inner
	s := fakeType("s", false).before(b) // the same
	root := fakeGroup(t, "root", inner, b)
	in := root.members[0].group
	for _, typ := range []*Type{a, s} {
		if err := in.add(fake(typ)); err != nil {
			t.Fatal(err)
		}
	}
	err := root.Sort() // inner after b because of a, before b because of s
	var cycle *CycleError
	if !errors.As(err, &cycle) || !errors.Is(err, ecs.ErrState) {
		t.Fatalf("error %v, want a cycle", err)
	}
	const want = `system: order of root: these systems are each to come before the next, in a circle:
- inner (s before b)
- b (a after b)`
	if err.Error() != want {
		t.Errorf("error is\n%s\nwant\n%s", err, want)
	}
	in.members[1].leaving = true // as Remove does
	in.markOrderStale()
	wantOrder(t, root, "b inner")
	wantWarnings(t, root)
	wantWarnings(t, in)
}

func TestSortCycle(t *testing.T) {
	var ts []*Type
	for i := range 6 {
		ts = append(ts, fakeType(fmt.Sprint("s", i+1), false))
	}
	for _, e := range [][2]int{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 3}, {5, 6}} {
		ts[e[0]-1].before(ts[e[1]-1])
	}
	g := fakeGroup(t, "G", ts...)
	for range 2 { // the group stays dirty and fails again
		err := g.Sort()
		var cycle *CycleError
		if !errors.As(err, &cycle) {
			t.Fatalf("error %v, want a cycle", err)
		}
		if want := []string{"s3", "s4", "s5"}; !slices.Equal(cycle.Systems, want) {
			t.Errorf("cycle of %q, want %q", cycle.Systems, want)
		}
		if want := "\n- s3\n- s4\n- s5"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %q does not end in %q", err, want)
		}
	}
}

// randomTree fills a group with groups and systems that have random attributes.
func randomTree(r *rand.Rand, ts []*Type, depth int) *Group {
	g := fake(fakeType(fmt.Sprintf("g%03d", r.IntN(1000)), true)).group
	growTree(r, g, ts, depth)
	return g
}

func growTree(r *rand.Rand, g *Group, ts []*Type, depth int) {
	for range 1 + r.IntN(5) {
		t := ts[r.IntN(len(ts))]
		in := fake(t)
		if g.add(in) != nil || in.group == nil {
			continue
		}
		if depth > 0 {
			growTree(r, in.group, ts, depth-1)
		}
	}
}

func randomTypes(r *rand.Rand) []*Type {
	ts := make([]*Type, 4+r.IntN(12))
	for i := range ts {
		ts[i] = fakeType(fmt.Sprintf("s%02d", i), r.IntN(3) == 0)
	}
	var groups []*Type
	for _, t := range ts {
		if t.isGroup {
			groups = append(groups, t)
		}
	}
	for _, t := range ts {
		for range r.IntN(3) {
			other := ts[r.IntN(len(ts))]
			if r.IntN(2) == 0 {
				t.before(other)
			} else {
				t.after(other)
			}
		}
		if len(groups) > 0 && r.IntN(4) == 0 {
			t.in(groups[r.IntN(len(groups))], groupPart(r.IntN(3)))
		}
	}
	return ts
}

// naiveEdges computes the edges between the members of g by searching the whole tree. For each path to
// a system with an attribute, it takes the lowest group on the path that also contains the system named
// by the attribute.
func naiveEdges(g *Group) map[[2]int]bool {
	edges := make(map[[2]int]bool)
	var down func(way []*Group, members []int, s *Instance)
	down = func(way []*Group, members []int, s *Instance) {
		a := s.typ.attributes
		for k, t := range slices.Concat(a.Before, a.After) {
			if t == s.typ {
				continue
			}
			level := -1
			for l, h := range way {
				if naiveHolds(h, t) {
					level = l
				}
			}
			if level != 0 { // a deeper group orders them, or no group on this path does
				continue
			}
			for j, m := range g.members {
				if j == members[0] || m.typ != t && (m.group == nil || !naiveHolds(m.group, t)) {
					continue
				}
				from, to := members[0], j
				if k >= len(a.Before) {
					from, to = to, from
				}
				if naivePart(g, from) == naivePart(g, to) {
					edges[[2]int{from, to}] = true
				}
			}
		}
		if s.group != nil {
			for i, m := range s.group.members {
				down(append(slices.Clone(way), s.group), append(slices.Clone(members), i), m.Instance)
			}
		}
	}
	for i, m := range g.members {
		down([]*Group{g}, []int{i}, m.Instance)
	}
	return edges
}

func naiveHolds(g *Group, t *Type) bool {
	return slices.ContainsFunc(g.members, func(m member) bool {
		return m.typ == t || m.group != nil && naiveHolds(m.group, t)
	})
}

func naivePart(g *Group, i int) groupPart {
	return g.members[i].typ.attributes.partOf(g.ownInstance.typ)
}

// naiveOrder repeatedly takes the smallest member whose predecessors were all taken.
func naiveOrder(g *Group, edges map[[2]int]bool) (order []*Instance) {
	left := make([]int, len(g.members))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best := -1
		for _, i := range left {
			blocked := slices.ContainsFunc(left, func(j int) bool { return edges[[2]int{j, i}] })
			if blocked {
				continue
			}
			if best < 0 || cmp.Or(cmp.Compare(naivePart(g, i), naivePart(g, best)),
				cmp.Compare(g.members[i].typ.name, g.members[best].typ.name)) < 0 {
				best = i
			}
		}
		if best < 0 {
			return nil // a cycle
		}
		order = append(order, g.members[best].Instance)
		left = slices.DeleteFunc(left, func(i int) bool { return i == best })
	}
	return order
}

// randomTrees is the number of trees that TestSortAgainstNaive sorts. The number of trees is 10,000 in
// make soak, and 100,000 with LONG=1.
var (
	randomTrees = flag.Int("lanewise.trees", 2_000, "sort `N` random trees of groups")
	full        = flag.Bool("lanewise.full", false, "random tests of their full length: make full")
)

func TestSortAgainstNaive(t *testing.T) {
	trees := *randomTrees
	sorted, cycles, lifted := 0, 0, 0
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 20))
		root := randomTree(r, randomTypes(r), 2)
		_ = root.Sort()
		var check func(g *Group)
		check = func(g *Group) {
			edges := naiveEdges(g)
			want := naiveOrder(g, edges)
			w := g.constraints()
			for _, e := range w.edges {
				if !edges[[2]int{e.From, e.To}] {
					t.Fatalf("seed %d: %s: edge %s → %s (%s) is not in the naive model", seed, g.ownInstance.typ.name, w.keys[e.From].Name, w.keys[e.To].Name, e.Reason)
				}
				if !e.Reason.isBetween(g.members[e.From].typ, g.members[e.To].typ) {
					lifted++
				}
			}
			if want == nil && len(g.members) > 0 {
				cycles++
				checkCycle(t, seed, g, edges)
			} else if !slices.Equal(g.runOrder, want) {
				t.Fatalf("seed %d: %s: order %q, want %q", seed, g.ownInstance.typ.name, g.memberNames(), (&Group{runOrder: want}).memberNames())
			} else {
				sorted++
			}
			for _, m := range g.members {
				if m.group != nil {
					check(m.group)
				}
			}
		}
		check(root)
	}
	t.Logf("%d groups sorted, %d circles, %d lifted edges", sorted, cycles, lifted)
	if sorted < trees/2 || cycles < trees/20 || lifted < trees/20 {
		t.Error("the random trees do not exercise the sorter")
	}
}

// checkCycle sorts g, which must report a cycle, and checks that the reported edges form a cycle.
func checkCycle(t *testing.T, seed int, g *Group, edges map[[2]int]bool) {
	t.Helper()
	w := g.constraints()
	_, loop := topo.Sort(w.keys, w.edges)
	if len(loop) < 2 {
		t.Fatalf("seed %d: %s: circle of %d", seed, g.ownInstance.typ.name, len(loop))
	}
	seen := make(map[int]bool)
	for i, e := range loop {
		if seen[e.From] || e.To != loop[(i+1)%len(loop)].From || !edges[[2]int{e.From, e.To}] {
			t.Fatalf("seed %d: %s: %v is not a circle", seed, g.ownInstance.typ.name, loop)
		}
		seen[e.From] = true
	}
	if !g.orderStale || g.sortOwn() == nil {
		t.Fatalf("seed %d: %s: a circle, but the group counts as sorted", seed, g.ownInstance.typ.name)
	}
}

// The order in which different types were added has no effect.
func TestSortIgnoresInsertion(t *testing.T) {
	for seed := range 2_000 {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		ts := randomTypes(r)
		var want []string
		for range 4 {
			r.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
			g := fakeGroup(t, "G", ts...)
			if g.Sort() != nil {
				break
			}
			if want == nil {
				want = g.memberNames()
			}
			if got := g.memberNames(); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q, and inserted otherwise %q", seed, want, got)
			}
		}
	}
}

// Removing a system that no attribute names does not reorder the others.
func TestSortUnrelated(t *testing.T) {
	for seed := range 2_000 {
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		ts := randomTypes(r)
		alone := fakeType(fmt.Sprintf("s%02d", r.IntN(30)), false)
		g, h := fakeGroup(t, "G", ts...), fakeGroup(t, "G", append(ts, alone)...)
		if g.Sort() != nil {
			continue
		}
		if err := h.Sort(); err != nil {
			t.Fatal(err)
		}
		rest := slices.DeleteFunc(slices.Clone(h.runOrder), func(in *Instance) bool { return in.typ == alone })
		if got := (&Group{runOrder: rest}).memberNames(); !slices.Equal(got, g.memberNames()) {
			t.Fatalf("seed %d: %q, and with another system %q", seed, g.memberNames(), got)
		}
	}
}
