package trees

import "github.com/lanewise/lanewise/ecs"

// End updates the plan for the changes since the last End. End returns the cycles of parents that are
// new. Each cycle begins with its smallest entity.
func (f *Forest) End() [][]ecs.Entity {
	for _, n := range f.removedNodes {
		f.removeNode(n)
	}
	for _, n := range f.linkedNodes {
		if x := &f.nodes[n]; x.place != None && x.linked {
			x.linked = false
			f.relink(n)
			f.dirtyNodes = append(f.dirtyNodes, n)
		}
	}
	for _, n := range f.movedNodes {
		for c := f.nodes[n].firstChild; c != None; c = f.nodes[c].nextSibling {
			if at := f.nodes[c].place; at != None {
				f.markForCut(at >> f.placeShift)
			}
		}
	}
	found := f.measureLevels()
	f.cutAll()
	f.removedNodes, f.linkedNodes, f.movedNodes, f.dirtyNodes = f.removedNodes[:0], f.linkedNodes[:0], f.movedNodes[:0], f.dirtyNodes[:0]
	return found
}

// removeNode removes a node without a place. If the node has children, it becomes a ghost, because
// they still refer to it.
func (f *Forest) removeNode(n int32) {
	x := &f.nodes[n]
	if x.place != None || x.level == ghostLevel {
		return // the node has only moved
	}
	f.unlink(n)
	if x.level == rootlessLevel {
		f.dropRootless(n)
	}
	x.level, x.root, x.linked, x.arrived, x.parentEntity = ghostLevel, false, false, false, ecs.Entity{}
	if x.firstChild == None {
		f.freeNode(n)
		return
	}
	f.dirtyBelow(n)
}

// dirtyBelow marks the children of a node as dirty.
func (f *Forest) dirtyBelow(n int32) {
	for c := f.nodes[n].firstChild; c != None; c = f.nodes[c].nextSibling {
		f.dirtyNodes = append(f.dirtyNodes, c)
	}
}

// relink links a node to its current parent.
func (f *Forest) relink(n int32) {
	x := &f.nodes[n]
	p := int32(None)
	if above := x.parentEntity; !x.root && above != (ecs.Entity{}) && above.Index >= 0 {
		if p = f.findNode(above); p == None && !f.isIndexUsed(above.Index) {
			p = f.addNode(above)
			x = &f.nodes[n]
		}
	}
	f.markForCut(x.place >> f.placeShift)
	if p == x.parent {
		return
	}
	f.unlink(n)
	if p == None {
		return
	}
	first := f.nodes[p].firstChild
	x.parent, x.nextSibling, x.prevSibling = p, first, None
	if first != None {
		f.nodes[first].prevSibling = n
	} else if at := f.nodes[p].place; at != None {
		f.markForCut(at >> f.placeShift)
	}
	f.nodes[p].firstChild = n
}

// isIndexUsed reports whether the plan contains an entity with this index. If so, no other entity with
// this index exists.
func (f *Forest) isIndexUsed(index int32) bool {
	if int(index) >= len(f.entityNodes) || f.entityNodes[index] == 0 {
		return false
	}
	return f.nodes[f.entityNodes[index]-1].place != None
}

// unlink removes a node from the list of its parent's children. A ghost is removed with its last
// child.
func (f *Forest) unlink(n int32) {
	x := &f.nodes[n]
	p := x.parent
	if p == None {
		return
	}
	if x.prevSibling != None {
		f.nodes[x.prevSibling].nextSibling = x.nextSibling
	} else {
		f.nodes[p].firstChild = x.nextSibling
	}
	if x.nextSibling != None {
		f.nodes[x.nextSibling].prevSibling = x.prevSibling
	}
	x.parent, x.nextSibling, x.prevSibling = None, None, None
	if f.nodes[p].firstChild != None {
		return
	}
	if at := f.nodes[p].place; at != None {
		f.markForCut(at >> f.placeShift)
	} else if f.nodes[p].level == ghostLevel && p != n {
		f.freeNode(p)
	}
}
