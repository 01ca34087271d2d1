package arrow

import (
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// BatchRows is the number of rows in the batches that this package writes. This number is
// so small that the columns of a batch stay in the cache.
const BatchRows = 1 << 16

// writer is the common interface of the writers of Arrow's two IPC formats.
type writer interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// WriteStream writes the rows in Arrow's IPC streaming format, for a pipe or a
// socket. The structure of the world must not change meanwhile.
func (s *Source) WriteStream(w io.Writer) error {
	if err := s.CheckText(); err != nil {
		return err
	}
	return writeAll(ipc.NewWriter(w, ipc.WithSchema(s.schema)), s.Gathered(BatchRows))
}

// WriteFile writes the rows in Arrow's IPC file format ("Feather V2"), in which
// a reader finds batches without reading all of the file.
func (s *Source) WriteFile(w io.Writer) error {
	if err := s.CheckText(); err != nil {
		return err
	}
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(s.schema))
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return writeAll(f, s.Gathered(BatchRows))
}

func writeAll(w writer, batches iter.Seq[arrow.RecordBatch]) error {
	for b := range batches {
		if err := w.Write(b); err != nil {
			_ = w.Close() // its error repeats that of Write
			return fmt.Errorf("arrow: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}
