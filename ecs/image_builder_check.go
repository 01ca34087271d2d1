package ecs

import (
	"fmt"
	"slices"
)

// Image ends the building and returns the image. It checks that a world could have these contents.
// For example, each id occurs once, and each meta entity belongs to one chunk. The chunks with free
// rows must be the chunks that the groups list. Bools must be 0 or 1, blob references must refer to
// existing blobs, and no version may be newer than the version of the image.
func (b *ImageBuilder) Image() (*Image, error) {
	if b != nil {
		b.awaitNames() // even after an error, so that no goroutine reads the caller's list any more
	}
	if err := b.failure(); err != nil {
		return nil, err
	}
	m := b.image
	if m.changeVersion == 0 {
		m.changeVersion = 1
	}
	if n := len(b.layoutWorld.tables.archetypes); n > len(m.archetypes) {
		return nil, b.fail("Image", "archetype %v is missing, of what is left of the meta entities of another one", b.layoutWorld.tables.archetypes[n-1])
	}
	owners, err := b.checkIDs()
	if err != nil {
		return nil, err
	}
	parts := b.chunkColumns
	for i := range m.archetypes {
		a := &m.archetypes[i]
		if err := b.checkArchetype(i, a, parts[:len(a.chunks)], owners); err != nil {
			return nil, err
		}
		parts = parts[len(a.chunks):]
	}
	if err := b.checkMeta(owners); err != nil {
		return nil, err
	}
	m.chunkIDCount, m.rowCount = len(m.byID), m.rowCount-m.metaCount
	for _, parts := range b.chunkColumns {
		clear(parts) // because SetBuffer must not write any more
	}
	*b.ended = true // for code that has a copy of a chunk
	b.err = fault(ErrState, "ImageBuilder.Image", "the image is made: begin another one with NewImageBuilder")
	b.unlockTarget()
	return m, nil
}

// checkArchetype checks archetype i and its chunks. parts holds the columns of the chunks. It marks
// the meta entities of the chunks as used, so that no two chunks can have the same meta entity.
func (b *ImageBuilder) checkArchetype(i int, a *archetypeImage, parts [][]ImageColumn, owners []slotOwner) error {
	if err := b.checkLists(i, a); err != nil {
		return err
	}
	for j, c := range a.chunks {
		if err := b.checkChunk(i, j, c, parts[j]); err != nil {
			return err
		}
		if e := c.meta; !e.IsZero() {
			if e.Index < 0 || int(e.Index) >= len(owners) || owners[e.Index] != (slotOwner{int32(b.layoutWorld.tables.archetypes[i].meta.index), e.Version}) {
				return b.fail("Image", "the meta entity %v of %s is no other chunk's, and one of %v", e, b.chunkName(i, j), b.layoutWorld.tables.archetypes[i].meta)
			}
			owners[e.Index].archetype = noArchetype
		}
	}
	return b.checkVersions(i, a)
}

// Close stops the building without an image. Afterwards the world that was passed to AddState can
// change again, and no goroutine reads the lists of the state. All later calls return an error of
// category [ErrState], or the error that had ended the building before. After Image, Close does
// nothing.
func (b *ImageBuilder) Close() {
	if b == nil || b.image == nil {
		return
	}
	if b.targetWorld != nil { // Image has not returned an image
		b.unlockTarget()
		b.image.placedRows.freePlaces()
	}
	*b.ended = true
	if b.awaitNames(); b.err == nil {
		b.err = fault(ErrState, "ImageBuilder.Close", "the builder is closed: begin another one with NewImageBuilder")
	}
}

// awaitNames waits for the goroutine that lays out the names, if there is one.
func (b *ImageBuilder) awaitNames() {
	if b.namePages != nil {
		b.image.namePages, b.namePages = <-b.namePages, nil
	}
}

// slotOwner holds the archetype of a slot's entity, and the version of the entity's id.
type slotOwner struct{ archetype, version int32 }

// noArchetype marks a slot without an entity, or a slot whose meta entity already belongs to a
// chunk.
const noArchetype = -1

// checkIDs checks that each id occurs once. If there are names or meta entities, it returns a table
// of slots, because checking names and meta entities requires looking up entities. Otherwise one
// bit for each slot is enough.
func (b *ImageBuilder) checkIDs() (owners []slotOwner, err error) {
	m := b.image
	total := len(m.freeIDs) + len(b.state.Retired)
	for i := range m.archetypes {
		total += m.archetypes[i].rowCount
		m.rowCount += m.archetypes[i].rowCount
	}
	m.slotCount = total
	asked := len(b.state.Names) > 0 || m.namePages != nil
	for _, a := range b.layoutWorld.tables.archetypes {
		asked = asked || a.isMeta || a.meta != nil
	}
	if !asked && b.idsAreDistinct() {
		return nil, nil
	}
	return b.slotOwners(total)
}

// idsAreDistinct reports whether all ids are valid and each slot index occurs once.
func (b *ImageBuilder) idsAreDistinct() bool {
	m := b.image
	seen := make(slotSet, (m.slotCount+63)/64)
	for _, e := range m.freeIDs {
		if uint(e.Index) >= uint(m.slotCount) || e.Version < 1 || !seen.add(e.Index) {
			return false
		}
	}
	for _, index := range b.state.Retired {
		if uint(index) >= uint(m.slotCount) || !seen.add(index) {
			return false
		}
	}
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			if c.hasConsecutiveIDs && int(c.ids[0].Index) <= m.slotCount-c.count {
				if !seen.addRun(int(c.ids[0].Index), c.count) {
					return false
				}
			} else if !seen.addIDs(c.ids, m.slotCount) {
				return false
			}
		}
	}
	return true
}

// slotSet is a set of slot indices with one bit for each index.
type slotSet []uint64

// add adds an index, and reports whether it is new.
func (s slotSet) add(index int32) bool {
	word, bit := &s[index>>6], uint64(1)<<(index&63)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// addIDs adds the ids of a chunk, and reports whether all of them are valid and new.
func (s slotSet) addIDs(ids []Entity, slots int) bool {
	good, run := consecutiveIDs(ids)
	if run && int(ids[0].Index) <= slots-len(ids) { // a difference, because a sum could overflow 32 bits
		return s.addRun(int(ids[0].Index), len(ids))
	}
	for _, e := range ids {
		if uint(e.Index) >= uint(slots) || !s.add(e.Index) {
			return false
		}
	}
	return good
}

// consecutiveIDs reports in good whether all versions of ids are valid. run reports whether the
// indices are also consecutive, as they usually are for entities that were created together.
func consecutiveIDs(ids []Entity) (good, run bool) {
	first := ids[0].Index
	odd, least := int32(0), ids[0].Version
	for i, e := range ids {
		odd |= e.Index ^ (first + int32(i))
		least = min(least, e.Version)
	}
	return least >= 1, least >= 1 && odd == 0 && first >= 0
}

// addRun adds n consecutive indices, and reports whether all of them are new.
func (s slotSet) addRun(first, n int) bool {
	seen := uint64(0)
	for n > 0 {
		at := first & 63
		some := min(n, 64-at)
		mask := (^uint64(0) >> (64 - some)) << at
		seen |= s[first>>6] & mask
		s[first>>6] |= mask
		first, n = first+some, n-some
	}
	return seen == 0
}

// slotOwners returns the table of slots, or an error that names the first invalid id.
func (b *ImageBuilder) slotOwners(total int) (owners []slotOwner, err error) {
	const op = "Image"
	m := b.image
	owners = make([]slotOwner, total) // version 0 means unused, because no id has it
	take := func(e Entity, of int) bool {
		if uint(e.Index) >= uint(len(owners)) || e.Version < 1 || owners[e.Index].version != 0 {
			return false
		}
		owners[e.Index] = slotOwner{int32(of), e.Version}
		return true
	}
	const wrong = "%v is the id of %s: an index below %d, the number of all ids, and a version of 1 at least, each index once"
	for _, e := range m.freeIDs {
		if !take(e, noArchetype) {
			return nil, b.fail(op, wrong, e, "a free slot", total)
		}
	}
	for _, index := range b.state.Retired {
		if !take(Entity{index, 1}, noArchetype) {
			return nil, b.fail(op, wrong, Entity{index, 1}, "a retired slot", total)
		}
	}
	for i := range m.archetypes {
		for j, c := range m.archetypes[i].chunks {
			for _, e := range c.ids {
				if !take(e, i) {
					return nil, b.fail(op, wrong, e, b.chunkName(i, j), total)
				}
			}
		}
	}
	return owners, b.checkNames(owners)
}

// checkNames returns an error if a name belongs to no entity or is out of order. Otherwise it
// stores the names.
func (b *ImageBuilder) checkNames(owners []slotOwner) error {
	last := Entity{Index: -1}
	for i := range b.state.Names {
		e := b.state.Names[i].Entity
		switch {
		case uint(e.Index) >= uint(len(owners)) || owners[e.Index].version != e.Version || owners[e.Index].archetype == noArchetype:
			return b.fail("Image", "%v has the name %q, and does not exist", e, b.state.Names[i].Name)
		case last.Index >= e.Index:
			return b.fail("Image", "the name %q of %v comes behind that of %v: they are in the order of ids", b.state.Names[i].Name, e, last)
		}
		last = e
	}
	if b.image.namePages == nil {
		var names entityNames
		names.setAll(b.state.Names)
		b.image.namePages = names.sharePages()
	}
	return nil
}

// checkLists checks the chunk lists of the groups of an archetype. If the lists are missing, it
// creates them.
func (b *ImageBuilder) checkLists(at int, a *archetypeImage) error {
	const op = "Image"
	own := b.layoutWorld.tables.archetypes[at]
	room, list := make([][]int32, len(a.groups)), make([][]int32, len(a.groups))
	for j, c := range a.chunks {
		if c.count < a.capacity {
			room[c.groupIndex] = append(room[c.groupIndex], int32(j))
		}
		list[c.groupIndex] = append(list[c.groupIndex], int32(j))
	}
	for i := range a.groups {
		g := &a.groups[i]
		switch {
		case own.sharedCount > 0 && len(list[i]) == 0:
			return b.fail(op, "group %d of archetype %d, %v, has no chunk", i, at, own)
		case own.sharedCount == 0:
			list[i] = nil
		}
		if g.withRoom == nil {
			g.withRoom = room[i]
		}
		if g.allChunks == nil {
			g.allChunks = list[i]
		}
		if !sameIndices(g.withRoom, room[i]) {
			return b.fail(op, "group %d of archetype %d, %v, has room in the chunks %v; in those is some: %v", i, at, own, g.withRoom, room[i])
		}
		if !sameIndices(g.allChunks, list[i]) {
			return b.fail(op, "group %d of archetype %d, %v, lists the chunks %v, and has %v", i, at, own, g.allChunks, list[i])
		}
	}
	return nil
}

// sameIndices reports whether a list contains the same numbers as a second list, which is sorted.
func sameIndices(list, sorted []int32) bool {
	return slices.Equal(list, sorted) || slices.Equal(slices.Sorted(slices.Values(list)), sorted)
}

// checkChunk checks one chunk and stores the versions of its columns.
func (b *ImageBuilder) checkChunk(at, j int, c *chunkImage, parts []ImageColumn) error {
	const op = "Image"
	m, own := b.image, b.layoutWorld.tables.archetypes[at]
	if c.orderVersion == 0 {
		c.orderVersion = m.changeVersion
	}
	if b.isTooNew(c.orderVersion) {
		return b.fail(op, "%s has the order version %d, newer than the image's %d", b.chunkName(at, j), c.orderVersion, m.changeVersion)
	}
	for k := range parts {
		p := &parts[k]
		switch {
		case own.isMeta:
			c.versions[k], c.throughVersions[k] = p.Version, p.ThroughVersion
			if p.Version == 0 && p.ThroughVersion == 0 {
				c.throughVersions[k] = m.changeVersion
			}
		case p.ThroughVersion != 0:
			return b.fail(op, "column %v of %s has a version of writes through chunks, and is not of meta entities", p.Component, b.chunkName(at, j))
		default:
			if c.versions[k] = p.Version; p.Version == 0 {
				c.versions[k] = m.changeVersion
			}
		}
		if b.isTooNew(c.versions[k]) || own.isMeta && b.isTooNew(c.throughVersions[k]) {
			return b.fail(op, "column %v of %s has version %d, newer than the image's %d", p.Component, b.chunkName(at, j), newerNonZero(p.Version, p.ThroughVersion), m.changeVersion)
		}
	}
	if !c.isValid {
		if wrong := c.flaw(b.unchecked[at]); wrong != nil {
			return b.fail(op, "%s", wrong(b.chunkName(at, j)))
		}
	}
	return nil
}

// isTooNew reports whether a version is newer than the version of the image. A very old version
// counts as newer, because versions wrap around.
func (b *ImageBuilder) isTooNew(v uint32) bool { return v != 0 && int32(v-b.image.changeVersion) > 0 }

// checkVersions checks the newest versions of an archetype. If one of them were too old, filters
// would wrongly skip all chunks of the archetype. It computes the versions that are missing.
func (b *ImageBuilder) checkVersions(at int, a *archetypeImage) error {
	const op = "Image"
	own, m := b.layoutWorld.tables.archetypes[at], b.image
	given := b.newestGiven[at]
	if b.isTooNew(a.orderVersion) || slices.ContainsFunc(a.newestVersions, b.isTooNew) {
		return b.fail(op, "archetype %d, %v, has versions %d and %v, newer than the image's %d", at, own, a.orderVersion, a.newestVersions, m.changeVersion)
	}
	order := a.orderVersion
	for j, c := range a.chunks {
		if a.orderVersion != 0 && changedSince(c.orderVersion, a.orderVersion) {
			return b.fail(op, "%s has the order version %d, newer than its archetype's %d", b.chunkName(at, j), c.orderVersion, a.orderVersion)
		}
		order = newerNonZero(order, c.orderVersion)
	}
	a.orderVersion = order
	for k := range a.newestVersions {
		all := a.newestVersions[k]
		for j, c := range a.chunks {
			v := c.versions[k]
			if len(c.throughVersions) > 0 {
				v = newerNonZero(v, c.throughVersions[k])
			}
			if given && changedSince(v, newerNonZero(a.newestVersions[k], a.orderVersion)) {
				return b.fail(op, "column %v of %s has version %d, newer than its archetype's", a.components[k].typ, b.chunkName(at, j), v)
			}
			if !given {
				all = newerNonZero(all, v)
			}
		}
		a.newestVersions[k] = all
	}
	return nil
}

// checkMeta checks that each meta entity belongs to a chunk.
func (b *ImageBuilder) checkMeta(owners []slotOwner) error {
	m := b.image
	for i := range m.archetypes {
		if !b.layoutWorld.tables.archetypes[i].isMeta {
			continue
		}
		m.metaCount += m.archetypes[i].rowCount
		for j, c := range m.archetypes[i].chunks {
			for _, e := range c.ids {
				if owners[e.Index].archetype != noArchetype {
					return b.fail("Image", "%v in %s is the meta entity of no chunk", e, b.chunkName(i, j))
				}
			}
		}
	}
	return nil
}

// chunkName returns the name of a chunk in messages.
func (b *ImageBuilder) chunkName(archetype, chunk int) string {
	return fmt.Sprintf("chunk %d of archetype %d, %v", chunk, archetype, b.layoutWorld.tables.archetypes[archetype])
}

// componentsOfAnyBytes reports for each component whether every bit pattern is valid in its lanes. It is
// computed once for each archetype, because the answer is the same for all chunks.
func componentsOfAnyBytes(set []*component) []bool {
	list := make([]bool, len(set))
	for k, c := range set {
		list[k] = anyBytes(c)
	}
	return list
}

// anyBytes reports whether every bit pattern is valid in the lanes of a component. This is
// true if the component has no bools and no blob references.
func anyBytes(c *component) bool {
	if c.kind.has(isBuffer) {
		return len(appendBoolOffsets(c.buffer.elem, 0, nil))+len(appendBlobRefs(c.buffer.elem, 0, nil)) == 0
	}
	for _, l := range c.lanes {
		if len(appendBoolOffsets(l.Type, 0, nil))+len(appendBlobRefs(l.Type, 0, nil)) > 0 {
			return false
		}
	}
	return true
}

// checkFilled implements ImageChunk.Filled for a chunk of an unfinished image.
func (c *chunkImage) checkFilled(unchecked []bool) {
	_, c.hasConsecutiveIDs = consecutiveIDs(c.ids)
	if c.isValid = c.flaw(unchecked) == nil; c.isValid { // if not, Image repeats the check and returns the error
		d := digest{state: hashSeeds}
		d.cacheChunkHashes(c)
	}
}

// flaw returns nil if the bytes of the chunk are valid. Otherwise it returns a function that
// formats the message for a given name of the chunk. unchecked says in which columns every bit
// pattern is valid.
func (c *chunkImage) flaw(unchecked []bool) func(place string) string {
	for k, own := range c.columns {
		if own == nil {
			continue
		}
		comp := c.components[k]
		if len(own.enabledBits) > 0 && c.count%64 != 0 && own.enabledBits[len(own.enabledBits)-1]>>(c.count%64) != 0 {
			return func(place string) string {
				return fmt.Sprintf("column %v of %s has rows on behind the last of %d", comp.typ, place, c.count)
			}
		}
		if unchecked[k] {
			continue
		}
		find := c.lanesFlaw
		if comp.kind.has(isBuffer) {
			find = c.elementsFlaw
		}
		if wrong := find(comp, own); wrong != nil {
			return wrong
		}
	}
	return nil
}

// lanesFlaw does the work of flaw for the lanes of a column.
func (c *chunkImage) lanesFlaw(comp *component, own *columnImage) func(place string) string {
	lanes := own.laneBytes(comp, c.count)
	for i, l := range comp.lanes {
		if row := indexOfDanglingBlob(lanes[i], int(l.Type.Size()), appendBlobRefs(l.Type, 0, nil)); row >= 0 {
			return c.danglingBlobMessage(comp, row)
		}
		offsets := appendBoolOffsets(l.Type, 0, nil)
		if len(offsets) > 0 && !areBools(lanes[i], int(l.Type.Size()), offsets) {
			return func(place string) string {
				return fmt.Sprintf("a bool of lane %s of column %v of %s is neither 0 nor 1", l.Name, comp.typ, place)
			}
		}
	}
	return nil
}

// elementsFlaw does the work of flaw for a column of buffers.
func (c *chunkImage) elementsFlaw(comp *component, own *columnImage) func(place string) string {
	lanes := own.laneBytes(comp, c.count)
	offsets, refs := appendBoolOffsets(comp.buffer.elem, 0, nil), appendBlobRefs(comp.buffer.elem, 0, nil)
	for row := range c.count {
		if len(refs) > 0 && indexOfDanglingBlob(own.elements(comp, lanes, row), comp.buffer.elemSize, refs) >= 0 {
			return c.danglingBlobMessage(comp, row)
		}
		if len(offsets) > 0 && !areBools(own.elements(comp, lanes, row), comp.buffer.elemSize, offsets) {
			return func(place string) string {
				return fmt.Sprintf("a bool of an element of column %v in row %d of %s is neither 0 nor 1", comp.typ, row, place)
			}
		}
	}
	return nil
}

// danglingBlobMessage returns the message for a row that refers to a blob which does not exist.
func (c *chunkImage) danglingBlobMessage(comp *component, row int) func(place string) string {
	return func(place string) string {
		return fmt.Sprintf("column %v of %v in %s refers to a blob that was disposed, or is of another type", comp.typ, c.ids[row], place)
	}
}

// areBools checks bools: it reports whether each byte at one of the offsets of a value is 0 or
// 1. size is the size of a value in bytes.
func areBools(values []byte, size int, offsets []uintptr) bool {
	if size == 1 {
		for _, v := range values {
			if v > 1 {
				return false
			}
		}
		return true
	}
	for ; len(values) >= size; values = values[size:] {
		for _, o := range offsets {
			if values[o] > 1 {
				return false
			}
		}
	}
	return true
}
