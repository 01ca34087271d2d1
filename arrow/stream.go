package arrow

import (
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// BatchRows is how many rows the batches have that this package writes: few enough for the
// columns of one to stay in a processor's cache.
const BatchRows = 1 << 16

// writer is what both forms of Arrow's IPC are written by.
type writer interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// WriteStream writes the rows in the streaming form of Arrow's IPC, as a pipe or a socket wants
// it. The structure of the world must not change meanwhile.
func (s *Source) WriteStream(w io.Writer) error {
	if err := s.CheckText(); err != nil {
		return err
	}
	return writeAll(ipc.NewWriter(w, ipc.WithSchema(s.schema)), s.Gathered(BatchRows))
}

// WriteFile writes the rows in the file form of Arrow's IPC ("Feather V2"), whose batches a
// reader can find without reading all.
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
			_ = w.Close() // what it says is why Write failed
			return fmt.Errorf("arrow: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}
