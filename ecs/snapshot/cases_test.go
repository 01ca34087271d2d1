package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// copyByBytes returns the world that is made from the bytes of an image of w. It writes the bytes twice
// and compares them.
func copyByBytes(t *testing.T, w *ecs.World, opts ...Option) *ecs.World {
	t.Helper()
	b := bytesOf(t, imageOf(t, w), opts...)
	m, err := Read(bytes.NewReader(b), opts...)
	must(t, err)
	if m.Hash() != w.Hash() {
		t.Error("another hash")
	}
	if again := bytesOf(t, m, opts...); !bytes.Equal(again, b) {
		t.Error("the second save has other bytes")
	}
	f, err := ecs.Fork(m, "through", ecs.OnPool(w.Pool()))
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f
}

// Conformance: 302
func TestMillion(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	w := newWorld(t, 2)
	list := make([]ecs.Entity, n)
	must(t, w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[Ref]()), list))
	for i := 0; i < n; i += 97 {
		must(t, ecs.Set(w, list[i], Place{X: float32(i)}))
		must(t, ecs.Set(w, list[i], Ref{list[n-1-i]}))
	}
	f := copyByBytes(t, w, OnPool(w.Pool()))
	checkHas(t, f, list[97], Place{X: 97})
	checkHas(t, f, list[97], Ref{list[n-98]})
}

// If the last possible version of an index was used, the index is never used again, not even in a world
// that was read from a file.
//
// Conformance: 307
func TestLastVersion(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Place{X: 1})
	b := bytesOf(t, imageOf(t, w))
	from := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(e.Index)), 1)
	body := append(bytes.Clone(from), 0, 0, 0x80, 0x3f) // the id, followed by X
	if bytes.Count(b, body) != 1 {
		t.Fatal("the row is not found")
	}
	last := bytes.Clone(body)
	binary.LittleEndian.PutUint32(last[4:], math.MaxInt32)
	m, err := Read(bytes.NewReader(bytes.Replace(b, body, last, 1)), unchecked)
	must(t, err)
	f, err := ecs.Fork(m, "last")
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	old := ecs.Entity{Index: e.Index, Version: math.MaxInt32}
	checkHas(t, f, old, Place{X: 1})
	must(t, f.Destroy(old))
	for _, world := range []*ecs.World{f, copyByBytes(t, f)} {
		if next := world.Spawn(Place{}); next.Index == e.Index || world.Exists(old) {
			t.Errorf("behind %v comes %v", old, next)
		}
	}
}

// The default of a shared component has index 0 and is not in the file.
//
// Conformance: 311
func TestSharedDefault(t *testing.T) {
	w := newWorld(t, 1)
	e, other := w.Spawn(Team{}, Place{X: 1}), w.Spawn(Team{Name: "other"})
	f := copyByBytes(t, w)
	checkHas(t, f, e, Team{})
	checkHas(t, f, other, Team{Name: "other"})
	for _, s := range imageOf(t, f).Shared() {
		if len(s.Values) != 2 || s.Values[0] != (Team{}) || s.Values[1] != (Team{Name: "other"}) {
			t.Errorf("the values are %v", s.Values)
		}
	}
	if n := f.Query(ecs.WithShared(Team{})).Count(); n != 1 {
		t.Errorf("%d have the default", n)
	}
}

// Recipe is a shared value with its own Equal: it compares the target of its pointer, and ignores
// case.
type Recipe struct {
	ecs.Shared
	of *string
}

func recipe(text string) Recipe { return Recipe{of: &text} }

func (r Recipe) text() string {
	if r.of == nil {
		return ""
	}
	return *r.of
}

func (r Recipe) Equal(other Recipe) bool { return strings.EqualFold(r.text(), other.text()) }
func (r Recipe) Hash() uint64            { return uint64(len(r.text())) }

// Conformance: 313
func TestSharedEqual(t *testing.T) {
	codec := Codec(
		func(out []byte, v *Recipe) ([]byte, error) { return append(out, v.text()...), nil },
		func(in []byte, v *Recipe) error { *v = recipe(string(in)); return nil },
	)
	w := newWorld(t, 1)
	w.Spawn(recipe("flour"))
	w.Spawn(recipe("water and salt"))
	f := copyByBytes(t, w, codec)
	for _, world := range []*ecs.World{w, f} {
		if n := world.Query(ecs.WithShared(recipe("FLOUR"))).Count(); n != 1 {
			t.Errorf("%s: %d are found", world.Name(), n)
		}
		world.Spawn(recipe("Water and salt"))
		if n := world.Query(ecs.WithShared(recipe("water and salt"))).Count(); n != 2 {
			t.Errorf("%s: %d are found", world.Name(), n)
		}
	}
	if f.Hash() != w.Hash() {
		t.Error("another hash some changes later")
	}
}

// Conformance: 320
func TestBitsBehindRows(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(On{N: 0x1122334455667788})
	b := bytesOf(t, imageOf(t, w))
	at := bytes.Index(b, binary.LittleEndian.AppendUint64(nil, 0x1122334455667788))
	if at < 0 || binary.LittleEndian.Uint64(b[at+8:]) != 1 {
		t.Fatal("the bit is not found")
	}
	for _, bits := range []uint64{3, 1 << 63, 2} {
		binary.LittleEndian.PutUint64(b[at+8:], bits)
		if m, err := Read(bytes.NewReader(b), unchecked); m != nil || !errors.Is(err, ErrCorrupt) {
			t.Errorf("bits %x: %v", bits, err)
		}
	}
}

// Conformance: 323
func TestChunkComponents(t *testing.T) {
	w := newWorld(t, 1)
	var list []ecs.Entity
	for i := range 2000 {
		list = append(list, w.Spawn(Place{X: float32(i)}, ecs.PerChunk[Whole]{}))
	}
	n := int32(0)
	for c := range w.Query(ecs.Read[Place](), ecs.Write[ecs.PerChunk[Whole]]()).Chunks() {
		ecs.SetChunkValue(c, Whole{Sum: n})
		n++
	}
	f := copyByBytes(t, w)
	if f.Len() != len(list) || n < 2 {
		t.Errorf("%d entities in %d chunks", f.Len(), n)
	}
	rows, metas := 0, int32(0)
	for c := range f.Query(ecs.Read[ecs.ChunkHeader](), ecs.Read[Whole]()).Chunks() {
		for _, e := range c.Entities() {
			h, err := ecs.Get[ecs.ChunkHeader](f, e)
			must(t, err)
			own, err := ecs.Get[Whole](f, e)
			must(t, err)
			if own.Sum != metas {
				t.Errorf("chunk %d has the value %d", metas, own.Sum)
			}
			rows += h.Len()
			metas++
		}
	}
	if rows != len(list) || metas != n {
		t.Errorf("%d rows of %d chunks, want %d of %d", rows, metas, len(list), n)
	}
}

// Conformance: 325
func TestLinked(t *testing.T) {
	w := newWorld(t, 1)
	root, child, other := w.Spawn(Place{X: 1}), w.Spawn(Place{X: 2}), w.Spawn(Place{X: 3})
	must(t, ecs.Add(w, root, ecs.BufferOf(ecs.Linked{Entity: root}, ecs.Linked{Entity: child})))
	f := copyByBytes(t, w)
	must(t, f.Destroy(root))
	if f.Exists(root) || f.Exists(child) || !f.Exists(other) {
		t.Error("what is linked does not go together")
	}
}

// Conformance: 326
func TestHidden(t *testing.T) {
	w := newWorld(t, 1)
	shown := w.Spawn(Place{X: 1})
	model, idle := w.Spawn(Place{X: 2}), w.Spawn(Place{X: 3})
	must(t, ecs.Add(w, model, ecs.Prefab{}))
	must(t, w.SetActive(idle, false))
	f := copyByBytes(t, w)
	if q := f.Query(ecs.Read[Place]()); q.Count() != 1 {
		t.Errorf("%d are shown", q.Count())
	}
	if n := f.Query(ecs.Read[Place](), ecs.IncludePrefabs(), ecs.IncludeInactive()).Count(); n != 3 {
		t.Errorf("%d are there", n)
	}
	must(t, f.SetActive(idle, true))
	checkHas(t, f, shown, Place{X: 1})
	if n := f.Query(ecs.Read[Place]()).Count(); n != 2 {
		t.Errorf("%d are shown", n)
	}
}
