package ecs

import (
	"encoding/binary"
	"sync/atomic"
)

// chunkGroup holds the chunks of an archetype that have the same shared values. An archetype without
// shared components has one group.
type chunkGroup struct {
	valueIndices   []int32      // indices in the stores, one for each shared column
	withRoom       []*chunkData // chunks with free rows; new rows go to the first one
	allChunks      []*chunkData // all chunks, in any order, if there are shared columns
	indexPositions []int32      // for each shared column with an index: the place in its list
	chunkCount     int
	serial         int    // serial number among all groups that the archetype ever had
	orderCount     uint32 // how often rows came or went, in batches
	imageIndex     int    // scratch of Capture
}

// chunkGroups holds the groups of an archetype by their shared values.
type chunkGroups struct {
	single       chunkGroup             // of an archetype without shared components
	byKey        map[string]*chunkGroup // of the others
	createdCount int                    // number of groups that were ever made in byKey
	keyScratch   []byte

	indexList atomic.Pointer[[]sharedIndex] // by shared column: the owner stores a longer list, also while jobs load it; they count in the list that they have loaded
}

// findOrCreate returns the group with the given values, and creates it if it is new.
func (g *chunkGroups) findOrCreate(values []int32) *chunkGroup {
	if len(values) == 0 {
		return &g.single
	}
	g.keyScratch = g.keyScratch[:0]
	for _, v := range values {
		g.keyScratch = binary.LittleEndian.AppendUint32(g.keyScratch, uint32(v))
	}
	if own := g.byKey[string(g.keyScratch)]; own != nil {
		return own
	}
	if g.byKey == nil {
		g.byKey = map[string]*chunkGroup{}
	}
	own := &chunkGroup{valueIndices: append([]int32(nil), values...), serial: g.createdCount}
	g.createdCount++
	g.byKey[string(g.keyScratch)] = own
	for at, p := range g.sharedIndexes() {
		p.add(own, at)
	}
	return own
}

// find returns the group with the given values, or nil.
func (g *chunkGroups) find(values []int32) *chunkGroup {
	var room [4 * maxShared]byte
	key := room[:0]
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return g.byKey[string(key)]
}

// remove removes a group that has no chunks.
func (g *chunkGroups) remove(own *chunkGroup) {
	if len(own.valueIndices) == 0 {
		return
	}
	g.keyScratch = g.keyScratch[:0]
	for _, v := range own.valueIndices {
		g.keyScratch = binary.LittleEndian.AppendUint32(g.keyScratch, uint32(v))
	}
	delete(g.byKey, string(g.keyScratch))
	for at, p := range g.sharedIndexes() {
		p.remove(own, at)
	}
}

// retainValues increments the counts of the values of a group that has got its first chunk.
func (a *archetype) retainValues(g *chunkGroup) {
	for i, s := range a.sharedStores {
		s.retain(g.valueIndices[i])
	}
}

// releaseValues decrements the counts of the values of a group that has lost its last chunk.
func (a *archetype) releaseValues(g *chunkGroup) {
	for i, s := range a.sharedStores {
		s.release(g.valueIndices[i])
	}
}

// defaultGroup returns the group of a in which every shared component has its default value.
func (a *archetype) defaultGroup() *chunkGroup {
	var values [maxShared]int32
	return a.groups.findOrCreate(values[:a.sharedCount])
}

// sharedIndex maps each value of one shared column to the groups that have it. sharedIndex is
// created when a query first asks for the values of some, but not all, shared columns.
type sharedIndex struct {
	byValue map[int32][]*chunkGroup
}

// addIndex creates the index of the groups by one shared column.
func (g *chunkGroups) addIndex(at int) {
	all := g.sharedIndexes()
	if at < len(all) && all[at].byValue != nil {
		return
	}
	more := make([]sharedIndex, max(len(all), at+1)) // a new list, because jobs may be reading the old one
	copy(more, all)
	more[at].byValue = map[int32][]*chunkGroup{}
	for _, own := range g.byKey { //lanewise:inexact lists of groups have no order
		more[at].add(own, at)
	}
	g.indexList.Store(&more)
}

// sharedIndexes returns the indexes by shared column. An index is empty if no query needs it.
func (g *chunkGroups) sharedIndexes() []sharedIndex {
	if p := g.indexList.Load(); p != nil {
		return *p
	}
	return nil
}

// add adds a group to the list of the groups with its value.
func (p *sharedIndex) add(own *chunkGroup, at int) {
	if p.byValue == nil {
		return
	}
	for len(own.indexPositions) <= at {
		own.indexPositions = append(own.indexPositions, 0)
	}
	value := own.valueIndices[at]
	own.indexPositions[at] = int32(len(p.byValue[value]))
	p.byValue[value] = append(p.byValue[value], own)
}

// remove removes a group from the list of the groups with its value. The last group of the list
// takes the removed group's place.
func (p *sharedIndex) remove(own *chunkGroup, at int) {
	if p.byValue == nil {
		return
	}
	value := own.valueIndices[at]
	list := p.byValue[value]
	last := len(list) - 1
	if last == 0 {
		delete(p.byValue, value)
		return
	}
	list[own.indexPositions[at]] = list[last]
	list[last].indexPositions[at] = own.indexPositions[at]
	list[last] = nil
	p.byValue[value] = list[:last]
}

// addChunk adds r to the list of chunks of its group.
func (g *chunkGroup) addChunk(r *chunkData) {
	r.groupIndex = len(g.allChunks)
	g.allChunks = append(g.allChunks, r)
}

// removeChunk undoes addChunk. The last chunk of the list takes the place of r.
func (g *chunkGroup) removeChunk(r *chunkData) {
	last := len(g.allChunks) - 1
	g.allChunks[r.groupIndex] = g.allChunks[last]
	g.allChunks[r.groupIndex].groupIndex = r.groupIndex
	g.allChunks[last] = nil
	g.allChunks = g.allChunks[:last]
}
