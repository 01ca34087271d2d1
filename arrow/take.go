package arrow

import (
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
)

// MediaType is that of Arrow's streaming form.
const MediaType = "application/vnd.apache.arrow.stream"

// MostTaken is how many rows [Take] copies at most.
const MostTaken = 4 << 20

// Take copies the rows that match the terms, and returns what writes them as a stream. It is the
// table form of the inspector:
//
//	inspect.Serve(ctx, "localhost:6060", os.Stderr, inspect.Tables("arrow", arrow.MediaType, arrow.Take))
//
// The world must not change while Take runs, and may while the rows are written. It refuses a table
// of more than [MostTaken] rows.
func Take(w *ecs.World, terms ...ecs.Term) (write func(io.Writer) error, err error) {
	const owner = "a table of package arrow"
	defer func() {
		if p := recover(); p != nil { // the terms are somebody's who asks from outside
			wrong, ok := p.(*ecs.Error)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("arrow: %w", wrong)
		}
	}()
	columns, err := columnsOf(terms)
	if err != nil {
		return nil, err
	}
	s := newSource(w.Plumbing().QueryFor(owner, terms...), columns)
	defer func() {
		if e := w.Plumbing().CloseQueries(owner); err == nil && e != nil {
			err = fmt.Errorf("arrow: %w", e)
		}
	}()
	if n := s.query.Count(); n > MostTaken {
		return nil, fmt.Errorf("arrow: a table of %d rows: %d are the most: write it from the program, with Source.WriteFile", n, MostTaken)
	}
	var list []arrow.RecordBatch
	for b := range s.Gathered(BatchRows) {
		b.Retain()
		list = append(list, b)
	}
	return func(out io.Writer) error {
		defer func() {
			for _, b := range list {
				b.Release()
			}
			list = nil
		}()
		return writeAll(ipc.NewWriter(out, ipc.WithSchema(s.schema)), slices.Values(list))
	}, nil
}
