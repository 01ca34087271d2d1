package untyped

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

type place struct {
	X float32
	A struct {
		On bool
		To ecs.Entity
	}
}

type side struct {
	ecs.Shared
	Name string
}

type lit struct {
	ecs.Enableable
	Since int64
}

type note struct {
	ecs.Managed
	Text string
}

type item struct{ N int16 }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// small returns a small snapshot with components of all kinds.
func small(t testing.TB) []byte {
	w := ecs.NewWorld("small")
	var e ecs.Entity
	for i := range 70 {
		e = w.Spawn(place{X: float32(i)}, lit{Since: int64(-i)}, note{Text: "hi"}, ecs.BufferOf(item{1}, item{int16(i)}))
	}
	ok(t, ecs.SetEnabled[lit](w, e, false))
	w.Spawn(side{Name: "left"}, ecs.PerChunk[item]{})
	w.Spawn(side{}, place{})
	ok(t, w.SetEntityName(e, "last"))
	ok(t, w.Destroy(w.Spawn(place{})))
	m, err := ecs.Capture(w, nil)
	ok(t, err)
	var b bytes.Buffer
	_, err = snapshot.Write(&b, m, snapshot.Codec(func(out []byte, n *note) ([]byte, error) { return append(out, n.Text...), nil }, func([]byte, *note) error { return nil }))
	ok(t, err)
	return b.Bytes()
}

func TestRead(t *testing.T) {
	b := small(t)
	f, err := Read(bytes.NewReader(b))
	ok(t, err)
	if f.Bytes != int64(len(b)) || len(f.Free) != 1 || len(f.Names) != 1 || f.Hash == 0 {
		t.Errorf("%+v", f)
	}
	kinds := map[string]string{}
	for _, c := range f.Components {
		kinds[filepath.Base(c.Name)] = c.Kind.String()
	}
	for name, want := range map[string]string{"untyped.place": "data", "untyped.side": "shared", "untyped.lit": "enableable", "untyped.note": "managed"} {
		if kinds[name] != want {
			t.Errorf("%s is %q, want %q, of %v", name, kinds[name], want, kinds)
		}
	}
	found := 0
	for _, a := range f.Archetypes {
		for _, c := range a.Chunks {
			for k, at := range a.Components {
				col := c.Columns[k]
				switch filepath.Base(f.Components[at].Name) {
				case "untyped.place":
					if len(c.Entities) == 70 {
						found++
						if s := f.Components[at].Lanes[1].Shape; s.Text != "b1i4i4" || s.Size != 9 || len(col.Lanes[1]) != 70*9 || !bytes.Equal(col.Lanes[0][4*69:], []byte{0, 0, 0x8a, 0x42}) {
							t.Errorf("%+v %x", s, col.Lanes[0][4*69:])
						}
					}
				case "untyped.note":
					found++
					if string(col.Rows[3]) != "hi" {
						t.Errorf("%q", col.Rows[3])
					}
				case "untyped.lit":
					found++
					if col.On[1]>>5&1 != 0 || col.On[1]>>4&1 != 1 {
						t.Errorf("%x", col.On)
					}
				case "untyped.side":
					if found++; col.Default == (string(col.Value) == "\x04\x00\x00\x00left") {
						t.Errorf("%+v", col)
					}
				}
			}
		}
	}
	if found != 5 {
		t.Errorf("%d of 5", found)
	}
}

// If a snapshot is cut or one of its bits is flipped, Read returns an error.
func TestTrust(t *testing.T) {
	b := small(t)
	for n := range len(b) {
		if _, err := Read(bytes.NewReader(b[:n])); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d of %d: %v", n, len(b), err)
		}
	}
	for bit := range 8 * len(b) {
		b[bit/8] ^= 1 << (bit % 8)
		if _, err := Read(bytes.NewReader(b)); err == nil {
			t.Fatalf("bit %d of %d is flipped, and nothing is wrong", bit, 8*len(b))
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
	if _, err := Read(bytes.NewReader(append(bytes.Clone(b), 0))); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
	if _, err := Open("no such file"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Read can also read the snapshots in the testdata of package snapshot.
func TestGolden(t *testing.T) {
	list, err := filepath.Glob("../testdata/v*.snapshot")
	ok(t, err)
	if len(list) == 0 {
		t.Fatal("there is none")
	}
	for _, name := range list {
		f, err := Open(name)
		ok(t, err)
		if f.Entities() == 0 || len(f.Components) == 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// FuzzRead reads arbitrary bytes. Read must succeed, or return an error of category ErrCorrupt or
// ErrVersion.
func FuzzRead(f *testing.F) {
	f.Add(small(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Read(bytes.NewReader(b)); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Error(err)
		}
	})
}
