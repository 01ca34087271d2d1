// Package topo puts nodes into an order that keeps constraints.
//
// A node is a number from 0 on. An edge says that one node comes before another, and
// why. Where no edge decides, the key of a node does, and between two equal keys its number: so
// one set of keys and edges has one order, whatever it was made from.
//
// Edges may form a circle. Then there is no order, and the answer is one circle: each
// edge of it begins where the one before ends, and the last ends where the first begins.
package topo

import (
	"cmp"
	"slices"
)

// Key orders nodes that no edge orders: by Part, then those that are not Late before the
// others, then by Name, byte by byte.
type Key struct {
	Part int
	Late bool
	Name string
}

// Edge says that node From comes before node To. Reason is whatever says why.
type Edge[W any] struct {
	From, To int
	Reason   W
}

// Sort sorts topologically: it returns the nodes 0 … len(keys)-1 in the order that keeps every edge and takes
// the smallest key whenever there is a choice. When edges form a circle it returns the nodes that
// it could order, and a circle.
func Sort[W any](keys []Key, edges []Edge[W]) (sorted []int, circle []Edge[W]) {
	byRank, rank := ranks(keys)
	n := len(keys)
	waits := make([]int, n) // for so many nodes that are not sorted yet
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

// ranks numbers the nodes by their keys: the node of each rank, and the rank of each node.
func ranks(keys []Key) (byRank, rank []int) {
	byRank, rank = make([]int, len(keys)), make([]int, len(keys))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a].Part, keys[b].Part), cmp.Compare(late(keys[a]), late(keys[b])), cmp.Compare(keys[a].Name, keys[b].Name))
	})
	for r, i := range byRank {
		rank[i] = r
	}
	return byRank, rank
}

// late is 1 of a key that is Late.
func late(k Key) int {
	if k.Late {
		return 1
	}
	return 0
}

// search walks along edges, the first of a node first, and back again from dead ends.
// No node is entered twice: one that was left leads to no circle that is not known.
type search[W any] struct {
	next  [][]Edge[W]
	state []state
	tried []int     // how many edges of a node were followed
	path  []Edge[W] // from the start to the present node
}

// state is what a search knows of a node.
type state uint8

const (
	fresh  state = iota // was not entered
	onPath              // was entered, and not left
	left                // leads to no circle
)

// findCircle looks for a circle among the nodes that still wait. It returns the part of
// the path that is the circle, so that nodes which merely come after it are not blamed.
func findCircle[W any](waits []int, next [][]Edge[W]) []Edge[W] {
	s := search[W]{next: next, state: make([]state, len(waits)), tried: make([]int, len(waits))}
	for start, w := range waits {
		if w == 0 || s.state[start] != fresh {
			continue
		}
		if circle := s.from(start); circle != nil {
			return circle
		}
	}
	return nil
}

// from walks from a fresh node until it meets its own path, and returns the circle; nil
// when all that it leads to is left.
func (s *search[W]) from(start int) []Edge[W] {
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

// ranked is a heap of ranks, the smallest on top.
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
