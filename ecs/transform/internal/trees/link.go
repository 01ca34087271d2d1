package trees

import "github.com/lanewise/lanewise/ecs"

// End updates the plan for the changes since the last End. It returns the cycles of parents that
// were not there before, each beginning with its smallest entity.
func (f *Forest) End() [][]ecs.Entity {
	for _, n := range f.removed {
		f.remove(n)
	}
	for _, n := range f.linked {
		if x := &f.nodes[n]; x.place != None && x.linked {
			x.linked = false
			f.relink(n)
			f.dirty = append(f.dirty, n)
		}
	}
	for _, n := range f.moved {
		for c := f.nodes[n].first; c != None; c = f.nodes[c].next {
			if at := f.nodes[c].place; at != None {
				f.cutLater(at >> f.shift)
			}
		}
	}
	found := f.measure()
	f.cutAll()
	f.removed, f.linked, f.moved, f.dirty = f.removed[:0], f.linked[:0], f.moved[:0], f.dirty[:0]
	return found
}

// remove removes a node without a place. If it has children it becomes a ghost, because they still
// refer to it.
func (f *Forest) remove(n int32) {
	x := &f.nodes[n]
	if x.place != None || x.level == absent {
		return // it has only moved
	}
	f.unlink(n)
	if x.level == rootless {
		f.idle--
	}
	x.level, x.root, x.linked, x.arrived, x.above = absent, false, false, false, ecs.Entity{}
	if x.first == None {
		f.drop(n)
		return
	}
	f.dirtyBelow(n)
}

// dirtyBelow marks the children of a node as dirty.
func (f *Forest) dirtyBelow(n int32) {
	for c := f.nodes[n].first; c != None; c = f.nodes[c].next {
		f.dirty = append(f.dirty, c)
	}
}

// relink links a node to its current parent.
func (f *Forest) relink(n int32) {
	x := &f.nodes[n]
	p := int32(None)
	if above := x.above; !x.root && above != (ecs.Entity{}) && above.Index >= 0 {
		if p = f.find(above); p == None && !f.taken(above.Index) {
			p = f.number(above)
			x = &f.nodes[n]
		}
	}
	f.cutLater(x.place >> f.shift)
	if p == x.parent {
		return
	}
	f.unlink(n)
	if p == None {
		return
	}
	first := f.nodes[p].first
	x.parent, x.next, x.prev = p, first, None
	if first != None {
		f.nodes[first].prev = n
	} else if at := f.nodes[p].place; at != None {
		f.cutLater(at >> f.shift)
	}
	f.nodes[p].first = n
}

// taken reports whether an entity with this index is in the plan. If so, no other entity with the
// index exists.
func (f *Forest) taken(index int32) bool {
	if int(index) >= len(f.at) || f.at[index] == 0 {
		return false
	}
	return f.nodes[f.at[index]-1].place != None
}

// unlink removes a node from the list of its parent. A ghost ends with its last child.
func (f *Forest) unlink(n int32) {
	x := &f.nodes[n]
	p := x.parent
	if p == None {
		return
	}
	if x.prev != None {
		f.nodes[x.prev].next = x.next
	} else {
		f.nodes[p].first = x.next
	}
	if x.next != None {
		f.nodes[x.next].prev = x.prev
	}
	x.parent, x.next, x.prev = None, None, None
	if f.nodes[p].first != None {
		return
	}
	if at := f.nodes[p].place; at != None {
		f.cutLater(at >> f.shift)
	} else if f.nodes[p].level == absent && p != n {
		f.drop(p)
	}
}
