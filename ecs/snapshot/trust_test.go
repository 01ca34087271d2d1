package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

const here = "github.com/lanewise/lanewise/ecs/snapshot."

// These are renamed types. The new names of these types sort in another order than the old names.
type (
	Thrown struct{ Mass, Size float32 } // was OldBody, before Place
	First  struct {
		ecs.Shared
		N int32
	}
	Second struct {
		ecs.Shared
		N int32
	}
	Third struct { // was First, before Second
		ecs.Shared
		N int32
	}
)

func unchecked(o *options) { o.skipChecksums = true }

// fork creates a world of a snapshot.
func fork(t *testing.T, b []byte, opts ...Option) *ecs.World {
	t.Helper()
	m, err := Read(bytes.NewReader(b), opts...)
	must(t, err)
	w, err := ecs.Fork(m, "fork")
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	return w
}

// checkHas checks a component of an entity.
func checkHas[T comparable](t *testing.T, w *ecs.World, e ecs.Entity, want T) {
	t.Helper()
	if got, err := ecs.Get[T](w, e); got != want || err != nil {
		t.Errorf("%v has %v, %v, want %v", e, got, err, want)
	}
}

// The index of a component in an archetype depends on the component's name. If a component is renamed,
// its values must still belong to it.
func TestRenamedElsewhere(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Spawn(OldBody{1, 2}, Place{3, 4, 5}, First{N: 6}, Second{N: 7})
	b := w.Spawn(OldBody{8, 9}, Place{10, 11, 12}, First{N: 13}, Second{N: 7})
	ecs.RegisterComponent[Thrown]()
	ecs.RegisterComponent[Third]()
	f := fork(t, bytesOf(t, imageOf(t, w)), Renamed[Thrown](here+"OldBody"), Renamed[Third](here+"First"))
	checkHas(t, f, a, Place{3, 4, 5})
	checkHas(t, f, a, Thrown{1, 2})
	checkHas(t, f, a, Third{N: 6})
	checkHas(t, f, b, Place{10, 11, 12})
	checkHas(t, f, b, Thrown{8, 9})
	checkHas(t, f, b, Third{N: 13})
	checkHas(t, f, b, Second{N: 7})
}

// fixChecksums corrects the checksums of a snapshot.
func fixChecksums(b []byte) []byte {
	crcs := frames.Sum(b[:16])
	for at := 16; at < len(b); {
		end := at + 12 + int(binary.LittleEndian.Uint64(b[at+4:]))
		if binary.LittleEndian.Uint32(b[at:]) == format.KindEnd {
			binary.LittleEndian.PutUint32(b[at+20:], crcs)
		}
		sum := frames.Sum(b[at:end])
		binary.LittleEndian.PutUint32(b[end:], sum)
		crcs, at = frames.Joined(crcs, sum), end+4
	}
	return b
}

// A program that declares the lanes of a component in another order has written another hash. Read must
// not report this as damage.
func TestLanesElsewhere(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(OldBody{1, 2}, Place{3, 4, 5})
	b := bytesOf(t, imageOf(t, w))
	b = bytes.Replace(b, []byte("Mass"), []byte("????"), 1)
	b = bytes.Replace(b, []byte("Size"), []byte("Mass"), 1)
	b = fixChecksums(bytes.Replace(b, []byte("????"), []byte("Size"), 1))
	f := fork(t, b)
	checkHas(t, f, e, OldBody{Mass: 2, Size: 1})
	checkHas(t, f, e, Place{3, 4, 5})
}

// The limit Room bounds the memory of buffers beyond the bytes that have arrived and the rows of
// chunks. Empty buffers and buffers that have grown by Append do not need it. A buffer whose
// capacity was enlarged needs it. The error about a limit is not of category ErrCorrupt.
func TestRoom(t *testing.T) {
	w := newWorld(t, 1)
	var last ecs.Entity
	for i := range 300 {
		last = w.Spawn(ecs.BufferOf[Item]())
		b, err := ecs.GetBuffer[Item](w, last)
		must(t, err)
		for range i {
			b.Append(Item{K: uint8(i)})
		}
	}
	none := Within(Limits{Room: 1})
	fork(t, bytesOf(t, imageOf(t, w)), none)
	b, err := ecs.GetBuffer[Item](w, last)
	must(t, err)
	b.SetCap(2*b.Len() + 1)
	if _, err := Read(bytes.NewReader(bytesOf(t, imageOf(t, w))), none); !errors.Is(err, ErrLimit) || errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "Item") {
		t.Error(err)
	}
}

// A forged file may have the heads of several chunks but the rows of only one. Read must refuse such a
// file.
func TestForgedHeads(t *testing.T) {
	const chunks, rows = 4000, 1000
	var all, o frames.Out
	all.Buf = append(all.Buf, format.Magic[:]...)
	all.U32(Version)
	all.U32(0)
	frame := func(kind uint32, fill func()) {
		o.Begin(kind)
		fill()
		o.End()
		all.Buf = append(all.Buf, o.Buf...)
	}
	words := func(n int) {
		for range n {
			o.U32(0)
		}
	}
	frame(format.KindSchema, func() { words(1) })
	frame(format.KindState, func() { words(5) })
	frame(format.KindShared, func() { words(1) })
	frame(format.KindArchetypes, func() {
		o.Count(1)
		words(4)
		o.Count(1)
		words(4)
		o.Count(chunks)
	})
	frame(format.KindRows, func() {
		words(2)
		o.Count(chunks)
		for range chunks {
			o.Count(rows)
			words(4)
			o.U64(8 * rows)
		}
		words(2 * rows)
	})
	frame(format.KindEnd, func() { words(5) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(bytes.NewReader(all.Buf), unchecked)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 || !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "rows in") {
		t.Errorf("%d bytes of %d, %v", used, len(all.Buf), err)
	}
}

// Versions wrap around, and a chunk that is not written keeps its version.
func TestAges(t *testing.T) {
	const now = 1<<31 + 1000
	w := &writer{state: ecs.ImageState{Version: now}}
	for _, v := range []uint32{0, 5, now - 10, now - 20, now + 7} {
		w.noteVersion(v)
	}
	for v, want := range map[uint32]uint32{0: 0, now - 10: 1, now - 11: 2, 5: maxAge, now + 7: maxAge, now - 8 - maxAge: maxAge - 1} {
		if got := w.ageOf(v); got != want {
			t.Errorf("the age of %d is %d, want %d", v, got, want)
		}
	}
}

// slowly sometimes returns no bytes.
type slowly struct {
	io.Reader
	calls int
}

func (s *slowly) Read(b []byte) (int, error) {
	if s.calls++; s.calls%2 == 0 {
		return 0, nil
	}
	return s.Reader.Read(b)
}

// The reader checks whether bytes follow the end of the file. At that point, a stream may return no
// bytes without an error, or may fail.
func TestStreamEnds(t *testing.T) {
	b := bytesOf(t, imageOf(t, newFamilies(t, 5, 1)), named)
	for calls := range 2 {
		_, err := Read(&slowly{bytes.NewReader(b), calls}, named)
		must(t, err)
	}
	_, err := Read(io.MultiReader(bytes.NewReader(b), iotest.ErrReader(errDisk)), named)
	if !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

// A codec that panics causes an error, also for shared values. The error wraps the value of the panic
// if that is an error.
func TestSharedCodecPanics(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Own{n: new(int)})
	fine := func(out []byte, _ *Own) ([]byte, error) { return out, nil }
	m := imageOf(t, w)
	for _, value := range []any{"bang", errors.New("bang")} {
		bang := func([]byte, *Own) error { panic(value) }
		_, err := Write(io.Discard, m, Codec(func([]byte, *Own) ([]byte, error) { panic(value) }, bang))
		if !errors.Is(err, ErrValue) || !strings.HasSuffix(err.Error(), "has panicked: bang") {
			t.Error(err)
		}
		if cause, is := value.(error); is && !errors.Is(err, cause) {
			t.Errorf("write: the error %q does not wrap the value of the panic", err)
		}
		_, err = Read(bytes.NewReader(bytesOf(t, m, Codec(fine, bang))), Codec(fine, bang))
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "has panicked: bang") {
			t.Error(err)
		}
		if cause, is := value.(error); is && !errors.Is(err, cause) {
			t.Errorf("read: the error %q does not wrap the value of the panic", err)
		}
	}
}

// A name in a file may be very long, but it is compared with only a few other names.
func TestLongName(t *testing.T) {
	if _, err := ecs.ComponentByName(strings.Repeat("n", 16<<20)); !errors.Is(err, ecs.ErrArgument) {
		t.Error("it is found")
	}
}

// A replaced file keeps its permissions, and symbolic links to it keep pointing to it.
func TestSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "world"), filepath.Join(dir, "link")
	m := imageOf(t, newFamilies(t, 5, 1))
	must(t, Save(path, m, named))
	must(t, os.Chmod(path, 0o640))
	if os.Symlink("world", link) != nil {
		link = path // some users may not create links
	}
	must(t, Save(link, m, named))
	info, err := os.Lstat(path)
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if info, err := os.Lstat(link); err != nil || link != path && info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	_, err = Open(link, named)
	must(t, err)
}
