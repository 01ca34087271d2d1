package trees

import (
	"cmp"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Step is a node that must be computed. A Step must be computed after the previous steps of the list.
type Step struct {
	Entity, Parent     ecs.Entity
	Chunk              int32
	Place, ParentPlace int32
	Arrived            bool
}

// Pending reports whether nodes have arrived since the last call of [Forest.MarkComputed].
func (f *Forest) Pending() bool { return len(f.arrivedNodes) > 0 }

// StepsIfFew appends the nodes that have arrived and all nodes below them to list. Parents come
// before children. It returns false if the number of these nodes exceeds the parameter most.
func (f *Forest) StepsIfFew(list []Step, most int) ([]Step, bool) {
	if len(f.arrivedNodes) > most {
		return list, false
	}
	f.walkRound++
	f.walkNodes = f.walkNodes[:0]
	for _, n := range f.arrivedNodes {
		if x := &f.nodes[n]; x.arrived && x.level > 0 {
			f.walkNodes = append(f.walkNodes, n)
		}
	}
	slices.SortFunc(f.walkNodes, func(a, b int32) int { return cmp.Compare(f.nodes[a].level, f.nodes[b].level) })
	for _, n := range f.walkNodes { // process all nodes below one of them before the next
		for f.walkPath = append(f.walkPath[:0], n); len(f.walkPath) > 0; {
			last := len(f.walkPath) - 1
			n, f.walkPath = f.walkPath[last], f.walkPath[:last]
			x := &f.nodes[n]
			if x.visitRound == f.walkRound {
				continue
			}
			x.visitRound = f.walkRound
			if len(list) == most {
				return list, false
			}
			up := &f.nodes[x.parent]
			list = append(list, Step{x.entity, up.entity, x.place >> f.placeShift, x.place, up.place, x.arrived})
			for c := x.firstChild; c != None; c = f.nodes[c].nextSibling {
				f.walkPath = append(f.walkPath, c)
			}
		}
	}
	return list, true
}

// MarkComputed records that the nodes that have arrived were computed.
func (f *Forest) MarkComputed() {
	for _, n := range f.arrivedNodes {
		x := &f.nodes[n]
		if x.arrived = false; x.place != None {
			f.Arrived[x.place] = false
			f.Chunks[x.place>>f.placeShift].Arrivals = 0
		}
	}
	f.arrivedNodes = f.arrivedNodes[:0]
	for _, n := range f.hadLevelNodes {
		f.nodes[n].hadLevel = false
	}
	f.hadLevelNodes = f.hadLevelNodes[:0]
}

// Stale appends the nodes whose matrices the last update did not compute, because no root was above
// them. If computed is false, it also appends the nodes that have arrived.
func (f *Forest) Stale(list []ecs.Entity, computed bool) []ecs.Entity {
	for _, n := range f.arrivedNodes {
		if x := &f.nodes[n]; !computed && x.arrived && x.place != None {
			list = append(list, x.entity)
		}
	}
	for _, n := range f.rootlessNodes {
		if x := &f.nodes[n]; x.place != None && (computed || !x.hadLevel && !x.arrived) {
			list = append(list, x.entity)
		}
	}
	return list
}

// Entity returns the entity whose row is at a place.
func (f *Forest) Entity(place int) ecs.Entity { return f.nodes[f.placeNodes[place]].entity }

// ParentOf returns the parent of an entity, and whether the entity is in the plan.
func (f *Forest) ParentOf(e ecs.Entity) (ecs.Entity, bool) {
	if n := f.findNode(e); n != None && f.nodes[n].place != None {
		return f.nodes[n].parentEntity, true
	}
	return ecs.Entity{}, false
}

// Restored says that the rows of the last End belong to a restored world. Therefore no node counts as
// arrived, except for the nodes that were stale when the image was captured. The others already had
// matrices. A node without a root above it may get a root before the next MarkComputed. If such a node
// gets a root, it does not count as arrived either.
func (f *Forest) Restored(stale []ecs.Entity) {
	f.MarkComputed()
	for _, n := range f.rootlessNodes {
		if x := &f.nodes[n]; x.place != None {
			x.hadLevel = true
			f.hadLevelNodes = append(f.hadLevelNodes, n)
		}
	}
	for _, e := range stale {
		n := f.findNode(e)
		switch {
		case n == None || f.nodes[n].place == None:
		case f.nodes[n].level == rootlessLevel:
			f.nodes[n].hadLevel = false
		default:
			f.markArrived(n)
		}
	}
	f.cutAll()
}

// MarkCopiesStale records that the copies of a chunk no longer equal its rows.
func (f *Forest) MarkCopiesStale(h int32) {
	if c := &f.Chunks[h]; !c.Stale {
		c.Stale = true
		f.staleChunks = append(f.staleChunks, h)
	}
}

// MarkCopiesCurrent records that all copies equal the rows.
func (f *Forest) MarkCopiesCurrent() {
	for _, h := range f.staleChunks {
		f.Chunks[h].Stale = false
	}
	f.staleChunks = f.staleChunks[:0]
}
