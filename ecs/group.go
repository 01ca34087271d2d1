package ecs

import (
	"encoding/binary"
	"sync/atomic"
)

// group is the chunks of an archetype that share the same shared values; an
// archetype without shared components has one.
type group struct {
	values []int32   // indices into the stores, one a shared column
	room   []*record // chunks with free rows; new rows go to the first
	list   []*record // all chunks, in no order, if there are shared columns
	places []int32   // in the lists of shared indexes, of columns that have one
	chunks int
	number int    // among those that the archetype ever had
	orders uint32 // how often rows came or went, in batches
	place  int    // scratch of Capture
}

// groups finds the groups of an archetype.
type groups struct {
	only  group             // of an archetype without shared components
	byKey map[string]*group // of the others
	made  int               // how many of these there ever were
	key   []byte

	indexes atomic.Pointer[[]sharedIndex] // of shared columns: a longer list is stored by the owner, also while jobs load it and count in what they have found
}

// of returns the group with the given values, making it when it is new.
func (g *groups) of(values []int32) *group {
	if len(values) == 0 {
		return &g.only
	}
	g.key = g.key[:0]
	for _, v := range values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	if own := g.byKey[string(g.key)]; own != nil {
		return own
	}
	if g.byKey == nil {
		g.byKey = map[string]*group{}
	}
	own := &group{values: append([]int32(nil), values...), number: g.made}
	g.made++
	g.byKey[string(g.key)] = own
	for at, p := range g.sharedIndexes() {
		p.add(own, at)
	}
	return own
}

// find returns the group with the given values, or nil.
func (g *groups) find(values []int32) *group {
	var room [4 * maxShared]byte
	key := room[:0]
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return g.byKey[string(key)]
}

// drop forgets a group without chunks.
func (g *groups) drop(own *group) {
	if len(own.values) == 0 {
		return
	}
	g.key = g.key[:0]
	for _, v := range own.values {
		g.key = binary.LittleEndian.AppendUint32(g.key, uint32(v))
	}
	delete(g.byKey, string(g.key))
	for at, p := range g.sharedIndexes() {
		p.drop(own, at)
	}
}

// retain counts the values of a group that has its first chunk.
func (a *archetype) retain(g *group) {
	for i, s := range a.stores {
		s.retain(g.values[i])
	}
}

// unretain ends the use of the values of a group that has lost its last chunk.
func (a *archetype) unretain(g *group) {
	for i, s := range a.stores {
		s.release(g.values[i])
	}
}

// defaultGroup returns the group of a whose shared components have their
// default.
func (a *archetype) defaultGroup() *group {
	var values [maxShared]int32
	return a.groups.of(values[:a.shared])
}

// sharedIndex is the groups of an archetype by their value of one shared column: only where a
// query asks for some of several shared columns, and since it did for the first time.
type sharedIndex struct {
	byValue map[int32][]*group
}

// indexBy makes the archetype keep its groups by their values of a shared column.
func (g *groups) indexBy(at int) {
	all := g.sharedIndexes()
	if at < len(all) && all[at].byValue != nil {
		return
	}
	more := make([]sharedIndex, max(len(all), at+1)) // jobs may be looking at those that there are
	copy(more, all)
	more[at].byValue = map[int32][]*group{}
	for _, own := range g.byKey { //lanewise:inexact lists of groups have no order
		more[at].add(own, at)
	}
	g.indexes.Store(&more)
}

// sharedIndexes returns those of the shared columns, as far as there are some.
func (g *groups) sharedIndexes() []sharedIndex {
	if p := g.indexes.Load(); p != nil {
		return *p
	}
	return nil
}

// add puts a group on the list of its value.
func (p *sharedIndex) add(own *group, at int) {
	if p.byValue == nil {
		return
	}
	for len(own.places) <= at {
		own.places = append(own.places, 0)
	}
	value := own.values[at]
	own.places[at] = int32(len(p.byValue[value]))
	p.byValue[value] = append(p.byValue[value], own)
}

// drop takes a group off the list of its value; the last one takes its place.
func (p *sharedIndex) drop(own *group, at int) {
	if p.byValue == nil {
		return
	}
	value := own.values[at]
	list := p.byValue[value]
	last := len(list) - 1
	if last == 0 {
		delete(p.byValue, value)
		return
	}
	list[own.places[at]] = list[last]
	list[last].places[at] = own.places[at]
	list[last] = nil
	p.byValue[value] = list[:last]
}

// join makes r one of the chunks of its group that are found by way of it.
func (g *group) join(r *record) {
	r.member = len(g.list)
	g.list = append(g.list, r)
}

// leave undoes join; the last one takes the place of r.
func (g *group) leave(r *record) {
	last := len(g.list) - 1
	g.list[r.member] = g.list[last]
	g.list[r.member].member = r.member
	g.list[last] = nil
	g.list = g.list[:last]
}
