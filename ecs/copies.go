package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// copies is what a Capture, a Restore or a Fork copies: it is listed first, and then copied by all workers.
type copies struct {
	list     []bytesCopy
	idRanges []idRange
	total    int       // bytes of the list
	rows     int       // of the idRanges
	table    *entities // that the idRanges are for

	copy, number func(lo, hi int)
}

// bytesCopy is rows of one lane, or ids.
type bytesCopy struct{ to, from []byte }

// idRange is ids that are those of the first rows of a chunk.
type idRange struct {
	ids    []Entity
	record int32
}

// add copies bytes when all is called.
func (c *copies) add(to, from []byte) {
	c.list = append(c.list, bytesCopy{to, from})
	c.total += len(to)
}

// out copies n rows of lanes to bytes, in which one lane is behind the other.
func (c *copies) out(to []byte, p *table.Place, lanes []table.Lane, n int) {
	for len(lanes) > 0 {
		from, some := p.Neighbours(lanes, n)
		c.add(to[:len(from)], from)
		to, lanes = to[len(from):], lanes[some:]
	}
}

// in copies what an image has of lanes to n rows of them.
func (c *copies) in(p *table.Place, lanes []table.Lane, n int, own *columnImage) {
	for i, lane := range own.placed {
		c.add(p.Bytes(lanes[i], 0, n), lane)
	}
	if own.placed != nil {
		return
	}
	from := own.bytes // one lane is behind the other
	for len(lanes) > 0 {
		to, some := p.Neighbours(lanes, n)
		c.add(to, from[:len(to)])
		from, lanes = from[len(to):], lanes[some:]
	}
}

// bear makes ids those of a chunk when all is called.
func (c *copies) bear(t *entities, ids []Entity, record int32) {
	c.table = t
	c.idRanges = append(c.idRanges, idRange{ids, record})
	c.rows += len(ids)
}

// all copies what was listed. A worker that waits may run any job meanwhile: nothing must be locked that one takes.
func (c *copies) all(pool *jobs.Pool) {
	if c.copy == nil {
		c.copy = func(lo, hi int) {
			for _, one := range c.list[lo:hi] {
				copy(one.to, one.from)
			}
		}
		c.number = func(lo, hi int) {
			for _, one := range c.idRanges[lo:hi] {
				c.table.number(one.ids, one.record)
			}
		}
	}
	const worth, piece = 256 << 10, 64 << 10
	const each = 8 + 12 // bytes of an id, and of its slot
	if pool == nil || c.total < worth {
		c.copy(0, len(c.list))
	} else {
		spread(pool, len(c.list), max(1, len(c.list)*piece/c.total), c.copy)
	}
	if pool == nil || c.rows*each < worth {
		c.number(0, len(c.idRanges))
	} else {
		spread(pool, len(c.idRanges), 16, c.number)
	}
	clear(c.list)
	clear(c.idRanges)
	c.list, c.idRanges, c.total, c.rows, c.table = c.list[:0], c.idRanges[:0], 0, 0, nil
}

// spread runs f over n things, on all workers unless the pool is closed.
func spread(pool *jobs.Pool, n, grain int, f func(lo, hi int)) {
	if pool.Range(n, grain, f) != nil {
		f(0, n)
	}
}
