package arrow

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanewise/lanewise/ecs"
)

var (
	// ErrInPlace is wrapped by the error for a column that cannot be shown in
	// the memory of chunks. This applies to columns of booleans, switches, shared values,
	// components that some entities lack, and numbers that are not contiguous.
	ErrInPlace = errors.New("the column does not lie in chunks as Arrow wants it")

	// ErrOver is returned by a [View] if it is used after the iteration that yielded it.
	ErrOver = errors.New("the turn of the loop is over, and the chunk may have changed")
)

// Source presents the rows of a query as a table. The owner of the world may
// use a Source any number of times.
type Source struct {
	query   *ecs.Query
	columns []column
	schema  *arrow.Schema
	views   []*shown // by index of the chunk
	turn    uint64   // of Views
	room    room
}

// New returns a source for the rows of a query with these terms. The columns
// are in the order of the terms; the package documentation lists the columns of
// each term. New panics in the same cases as [ecs.World.Query]. If a component
// has no columns, New returns an error that names the component.
func New(w *ecs.World, terms ...ecs.Term) (*Source, error) {
	columns, err := columnsOf(terms)
	if err != nil {
		return nil, err
	}
	return newSource(w.Query(terms...), columns), nil
}

func newSource(q *ecs.Query, columns []column) *Source {
	s := &Source{query: q, columns: columns}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.name, Type: c.arrow, Nullable: c.optional}
	}
	s.schema = arrow.NewSchema(fields, nil)
	return s
}

// CheckText returns an error that names the first text of a shared value that
// is not UTF-8. Texts of Arrow and Parquet must be UTF-8. For example, DuckDB
// refuses a whole file because of one invalid text. WriteStream, WriteFile, [Take] and
// package parquet call it before the first row. If you use Gathered, call it yourself
// before.
func (s *Source) CheckText() error {
	for c := range s.query.Chunks() {
		for range c.Runs() {
			for i := range s.columns {
				col := &s.columns[i]
				v := c.SharedValue(col.typ)
				if col.what != ofShared || col.arrow != arrow.BinaryTypes.String || v == nil {
					continue
				}
				text := reflect.ValueOf(v)
				for _, k := range col.index {
					text = text.Field(k)
				}
				if !utf8.ValidString(text.String()) {
					return fmt.Errorf("arrow: %s is %q, which is not UTF-8: change it, for example with strings.ToValidUTF8, or leave %v out of the terms", col.name, text.String(), col.typ)
				}
			}
			break // all rows of a chunk have one value
		}
	}
	return nil
}

// Schema returns the names and types of the columns.
func (s *Source) Schema() *arrow.Schema { return s.schema }

// Query returns the query, to count it or to set the version of its Changed terms.
func (s *Source) Query() *ecs.Query { return s.query }

// must panics for conditions that only a mistake in this package can violate.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("arrow: "+format, args...))
	}
}

// room is an Arrow allocator that keeps the memory of released batches for
// later batches. It is an allocator because Arrow tells the allocator when a batch is
// released, on any goroutine.
type room struct {
	mu   sync.Mutex
	free [][]byte
}

// most is the largest number of memory blocks that a room keeps.
const most = 256

// Allocate returns memory with unspecified contents.
func (r *room) Allocate(size int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	best := -1
	for i, b := range r.free {
		if cap(b) >= size && (best < 0 || cap(b) < cap(r.free[best])) {
			best = i
		}
	}
	if best >= 0 {
		b := r.free[best]
		r.free[best] = r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		return b[:size]
	}
	const line = 64 // Arrow requires that buffers end at multiples of it
	return make([]byte, size, (size+line-1)/line*line)
}

// Reallocate returns larger memory with the same content.
func (r *room) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	next := r.Allocate(size)
	copy(next, b)
	r.Free(b)
	return next
}

// Free keeps the memory for a later Allocate.
func (r *room) Free(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap(b) > 0 && len(r.free) < most {
		r.free = append(r.free, b[:0])
	}
}
