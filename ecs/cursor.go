package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/soa"
)

// cursor is what stands behind a Chunk: where it is, and how the columns there are shown.
// It knows which columns it may show and mark, and nothing of which rows match, of
// loops and of jobs.
type cursor struct {
	world      *matcher
	rec        *record
	base       table.Base
	versions   []uint32 // of the record
	binds      []bind
	first, n   int      // n is -1 when it is not shown
	more       []listed // chunks that are shown behind the rows of rec: see SpanJob
	structural uint32
	version    uint32 // what columns that are written are marked with
	views      []soa.Header
	unmarked   []uint32 // scratch: versions of the columns of a run
}

// check panics if a structural change has ended the life of c.
func (c *cursor) check(op string) {
	if c.world == nil || c.structural != c.world.structural {
		c.stale(op)
	}
}

func (c *cursor) stale(op string) {
	if c.world == nil {
		panic(fault(ErrDisposed, op, "the chunk is not one that a query shows: its loop is over"))
	}
	panic(c.world.fault(ErrDisposed, op, "a structural change has ended the life of this chunk: ask the query again"))
}

// fillObjects points a view at n rows of a managed column.
func (c *cursor) fillObjects(b *bind, v *soa.Header, n int) {
	*v = objectsHeader(c.rec.objects[c.rec.arch.columns[b.column].object].rows, c.first, n)
}

// join makes c show the rows of other chunks behind those of its own, which it counts
// already.
func (c *cursor) join(more []listed) {
	c.more = more
	n := len(c.rec.versions)
	if cap(c.unmarked) < n {
		c.unmarked = make([]uint32, n)
	}
	c.versions = c.unmarked[:n]
	clear(c.versions) // so that a column which is asked for is marked, in all of them
}

// markRun marks a column in all chunks that c shows.
func (c *cursor) markRun(b *bind) {
	c.rec.mark(int(b.column), c.version)
	for _, l := range c.more {
		l.rec.mark(int(b.column), c.version)
	}
	if len(c.more) > 0 {
		c.versions[b.column] = c.version
	}
}

// place returns the chunk and its row that is a row of c.
func (c *cursor) place(row int) (*record, int) {
	if row += c.first; row < c.rec.n || len(c.more) == 0 {
		return c.rec, row
	}
	n := c.rec.n // full, as all but the last
	return c.more[row/n-1].rec, row % n
}

// switchesOf returns which rows have a switch on.
func (c *cursor) switchesOf(bit int) []uint64 {
	if len(c.more) == 0 {
		return c.rec.switches[bit].show(c.first, c.n, c.rec.n)
	}
	own := switches{words: make([]uint64, wordsFor(c.n))} // of a run
	own.copy(0, &c.rec.switches[bit], 0, c.rec.n)
	n := c.rec.n
	for _, l := range c.more {
		own.copy(n, &l.rec.switches[bit], 0, l.rec.n)
		n += l.rec.n
	}
	return own.words
}
