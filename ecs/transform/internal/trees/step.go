package trees

import (
	"cmp"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Step is a node to be computed. It must be computed after the steps before it in the list.
type Step struct {
	Entity, Parent ecs.Entity
	Chunk          int32
	Place, Up      int32
	Arrived        bool
}

// Pending reports whether nodes have arrived since [Forest.Done].
func (f *Forest) Pending() bool { return len(f.arrivals) > 0 }

// Few appends to list the nodes that have arrived and all nodes below them, parents before
// children. It returns false if there are more than most.
func (f *Forest) Few(list []Step, most int) ([]Step, bool) {
	if len(f.arrivals) > most {
		return list, false
	}
	f.round++
	f.all = f.all[:0]
	for _, n := range f.arrivals {
		if x := &f.nodes[n]; x.arrived && x.level > 0 {
			f.all = append(f.all, n)
		}
	}
	slices.SortFunc(f.all, func(a, b int32) int { return cmp.Compare(f.nodes[a].level, f.nodes[b].level) })
	for _, n := range f.all { // handles everything below one of them before the next
		for f.path = append(f.path[:0], n); len(f.path) > 0; {
			last := len(f.path) - 1
			n, f.path = f.path[last], f.path[:last]
			x := &f.nodes[n]
			if x.visit == f.round {
				continue
			}
			x.visit = f.round
			if len(list) == most {
				return list, false
			}
			up := &f.nodes[x.parent]
			list = append(list, Step{x.entity, up.entity, x.place >> f.shift, x.place, up.place, x.arrived})
			for c := x.first; c != None; c = f.nodes[c].next {
				f.path = append(f.path, c)
			}
		}
	}
	return list, true
}

// Done says that the nodes that have arrived are computed.
func (f *Forest) Done() {
	for _, n := range f.arrivals {
		x := &f.nodes[n]
		if x.arrived = false; x.place != None {
			f.Arrived[x.place] = false
			f.Chunks[x.place>>f.shift].Arrivals = 0
		}
	}
	f.arrivals = f.arrivals[:0]
	for _, n := range f.settled {
		f.nodes[n].settled = false
	}
	f.settled = f.settled[:0]
}

// Stale appends the nodes whose matrices the last update did not compute because they were below no
// root. Unless computed is set, it also appends the nodes that have arrived. It looks at all nodes
// if some are below no root.
func (f *Forest) Stale(list []ecs.Entity, computed bool) []ecs.Entity {
	for _, n := range f.arrivals {
		if x := &f.nodes[n]; !computed && x.arrived && x.place != None {
			list = append(list, x.entity)
		}
	}
	if f.idle > 0 {
		for i := range f.nodes {
			if x := &f.nodes[i]; x.place != None && x.level == rootless && (computed || !x.settled && !x.arrived) {
				list = append(list, x.entity)
			}
		}
	}
	return list
}

// Entity returns the entity whose row is at a place.
func (f *Forest) Entity(place int) ecs.Entity { return f.nodes[f.nodeAt[place]].entity }

// Above returns the parent of an entity, and whether the entity is in the plan.
func (f *Forest) Above(e ecs.Entity) (ecs.Entity, bool) {
	if n := f.find(e); n != None && f.nodes[n].place != None {
		return f.nodes[n].above, true
	}
	return ecs.Entity{}, false
}

// Restored says that the rows of the last End are those of a restored world. Therefore no node has
// arrived, except for those that were stale when the image was taken; the others had matrices then.
// If one of the others is below no root now and comes below one before the next Done, it does not
// arrive.
func (f *Forest) Restored(stale []ecs.Entity) {
	f.Done()
	if f.idle > 0 {
		for n := range f.nodes {
			if x := &f.nodes[n]; x.place != None && x.level == rootless {
				x.settled = true
				f.settled = append(f.settled, int32(n))
			}
		}
	}
	for _, e := range stale {
		n := f.find(e)
		switch {
		case n == None || f.nodes[n].place == None:
		case f.nodes[n].level == rootless:
			f.nodes[n].settled = false
		default:
			f.arrive(n)
		}
	}
	f.cutAll()
}

// Spoil says that the copies of a chunk no longer equal its rows.
func (f *Forest) Spoil(h int32) {
	if c := &f.Chunks[h]; !c.Stale {
		c.Stale = true
		f.stale = append(f.stale, h)
	}
}

// Copied says that all copies equal the rows.
func (f *Forest) Copied() {
	for _, h := range f.stale {
		f.Chunks[h].Stale = false
	}
	f.stale = f.stale[:0]
}
