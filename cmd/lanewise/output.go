package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// An output is a file that a command will write. The command creates the file
// before it does its work, so that a wrong path is found early. The file gets
// its name when it is complete. Until then, and after a failure, the old file
// stays.
type output struct {
	path string // as in the command line
	file *atomicfile.File
}

func newOutput(path string) (*output, error) {
	f, err := atomicfile.Create(path, atomicfile.Options{})
	if err != nil {
		return nil, err
	}
	return &output{path, f}, nil
}

// sameFile reports whether two paths lead to the same file. The file need not
// exist.
func sameFile(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib) && (ia.Mode().IsRegular() || ia.IsDir()) // two outputs may share a device
	}
	a, errA = filepath.Abs(atomicfile.Resolve(a))
	b, errB = filepath.Abs(atomicfile.Resolve(b))
	return errA == nil && errB == nil && a == b
}

// write calls body to write the contents of the file, and gives the file its name unless ctx ends first.
func (o *output) write(ctx context.Context, body func(io.Writer) error) error {
	defer o.drop()
	w := bufio.NewWriterSize(heeding{ctx: ctx, w: o.file}, 1<<20)
	if err := body(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil { // not after a failure, because it would repeat that error
		return err
	}
	return o.file.Commit()
}

// drop removes a file that was not written.
func (o *output) drop() { _ = o.file.Drop() }
