package snapshot

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
)

var (
	full   = flag.Bool("lanewise.full", false, "flip every bit, not one of each seventh byte")
	update = flag.Bool("lanewise.update", false, "write "+goldenFile2+" anew: only with a new version of the format")
)

const (
	goldenFile  = "testdata/v1.snapshot"
	goldenFile2 = "testdata/v2.snapshot" // with blobs, systems and pieces
)

// TestGolden checks that files of all versions can be read, and that writing the same worlds produces
// the same bytes.
//
// Conformance: 344
func TestGolden(t *testing.T) {
	for _, one := range []struct {
		file string
		w    *ecs.World
		hash uint64
		opts []Option
	}{
		{goldenFile, newFamilies(t, 40, 2), 0x17bebf6bb43ccea1, []Option{named}},
		{goldenFile2, newFullWorld(t, 40), 0xf2fa9f4401fc10cf, []Option{named, Piece("turn", []byte{3})}},
	} {
		b := bytesOf(t, imageOf(t, one.w), one.opts...)
		if *update && one.file == goldenFile2 {
			must(t, os.WriteFile(one.file, b, 0o644))
		}
		want, err := os.ReadFile(one.file)
		must(t, err)
		if !bytes.Equal(b, want) {
			t.Errorf("%s: %d other bytes, of %d", one.file, len(b), len(want))
		}
		m, err := Open(one.file, one.opts...)
		must(t, err)
		if m.Hash() != one.w.Hash() || m.Hash() != one.hash {
			t.Errorf("%s: the hash is %#x, of the world %#x, want %#x", one.file, m.Hash(), one.w.Hash(), one.hash)
		}
		if again := bytesOf(t, m, one.opts...); !bytes.Equal(again, want) {
			t.Errorf("%s: it is written as other bytes", one.file)
		}
		disposeAll(t, m)
	}
}

// Conformance: 301
// Conformance: 305
// Conformance: 308
// Conformance: 317
// Conformance: 321
// Conformance: 322
func TestThrough(t *testing.T) {
	for _, n := range []int{0, 1, 70, 1500} {
		var first []byte
		for _, workers := range []int{1, 2, 3, 8, 64} {
			w := newFamilies(t, n, workers)
			m := imageOf(t, w)
			b := bytesOf(t, m, named, OnPool(w.Pool()))
			if first == nil {
				first = b
			}
			if !bytes.Equal(b, first) {
				t.Errorf("%d entities: %d workers write other bytes", n, workers)
			}
			back, err := Read(bytes.NewReader(b), named, OnPool(w.Pool()))
			must(t, err)
			if back.Hash() != w.Hash() || back.Len() != w.Len() {
				t.Errorf("%d entities, %d workers: another hash", n, workers)
			}
			if again := bytesOf(t, back, named); !bytes.Equal(again, b) {
				t.Errorf("%d entities, %d workers: the second save has other bytes", n, workers)
			}
			fork, err := ecs.Fork(back, "fork", ecs.OnPool(w.Pool()))
			must(t, err)
			if n > 4 {
				stale := ecs.Entity{Index: 4, Version: 1} // destroyed before
				if w.Exists(stale) || fork.Exists(stale) {
					t.Errorf("%v exists", stale)
				}
			}
			for range 100 {
				if a, b := w.Spawn(Place{}), fork.Spawn(Place{}); a != b {
					t.Fatalf("the next id is %v, and was %v", b, a)
				}
			}
			for q := range w.Query(ecs.Read[Name]()).Chunks() {
				for i, e := range q.Entities() {
					_ = i
					x, err := ecs.Get[Name](w, e)
					must(t, err)
					y, err := ecs.Get[Name](fork, e)
					must(t, err)
					if x != y {
						t.Errorf("%v is %q, and was %q", e, y.Text, x.Text)
					}
				}
			}
			for _, world := range []*ecs.World{w, fork} {
				world.Spawn(Team{Name: "new"})
				for _, e := range slices.Collect(world.Entities()) {
					if _, err := ecs.Get[Left](world, e); err == nil {
						_, err := ecs.Remove[Left](world, e)
						must(t, err)
					}
				}
			}
			if fork.Hash() != w.Hash() {
				t.Errorf("%d entities, %d workers: another hash some changes later", n, workers)
			}
			must(t, fork.Close())
		}
	}
}

// leftOut reports whether byte i of a file of n bytes is not tested by a test that damages the
// bytes one by one. Without -lanewise.full, such a test damages the bytes at the beginning and at
// the end, and every seventh byte between them. Because seven is odd, each of the eight bits is
// damaged in some byte.
func leftOut(i, n int) bool { return !*full && i >= 256 && i < n-64 && i%7 != 0 }

// Conformance: 337
func TestDamage(t *testing.T) {
	w := newFullWorld(t, 6)
	b := bytesOf(t, imageOf(t, w), named, Piece("turn", []byte{3}))
	live := blob.Count()
	into := newFamilies(t, 1500, 2)
	hash, bytesLive, count := into.Hash(), into.Stats().Live, 0
	odd := false
	refused := func(what string, b []byte) {
		from := func() io.Reader {
			if odd {
				return struct{ io.Reader }{bytes.NewReader(b)} // hides that the bytes are in memory
			}
			return bytes.NewReader(b)
		}
		odd = !odd
		if m, err := Read(from(), named); err == nil || m != nil {
			t.Errorf("%s is read: %v", what, err)
		}
		if err := LoadFrom(into, from(), named); err == nil || into.Stats().Live != bytesLive {
			t.Errorf("%s is loaded, or leaves something behind: %v", what, err)
		}
		if count++; count%128 == 0 && into.Hash() != hash {
			t.Errorf("%s, or one of 127 before, has changed the world", what)
		}
	}
	for i := range b {
		if leftOut(i, len(b)) {
			continue
		}
		refused(fmt.Sprint("a cut at ", i), b[:i])
		for bit := range 8 {
			if !*full && i >= 16 && bit != i%8 {
				continue
			}
			bad := slices.Clone(b)
			bad[i] ^= 1 << bit
			refused(fmt.Sprint("a flip of bit ", bit, " of byte ", i), bad)
		}
	}
	refused("a byte more", append(slices.Clone(b), 0))
	if into.Hash() != hash {
		t.Error("the world has changed")
	}
	if n := blob.Count(); n != live {
		t.Errorf("%d blobs are left over", n-live)
	}
}

// Conformance: 338
func TestClaims(t *testing.T) {
	b := bytesOf(t, imageOf(t, newFullWorld(t, 6)), named)
	for at := 16; at+8 <= len(b); at += 7 {
		bad, from := slices.Clone(b), io.Reader(nil)
		copy(bad[at:], []byte{0, 0, 0, 0, 0, 0, 0, 16}) // 2^60
		if from = bytes.NewReader(bad); at%2 == 0 {
			from = struct{ io.Reader }{from}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := Read(from, named, Within(Limits{Room: 64 << 10}), func(o *options) { o.skipChecksums = true })
		runtime.ReadMemStats(&after)
		if err == nil {
			disposeAll(t, m)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("2^60 at byte %d of %d: %d bytes, %v", at, len(b), used, err)
		}
	}
}

// Conformance: 314
// Conformance: 327
// Conformance: 340
func TestRefused(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Place{}, Name{Text: "x"})
	m := imageOf(t, w)
	fails := func(want error, part string, err error) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("%v, want %v with %q", err, want, part)
		}
	}
	path := filepath.Join(t.TempDir(), "world")
	fails(ErrValue, "snapshot.Name", Save(path, m))
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 0 {
		t.Errorf("there is %v, %v", list, err)
	}
	b := bytesOf(t, m, Skip[Name]())
	back, err := Read(bytes.NewReader(b), Skip[Name]())
	must(t, err)
	if back.Hash() != m.Hash() {
		t.Error("another hash")
	}
	if !bytes.Equal(b, bytesOf(t, m, SkipManaged())) {
		t.Error("SkipManaged has written other bytes than Skip")
	}
	if !bytes.Equal(bytesOf(t, m, named), bytesOf(t, m, named, SkipManaged())) {
		t.Error("SkipManaged has skipped a component with a codec")
	}
	_, err = Read(bytes.NewReader(b), named)
	must(t, err)
	b[8] = Version + 1
	_, err = Read(bytes.NewReader(b), named)
	fails(ErrVersion, "3", err)
	_, err = Read(strings.NewReader("a text, and no snapshot of a world"))
	fails(ErrCorrupt, "begin", err)
	b = bytesOf(t, m, named)
	_, err = Read(bytes.NewReader(b), named, Within(Limits{Bytes: 100}))
	fails(ErrLimit, "Within", err)
	one := 1
	w.Spawn(Odd{p: &one})
	_, err = Write(&bytes.Buffer{}, imageOf(t, w), Skip[Name]())
	fails(ErrValue, "snapshot.Odd", err)
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "world")
	for _, n := range []int{5, 50} {
		stray, then := filepath.Join(dir, ".world.lanewise-1-0.tmp"), time.Now().Add(-2*time.Hour) // if files cannot be locked, only old ones are removed
		must(t, errors.Join(os.WriteFile(stray, []byte("x"), 0o600), os.Chtimes(stray, then, then)))
		m := imageOf(t, newFamilies(t, n, 2))
		must(t, Save(path, m, named))
		back, err := Open(path, named)
		must(t, err)
		if back.Hash() != m.Hash() {
			t.Error("another hash")
		}
		list, err := os.ReadDir(dir)
		must(t, err)
		if len(list) != 1 {
			t.Errorf("there is %v", list)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Save(filepath.Join(dir, "no", "world"), imageOf(t, newFamilies(t, 1, 1)), named); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(bytesOf(f, imageOf(f, newFamilies(f, 14, 1)), named))
	f.Add(bytesOf(f, imageOf(f, newFamilies(f, 1, 1)), named))
	f.Add(bytesOf(f, imageOf(f, newFullWorld(f, 9)), named, Piece("turn", []byte{3})))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(bytes.NewReader(b), named, func(o *options) { o.skipChecksums = true })
		if err != nil {
			return
		}
		defer disposeAll(t, m)
		w, err := ecs.Fork(m, "fuzz")
		if err == nil {
			must(t, w.Close())
		}
	})
}

// In these types, fields and lanes were added and removed.
type (
	OldBody struct{ Mass, Size float32 }
	Body    struct{ Size, Heat float32 }
)

// Conformance: 332
// Conformance: 334
// Conformance: 335
func TestOtherTypes(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(OldBody{1, 2}, Place{3, 4, 5})
	ecs.RegisterComponent[Body]()
	b := bytesOf(t, imageOf(t, w))
	const old = "github.com/lanewise/lanewise/ecs/snapshot.OldBody"
	_, err := Read(bytes.NewReader(b), Renamed[Body](old))
	if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "lane Mass") {
		t.Error(err)
	}
	m, err := Read(bytes.NewReader(b), Renamed[Body](old), Drop(old+".Mass"))
	must(t, err)
	fork, err := ecs.Fork(m, "fork")
	must(t, err)
	got, err := ecs.Get[Body](fork, e)
	must(t, err)
	if got != (Body{Size: 2}) {
		t.Errorf("got %v", got)
	}
	must(t, fork.Close())
	_, err = Read(bytes.NewReader(b), Renamed[OldBody]("github.com/lanewise/lanewise/ecs/snapshot.Place"))
	if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "both") {
		t.Error(err)
	}
}

// The data that a reader passes to a codec may be wrong. In that case the codec returns an error, which
// the reader must return.
func TestCodecs(t *testing.T) {
	w := newFamilies(t, 30, 2)
	m := imageOf(t, w)
	wrong := errors.New("wrong")
	_, err := Write(&bytes.Buffer{}, m, Codec(
		func(out []byte, v *Name) ([]byte, error) { return out, wrong },
		func(in []byte, v *Name) error { return nil },
	))
	if !errors.Is(err, wrong) || !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	_, err = Write(&bytes.Buffer{}, m, Codec(
		func(out []byte, v *Name) ([]byte, error) { panic("bang") },
		func(in []byte, v *Name) error { return nil },
	))
	if err == nil || !strings.Contains(err.Error(), "bang") {
		t.Error(err)
	}
	b := bytesOf(t, m, named)
	for _, decode := range []func([]byte, *Name) error{
		func([]byte, *Name) error { return wrong },
		func([]byte, *Name) error { panic("bang") },
	} {
		back, err := Read(bytes.NewReader(b), Codec(func(out []byte, v *Name) ([]byte, error) { return out, nil }, decode))
		if err == nil || back != nil {
			t.Errorf("%v, %v", back, err)
		}
	}
	_, err = Write(failing{}, m, named)
	if !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

var errDisk = errors.New("no space")

// failing refuses all bytes.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errDisk }

// Every is a shared value with a field of each kind.
type Every struct {
	ecs.Shared
	B   bool
	I   int
	I8  int8
	I16 int16
	I64 int64
	U   uint
	U8  uint8
	U32 uint32
	F32 float32
	F64 float64
	S   string
	A   [2]struct{ N int32 }
	_   int32
}

// Own is a shared value with a codec.
type Own struct {
	ecs.Shared
	n *int
}

// Conformance: 310
func TestSharedValues(t *testing.T) {
	w := newWorld(t, 1)
	freed := w.Spawn(Every{S: "freed"})
	every := Every{B: true, I: -1, I8: -2, I16: -3, I64: -4, U: 5, U8: 6, U32: 7, F32: 0.5, F64: -0.25, S: "all", A: [2]struct{ N int32 }{{8}, {-9}}}
	e := w.Spawn(every)
	must(t, w.Destroy(freed))
	b := bytesOf(t, imageOf(t, w))
	m, err := Read(bytes.NewReader(b))
	must(t, err)
	fork, err := ecs.Fork(m, "fork")
	must(t, err)
	got, err := ecs.Get[Every](fork, e)
	must(t, err)
	if got != every {
		t.Errorf("got %v, want %v", got, every)
	}
	fork.Spawn(Every{S: "new"})
	w.Spawn(Every{S: "new"})
	if !bytes.Equal(bytesOf(t, imageOf(t, fork)), bytesOf(t, imageOf(t, w))) {
		t.Error("a new value has another place")
	}
	must(t, fork.Close())
	one := 1
	w.Spawn(Own{n: &one})
	codec := Codec(
		func(out []byte, v *Own) ([]byte, error) { return append(out, byte(*v.n)), nil },
		func(in []byte, v *Own) error {
			if len(in) != 1 {
				return errors.New("one byte is wanted")
			}
			v.n = &one
			return nil
		},
	)
	m = imageOf(t, w)
	back, err := Read(bytes.NewReader(bytesOf(t, m, codec)), codec)
	must(t, err)
	if back.Hash() != m.Hash() {
		t.Error("another hash")
	}
}

// TestBigEnd simulates a big-endian machine. On such a machine, the bytes of numbers must be swapped
// when they are written and when they are read.
func TestBigEnd(t *testing.T) {
	little := littleEndian
	defer func() { littleEndian = little }()
	memory := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	s, err := shapeOf(reflect.TypeFor[struct {
		A int32
		B [2]int16
	}]())
	must(t, err)
	littleEndian, s.memoryIsFileForm = false, false
	file := s.encodeValues(nil, memory)
	if !bytes.Equal(file, []byte{4, 3, 2, 1, 6, 5, 8, 7}) {
		t.Errorf("got %v", file)
	}
	back := make([]byte, len(memory))
	s.decodeValues(back, file)
	if !bytes.Equal(back, memory) {
		t.Errorf("got %v", back)
	}
	for text, want := range map[string]int{"": 0, "f4": 4, "b1i4c16": 21} {
		if got, err := shapeSize(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"f", "x4", "f0", "f17", "4"} {
		if _, err := shapeSize(text); err == nil {
			t.Errorf("%q is a shape", text)
		}
	}
}

// Referring refers to a blob. Retyped has the same lanes as OldBody, but with another number type.
type (
	Referring struct{ Data blob.Ref[int32] }
	Retyped   struct{ Mass, Size float64 }
)

func TestOtherShapes(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Referring{})
	b := bytesOf(t, imageOf(t, w), Skip[Referring]())
	if _, err := Read(bytes.NewReader(b), Skip[Referring]()); err != nil {
		t.Error(err)
	}
	w = newWorld(t, 1)
	w.Spawn(OldBody{1, 2})
	b = bytesOf(t, imageOf(t, w))
	for what, opt := range map[string]Option{
		"was \"f4\"": Renamed[Retyped]("github.com/lanewise/lanewise/ecs/snapshot.OldBody"),
		"kind":       Renamed[On]("github.com/lanewise/lanewise/ecs/snapshot.OldBody"),
		"registered": Renamed[struct{ unheard int }]("github.com/lanewise/lanewise/ecs/snapshot.OldBody"),
	} {
		ecs.RegisterComponent[Retyped]()
		if _, err := Read(bytes.NewReader(b), opt); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Read(iotest.ErrReader(errDisk)); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	unknown := bytes.ReplaceAll(b, []byte("snapshot.OldBody"), []byte("snapshot.ODDBody"))
	if _, err := Read(bytes.NewReader(unknown), func(o *options) { o.skipChecksums = true }); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
}
