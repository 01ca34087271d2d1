package arrow

import (
	"iter"
	"math"
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// gathered holds the buffers of a column while its batch is being filled.
type gathered struct {
	data  []byte // values; offsets of strings; bits
	text  []byte // of strings
	valid []byte // bits that say which optional values are present
	nulls int
}

// Gathered yields the rows in batches of the given size; the last one may be
// smaller. The batches are copies. To keep a batch, call its Retain, and later
// its Release, on any goroutine. The memory of a batch that is not retained is
// reused. The structure of the world must not change until the loop is over.
// Gathered panics if rows is less than one.
func (s *Source) Gathered(rows int) iter.Seq[arrow.RecordBatch] {
	must(rows > 0, "Gathered: rows is %d", rows)
	return func(yield func(arrow.RecordBatch) bool) { s.gather(0, min(rows, math.MaxInt32), nil, yield) }
}

// gather yields the rows of the chunks, beginning at a chunk index. After each chunk,
// gather calls the function over, and stops if over returns true. gather returns the index
// after the last visited chunk, and reports whether yield wanted more batches.
func (s *Source) gather(from, rows int, over func() bool, yield func(arrow.RecordBatch) bool) (next int, more bool) {
	fill := make([]gathered, len(s.columns))
	n := 0
	for c := range s.query.Chunks() {
		if c.Index() < from {
			continue
		}
		for lo, hi := range c.Runs() {
			if n, more = s.gatherRun(fill, c, lo, hi, n, rows, yield); !more {
				return next, false
			}
		}
		next = c.Index() + 1
		if over != nil && over() {
			break
		}
	}
	return next, n == 0 || s.flush(fill, n, yield)
}

// gatherRun appends rows [lo, hi) of a chunk to the batch, which already has n
// rows. It yields the batch each time the batch is full. It returns the new number of
// rows, and reports whether yield wanted more batches.
func (s *Source) gatherRun(fill []gathered, c *ecs.Chunk, lo, hi, n, rows int, yield func(arrow.RecordBatch) bool) (int, bool) {
	for lo < hi {
		if n == 0 {
			s.begin(fill, min(rows, max(s.query.CountUnfiltered(), 1)))
		}
		k := min(hi-lo, rows-n)
		for i := range s.columns {
			s.columns[i].gather(&fill[i], c, lo, k, n)
		}
		lo += k
		if n += k; n == rows {
			if !s.flush(fill, n, yield) {
				return n, false
			}
			n = 0
		}
	}
	return n, true
}

// begin allocates memory for a batch of the given number of rows.
func (s *Source) begin(fill []gathered, rows int) {
	for i := range s.columns {
		c, g := &s.columns[i], &fill[i]
		*g = gathered{}
		switch size := c.width * rows; {
		case c.arrow == arrow.BinaryTypes.String:
			g.data, g.text = s.room.Allocate(4 * (rows + 1))[:4], s.room.Allocate(0)
			clear(g.data)
		case c.width == 0:
			g.data = s.room.Allocate(int(bitutil.BytesForBits(int64(rows * c.leaf.count()))))
			clear(g.data)
		default:
			g.data = s.room.Allocate(size)[:0]
		}
		if c.optional {
			g.valid = s.room.Allocate(int(bitutil.BytesForBits(int64(rows))))
			clear(g.valid)
		}
	}
}

// flush yields a batch of the rows that have been filled so far.
func (s *Source) flush(fill []gathered, n int, yield func(arrow.RecordBatch) bool) bool {
	list := make([]arrow.Array, len(fill))
	for i := range fill {
		list[i] = s.columns[i].array(&fill[i], n, &s.room)
	}
	b := array.NewRecordBatch(s.schema, list, int64(n))
	for _, a := range list {
		a.Release()
	}
	defer b.Release()
	return yield(b)
}

// array returns a filled column as an Arrow array.
func (c *column) array(g *gathered, n int, m memory.Allocator) arrow.Array {
	var owned []*memory.Buffer
	buffer := func(b []byte) *memory.Buffer {
		o := memory.NewBufferWithAllocator(b, m)
		owned = append(owned, o)
		return o
	}
	var valid *memory.Buffer
	if c.optional {
		valid = buffer(g.valid)
	}
	values := []*memory.Buffer{nil, buffer(g.data)}
	if c.arrow == arrow.BinaryTypes.String {
		values = append(values, buffer(g.text))
	}
	d := dataOf(c.arrow, n, valid, g.nulls, values)
	defer d.Release()
	for _, o := range owned {
		o.Release()
	}
	return array.MakeFromData(d)
}

// dataOf wraps buffers of values in as many levels of lists as the type has.
func dataOf(dt arrow.DataType, n int, valid *memory.Buffer, nulls int, values []*memory.Buffer) arrow.ArrayData {
	if l, ok := dt.(*arrow.FixedSizeListType); ok {
		in := dataOf(l.Elem(), n*int(l.Len()), nil, 0, values)
		defer in.Release()
		return array.NewData(dt, n, []*memory.Buffer{valid}, []arrow.ArrayData{in}, nulls, 0)
	}
	values[0] = valid
	return array.NewData(dt, n, values, nil, nulls, 0)
}

// gather copies n rows of a chunk, beginning at row lo, into the batch, beginning at row at.
func (c *column) gather(g *gathered, chunk *ecs.Chunk, lo, n, at int) {
	switch c.what {
	case ofLane, ofIDs:
		b := chunk.LaneBytes(c.typ, c.lane)
		if !c.setPresent(g, b != nil, n, at) {
			return
		}
		size := len(b) / chunk.Len()
		c.leaf.gather(g, b[lo*size:(lo+n)*size], uintptr(size), at)
	case ofTag:
		bitutil.SetBitsTo(g.data, int64(at), int64(n), chunk.HasType(c.typ)) //lanewise:inexact its assembly fills memory with one byte
	case ofSwitch:
		words := chunk.EnabledBits(c.typ)
		if c.setPresent(g, words != nil, n, at) {
			for i := range n {
				row := lo + i
				bitutil.SetBitTo(g.data, at+i, words[row>>6]>>(row&63)&1 != 0)
			}
		}
	case ofShared:
		v := chunk.SharedValue(c.typ)
		if c.setPresent(g, v != nil, n, at) {
			c.repeat(g, reflect.ValueOf(v), n, at)
		}
	}
}

// setPresent records whether the next rows have a value. It fills rows without a value
// with zeros.
func (c *column) setPresent(g *gathered, has bool, n, at int) bool {
	if !c.optional {
		must(has, "column %s has no values in a chunk of a query that asks for them", c.name)
		return true
	}
	bitutil.SetBitsTo(g.valid, int64(at), int64(n), has) //lanewise:inexact its assembly fills memory with one byte
	if has {
		return true
	}
	g.nulls += n
	switch {
	case c.arrow == arrow.BinaryTypes.String:
		c.text(g, "", n)
	case c.width > 0:
		old := len(g.data)
		g.data = g.data[:old+n*c.width]
		clear(g.data[old:])
	}
	return false
}
