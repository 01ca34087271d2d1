package arrow

import (
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
)

// MediaType is the media type of Arrow's IPC streaming format.
const MediaType = "application/vnd.apache.arrow.stream"

// MostTaken is the largest number of rows that [Take] accepts.
const MostTaken = 4 << 20

// Take begins to copy the rows that match the terms. It returns two functions: piece
// copies rows piece by piece, and write writes the copied rows as a stream. Pass Take to
// the inspector to add a table format:
//
//	inspect.Serve(ctx, "localhost:6060", os.Stderr, inspect.Tables("arrow", arrow.MediaType, arrow.Take))
//
// Piece copies at least one chunk. A call stops when over returns true, and reports whether
// there are more chunks. The world must not change while piece runs. The table may change
// between two pieces and while the rows are written. Each batch has the values of the time
// when its piece was copied. If rows were added or removed meanwhile, everything is copied
// again, so that the table has each row once. The third copy is made in one piece. Piece
// refuses a table of more than [MostTaken] rows.
func Take(w *ecs.World, terms ...ecs.Term) (piece func(over func() bool) (more bool, err error), write func(io.Writer) error, err error) {
	columns, err := columnsOf(terms)
	if err != nil {
		return nil, nil, err
	}
	t := &taken{world: w, terms: terms, columns: columns}
	return t.piece, t.write, nil
}

// taken holds the state of a table that is being copied.
type taken struct {
	world   *ecs.World
	terms   []ecs.Term
	columns []column

	schema *arrow.Schema
	list   []arrow.RecordBatch
	next   int    // chunk
	orders uint32 // number of structural changes when the copy began
	began  int    // how often
}

// mostBegun is the largest number of attempts to copy a table: the last attempt
// copies the table in one piece.
const mostBegun = 3

func (t *taken) piece(over func() bool) (more bool, err error) {
	const owner = "a table of package arrow"
	defer func() {
		if p := recover(); p != nil { // the terms come from a request
			wrong, ok := p.(*ecs.Error)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("arrow: %w", wrong)
		}
		if err != nil {
			t.drop()
		}
	}()
	// End the query with each piece, because the client may disconnect between
	// two pieces.
	s := newSource(t.world.Scheduler().Query(owner, t.terms...), t.columns)
	defer func() {
		if e := t.world.Scheduler().CloseQueries(owner); err == nil && e != nil {
			err = fmt.Errorf("arrow: %w", e)
		}
	}()
	if n := s.query.Count(); n > MostTaken {
		return false, fmt.Errorf("arrow: a table of %d rows: %d are the most: write it from the program, with Source.WriteFile", n, MostTaken)
	}
	if orders := s.query.OrderCount(); t.began == 0 || orders != t.orders {
		t.drop()
		t.schema, t.next, t.orders = s.schema, 0, orders
		t.began++
	}
	if t.next == 0 {
		if err := s.CheckText(); err != nil {
			return false, err
		}
	}
	if t.began == mostBegun {
		over = nil
	}
	t.next, _ = s.gather(t.next, BatchRows, over, func(b arrow.RecordBatch) bool {
		b.Retain()
		t.list = append(t.list, b)
		return true
	})
	return t.next < s.query.ChunkCount(), nil
}

// drop releases the copied batches.
func (t *taken) drop() {
	for _, b := range t.list {
		b.Release()
	}
	t.list = nil
}

func (t *taken) write(out io.Writer) error {
	defer t.drop()
	return writeAll(ipc.NewWriter(out, ipc.WithSchema(t.schema)), slices.Values(t.list))
}
