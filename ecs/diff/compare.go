package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// rowPlace says where a row is in a source: its archetype, chunk and row.
type rowPlace struct{ archetype, chunk, row int }

// comparison holds the state of comparing two sources. An entity is unmatched if the other source
// does not have the entity in the same row of the same archetype. Such an entity either was moved,
// or is in only one source.
type comparison struct {
	sourceA, sourceB *source
	archetypePairs   [][2]int // archetypes with rows in both sources
	unmatched        [2]map[ecs.Entity]rowPlace
	unmatchedOrder   [2][]ecs.Entity // the unmatched entities of each source, in order
	yield            func(Difference) bool
	stopped          bool
}

// compareSources yields the differences.
func compareSources(a, b *source, yield func(Difference) bool) {
	c := &comparison{sourceA: a, sourceB: b, yield: yield, unmatched: [2]map[ecs.Entity]rowPlace{{}, {}}}
	c.matchArchetypes()
	for _, step := range []func(){c.compareEntities, c.compareValues, c.comparePlaces, c.compareWorlds} {
		if step(); c.stopped {
			return
		}
	}
}

func (c *comparison) report(d Difference) {
	if !c.stopped {
		if !d.Entity.IsZero() {
			d.Name = cmp.Or(c.sourceA.nameOf(d.Entity), c.sourceB.nameOf(d.Entity))
		}
		c.stopped = !c.yield(d)
	}
}

// matchArchetypes finds the archetypes that both sources contain, and the entities that are not in
// the same row in both.
func (c *comparison) matchArchetypes() {
	of := map[string]int{}
	for i := range c.sourceB.archetypes {
		if c.sourceB.archetypes[i].rowCount > 0 {
			of[c.sourceB.archetypes[i].key] = i
		}
	}
	seen := map[int]bool{}
	for i := range c.sourceA.archetypes {
		x := &c.sourceA.archetypes[i]
		j, both := of[x.key]
		switch {
		case x.rowCount == 0:
		case both:
			seen[j] = true
			c.archetypePairs = append(c.archetypePairs, [2]int{i, j})
			for k := range max(x.chunkCount, c.sourceB.archetypes[j].chunkCount) {
				c.findUnmatched(i, j, k)
			}
		default:
			for k := range x.chunkCount {
				c.addUnmatched(0, rowPlace{i, k, 0}, x.loadChunk(k).ids)
			}
		}
	}
	for j := range c.sourceB.archetypes {
		for k := range c.sourceB.archetypes[j].chunkCount {
			if !seen[j] {
				c.addUnmatched(1, rowPlace{j, k, 0}, c.sourceB.archetypes[j].loadChunk(k).ids)
			}
		}
	}
}

// findUnmatched looks at chunk k of two archetypes, and collects the entities that are not in the
// same row of both chunks.
func (c *comparison) findUnmatched(i, j, k int) {
	if c.sharesChunk(i, j, k) {
		return
	}
	x, y := c.idsOf(c.sourceA, i, k), c.idsOf(c.sourceB, j, k)
	if equalSlices(x, y) {
		return
	}
	n := min(len(x), len(y))
	for row := range n {
		if x[row] != y[row] {
			c.addUnmatched(0, rowPlace{i, k, row}, x[row:row+1])
			c.addUnmatched(1, rowPlace{j, k, row}, y[row:row+1])
		}
	}
	c.addUnmatched(0, rowPlace{i, k, n}, x[n:])
	c.addUnmatched(1, rowPlace{j, k, n}, y[n:])
}

// sharesChunk reports whether both images use the same memory for a chunk. A chunk that both
// images share has no differences.
func (c *comparison) sharesChunk(i, j, k int) bool {
	return i == j && c.sourceA.image != nil && c.sourceB.image != nil && c.sourceA.image.SharesChunk(c.sourceB.image, i, k)
}

// idsOf returns the entities of a chunk, or none if the chunk does not exist.
func (c *comparison) idsOf(s *source, archetype, chunk int) []ecs.Entity {
	if a := &s.archetypes[archetype]; chunk < a.chunkCount {
		return a.loadChunk(chunk).ids
	}
	return nil
}

func (c *comparison) addUnmatched(side int, at rowPlace, ids []ecs.Entity) {
	for _, e := range ids {
		c.unmatched[side][e] = at
		c.unmatchedOrder[side] = append(c.unmatchedOrder[side], e)
		at.row++
	}
}

// equalSlices reports whether two slices are equal. If they share their memory, equalSlices
// compares no elements.
func equalSlices[T comparable](x, y []T) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0] || slices.Equal(x, y))
}

// compareEntities reports the entities that only one source contains, and the entities whose
// components differ.
func (c *comparison) compareEntities() {
	for side, kind := range []Kind{OnlyA, OnlyB} {
		for _, e := range c.unmatchedOrder[side] {
			if _, both := c.unmatched[1-side][e]; !both {
				at := c.unmatched[side][e]
				c.report(Difference{Kind: kind, Entity: e, Archetype: at.archetype, Chunk: at.chunk, Row: at.row})
			}
		}
	}
	c.eachMoved(func(e ecs.Entity, p, q rowPlace) {
		x, y := &c.sourceA.archetypes[p.archetype], &c.sourceB.archetypes[q.archetype]
		if x.key != y.key {
			c.report(Difference{Kind: Components, Entity: e, Archetype: p.archetype, Chunk: p.chunk, Row: p.row, A: missingFrom(x.components, y.components), B: missingFrom(y.components, x.components)})
		}
	})
}

// eachMoved calls f for each unmatched entity that both sources contain.
func (c *comparison) eachMoved(f func(e ecs.Entity, p, q rowPlace)) {
	for _, e := range c.unmatchedOrder[0] {
		if q, both := c.unmatched[1][e]; both && !c.stopped {
			f(e, c.unmatched[0][e], q)
		}
	}
}

// componentIndex returns the index of a component in a set, or -1.
func componentIndex(set []*component, like *component) int {
	return slices.IndexFunc(set, func(c *component) bool { return c.name == like.name && c.signature == like.signature })
}

// missingFrom returns the names of the components of x that y does not contain.
func missingFrom(x, y []*component) string {
	var list []string
	for _, c := range x {
		if componentIndex(y, c) < 0 {
			list = append(list, withoutDirectories(c.name))
		}
	}
	if list == nil {
		return "nothing more"
	}
	return strings.Join(list, ", ")
}

// compareValues reports the values that differ, for entities that both sources contain.
func (c *comparison) compareValues() {
	for _, pair := range c.archetypePairs {
		x, y := &c.sourceA.archetypes[pair[0]], &c.sourceB.archetypes[pair[1]]
		for k := range min(x.chunkCount, y.chunkCount) {
			if c.stopped {
				return
			}
			if c.sharesChunk(pair[0], pair[1], k) {
				continue
			}
			p, q := x.loadChunk(k), y.loadChunk(k)
			same := equalSlices(p.ids, q.ids)
			for i := range p.columns {
				at := Difference{Component: x.components[i].name, Archetype: pair[0], Chunk: k}
				c.compareColumns(at, &p.columns[i], &q.columns[i], p.ids, q.ids, same)
			}
		}
	}
	c.eachMoved(func(e ecs.Entity, p, q rowPlace) {
		x, y := &c.sourceA.archetypes[p.archetype], &c.sourceB.archetypes[q.archetype]
		u, v := x.loadChunk(p.chunk), y.loadChunk(q.chunk)
		for i, own := range x.components {
			if j := componentIndex(y.components, own); j >= 0 {
				at := Difference{Entity: e, Component: own.name, Archetype: p.archetype, Chunk: p.chunk, Row: p.row}
				c.compareRow(at, &u.columns[i], &v.columns[j], p.row, q.row)
			}
		}
	})
}

// compareColumns compares two columns: first as a whole, and then row by row.
func (c *comparison) compareColumns(at Difference, x, y *column, ids, others []ecs.Entity, same bool) {
	if x.shared && len(ids) > 0 && len(others) > 0 {
		if !x.values.sharedEquals(y.values) {
			at.Kind, at.Entity, at.A, at.B = Shared, ids[0], x.values.shared(), y.values.shared()
			c.report(at)
		}
		return
	}
	if same && x.sameBytes(y) {
		return
	}
	for row := range min(len(ids), len(others)) {
		if ids[row] == others[row] && !c.stopped {
			at.Entity, at.Row = ids[row], row
			c.compareRow(at, x, y, row, row)
		}
	}
}

// sameBytes reports whether two columns have the same bytes. If sameBytes returns false, the
// columns may still be equal. For example, two NaN may have different bits.
func (x *column) sameBytes(y *column) bool {
	if x.elemShape != nil || len(x.lanes) != len(y.lanes) || !equalSlices(x.enabledBits, y.enabledBits) {
		return false
	}
	for i := range x.lanes {
		p, q := x.lanes[i], y.lanes[i]
		if len(p) != len(q) || len(p) > 0 && &p[0] != &q[0] && !bytes.Equal(p, q) {
			return false
		}
	}
	return true
}

// compareRow compares a row of two columns.
func (c *comparison) compareRow(at Difference, x, y *column, i, j int) {
	if x.shared {
		if !x.values.sharedEquals(y.values) {
			at.Kind, at.A, at.B = Shared, x.values.shared(), y.values.shared()
			c.report(at)
		}
		return
	}
	for k := range min(len(x.lanes), len(y.lanes)) {
		l, m := &x.component.lanes[k], &y.component.lanes[k]
		if p, q := x.rowBytes(k, i), y.rowBytes(k, j); !l.shape.equal(p, q) {
			d := at
			d.Kind, d.Lane, d.A, d.B = Value, l.name, l.shape.text(p), m.shape.text(q)
			c.report(d)
		}
	}
	if x.elemShape != nil {
		c.compareBuffer(at, x, y, i, j)
	}
	if x.enabledBits != nil && y.enabledBits != nil {
		if p, q := x.enabledBits[i/64]>>(i%64)&1, y.enabledBits[j/64]>>(j%64)&1; p != q {
			words := [2]string{"off", "on"}
			at.Kind, at.A, at.B = Enabled, words[p], words[q]
			c.report(at)
		}
	}
}

// compareBuffer compares two buffers. It reports the first element that differs. If no element
// differs, it reports lengths that differ.
func (c *comparison) compareBuffer(at Difference, x, y *column, i, j int) {
	p, q, size := x.values.elements(i), y.values.elements(j), max(x.elemShape.size, 1)
	at.Kind = Buffer
	for k := range min(len(p), len(q)) / size {
		if u, v := p[k*size:][:size], q[k*size:][:size]; !x.elemShape.equal(u, v) {
			at.Lane, at.A, at.B = fmt.Sprintf("[%d]", k), x.elemShape.text(u), y.elemShape.text(v)
			c.report(at)
			return
		}
	}
	if len(p) != len(q) {
		at.A, at.B = fmt.Sprintf("%d long", len(p)/size), fmt.Sprintf("%d long", len(q)/size)
		c.report(at)
	}
}

// comparePlaces reports the entities that are in another row of the same archetype.
func (c *comparison) comparePlaces() {
	c.eachMoved(func(e ecs.Entity, p, q rowPlace) {
		if c.sourceA.archetypes[p.archetype].key == c.sourceB.archetypes[q.archetype].key {
			c.report(Difference{
				Kind: Place, Entity: e, Archetype: p.archetype, Chunk: p.chunk, Row: p.row,
				A: fmt.Sprintf("chunk %d row %d", p.chunk, p.row), B: fmt.Sprintf("chunk %d row %d", q.chunk, q.row),
			})
		}
	})
}

// idCounts returns a text with two numbers: how many free ids can be used again, and how many ids
// are retired.
func idCounts(s *source) string {
	text := fmt.Sprintf("%d free", len(s.freeIDs))
	if s.retiredCount > 0 {
		text += fmt.Sprintf(" and %d retired", s.retiredCount)
	}
	return text
}

// compareWorlds reports the differences that belong to no entity.
func (c *comparison) compareWorlds() {
	if !slices.IsSortedFunc(c.archetypePairs, func(x, y [2]int) int { return x[1] - y[1] }) {
		c.report(Difference{Kind: Archetypes, A: "one order", B: "another"})
	}
	if x, y := c.sourceA, c.sourceB; !slices.Equal(x.freeIDs, y.freeIDs) || x.retiredCount != y.retiredCount {
		d := Difference{Kind: Slots, A: idCounts(x), B: idCounts(y)}
		for i := range min(len(x.freeIDs), len(y.freeIDs)) {
			if x.freeIDs[i] != y.freeIDs[i] {
				d.A += fmt.Sprintf(", number %d is %v", i, x.freeIDs[i])
				d.B += fmt.Sprintf(", number %d is %v", i, y.freeIDs[i])
				break
			}
		}
		c.report(d)
	}
	for i := range max(len(c.sourceA.sums), len(c.sourceB.sums)) {
		text := func(list []ecs.NamedHash) string {
			if i < len(list) {
				return fmt.Sprintf("%s %016x", list[i].Name, list[i].Sum)
			}
			return "none"
		}
		if x, y := text(c.sourceA.sums), text(c.sourceB.sums); x != y {
			c.report(Difference{Kind: Sum, A: x, B: y})
		}
	}
}
