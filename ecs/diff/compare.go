package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
)

// place is where a row is.
type place struct{ archetype, chunk, row int }

// comparison compares two sides.
type comparison struct {
	a, b    *side
	pairs   [][2]int // archetypes that both have, with rows
	strays  [2]map[ecs.Entity]place
	order   [2][]ecs.Entity // of strays
	yield   func(Difference) bool
	stopped bool
}

// compare yields the differences.
func compare(a, b *side, yield func(Difference) bool) {
	c := &comparison{a: a, b: b, yield: yield, strays: [2]map[ecs.Entity]place{{}, {}}}
	c.match()
	for _, step := range []func(){c.entities, c.values, c.places, c.rest} {
		if step(); c.stopped {
			return
		}
	}
}

func (c *comparison) tell(d Difference) {
	if !c.stopped {
		c.stopped = !c.yield(d)
	}
}

// match finds the archetypes that both have, and the rows that are not at the same place in both.
func (c *comparison) match() {
	of := map[string]int{}
	for i := range c.b.archetypes {
		if c.b.archetypes[i].rows > 0 {
			of[c.b.archetypes[i].key] = i
		}
	}
	seen := map[int]bool{}
	for i := range c.a.archetypes {
		x := &c.a.archetypes[i]
		j, both := of[x.key]
		switch {
		case x.rows == 0:
		case both:
			seen[j] = true
			c.pairs = append(c.pairs, [2]int{i, j})
			for k := range max(x.chunks, c.b.archetypes[j].chunks) {
				c.stray(i, j, k)
			}
		default:
			for k := range x.chunks {
				c.put(0, place{i, k, 0}, x.chunk(k).ids)
			}
		}
	}
	for j := range c.b.archetypes {
		for k := range c.b.archetypes[j].chunks {
			if !seen[j] {
				c.put(1, place{j, k, 0}, c.b.archetypes[j].chunk(k).ids)
			}
		}
	}
}

// stray puts the rows of a chunk among the strays that are not in its like.
func (c *comparison) stray(i, j, k int) {
	if c.share(i, j, k) {
		return
	}
	x, y := c.ids(c.a, i, k), c.ids(c.b, j, k)
	if alike(x, y) {
		return
	}
	n := min(len(x), len(y))
	for row := range n {
		if x[row] != y[row] {
			c.put(0, place{i, k, row}, x[row:row+1])
			c.put(1, place{j, k, row}, y[row:row+1])
		}
	}
	c.put(0, place{i, k, n}, x[n:])
	c.put(1, place{j, k, n}, y[n:])
}

// share reports whether two images have one chunk together.
func (c *comparison) share(i, j, k int) bool {
	return i == j && c.a.image != nil && c.b.image != nil && images.SharesChunk(c.a.image, c.b.image, i, k)
}

// ids returns the entities of a chunk; none if it does not exist.
func (c *comparison) ids(s *side, archetype, chunk int) []ecs.Entity {
	if a := &s.archetypes[archetype]; chunk < a.chunks {
		return a.chunk(chunk).ids
	}
	return nil
}

func (c *comparison) put(side int, at place, ids []ecs.Entity) {
	for _, e := range ids {
		c.strays[side][e] = at
		c.order[side] = append(c.order[side], e)
		at.row++
	}
}

// alike reports whether two lists are the same, or are equal.
func alike[T comparable](x, y []T) bool {
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0] || slices.Equal(x, y))
}

// entities tells of entities that one side has, or that have other components.
func (c *comparison) entities() {
	for side, kind := range []Kind{OnlyA, OnlyB} {
		for _, e := range c.order[side] {
			if _, both := c.strays[1-side][e]; !both {
				at := c.strays[side][e]
				c.tell(Difference{Kind: kind, Entity: e, Archetype: at.archetype, Chunk: at.chunk, Row: at.row})
			}
		}
	}
	c.both(func(e ecs.Entity, p, q place) {
		x, y := &c.a.archetypes[p.archetype], &c.b.archetypes[q.archetype]
		if x.key != y.key {
			c.tell(Difference{Kind: Components, Entity: e, Archetype: p.archetype, Chunk: p.chunk, Row: p.row, A: without(x.set, y.set), B: without(y.set, x.set)})
		}
	})
}

// both calls f for each stray that both sides have.
func (c *comparison) both(f func(e ecs.Entity, p, q place)) {
	for _, e := range c.order[0] {
		if q, both := c.strays[1][e]; both && !c.stopped {
			f(e, c.strays[0][e], q)
		}
	}
}

// find returns the place of a component in a set, or -1.
func find(set []*component, like *component) int {
	return slices.IndexFunc(set, func(c *component) bool { return c.name == like.name && c.of == like.of })
}

// without lists the components of x that y has not.
func without(x, y []*component) string {
	var list []string
	for _, c := range x {
		if find(y, c) < 0 {
			list = append(list, short(c.name))
		}
	}
	if list == nil {
		return "nothing more"
	}
	return strings.Join(list, ", ")
}

// values tells of values of rows that both sides have.
func (c *comparison) values() {
	for _, pair := range c.pairs {
		x, y := &c.a.archetypes[pair[0]], &c.b.archetypes[pair[1]]
		for k := range min(x.chunks, y.chunks) {
			if c.stopped {
				return
			}
			if c.share(pair[0], pair[1], k) {
				continue
			}
			p, q := x.chunk(k), y.chunk(k)
			same := alike(p.ids, q.ids)
			for i := range p.columns {
				at := Difference{Component: x.set[i].name, Archetype: pair[0], Chunk: k}
				c.columns(at, &p.columns[i], &q.columns[i], p.ids, q.ids, same)
			}
		}
	}
	c.both(func(e ecs.Entity, p, q place) {
		x, y := &c.a.archetypes[p.archetype], &c.b.archetypes[q.archetype]
		u, v := x.chunk(p.chunk), y.chunk(q.chunk)
		for i, own := range x.set {
			if j := find(y.set, own); j >= 0 {
				at := Difference{Entity: e, Component: own.name, Archetype: p.archetype, Chunk: p.chunk, Row: p.row}
				c.row(at, &u.columns[i], &v.columns[j], p.row, q.row)
			}
		}
	})
}

// columns compares two columns: as a whole first, and then row by row.
func (c *comparison) columns(at Difference, x, y *column, ids, others []ecs.Entity, same bool) {
	if x.shared && len(ids) > 0 && len(others) > 0 {
		if !x.part.sharedEquals(y.part) {
			at.Kind, at.Entity, at.A, at.B = Shared, ids[0], x.part.shared(), y.part.shared()
			c.tell(at)
		}
		return
	}
	if same && x.equal(y) {
		return
	}
	for row := range min(len(ids), len(others)) {
		if ids[row] == others[row] && !c.stopped {
			at.Entity, at.Row = ids[row], row
			c.row(at, x, y, row, row)
		}
	}
}

// equal reports whether two columns have the same bytes. False says nothing.
func (x *column) equal(y *column) bool {
	if x.elem != nil || len(x.lanes) != len(y.lanes) || !alike(x.on, y.on) {
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

// row compares a row of two columns.
func (c *comparison) row(at Difference, x, y *column, i, j int) {
	if x.shared {
		if !x.part.sharedEquals(y.part) {
			at.Kind, at.A, at.B = Shared, x.part.shared(), y.part.shared()
			c.tell(at)
		}
		return
	}
	for k := range min(len(x.lanes), len(y.lanes)) {
		l, m := &x.component.lanes[k], &y.component.lanes[k]
		if p, q := x.row(k, i), y.row(k, j); !l.shape.equal(p, q) {
			d := at
			d.Kind, d.Lane, d.A, d.B = Value, l.name, l.shape.text(p), m.shape.text(q)
			c.tell(d)
		}
	}
	if x.elem != nil {
		c.buffer(at, x, y, i, j)
	}
	if x.on != nil && y.on != nil {
		if p, q := x.on[i/64]>>(i%64)&1, y.on[j/64]>>(j%64)&1; p != q {
			words := [2]string{"off", "on"}
			at.Kind, at.A, at.B = Enabled, words[p], words[q]
			c.tell(at)
		}
	}
}

// buffer compares two buffers: the first element that differs is told, or the lengths.
func (c *comparison) buffer(at Difference, x, y *column, i, j int) {
	p, q, size := x.part.elements(i), y.part.elements(j), max(x.elem.size, 1)
	at.Kind = Buffer
	for k := range min(len(p), len(q)) / size {
		if u, v := p[k*size:][:size], q[k*size:][:size]; !x.elem.equal(u, v) {
			at.Lane, at.A, at.B = fmt.Sprintf("[%d]", k), x.elem.text(u), y.elem.text(v)
			c.tell(at)
			return
		}
	}
	if len(p) != len(q) {
		at.A, at.B = fmt.Sprintf("%d long", len(p)/size), fmt.Sprintf("%d long", len(q)/size)
		c.tell(at)
	}
}

// places tells of rows that are elsewhere.
func (c *comparison) places() {
	c.both(func(e ecs.Entity, p, q place) {
		if c.a.archetypes[p.archetype].key == c.b.archetypes[q.archetype].key {
			c.tell(Difference{
				Kind: Place, Entity: e, Archetype: p.archetype, Chunk: p.chunk, Row: p.row,
				A: fmt.Sprintf("chunk %d row %d", p.chunk, p.row), B: fmt.Sprintf("chunk %d row %d", q.chunk, q.row),
			})
		}
	})
}

// idCounts says how many ids no entity has: those that wait for one, and those that will never have another.
func idCounts(s *side) string {
	text := fmt.Sprintf("%d free", len(s.free))
	if s.retired > 0 {
		text += fmt.Sprintf(" and %d retired", s.retired)
	}
	return text
}

// rest tells of what belongs to no entity.
func (c *comparison) rest() {
	if !slices.IsSortedFunc(c.pairs, func(x, y [2]int) int { return x[1] - y[1] }) {
		c.tell(Difference{Kind: Archetypes, A: "one order", B: "another"})
	}
	if x, y := c.a, c.b; !slices.Equal(x.free, y.free) || x.retired != y.retired {
		d := Difference{Kind: Slots, A: idCounts(x), B: idCounts(y)}
		for i := range min(len(x.free), len(y.free)) {
			if x.free[i] != y.free[i] {
				d.A += fmt.Sprintf(", number %d is %v", i, x.free[i])
				d.B += fmt.Sprintf(", number %d is %v", i, y.free[i])
				break
			}
		}
		c.tell(d)
	}
	for i := range max(len(c.a.sums), len(c.b.sums)) {
		text := func(list []images.Sum) string {
			if i < len(list) {
				return fmt.Sprintf("%s %016x", list[i].Name, list[i].Sum)
			}
			return "none"
		}
		if x, y := text(c.a.sums), text(c.b.sums); x != y {
			c.tell(Difference{Kind: Sum, A: x, B: y})
		}
	}
}
