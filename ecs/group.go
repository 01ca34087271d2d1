package ecs

import (
	"encoding/binary"
	"sync/atomic"
)

// group is the chunks of an archetype that have the same shared values. An archetype without shared
// components has one group.
type group struct {
	values []int32   // indices in the stores, one for each shared column
	room   []*record // chunks with free rows; new rows go to the first one
	list   []*record // all chunks, in any order, if there are shared columns
	places []int32   // for each shared column with an index: the place in its list
	chunks int
	number int    // serial number among all groups that the archetype ever had
	orders uint32 // how often rows came or went, in batches
	place  int    // scratch of Capture
}

// groups finds the groups of an archetype.
type groups struct {
	only  group             // of an archetype without shared components
	byKey map[string]*group // of the others
	made  int               // number of groups that were ever made in byKey
	key   []byte

	indexes atomic.Pointer[[]sharedIndex] // by shared column: the owner stores a longer list, also while jobs load it; they count in the list that they have loaded
}

// of returns the group with the given values, and makes it if it is new.
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

// retain increments the counts of the values of a group that has got its first chunk.
func (a *archetype) retain(g *group) {
	for i, s := range a.stores {
		s.retain(g.values[i])
	}
}

// unretain decrements the counts of the values of a group that has lost its last chunk.
func (a *archetype) unretain(g *group) {
	for i, s := range a.stores {
		s.release(g.values[i])
	}
}

// defaultGroup returns the group of a whose shared components have their default.
func (a *archetype) defaultGroup() *group {
	var values [maxShared]int32
	return a.groups.of(values[:a.shared])
}

// sharedIndex is the groups of an archetype by their value of one shared column. It exists once a query
// has asked for some, but not all, of several shared columns.
type sharedIndex struct {
	byValue map[int32][]*group
}

// indexBy makes the archetype keep an index of its groups by a shared column.
func (g *groups) indexBy(at int) {
	all := g.sharedIndexes()
	if at < len(all) && all[at].byValue != nil {
		return
	}
	more := make([]sharedIndex, max(len(all), at+1)) // a new list, because jobs may be reading the old one
	copy(more, all)
	more[at].byValue = map[int32][]*group{}
	for _, own := range g.byKey { //lanewise:inexact lists of groups have no order
		more[at].add(own, at)
	}
	g.indexes.Store(&more)
}

// sharedIndexes returns the indexes of the shared columns that have one.
func (g *groups) sharedIndexes() []sharedIndex {
	if p := g.indexes.Load(); p != nil {
		return *p
	}
	return nil
}

// add adds a group to the list of its value.
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

// drop removes a group from the list of its value; the last one takes its place.
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

// join adds r to the list of chunks of its group.
func (g *group) join(r *record) {
	r.member = len(g.list)
	g.list = append(g.list, r)
}

// leave undoes join; the last chunk takes the place of r.
func (g *group) leave(r *record) {
	last := len(g.list) - 1
	g.list[r.member] = g.list[last]
	g.list[r.member].member = r.member
	g.list[last] = nil
	g.list = g.list[:last]
}
