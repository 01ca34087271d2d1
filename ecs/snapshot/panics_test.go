package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/system"
)

// fuse makes one of many calls panic.
type fuse struct{ left atomic.Int64 }

func (f *fuse) burn() {
	if f.left.Add(-1) == 0 {
		panic("bang")
	}
}

// runEach repeats do: in the first run the first call panics, in the second run the second call, and
// so on until no call panics. Each panic must become an error, or leave the function do as a panic.
// After each run, the function check looks for other damage.
func (f *fuse) runEach(t *testing.T, do func() error, check func()) {
	t.Helper()
	for k := int64(1); k < 1000; k++ {
		f.left.Store(k)
		err := func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("panic: %v", v)
				}
			}()
			return do()
		}()
		if f.left.Load() > 0 {
			if f.left.Store(0); err != nil || k == 1 {
				t.Errorf("no panic in run %d: %v", k, err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), "bang") {
			t.Fatalf("call %d: %v", k, err)
		}
		check()
	}
	t.Error("there is no end")
}

type burningStream struct {
	*fuse
	io.Reader
	io.Writer
}

func (s burningStream) Read(b []byte) (int, error)  { s.burn(); return s.Reader.Read(b) }
func (s burningStream) Write(b []byte) (int, error) { s.burn(); return s.Writer.Write(b) }

// TestEachCallPanics lets each call of a program's function panic. After the panic there must be no
// image and no additional blob, and the next attempt must succeed.
func TestEachCallPanics(t *testing.T) {
	f := &fuse{}
	w := newFullWorld(t, 25)
	m, hash, live := imageOf(t, w), w.Hash(), blob.Count()
	plain := func(out []byte, v *Name) ([]byte, error) { return append(out, v.Text...), nil }
	set := func(in []byte, v *Name) error { v.Text = string(in); return nil }
	file := bytesOf(t, m, Codec(plain, set))
	encode := Codec(func(out []byte, v *Name) ([]byte, error) { f.burn(); return plain(out, v) }, set)
	decode := Codec(plain, func(in []byte, v *Name) error { f.burn(); return set(in, v) })
	ecs.RegisterComponent[Deep]()
	ecs.RegisterComponent[Wide]()
	old, _ := newOldWorld(t, 400)
	flat := bytesOf(t, imageOf(t, old), named)
	read := func(from io.Reader, opts ...Option) error {
		m, err := Read(from, opts...)
		if err == nil {
			disposeAll(t, m)
		} else if m != nil {
			t.Error("there is an image")
		}
		return err
	}
	into := newFamilies(t, 100, 2)
	before, bytesLive := into.Hash(), into.Stats().Live
	load := func(opts ...Option) error {
		m, err := readFor(into, bytes.NewReader(file), opts)
		if err == nil {
			disposeAll(t, m)
			must(t, m.Release())
		}
		if into.Hash() != before || into.Stats().Live != bytesLive {
			t.Error("the world has changed")
		}
		must(t, into.Destroy(into.Spawn(Flag{})))          // the world can be changed again
		before, bytesLive = into.Hash(), into.Stats().Live // the guard build keeps freed memory for some time
		return err
	}
	dir := t.TempDir()
	path, earlier := filepath.Join(dir, "world"), []byte("the file before")
	must(t, os.WriteFile(path, earlier, 0o600))
	save := func() error { // a panic of encode leaves the old file, and no other file
		saved := false
		defer func() {
			want := earlier
			if saved {
				want = file
			}
			entries, err := os.ReadDir(dir)
			must(t, err)
			got, err := os.ReadFile(path)
			must(t, err)
			if len(entries) != 1 || !bytes.Equal(got, want) {
				t.Errorf("there are %d files, and the one has %d bytes, want %d", len(entries), len(got), len(want))
			}
		}()
		err := Save(path, m, encode)
		saved = err == nil
		return err
	}
	open := func() error {
		m, err := Open(path, decode)
		if err == nil {
			disposeAll(t, m)
		} else if m != nil {
			t.Error("there is an image")
		}
		return err
	}
	for _, test := range []struct {
		name string
		do   func() error
	}{
		{"encode into a file", save},
		{"decode a file", open},
		{"decode into a world", func() error { return load(decode) }},
		{"encode", func() error { _, err := Write(io.Discard, m, encode); return err }},
		{"decode", func() error { return read(bytes.NewReader(file), decode) }},
		{"the stream of Write", func() error {
			_, err := Write(burningStream{f, nil, io.Discard}, m, Codec(plain, set))
			return err
		}},
		{"the stream of Read", func() error { return read(burningStream{f, bytes.NewReader(file), nil}, Codec(plain, set)) }},
		{"Migrate and Recut", func() error {
			return read(bytes.NewReader(flat), named, Recut(func([]reflect.Type, int, int) { f.burn() }),
				Migrate(here+"Flat", func(in []flat1, out []Deep) error { f.burn(); return deepen(in, out) }),
				Migrate(here+"Bit", func(in []bit1, out []Wide) error { f.burn(); return widen(in, out) }))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f.runEach(t, test.do, func() {
				if n := blob.Count(); n != live || w.Hash() != hash {
					t.Fatalf("there are %d blobs, and were %d", n, live)
				}
			})
		})
	}
	if !bytes.Equal(bytesOf(t, m, Codec(plain, set)), file) {
		t.Error("the image has changed")
	}
}

// Two systems with saved state.
type (
	burning struct {
		*fuse
		n byte
	}
	burnsFirst  struct{ burning }
	burnsSecond struct{ burning }
)

func (b *burning) Create(*system.Setup) error    { return nil }
func (b *burning) Update(*system.Frame) error    { b.n++; return nil }
func (b *burning) AppendState(out []byte) []byte { b.burn(); return append(out, b.n) }
func (b *burning) LoadState(in []byte) error     { b.burn(); b.n = in[0]; return nil }

// TestSaversPanic checks that Capture returns either a complete image or none. It also checks that
// Restore restores either all systems of a world or none.
func TestSaversPanic(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(system.Of[burnsFirst](), system.Of[burnsSecond]()))
	must(t, err)
	t.Cleanup(func() { must(t, w.Close()) })
	f := &fuse{}
	a, b := &system.Find[burnsFirst](w).burning, &system.Find[burnsSecond](w).burning
	a.fuse, b.fuse = f, f
	w.Spawn(Place{X: 1})
	must(t, system.Update(w))
	m := imageOf(t, w)
	w.Spawn(Place{X: 2})
	must(t, system.Update(w))
	hash := w.Hash()
	same := func() {
		t.Helper()
		if w.Hash() != hash || a.n != 2 || b.n != 2 {
			t.Fatalf("the world has changed: %d, %d", a.n, b.n)
		}
	}
	f.runEach(t, func() error { _, err := ecs.Capture(w, m); return err }, same)
	f.runEach(t, func() error { return system.Restore(w, m) }, same)
	if a.n != 1 || b.n != 1 || w.Hash() != m.Hash() {
		t.Error("the world is not restored")
	}
}

// A blob that refers to another one is not written, because the reference is a number of this
// process. The error names its type.
func TestBlobInBlob(t *testing.T) {
	ring := newRoute(t, "ring", 3)
	b := blob.New(func(_ *blob.Builder, v *network) { v.Ring = ring })
	t.Cleanup(func() { must(t, b.Dispose()) })
	w := newWorld(t, 1)
	w.Spawn(Place{})
	must(t, ecs.Add(w, w.Spawn(), Served{b}))
	var out bytes.Buffer
	if _, err := Write(&out, imageOf(t, w)); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "network") || out.Len() > 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

type (
	network struct{ Ring blob.Ref[Route] }
	Served  struct{ By blob.Ref[network] }
)
