package scene

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/internal/atomicfile"
	"github.com/lanewise/lanewise/jobs"
)

// Suffix is appended to the name of a text to form the name of its baked file.
const Suffix = ".baked"

// ReadFile reads a scene. The parameter name is the name of the text. If a baked file is next to
// the text, ReadFile reads the baked file, because that is faster. ReadFile reads the baked file
// only if neither the text nor the form of its components has changed. If the baked file has a
// fault, ReadFile reads the text and returns no error. If there is no text, ReadFile reads only
// the baked file.
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

// readText reads a text. It refuses a file that is not regular. For example, a pipe without a
// writer would block the reader permanently, and a process reads at most four scenes at the same
// time.
func readText(files fs.FS, name string) ([]byte, error) {
	if err := requireRegular(fs.Stat(files, name)); err != nil {
		return nil, err
	}
	return fs.ReadFile(files, name)
}

// requireRegular returns an error if the file does not exist or is not regular.
func requireRegular(info fs.FileInfo, err error) error {
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

// errOtherSource says that a baked file belongs to another text, or that the form of its components
// has changed.
var errOtherSource = errors.New("it was made of another text, or of components that have changed since")

// readBaked opens and reads a baked file. If sum is not nil, it must be the sum of the text from
// which the file was baked.
func readBaked(files fs.FS, name string, sum *[sha256.Size]byte, opts []Option) (b *Baked, err error) {
	if err := requireRegular(fs.Stat(files, name)); err != nil {
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
	if b, err = readFrames(f, size, sum, optionsOf("ReadFile", opts)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// BakeFile reads a scene as [ReadFile] does, but from the file system of the operating system.
// BakeFile also updates the baked file next to the text. Both files must be regular. If the
// program is interrupted, either the old baked file or the new one exists. The result anew
// reports whether BakeFile has written the baked file.
func BakeFile(path string, opts ...Option) (b *Baked, anew bool, err error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if err := requireRegular(os.Stat(path)); err != nil {
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
	if err := requireRegular(os.Stat(path + Suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	return replaceFile(path, strings.TrimSuffix(path, Suffix), b.Write)
}

// replaceFile writes a file completely or leaves it unchanged. If the file is new, it gets the
// permissions of the file named like.
func replaceFile(path, like string, write func(io.Writer) error) error {
	o := atomicfile.Options{Sync: true}
	if old, err := os.Stat(like); err == nil {
		o.Mode = old.Mode().Perm()
	}
	var refused error // the error of write, which is returned as it is
	err := atomicfile.Write(path, o, func(to io.Writer) error {
		refused = write(to)
		return refused
	})
	if err != nil && refused == nil {
		return errorf("%w", err)
	}
	return err
}

// ReadBaked reads a scene that [Baked.Write] has written. The error is of category [ErrCorrupt] or
// [ErrVersion], or is an error of package snapshot. If the form of a component has changed, the
// error names the component.
func ReadBaked(from io.Reader, opts ...Option) (*Baked, error) {
	size := int64(0)
	if own, is := from.(interface{ Len() int }); is {
		size = int64(own.Len())
	}
	return readFrames(from, size, nil, optionsOf("ReadBaked", opts))
}

// readToMemory reads the rest of a stream into memory if its size is known, because a snapshot in
// memory is decoded in place. The memory is from a pool. The caller calls done when nothing refers
// to the memory any more.
func readToMemory(from io.Reader, size int64) (all io.Reader, done func(), err error) {
	if size <= 0 || size > 1<<30 {
		return bufio.NewReaderSize(from, 1<<20), func() {}, nil
	}
	lent := fileBuffers.Get().(*bytes.Buffer)
	done = func() { fileBuffers.Put(lent) }
	lent.Reset()
	lent.Grow(int(size) + bytes.MinRead)
	if _, err := lent.ReadFrom(from); err != nil {
		done()
		return nil, nil, errorf("%w", err)
	}
	return lent, done, nil
}

// fileBuffers is a pool of buffers for files. The operating system would provide new memory page by
// page and clear it. New memory took longer than all checks of the file.
var fileBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Version is the version of the format of baked files that [Baked.Write] writes. ReadBaked reads
// this version and all earlier ones.
const Version = 1

// magic is at the beginning of every baked file.
var magic = [8]byte{0x89, 'L', 'W', 'B', '\r', '\n', 0x1a, '\n'}

// These are the kinds of frames, in their order in the file.
const (
	kindHead = 1 + iota
	kindReferences
)

// maxFrameBytes is the largest size of the frame of the head and of the frame of references. The
// image has its own limits.
const maxFrameBytes = 1 << 30

// Write writes the scene to a stream, for [ReadBaked]. Equal scenes produce equal bytes on every
// machine. Write does not close the stream.
func (b *Baked) Write(to io.Writer) error {
	head := append([]byte(nil), magic[:]...)
	head = binary.LittleEndian.AppendUint32(head, Version)
	if _, err := to.Write(head); err != nil {
		return errorf("%w", err)
	}
	var o frames.Out
	o.Begin(kindHead)
	o.Buf = append(o.Buf, b.textSum[:]...)
	o.U32(uint32(b.namedCount))
	o.U32(uint32(b.prefabCount))
	o.U32(uint32(len(b.schema)))
	for _, s := range b.schema {
		o.Text(s.name)
		o.Text(s.fullName)
		o.Buf = append(o.Buf, s.fingerprint[:]...)
	}
	if err := o.Send(to); err != nil {
		return errorf("%w", err)
	}
	o.Begin(kindReferences)
	o.U32(uint32(len(b.externalRefs)))
	for _, r := range b.externalRefs {
		o.U32(uint32(r.From.Index))
		o.Text(nameOf(r.Type))
		o.U32(uint32(len(r.Path)))
		for _, i := range r.Path {
			o.U32(uint32(i))
		}
		o.Text(r.Scene)
		o.Text(r.Name)
	}
	if err := o.Send(to); err != nil {
		return errorf("%w", err)
	}
	if _, err := snapshot.Write(to, b.image, b.options.snapshot(fileCatalog())...); err != nil {
		return errorf("%w", err)
	}
	return nil
}

// corrupt returns an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return errorf("%w: %s", ErrCorrupt, fmt.Sprintf(text, args...))
}

// nextFrame reads a frame of the given kind.
func nextFrame(from *frames.Reader, kind uint32) (*frames.In, error) {
	f, err := from.Next(nil)
	switch {
	case err != nil:
		return nil, streamError(err)
	case f.Kind() != kind:
		return nil, corrupt("a frame is of another kind than it should be")
	case !f.Whole():
		return nil, corrupt("the checksum of a frame is another one")
	}
	return f.Body(), nil
}

// streamError converts an error of a reader of frames.
func streamError(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return corrupt("a frame says that it has %d bytes; the limit is %d", long.Bytes, maxFrameBytes)
	}
	if frames.Ended(err) {
		return corrupt("it ends in the middle")
	}
	return errorf("%w", err)
}

// readFrames reads a baked file. The parameter size is the size of the file, or negative if the
// size is unknown. If sum is not nil, it must be the sum of the text from which the file was baked.
func readFrames(from io.Reader, size int64, sum *[sha256.Size]byte, o *options) (*Baked, error) {
	var head [12]byte
	stream := &frames.Reader{Source: from, MaxPayload: maxFrameBytes}
	if err := stream.Full(head[:]); err != nil {
		return nil, streamError(err)
	}
	if !bytes.Equal(head[:8], magic[:]) {
		return nil, corrupt("it begins with other bytes")
	}
	switch v := binary.LittleEndian.Uint32(head[8:]); {
	case v > Version:
		return nil, errorf("%w: it has version %d; this program reads up to %d", ErrVersion, v, Version)
	case v == 0:
		return nil, corrupt("it has version 0")
	}
	b := &Baked{options: o}
	n, err := b.readHead(stream)
	if err != nil {
		return nil, err
	}
	known := fileCatalog()
	if sum != nil && (*sum != b.textSum || !known.sameForms(b.schema)) {
		return nil, errOtherSource
	}
	if err := b.readReferences(stream, n, known); err != nil {
		return nil, err
	}
	all, done, err := readToMemory(from, size)
	if err != nil {
		return nil, err
	}
	b.image, err = snapshot.Read(all, o.snapshot(known)...)
	if done(); err != nil {
		return nil, errorf("%w", err)
	}
	return b, b.checkNames(n)
}

// readHead reads the head and returns the number of names.
func (b *Baked) readHead(from *frames.Reader) (n int, err error) {
	d, err := nextFrame(from, kindHead)
	if err != nil {
		return 0, err
	}
	copy(b.textSum[:], d.Take(sha256.Size))
	entries, prefabs := d.U32(), d.U32()
	b.schema = make([]componentForm, d.Count(40))
	for i := range b.schema {
		s := &b.schema[i]
		s.name, s.fullName = d.Text(), d.Text()
		copy(s.fingerprint[:], d.Take(sha256.Size))
	}
	if !d.Done() || entries > 1<<31-1 || prefabs > entries {
		return 0, corrupt("the head is not whole")
	}
	b.prefabCount = int(prefabs)
	return int(entries), nil
}

// readReferences reads the references to entities outside of the scene.
func (b *Baked) readReferences(from *frames.Reader, n int, known *catalog) error {
	d, err := nextFrame(from, kindReferences)
	if err != nil {
		return err
	}
	for range d.Count(20) {
		index := d.U32()
		name := d.Text()
		r := Reference{Path: make([]int, d.Count(4))}
		for i := range r.Path {
			r.Path[i] = int(d.U32() & (1<<31 - 1))
		}
		r.Scene, r.Name = d.Text(), d.Text()
		if d.Failed || index >= uint32(n) {
			return corrupt("a reference is not whole")
		}
		own := known.byName[name]
		if own == nil || own.componentInfo == nil {
			return errorf("a reference is in a component %q, which is not registered: see ecs.RegisterComponent", name)
		}
		r.From, r.Type = entryID(int32(index)), own.Type
		b.externalRefs = append(b.externalRefs, r)
	}
	if !d.Done() {
		return corrupt("the references end too early or too late")
	}
	return nil
}

// checkNames returns an error unless the first n entities of the image have names.
func (b *Baked) checkNames(n int) error {
	if n > b.image.Len() {
		return corrupt("it has %d names, and the image %d entities", n, b.image.Len())
	}
	b.namedCount = n
	var least atomic.Int32 // the first entity without a name: jobs lower it, and the caller reads it after the jobs
	least.Store(int32(n))
	err := jobs.Default().Range(n, 4096, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if b.nameOfEntry(int32(i)) != "" {
				continue
			}
			for old := least.Load(); int32(i) < old && !least.CompareAndSwap(old, int32(i)); old = least.Load() {
			}
			return
		}
	})
	if first := least.Load(); err == nil && int(first) < n {
		err = corrupt("entity %v has no name", entryID(first))
	}
	return err
}
