package system

import (
	"cmp"
	"slices"
)

// edge says that node from comes before node to, and whose wish that is.
type edge struct {
	from, to int
	wish     wish
}

// wish is one Before or After attribute.
type wish struct {
	who, whom *Type
	after     bool
}

func (w wish) String() string {
	if w.after {
		return w.who.name + " after " + w.whom.name
	}
	return w.who.name + " before " + w.whom.name
}

// key is what decides between nodes that no edge orders: the part of the group, then
// the full type name byte by byte, then the position in which the node was added.
type key struct {
	part Order
	name string
}

// topological returns the nodes 0 … len(keys)-1 in an order that keeps every
// edge, taking the smallest key whenever there is a choice. When edges form a
// circle it returns the nodes that it could order, and loop is one circle.
func topological(keys []key, edges []edge) (order []int, loop []edge) {
	n := len(keys)
	byKey := make([]int, n) // rank to node
	for i := range byKey {
		byKey[i] = i
	}
	slices.SortStableFunc(byKey, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a].part, keys[b].part), cmp.Compare(keys[a].name, keys[b].name))
	})
	rank := make([]int, n)
	for r, i := range byKey {
		rank[i] = r
	}

	waits := make([]int, n)
	next := make([][]edge, n)
	for _, e := range edges {
		waits[e.to]++
		next[e.from] = append(next[e.from], e)
	}
	var ready minHeap
	for i, w := range waits {
		if w == 0 {
			ready.push(rank[i])
		}
	}
	order = make([]int, 0, n)
	for len(ready) > 0 {
		i := byKey[ready.pop()]
		order = append(order, i)
		for _, e := range next[i] {
			if waits[e.to]--; waits[e.to] == 0 {
				ready.push(rank[e.to])
			}
		}
	}
	if len(order) < n {
		loop = findLoop(waits, next)
	}
	return order, loop
}

// findLoop walks along the edges of the nodes that still wait, the first edge
// first and back again from dead ends, until a node stands on the path for the
// second time. It returns the path from there on, so that nodes which merely
// come after the circle are not blamed.
func findLoop(waits []int, next [][]edge) []edge {
	const (
		fresh = iota
		onPath
		done
	)
	state := make([]uint8, len(waits))
	tried := make([]int, len(waits)) // edges of the node already followed
	for start := range waits {
		if waits[start] == 0 || state[start] != fresh {
			continue
		}
		var path []edge
		for at := start; ; {
			state[at] = onPath
			if tried[at] == len(next[at]) {
				state[at] = done
				if len(path) == 0 {
					break
				}
				at = path[len(path)-1].from
				path = path[:len(path)-1]
				continue
			}
			e := next[at][tried[at]]
			tried[at]++
			switch state[e.to] {
			case fresh:
				path = append(path, e)
				at = e.to
			case onPath:
				path = append(path, e)
				first := slices.IndexFunc(path, func(p edge) bool { return p.from == e.to })
				return path[first:]
			}
		}
	}
	return nil
}

// minHeap is a heap of ranks, the smallest on top.
type minHeap []int

func (h *minHeap) push(r int) {
	s := append(*h, r)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] <= r {
			break
		}
		s[i], i = s[up], up
	}
	s[i] = r
	*h = s
}

func (h *minHeap) pop() int {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if s[c] >= last {
			break
		}
		s[i], i = s[c], c
	}
	s[i] = last
	return top
}
