package arrow

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// View shows a chunk, or a range of its rows, as a batch that refers to the
// chunk's memory. A View is valid for the iteration of the loop that yields it.
type View struct {
	source *Source
	turn   uint64
	batch  arrow.RecordBatch
}

// Batch returns the batch, which refers to the memory of the chunk. Do not
// write to the batch. Do not keep it, and do not read it after the iteration
// of the loop, because the memory may then hold other data. The same rule applies to slices
// of a column. After the iteration, Batch returns an error that wraps [ErrOver].
func (v View) Batch() (arrow.RecordBatch, error) {
	if v.source == nil || v.turn != v.source.turn {
		return nil, fmt.Errorf("arrow: a view is asked for its batch: %w: use Copy in the loop, or Gathered", ErrOver)
	}
	return v.batch, nil
}

// Copy returns a copy of the batch, which may be kept until it is released.
// After the iteration, Copy returns an error that wraps [ErrOver].
func (v View) Copy() (arrow.RecordBatch, error) {
	b, err := v.Batch()
	if err != nil {
		return nil, err
	}
	n := int(b.NumRows())
	list := make([]arrow.Array, b.NumCols())
	for i := range list {
		c := &v.source.columns[i]
		from := bytesOf(b.Column(i).Data())[:n*c.width]
		g := gathered{data: append(v.source.room.Allocate(len(from))[:0], from...)}
		list[i] = c.array(&g, n, &v.source.room)
	}
	out := array.NewRecordBatch(v.source.schema, list, b.NumRows())
	for _, a := range list {
		a.Release()
	}
	return out, nil
}

// bytesOf returns the values of an array inside all levels of lists.
func bytesOf(d arrow.ArrayData) []byte {
	for len(d.Children()) > 0 {
		d = d.Children()[0]
	}
	return d.Buffers()[1].Bytes()
}

// shown is a chunk together with the batch that was made for it.
type shown struct {
	arch  ecs.Archetype
	rows  int
	lanes []*byte // where the columns begin
	batch arrow.RecordBatch
}

// InPlace reports whether all columns have Arrow's layout in chunks, so that
// [Source.Views] can yield views. If not, the error wraps [ErrInPlace] and
// names a column.
func (s *Source) InPlace() error {
	for i := range s.columns {
		c := &s.columns[i]
		why := ""
		switch {
		case c.what == ofSwitch || c.what == ofTag || c.what == ofShared:
			why = "it is no lane"
		case c.optional:
			why = "some entities have none"
		case c.width == 0:
			why = "booleans are bytes in chunks, and bits in Arrow"
		case !c.leaf.isGapless(c.element()):
			why = "other numbers stand between its own"
		default:
			continue
		}
		return fmt.Errorf("arrow: views of %s: %w: %s: use Gathered, or leave it out of the terms", c.name, ErrInPlace, why)
	}
	return nil
}

// element returns the number of bytes of a row in the column's lane.
func (c *column) element() uintptr {
	if c.what == ofIDs {
		return 8
	}
	lanes := ecs.TermTypes(ecs.Read[struct{}]().OfType(c.typ))[0].Lanes
	return lanes[c.lane].Type.Size()
}

// Views yields every chunk in place. If not all rows of a chunk match, Views
// yields one view for each run of matching rows. If the last loop has already
// shown a chunk, and the chunk has not moved, Views allocates nothing for it.
// At the end of a complete loop, Views drops the batches of all other chunks,
// so that it does not keep the memory of freed chunks. The structure of the
// world must not change until the loop is over. Views returns the error of
// [Source.InPlace].
func (s *Source) Views() (iter.Seq[View], error) {
	if err := s.InPlace(); err != nil {
		return nil, err
	}
	return s.visit, nil
}

func (s *Source) visit(yield func(View) bool) {
	defer func() { s.turn++ }() // the last iteration is over, also after a break or a panic
	next := 0                   // the index after that of the last chunk
	for c := range s.query.Chunks() {
		s.forget(next, c.Index())
		next = c.Index() + 1
		if c.AllMatch() {
			if !yield(View{s, s.turn, s.show(c)}) {
				return
			}
			s.turn++
			continue
		}
		for lo, hi := range c.Runs() {
			part := s.show(c).NewSlice(int64(lo), int64(hi))
			more := yield(View{s, s.turn, part})
			part.Release()
			s.turn++
			if !more {
				return
			}
		}
	}
	s.forget(next, len(s.views))
	s.views = s.views[:min(next, len(s.views))]
}

// forget drops the batches from index from to index to-1, because this loop has shown fewer chunks.
func (s *Source) forget(from, to int) {
	if to = min(to, len(s.views)); from < to {
		clear(s.views[from:to])
	}
}

// show returns the batch of a chunk: the existing one, if the chunk has not
// moved.
func (s *Source) show(c *ecs.Chunk) arrow.RecordBatch {
	for c.Index() >= len(s.views) {
		s.views = append(s.views, nil)
	}
	old := s.views[c.Index()]
	if old != nil && old.arch == c.Archetype() && old.rows == c.Len() {
		same := true
		for i := range s.columns {
			b := c.LaneBytes(s.columns[i].typ, s.columns[i].lane)
			same = same && unsafe.SliceData(b) == old.lanes[i]
		}
		if same {
			return old.batch
		}
	}
	n := c.Len()
	next := &shown{arch: c.Archetype(), rows: n, lanes: make([]*byte, len(s.columns))}
	list := make([]arrow.Array, len(s.columns))
	for i := range s.columns {
		b := c.LaneBytes(s.columns[i].typ, s.columns[i].lane)
		next.lanes[i] = unsafe.SliceData(b)
		d := dataOf(s.columns[i].arrow, n, nil, 0, []*memory.Buffer{nil, memory.NewBufferBytes(b)})
		list[i] = array.MakeFromData(d)
		d.Release()
	}
	next.batch = array.NewRecordBatch(s.schema, list, int64(n))
	s.views[c.Index()] = next
	return next.batch
}
