package scene

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// Suffix is what the name of a baked file has behind that of the text.
const Suffix = ".baked"

// ReadFile reads a scene: name is that of the text. If there is a baked file beside it that was
// made of the same text, and of components that look the same now, that is read, and what is wrong with
// it is no error: the text is there. Without a text the baked file alone is read.
func ReadFile(files fs.FS, name string, opts ...Option) (*Baked, error) {
	text, err := readText(files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b, bakedErr := readBaked(files, name+Suffix, nil, opts)
		if errors.Is(bakedErr, fs.ErrNotExist) {
			return nil, errorf("%w, and no %s", err, name+Suffix)
		}
		return b, bakedErr
	case err != nil:
		return nil, errorf("%w", err)
	}
	sum := sha256.Sum256(text)
	if b, err := readBaked(files, name+Suffix, &sum, opts); err == nil {
		return b, nil
	}
	d, err := Parse(name, text, opts...)
	if err != nil {
		return nil, err
	}
	return d.Bake(opts...)
}

// readText reads a text. A file that is not regular is not read: a pipe to which nothing writes would keep a reader permanently, and all scenes of the process
// have four of them.
func readText(files fs.FS, name string) ([]byte, error) {
	if err := regular(fs.Stat(files, name)); err != nil {
		return nil, err
	}
	return fs.ReadFile(files, name)
}

// regular returns an error if there is no file, or it is not regular.
func regular(info fs.FileInfo, err error) error {
	if err != nil {
		return err
	}
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	default:
		kind = "a device, or of another kind"
	}
	return fmt.Errorf("%s is %s: a scene is a regular file", info.Name(), kind)
}

// errOther says that a baked file is of another text, or of other components.
var errOther = errors.New("it was made of another text, or of components that have changed since")

// readBaked opens and reads a baked file; if sum is given that of the text.
func readBaked(files fs.FS, name string, sum *[sha256.Size]byte, opts []Option) (b *Baked, err error) {
	if err := regular(fs.Stat(files, name)); err != nil {
		return nil, errorf("%w", err)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, errorf("%w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if b, err = read(f, size, sum, optionsOf("ReadFile", opts)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// BakeFile reads a scene as [ReadFile] does, from the directory of the text in the file system of the
// machine, and sees to it that the baked file beside it is that of the text. Both must be regular files. It is replaced
// whatever happens, the old one is there, or the new one. Anew reports whether it was.
func BakeFile(path string, opts ...Option) (b *Baked, anew bool, err error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if err := regular(os.Stat(path)); err != nil {
		return nil, false, errorf("%w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false, errorf("%w", err)
	}
	sum := sha256.Sum256(text)
	if b, err := readBaked(os.DirFS(dir), name+Suffix, &sum, opts); err == nil {
		return b, false, nil
	}
	if err := regular(os.Stat(path + Suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, errorf("%w", err)
	}
	d, err := Parse(path, text, opts...)
	if err != nil {
		return nil, false, err
	}
	if b, err = d.Bake(opts...); err != nil {
		return nil, false, err
	}
	if err := b.save(path + Suffix); err != nil {
		return nil, false, err
	}
	return b, true, nil
}

// save writes the baked file.
func (b *Baked) save(path string) error {
	return replace(path, strings.TrimSuffix(path, Suffix), b.Write)
}

// replace writes a file whole or not at all. A new one has the permissions of another file.
func replace(path, like string, write func(io.Writer) error) error {
	o := atomicfile.Options{Sync: true}
	if old, err := os.Stat(like); err == nil {
		o.Mode = old.Mode().Perm()
	}
	var refused error // by write: it says what is wrong itself
	err := atomicfile.Write(path, o, func(to io.Writer) error {
		refused = write(to)
		return refused
	})
	if err != nil && refused == nil {
		return errorf("%w", err)
	}
	return err
}

// ReadBaked reads what [Baked.Write] has written. The error is of category [ErrCorrupt] or
// [ErrVersion], one of package snapshot, or says which component looks different now.
func ReadBaked(from io.Reader, opts ...Option) (*Baked, error) {
	size := int64(0)
	if own, is := from.(interface{ Len() int }); is {
		size = int64(own.Len())
	}
	return read(from, size, nil, optionsOf("ReadBaked", opts))
}

// inMemory reads the rest of a stream into memory, if its size is known: a snapshot is decoded where it lies then. The memory is
// lent: what does not look at it any more calls done.
func inMemory(from io.Reader, size int64) (all io.Reader, done func(), err error) {
	if size <= 0 || size > 1<<30 {
		return bufio.NewReaderSize(from, 1<<20), func() {}, nil
	}
	lent := memories.Get().(*bytes.Buffer)
	done = func() { memories.Put(lent) }
	lent.Reset()
	lent.Grow(int(size) + bytes.MinRead)
	if _, err := lent.ReadFrom(from); err != nil {
		done()
		return nil, nil, errorf("%w", err)
	}
	return lent, done, nil
}

// memories is memory for files. Fresh memory is cleared first, and taken from the system page by page: that took longer than all checks
// of what is read into it.
var memories = sync.Pool{New: func() any { return new(bytes.Buffer) }}
