// Package topo sorts nodes topologically: into an order that satisfies the given edges.
//
// A node is a number from 0 on. An edge says that one node comes before another, and holds the
// reason. If no edge orders two nodes, they are ordered by their keys, and if the keys are equal,
// by their numbers. Therefore the same keys and edges always produce the same order.
//
// If the edges form a cycle, no order exists. In that case the result contains one cycle. Each edge
// of it begins at the node where the previous edge ends, and the last edge ends where the first
// begins.
package topo

import (
	"cmp"
	"slices"
)

// Key orders the nodes that no edge orders. Part decides first; then nodes without Late come before
// nodes with Late; then Name decides, byte by byte.
type Key struct {
	Part int
	Late bool
	Name string
}

// Edge says that node From comes before node To. Reason is for the caller's messages.
type Edge[W any] struct {
	From, To int
	Reason   W
}

// Sort sorts nodes topologically. Sort returns the nodes 0 … len(keys)-1 in an order that satisfies
// every edge. Among the nodes that may come next, the one with the smallest key always comes first.
// If the edges form a cycle, Sort returns the nodes that it could order, and one cycle.
func Sort[W any](keys []Key, edges []Edge[W]) (sorted []int, circle []Edge[W]) {
	byRank, rank := assignRanks(keys)
	n := len(keys)
	waits := make([]int, n) // for each node, the number of its predecessors that are not yet sorted
	next := make([][]Edge[W], n)
	for _, e := range edges {
		waits[e.To]++
		next[e.From] = append(next[e.From], e)
	}
	var ready ranked
	for i, w := range waits {
		if w == 0 {
			ready.push(rank[i])
		}
	}
	sorted = make([]int, 0, n)
	for len(ready) > 0 {
		i := byRank[ready.pop()]
		sorted = append(sorted, i)
		for _, e := range next[i] {
			if waits[e.To]--; waits[e.To] == 0 {
				ready.push(rank[e.To])
			}
		}
	}
	if len(sorted) < n {
		circle = findCircle(waits, next)
	}
	return sorted, circle
}

// assignRanks assigns ranks to the nodes in the order of their keys. It returns the node of each rank,
// and the rank of each node.
func assignRanks(keys []Key) (byRank, rank []int) {
	byRank, rank = make([]int, len(keys)), make([]int, len(keys))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a].Part, keys[b].Part), cmp.Compare(lateRank(keys[a]), lateRank(keys[b])), cmp.Compare(keys[a].Name, keys[b].Name))
	})
	for r, i := range byRank {
		rank[i] = r
	}
	return byRank, rank
}

// lateRank returns 1 if k.Late is true, and otherwise 0.
func lateRank(k Key) int {
	if k.Late {
		return 1
	}
	return 0
}

// search is a depth-first search for a cycle. The search follows the edges of a node in order, and
// goes back from dead ends. The search visits no node twice, because a node from which it went
// back leads to no cycle.
type search[W any] struct {
	next  [][]Edge[W]
	state []state
	tried []int     // for each node, the number of edges that were followed
	path  []Edge[W] // edges from the start to the current node
}

// state says whether a search has visited a node.
type state uint8

const (
	fresh  state = iota // not yet visited
	onPath              // on the path to the current node
	left                // visited; leads to no cycle
)

// findCircle returns a cycle among the nodes that are not yet sorted. findCircle returns only the cycle
// of the path, so that an error does not include nodes that merely come after the cycle.
func findCircle[W any](waits []int, next [][]Edge[W]) []Edge[W] {
	s := search[W]{next: next, state: make([]state, len(waits)), tried: make([]int, len(waits))}
	for start, w := range waits {
		if w == 0 || s.state[start] != fresh {
			continue
		}
		if circle := s.searchFrom(start); circle != nil {
			return circle
		}
	}
	return nil
}

// searchFrom follows edges from a node that was not yet visited, until it reaches a node of its own path.
// It then returns the cycle. If the start leads to no cycle, it returns nil.
func (s *search[W]) searchFrom(start int) []Edge[W] {
	for at := start; ; {
		s.state[at] = onPath
		if s.tried[at] == len(s.next[at]) {
			s.state[at] = left
			if len(s.path) == 0 {
				return nil
			}
			at = s.path[len(s.path)-1].From
			s.path = s.path[:len(s.path)-1]
			continue
		}
		e := s.next[at][s.tried[at]]
		s.tried[at]++
		if s.state[e.To] == left {
			continue
		}
		s.path = append(s.path, e)
		if s.state[e.To] == onPath {
			first := slices.IndexFunc(s.path, func(p Edge[W]) bool { return p.From == e.To })
			return s.path[first:]
		}
		at = e.To
	}
}

// ranked is a heap of ranks. The smallest rank is on top.
type ranked []int

func (h *ranked) push(r int) {
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

func (h *ranked) pop() int {
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
