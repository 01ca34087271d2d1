package trees

import (
	"maps"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// measure computes the levels of the dirty nodes and of all nodes below them. It returns the new
// cycles.
func (f *Forest) measure() [][]ecs.Entity {
	f.gather()
	f.Work.Nodes += len(f.all)
	var found [][]ecs.Entity
	var circles map[ecs.Entity][]ecs.Entity
	for _, n := range f.all {
		f.path = f.path[:0]
		level := int32(unknown)
		for at := n; level == unknown; {
			switch x := f.nodeOf(at); {
			case x == nil || x.level == absent || x.level == rootless:
				level = rootless
			case x.level == unknown:
				x.level = onPath
				f.path = append(f.path, at)
				at = x.parent
			case x.level == onPath:
				c := f.circle(at)
				if circles == nil {
					circles = map[ecs.Entity][]ecs.Entity{}
				}
				circles[c[0]] = c
				if !slices.Equal(f.circles[c[0]], c) {
					found = append(found, c)
				}
				level = rootless
			default:
				level = x.level + 1
			}
		}
		for _, at := range slices.Backward(f.path) {
			f.nodes[at].level = level
			if level > 0 {
				level++
			}
		}
	}
	f.settle()
	f.keepCircles(circles)
	slices.SortFunc(found, func(a, b []ecs.Entity) int { return a[0].Compare(b[0]) })
	return found
}

// nodeOf returns a node, or nil for None.
func (f *Forest) nodeOf(n int32) *node {
	if n == None {
		return nil
	}
	return &f.nodes[n]
}

// gather lists the dirty nodes and all nodes below them, and clears their levels, except for roots.
// In a cycle it returns to its start and ends.
func (f *Forest) gather() {
	f.round++
	f.all, f.was, f.path = f.all[:0], f.was[:0], append(f.path[:0], f.dirty...)
	for len(f.path) > 0 {
		last := len(f.path) - 1
		n := f.path[last]
		f.path = f.path[:last]
		x := &f.nodes[n]
		if x.place == None || x.visit == f.round {
			continue
		}
		x.visit = f.round
		f.all, f.was = append(f.all, n), append(f.was, x.level)
		if x.level = unknown; x.root {
			x.level = 0
		}
		for c := x.first; c != None; c = f.nodes[c].next {
			f.path = append(f.path, c)
		}
	}
}

// settle handles the changes of levels: it marks chunks for cutting, and nodes as arrived.
func (f *Forest) settle() {
	for i, n := range f.all {
		x, was := &f.nodes[n], f.was[i]
		if x.level == was {
			continue
		}
		f.cutLater(x.place >> f.shift)
		switch {
		case x.level == rootless:
			f.idle++
		case was == rootless:
			f.idle--
		}
		if x.level > 0 && was <= 0 && !x.settled {
			f.arrive(n)
		}
	}
}

// keepCircles keeps the cycles that were not measured again, and those that were found.
func (f *Forest) keepCircles(found map[ecs.Entity][]ecs.Entity) {
	maps.DeleteFunc(f.circles, func(e ecs.Entity, _ []ecs.Entity) bool {
		n := f.find(e)
		return n == None || f.nodes[n].visit == f.round || f.nodes[n].place == None
	})
	if len(f.circles) == 0 {
		f.circles = found
		return
	}
	maps.Copy(f.circles, found)
}

// circle returns the part of the path that begins with a node, rotated so that its smallest entity
// is first.
func (f *Forest) circle(n int32) []ecs.Entity {
	var es []ecs.Entity
	for _, at := range f.path[slices.Index(f.path, n):] {
		es = append(es, f.nodes[at].entity)
	}
	first := slices.Index(es, slices.MinFunc(es, ecs.Entity.Compare))
	return slices.Concat(es[first:], es[:first])
}
