package trees

import (
	"maps"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// measureLevels computes the levels of the dirty nodes and of all nodes below them. measureLevels
// returns the cycles that are new.
func (f *Forest) measureLevels() [][]ecs.Entity {
	f.collectDirty()
	f.Work.Nodes += len(f.walkNodes)
	var found [][]ecs.Entity
	var circles map[ecs.Entity][]ecs.Entity
	for _, n := range f.walkNodes {
		f.walkPath = f.walkPath[:0]
		level := int32(unknownLevel)
		for at := n; level == unknownLevel; {
			switch x := f.nodeOf(at); {
			case x == nil || x.level == ghostLevel || x.level == rootlessLevel:
				level = rootlessLevel
			case x.level == unknownLevel:
				x.level = onPathLevel
				f.walkPath = append(f.walkPath, at)
				at = x.parent
			case x.level == onPathLevel:
				c := f.cycleFrom(at)
				if circles == nil {
					circles = map[ecs.Entity][]ecs.Entity{}
				}
				circles[c[0]] = c
				if !slices.Equal(f.cycles[c[0]], c) {
					found = append(found, c)
				}
				level = rootlessLevel
			default:
				level = x.level + 1
			}
		}
		for _, at := range slices.Backward(f.walkPath) {
			f.nodes[at].level = level
			if level > 0 {
				level++
			}
		}
	}
	f.applyLevels()
	f.keepCycles(circles)
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

// collectDirty lists the dirty nodes and all nodes below them. collectDirty clears their levels, except
// for roots. In a cycle, collectDirty stops at the node at which it started.
func (f *Forest) collectDirty() {
	f.walkRound++
	f.walkNodes, f.oldLevels, f.walkPath = f.walkNodes[:0], f.oldLevels[:0], append(f.walkPath[:0], f.dirtyNodes...)
	for len(f.walkPath) > 0 {
		last := len(f.walkPath) - 1
		n := f.walkPath[last]
		f.walkPath = f.walkPath[:last]
		x := &f.nodes[n]
		if x.place == None || x.visitRound == f.walkRound {
			continue
		}
		x.visitRound = f.walkRound
		f.walkNodes, f.oldLevels = append(f.walkNodes, n), append(f.oldLevels, x.level)
		if x.level = unknownLevel; x.root {
			x.level = 0
		}
		for c := x.firstChild; c != None; c = f.nodes[c].nextSibling {
			f.walkPath = append(f.walkPath, c)
		}
	}
}

// applyLevels processes the changes of levels: it marks chunks for cutting, and marks nodes as
// arrived.
func (f *Forest) applyLevels() {
	for i, n := range f.walkNodes {
		x, was := &f.nodes[n], f.oldLevels[i]
		if x.level == was {
			continue
		}
		f.markForCut(x.place >> f.placeShift)
		switch {
		case x.level == rootlessLevel:
			f.addRootless(n)
		case was == rootlessLevel:
			f.dropRootless(n)
		}
		if x.level > 0 && was <= 0 && !x.hadLevel {
			f.markArrived(n)
		}
	}
}

// addRootless adds a node to rootlessNodes.
func (f *Forest) addRootless(n int32) {
	f.nodes[n].rootlessIndex = int32(len(f.rootlessNodes))
	f.rootlessNodes = append(f.rootlessNodes, n)
}

// dropRootless removes a node from rootlessNodes. To fill the gap, it moves the last node of the list
// to the index of n.
func (f *Forest) dropRootless(n int32) {
	at, last := f.nodes[n].rootlessIndex, len(f.rootlessNodes)-1
	moved := f.rootlessNodes[last]
	f.rootlessNodes[at], f.nodes[moved].rootlessIndex = moved, at
	f.rootlessNodes = f.rootlessNodes[:last]
}

// keepCycles stores the cycles that were found. keepCycles keeps the older cycles whose nodes were not
// measured again.
func (f *Forest) keepCycles(found map[ecs.Entity][]ecs.Entity) {
	maps.DeleteFunc(f.cycles, func(e ecs.Entity, _ []ecs.Entity) bool {
		n := f.findNode(e)
		return n == None || f.nodes[n].visitRound == f.walkRound || f.nodes[n].place == None
	})
	if len(f.cycles) == 0 {
		f.cycles = found
		return
	}
	maps.Copy(f.cycles, found)
}

// cycleFrom returns the part of the path that begins with a node. cycleFrom rotates that part so that
// the smallest entity is first.
func (f *Forest) cycleFrom(n int32) []ecs.Entity {
	var es []ecs.Entity
	for _, at := range f.walkPath[slices.Index(f.walkPath, n):] {
		es = append(es, f.nodes[at].entity)
	}
	first := slices.Index(es, slices.MinFunc(es, ecs.Entity.Compare))
	return slices.Concat(es[first:], es[:first])
}
