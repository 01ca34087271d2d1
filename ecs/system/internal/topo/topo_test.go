package topo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/system/internal/topo"
)

// makeNodes makes keys from names, such as "1:b" for name b of part 1, and edges from pairs such as
// "0<2".
func makeNodes(names, pairs string) (keys []topo.Key, edges []topo.Edge[string]) {
	for _, n := range strings.Fields(names) {
		var k topo.Key
		if part, name, ok := strings.Cut(n, ":"); ok {
			k.Part, n = int(part[0]-'0'), name
		}
		k.Name = n
		keys = append(keys, k)
	}
	for _, p := range strings.Fields(pairs) {
		e := topo.Edge[string]{Reason: p}
		if _, err := fmt.Sscanf(p, "%d<%d", &e.From, &e.To); err != nil {
			panic(err)
		}
		edges = append(edges, e)
	}
	return keys, edges
}

func TestSort(t *testing.T) {
	for _, c := range []struct{ what, names, pairs, want, circle string }{
		{"nothing", "", "", "[]", ""},
		{"names", "c a b", "", "[1 2 0]", ""},
		{"names by bytes", "a B", "", "[1 0]", ""},
		{"equal names", "a a a", "", "[0 1 2]", ""},
		{"parts before names", "1:a 0:b 2:a 1:A", "", "[1 3 0 2]", ""},
		{"edges before parts", "1:a 0:b", "0<1", "[0 1]", ""},
		{"the smallest that is ready", "a b c d", "3<0", "[1 2 3 0]", ""},
		{"an edge twice", "a b", "1<0 1<0", "[1 0]", ""},
		{"two that wait for one", "a b c", "2<0 2<1", "[2 0 1]", ""},
		{"a circle of two", "a b c", "0<1 1<0", "[2]", "0<1 1<0"},
		{"of one", "a b", "1<1", "[0]", "1<1"},
		{"what comes behind a circle is not of it", "a b c d", "1<2 2<1 2<0 0<3", "[]", "1<2 2<1"},
		{"behind a dead end", "a b c d e", "0<1 0<2 2<3 3<0 1<4", "[]", "0<2 2<3 3<0"},
		{"and behind two", "a b c d e", "0<1 1<2 0<2 3<4 4<3 3<0", "[]", "3<4 4<3"},
	} {
		keys, edges := makeNodes(c.names, c.pairs)
		sorted, circle := topo.Sort(keys, edges)
		var got []string
		for _, e := range circle {
			got = append(got, e.Reason)
		}
		if fmt.Sprint(sorted) != c.want || strings.Join(got, " ") != c.circle {
			t.Errorf("%s: %v, a circle %q; want %s, %q", c.what, sorted, got, c.want, c.circle)
		}
	}
}

// TestSortMany compares the order with the order of a simple algorithm, which repeatedly takes the
// smallest key whose predecessors were all taken.
func TestSortMany(t *testing.T) {
	for n := range 40 {
		var keys []topo.Key
		var edges []topo.Edge[int]
		state := uint32(n + 1)
		random := func(below int) int {
			state = state*1664525 + 1013904223
			return int(state>>16) % below
		}
		for range n {
			keys = append(keys, topo.Key{Part: random(3), Name: string(rune('a' + random(5)))})
		}
		for k := range 2 * n {
			edges = append(edges, topo.Edge[int]{From: random(n), To: random(n), Reason: k})
			if e := &edges[k]; n%3 > 0 && e.From >= e.To { // two of three have no cycle
				e.From, e.To = e.To, e.From
				if e.From == e.To {
					edges = edges[:k]
					break
				}
			}
		}
		sorted, circle := topo.Sort(keys, edges)
		want := plain(keys, edges)
		if !slices.Equal(sorted, want) {
			t.Fatalf("%d nodes: %v, want %v", n, sorted, want)
		}
		if (len(sorted) < n) != (circle != nil) {
			t.Fatalf("%d of %d nodes, a circle %v", len(sorted), n, circle)
		}
		for i, e := range circle {
			if next := circle[(i+1)%len(circle)]; e.To != next.From || edges[e.Reason] != e {
				t.Fatalf("%d nodes: %v is no circle", n, circle)
			}
		}
	}
}

func plain(keys []topo.Key, edges []topo.Edge[int]) (sorted []int) {
	for {
		best := -1
		for i, k := range keys {
			free := !slices.Contains(sorted, i) && !slices.ContainsFunc(edges, func(e topo.Edge[int]) bool {
				return e.To == i && !slices.Contains(sorted, e.From)
			})
			if free && (best < 0 || k.Part < keys[best].Part || k.Part == keys[best].Part && k.Name < keys[best].Name) {
				best = i
			}
		}
		if best < 0 {
			return sorted
		}
		sorted = append(sorted, best)
	}
}
