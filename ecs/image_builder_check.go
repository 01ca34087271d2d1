package ecs

import (
	"fmt"
	"slices"
)

// Image ends the building and returns the image. It checks that a world could have this content.
// For example, each id occurs once, and each meta entity belongs to one chunk. The chunks with free
// rows are those that the groups list. Bools are 0 or 1, blob references refer to existing blobs,
// and no version is newer than that of the image.
func (b *ImageBuilder) Image() (*Image, error) {
	if b != nil {
		b.awaitNames() // even after an error, so that no goroutine reads the caller's list any more
	}
	if err := b.failed(); err != nil {
		return nil, err
	}
	m := b.image
	if m.version == 0 {
		m.version = 1
	}
	if n := len(b.world.tables.archetypes); n > len(m.archetypes) {
		return nil, b.fail("Image", "archetype %v is missing, of what is left of the meta entities of another one", b.world.tables.archetypes[n-1])
	}
	owners, err := b.ids()
	if err != nil {
		return nil, err
	}
	parts := b.parts
	for i := range m.archetypes {
		a := &m.archetypes[i]
		if err := b.archetype(i, a, parts[:len(a.chunks)], owners); err != nil {
			return nil, err
		}
		parts = parts[len(a.chunks):]
	}
	if err := b.checkMeta(owners); err != nil {
		return nil, err
	}
	m.records, m.rows = len(m.byID), m.rows-m.metas
	for _, parts := range b.parts {
		clear(parts) // because SetBuffer must not write any more
	}
	*b.over = true // for code that has a copy of a chunk
	b.err = fault(ErrState, "ImageBuilder.Image", "the image is made: begin another one with NewImageBuilder")
	b.leave()
	return m, nil
}

// archetype checks archetype i and its chunks, whose parts are given. It marks the meta entities of
// the chunks as used, so that no two chunks have the same one.
func (b *ImageBuilder) archetype(i int, a *archetypeImage, parts [][]ImageColumn, owners []holder) error {
	if err := b.lists(i, a); err != nil {
		return err
	}
	for j, c := range a.chunks {
		if err := b.chunk(i, j, c, parts[j]); err != nil {
			return err
		}
		if e := c.meta; !e.IsZero() {
			if e.Index < 0 || int(e.Index) >= len(owners) || owners[e.Index] != (holder{int32(b.world.tables.archetypes[i].meta.index), e.Version}) {
				return b.fail("Image", "the meta entity %v of %s is no other chunk's, and one of %v", e, b.place(i, j), b.world.tables.archetypes[i].meta)
			}
			owners[e.Index].archetype = nowhere
		}
	}
	return b.versions(i, a)
}

// Close gives up the building. Afterwards the world that AddState was given can change again, and
// no goroutine reads the lists of the state. All later calls return an error of category
// [ErrState], or the error that had ended the building before. After Image, Close does nothing.
func (b *ImageBuilder) Close() {
	if b == nil || b.image == nil {
		return
	}
	if b.into != nil { // Image has not returned an image
		b.leave()
		b.image.made.giveBack()
	}
	*b.over = true
	if b.awaitNames(); b.err == nil {
		b.err = fault(ErrState, "ImageBuilder.Close", "the builder is closed: begin another one with NewImageBuilder")
	}
}

// awaitNames waits for the goroutine that lays out the names, if there is one.
func (b *ImageBuilder) awaitNames() {
	if b.named != nil {
		b.image.names, b.named = <-b.named, nil
	}
}

// holder is the archetype of a slot's entity, and the version of its id.
type holder struct{ archetype, version int32 }

// nowhere is the archetype of a slot without an entity, or whose meta entity a chunk has.
const nowhere = -1

// ids checks that each id occurs once. It returns a table of slots if there are names or meta
// entities, because their checks look up entities. Otherwise one bit for each slot is enough.
func (b *ImageBuilder) ids() (owners []holder, err error) {
	m := b.image
	total := len(m.free) + len(b.state.Retired)
	for i := range m.archetypes {
		total += m.archetypes[i].rows
		m.rows += m.archetypes[i].rows
	}
	m.slots = total
	asked := len(b.state.Names) > 0 || m.names != nil
	for _, a := range b.world.tables.archetypes {
		asked = asked || a.isMeta || a.meta != nil
	}
	if !asked && b.distinct() {
		return nil, nil
	}
	return b.owners(total)
}

// distinct reports whether all ids are valid and each slot index occurs once.
func (b *ImageBuilder) distinct() bool {
	m := b.image
	seen := make(idSet, (m.slots+63)/64)
	for _, e := range m.free {
		if uint(e.Index) >= uint(m.slots) || e.Version < 1 || !seen.add(e.Index) {
			return false
		}
	}
	for _, index := range b.state.Retired {
		if uint(index) >= uint(m.slots) || !seen.add(index) {
			return false
		}
	}
	for i := range m.archetypes {
		for _, c := range m.archetypes[i].chunks {
			if c.run && int(c.ids[0].Index) <= m.slots-c.n {
				if !seen.addRun(int(c.ids[0].Index), c.n) {
					return false
				}
			} else if !seen.addAll(c.ids, m.slots) {
				return false
			}
		}
	}
	return true
}

// idSet has one bit for each slot index.
type idSet []uint64

// add adds an index, and reports whether it is new.
func (s idSet) add(index int32) bool {
	word, bit := &s[index>>6], uint64(1)<<(index&63)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// addAll adds the ids of a chunk, and reports whether all of them are valid and new.
func (s idSet) addAll(ids []Entity, slots int) bool {
	good, run := runOf(ids)
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

// runOf reports whether all versions of ids are valid. run says that the indices are consecutive
// too, which is usual for entities that were created together.
func runOf(ids []Entity) (good, run bool) {
	first := ids[0].Index
	odd, least := int32(0), ids[0].Version
	for i, e := range ids {
		odd |= e.Index ^ (first + int32(i))
		least = min(least, e.Version)
	}
	return least >= 1, least >= 1 && odd == 0 && first >= 0
}

// addRun adds n consecutive indices, and reports whether all of them are new.
func (s idSet) addRun(first, n int) bool {
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

// owners returns the table of slots, or an error that names the first invalid id.
func (b *ImageBuilder) owners(total int) (owners []holder, err error) {
	const op = "Image"
	m := b.image
	owners = make([]holder, total) // version 0 means unused, because no id has it
	take := func(e Entity, of int) bool {
		if uint(e.Index) >= uint(len(owners)) || e.Version < 1 || owners[e.Index].version != 0 {
			return false
		}
		owners[e.Index] = holder{int32(of), e.Version}
		return true
	}
	const wrong = "%v is the id of %s: an index below %d, the number of all ids, and a version of 1 at least, each index once"
	for _, e := range m.free {
		if !take(e, nowhere) {
			return nil, b.fail(op, wrong, e, "a free slot", total)
		}
	}
	for _, index := range b.state.Retired {
		if !take(Entity{index, 1}, nowhere) {
			return nil, b.fail(op, wrong, Entity{index, 1}, "a retired slot", total)
		}
	}
	for i := range m.archetypes {
		for j, c := range m.archetypes[i].chunks {
			for _, e := range c.ids {
				if !take(e, i) {
					return nil, b.fail(op, wrong, e, b.place(i, j), total)
				}
			}
		}
	}
	return owners, b.checkNames(owners)
}

// checkNames returns an error if a name belongs to no entity or is out of order. Otherwise it
// stores the names.
func (b *ImageBuilder) checkNames(owners []holder) error {
	last := Entity{Index: -1}
	for i := range b.state.Names {
		e := b.state.Names[i].Entity
		switch {
		case uint(e.Index) >= uint(len(owners)) || owners[e.Index].version != e.Version || owners[e.Index].archetype == nowhere:
			return b.fail("Image", "%v has the name %q, and does not exist", e, b.state.Names[i].Name)
		case last.Index >= e.Index:
			return b.fail("Image", "the name %q of %v comes behind that of %v: they are in the order of ids", b.state.Names[i].Name, e, last)
		}
		last = e
	}
	if b.image.names == nil {
		var names labels
		names.fill(b.state.Names)
		b.image.names = names.share()
	}
	return nil
}

// lists checks the chunk lists of the groups of an archetype, or creates them if they are missing.
func (b *ImageBuilder) lists(at int, a *archetypeImage) error {
	const op = "Image"
	own := b.world.tables.archetypes[at]
	room, list := make([][]int32, len(a.groups)), make([][]int32, len(a.groups))
	for j, c := range a.chunks {
		if c.n < a.capacity {
			room[c.group] = append(room[c.group], int32(j))
		}
		list[c.group] = append(list[c.group], int32(j))
	}
	for i := range a.groups {
		g := &a.groups[i]
		switch {
		case own.shared > 0 && len(list[i]) == 0:
			return b.fail(op, "group %d of archetype %d, %v, has no chunk", i, at, own)
		case own.shared == 0:
			list[i] = nil
		}
		if g.room == nil {
			g.room = room[i]
		}
		if g.list == nil {
			g.list = list[i]
		}
		if !samePlaces(g.room, room[i]) {
			return b.fail(op, "group %d of archetype %d, %v, has room in the chunks %v; in those is some: %v", i, at, own, g.room, room[i])
		}
		if !samePlaces(g.list, list[i]) {
			return b.fail(op, "group %d of archetype %d, %v, lists the chunks %v, and has %v", i, at, own, g.list, list[i])
		}
	}
	return nil
}

// samePlaces reports whether a list has the same numbers as a sorted one.
func samePlaces(list, sorted []int32) bool {
	return slices.Equal(list, sorted) || slices.Equal(slices.Sorted(slices.Values(list)), sorted)
}

// chunk checks one chunk and stores the versions of its columns.
func (b *ImageBuilder) chunk(at, j int, c *chunkImage, parts []ImageColumn) error {
	const op = "Image"
	m, own := b.image, b.world.tables.archetypes[at]
	if c.order == 0 {
		c.order = m.version
	}
	if b.future(c.order) {
		return b.fail(op, "%s has the order version %d, newer than the image's %d", b.place(at, j), c.order, m.version)
	}
	for k := range parts {
		p := &parts[k]
		switch {
		case own.isMeta:
			c.versions[k], c.through[k] = p.Version, p.Through
			if p.Version == 0 && p.Through == 0 {
				c.through[k] = m.version
			}
		case p.Through != 0:
			return b.fail(op, "column %v of %s has a version of writes through chunks, and is not of meta entities", p.Component, b.place(at, j))
		default:
			if c.versions[k] = p.Version; p.Version == 0 {
				c.versions[k] = m.version
			}
		}
		if b.future(c.versions[k]) || own.isMeta && b.future(c.through[k]) {
			return b.fail(op, "column %v of %s has version %d, newer than the image's %d", p.Component, b.place(at, j), newest(p.Version, p.Through), m.version)
		}
	}
	if !c.sound {
		if wrong := c.flaw(b.unchecked[at]); wrong != nil {
			return b.fail(op, "%s", wrong(b.place(at, j)))
		}
	}
	return nil
}

// future reports whether a version is newer than that of the image. A very old version counts as
// newer, because versions wrap around.
func (b *ImageBuilder) future(v uint32) bool { return v != 0 && int32(v-b.image.version) > 0 }

// versions checks the versions of an archetype, because filters skip all its chunks if these are
// old. It computes missing ones.
func (b *ImageBuilder) versions(at int, a *archetypeImage) error {
	const op = "Image"
	own, m := b.world.tables.archetypes[at], b.image
	given := b.given[at]
	if b.future(a.order) || slices.ContainsFunc(a.newest, b.future) {
		return b.fail(op, "archetype %d, %v, has versions %d and %v, newer than the image's %d", at, own, a.order, a.newest, m.version)
	}
	order := a.order
	for j, c := range a.chunks {
		if a.order != 0 && changedSince(c.order, a.order) {
			return b.fail(op, "%s has the order version %d, newer than its archetype's %d", b.place(at, j), c.order, a.order)
		}
		order = newest(order, c.order)
	}
	a.order = order
	for k := range a.newest {
		all := a.newest[k]
		for j, c := range a.chunks {
			v := c.versions[k]
			if len(c.through) > 0 {
				v = newest(v, c.through[k])
			}
			if given && changedSince(v, newest(a.newest[k], a.order)) {
				return b.fail(op, "column %v of %s has version %d, newer than its archetype's", a.set[k].typ, b.place(at, j), v)
			}
			if !given {
				all = newest(all, v)
			}
		}
		a.newest[k] = all
	}
	return nil
}

// checkMeta checks that each meta entity belongs to a chunk.
func (b *ImageBuilder) checkMeta(owners []holder) error {
	m := b.image
	for i := range m.archetypes {
		if !b.world.tables.archetypes[i].isMeta {
			continue
		}
		m.metas += m.archetypes[i].rows
		for j, c := range m.archetypes[i].chunks {
			for _, e := range c.ids {
				if owners[e.Index].archetype != nowhere {
					return b.fail("Image", "%v in %s is the meta entity of no chunk", e, b.place(i, j))
				}
			}
		}
	}
	return nil
}

// place returns the name of a chunk in messages.
func (b *ImageBuilder) place(archetype, chunk int) string {
	return fmt.Sprintf("chunk %d of archetype %d, %v", chunk, archetype, b.world.tables.archetypes[archetype])
}
