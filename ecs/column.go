package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// Columned is a component that names its view: V is a struct of slices, or a
// slice, whose fields match the component's lanes by name and type. A subset of
// the lanes, in any order, is allowed.
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
type Columned[V any] interface{ Column() V }

// Column returns the column of T in the chunk, as the view that T's method
// Column names. The view is filled in place: it is good until the loop or the
// job goes on to the next chunk, its slices until the next structural change. It
// costs next to nothing and does not allocate.
//
// If the query asked to Write T, this marks T as changed in the chunk. It panics
// with an *Error if the query did not ask to Read or Write T, or the chunk, of a
// query with Optional or AnyOf, has none.
func Column[T Columned[V], V any](c *Chunk) *V { return (*V)(c.column(keyOf[T]())) }

// column is called for every column of every chunk: everything but the usual
// case is elsewhere, and nothing is looked at twice.
func (c *cursor) column(k key) address {
	b := firstBind(c.binds)
	for b != nil && b.key != k {
		b = b.next
	}
	if b == nil || c.structural != c.world.structural {
		panic(c.denied("Column", k.nilPointer()))
	}
	if b.write && loadVersion(versionAt(c.versions, b.column)) != c.version {
		switch {
		case len(c.more) > 0:
			c.markRun(b)
		case b.shared:
			c.rec.mark(int(b.column), c.version)
		default:
			c.rec.markOwn(int(b.column), c.version)
		}
	}
	v := headerAt(c.views, b.view)
	if b.shape != shapeThree {
		return address(c.fill(b, v, c.n))
	}
	// All is computed first, and the pointers are stored in one go: the compiler
	// then asks once whether the collector must hear of them.
	n, h := c.n, three(v)
	x, y, z := c.base.Three(b.lane, uint32(c.first)*b.size)
	h[0].Data, h[1].Data, h[2].Data = x, y, z
	h[0].Len, h[1].Len, h[2].Len = n, n, n
	h[0].Cap, h[1].Cap, h[2].Cap = n, n, n
	return address(v)
}

// ColumnPadded is Column with the scratch rows: from Len up to the next multiple
// of 16, as far as the chunk goes, so that kernels need no tail. What is in
// scratch rows means nothing.
func ColumnPadded[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.padded((*T)(nil))) }

// ReadColumn is Column for looking only: it does not mark T as changed.
func ReadColumn[T Columned[V], V any](c *Chunk) *V { return viewAt[V](c.peek((*T)(nil))) }

func (c *cursor) padded(p any) *soa.Header {
	b := c.bind("ColumnPadded", p)
	if b.write {
		c.markRun(b)
	}
	n := c.n
	if last := len(c.more) - 1; last >= 0 {
		r := c.more[last].rec
		n += chunk.RowsPadded(r.n, r.arch.capacity) - r.n
	} else if c.first+c.n == c.rec.n {
		n = chunk.RowsPadded(c.rec.n, c.rec.arch.capacity) - c.first
	}
	return c.fill(b, &c.views[b.view], n)
}

func (c *cursor) peek(p any) *soa.Header {
	b := c.bind("ReadColumn", p)
	return c.fill(b, &c.views[b.view], c.n)
}

// bind returns the component that p points to among the chunk's columns, or
// panics.
func (c *cursor) bind(op string, p any) *bind {
	c.check(op)
	k := pointerKey(p)
	for i := range c.binds {
		if c.binds[i].key == k {
			return &c.binds[i]
		}
	}
	panic(c.denied(op, p))
}

// fill points a view, of which v is the first slice header, at n rows of a
// column. It returns v.
func (c *cursor) fill(b *bind, v *soa.Header, n int) *soa.Header {
	l := table.Lane{Index: b.lane, Size: b.size}
	switch b.shape {
	case shapeOne:
		*v = c.header(l, n)
	case shapeThree:
		h := three(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case shapeFour:
		h := four(v)
		for i := range h {
			h[i] = c.header(table.Lane{Index: l.Index + uint32(i), Size: l.Size}, n)
		}
	case shapeAny:
		for j, l := range b.lanes {
			c.views[int(b.view)+j] = c.header(l, n)
		}
	case shapeObjects:
		c.fillObjects(b, v, n)
	case shapeBuffers:
		*v = buffersHeader(c, n, b)
	}
	return v
}

// denied says why the column of the component that p points to cannot be had.
func (c *cursor) denied(op string, p any) error {
	c.check(op)
	t := reflect.TypeOf(p).Elem()
	k := pointerKey(p)
	for i := range c.binds {
		if c.binds[i].comp.key == k {
			return c.missing(t, op, "this chunk has none: ask HasColumn first")
		}
	}
	if i := c.rec.arch.find(k); i >= 0 {
		return c.missing(t, op, "the query did not declare access to it: add Read or Write to its terms")
	}
	return c.missing(t, op, "the query did not ask for it, and the chunk has none: it has %v", c.rec.arch)
}

// missing says why a component cannot be had from the chunk.
func (c *cursor) missing(t reflect.Type, op, text string, args ...any) *Error {
	e := c.world.fault(ErrState, op, text, args...)
	e.Component = fullName(t)
	return e
}
