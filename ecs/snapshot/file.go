package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/internal/atomicfile"
)

// Save writes an image to a file: beside it first, then in its place, so that whatever happens
// the old file is there, or the new one. What earlier calls have left beside it when their
// process was killed is removed. The new file has the
// permissions of the old one; without one it is for its owner alone. A symbolic link stays, and
// the file that it leads to is written, which need not be there yet. Save returns when the disk has the file.
func Save(path string, m *ecs.Image, opts ...Option) error {
	var refused error // by Write: it says what is wrong itself
	err := atomicfile.Write(path, atomicfile.Options{Mode: 0o600, Sync: true}, func(to io.Writer) error {
		_, refused = Write(to, m, opts...)
		return refused
	})
	if err != nil && refused == nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return err
}

// Open reads the image in a file, which errors name: those of Read, and those of the file system.
func Open(path string, opts ...Option) (m *ecs.Image, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, err = Read(bufio.NewReaderSize(f, 1<<20), opts...)
	return m, frames.OfFile("snapshot", path, err)
}
