package diff_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

type position struct{ X, Y, Z float32 }

type velocity struct{ X, Y, Z float32 }

// padded has padding between its numbers.
type padded struct {
	Lane struct {
		On bool
		At float64
		To ecs.Entity
	}
}

type team struct {
	ecs.Shared
	Number int32
}

type awake struct {
	ecs.Enableable
	Since int64
}

type bag struct{ Thing int16 }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func capture(t testing.TB, w *ecs.World, before *ecs.Image) *ecs.Image {
	t.Helper()
	m, err := ecs.Capture(w, before)
	ok(t, err)
	return m
}

func remove(t testing.TB, w *ecs.World, e ecs.Entity) {
	_, err := ecs.Remove[velocity](w, e)
	ok(t, err)
}

// newForkedWorlds returns a world with entities of all kinds, and a fork of it.
func newForkedWorlds(t testing.TB, n int) (a, b *ecs.World, ids []ecs.Entity) {
	a = ecs.NewWorld("a")
	for i := range n {
		e := a.Spawn(position{X: float32(i)}, velocity{Y: 1})
		switch i % 4 {
		case 1:
			ok(t, ecs.Add(a, e, team{Number: int32(i % 3)}))
		case 2:
			ok(t, ecs.Add(a, e, awake{Since: int64(i)}))
			ok(t, ecs.Add(a, e, padded{}))
		case 3:
			ok(t, ecs.Add(a, e, ecs.Buffer[bag]{}))
		}
		ids = append(ids, e)
	}
	b, err := ecs.Fork(capture(t, a, nil), "b")
	ok(t, err)
	return a, b, ids
}

func TestImages(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(t *testing.T, w *ecs.World, ids []ecs.Entity)
		want string
	}{
		{"nothing", func(*testing.T, *ecs.World, []ecs.Entity) {}, ""},
		{"a lane", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, ecs.Set(w, ids[20], position{X: 20, Y: math.Nextafter32(0, 1)}))
		}, "entity 20:1: diff_test.position.Y is 0 and 1e-45 (archetype 0, chunk 0, row 5)\n"},
		{"minus nought", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, ecs.Set(w, ids[20], position{X: 20, Z: float32(math.Copysign(0, -1))}))
		}, "entity 20:1: diff_test.position.Z is 0 and -0 (archetype 0, chunk 0, row 5)\n"},
		{"within a lane", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			v, err := ecs.Get[padded](w, ids[2])
			ok(t, err)
			v.Lane.On, v.Lane.To = true, ids[1]
			ok(t, ecs.Set(w, ids[2], v))
		}, "entity 2:1: diff_test.padded.Lane is {On:false At:0 To:null} and {On:true At:0 To:1:1} (archetype"},
		{"off", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, ecs.SetEnabled[awake](w, ids[6], false))
		}, "entity 6:1: diff_test.awake is on and off (archetype"},
		{"shared", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, ecs.Set(w, ids[1], team{Number: 7}))
		}, ""}, // see below
		{"a buffer's length", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, ecs.AppendBuffer(w, ids[3], bag{4}))
		}, "entity 3:1: ecs.Buffer[diff_test.bag] is 0 long and 1 long (archetype"},
		{"destroyed", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			ok(t, w.Destroy(ids[96])) // the last row of its archetype
		}, "entity 96:1: only in the first (archetype 0, chunk 0, row 24)\nids of no entity: the first has 0 free; the second 1 free\n"},
		{"made", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			w.Spawn(position{})
		}, "entity 100:1: only in the second (archetype"},
		{"components", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			remove(t, w, ids[96])
		}, "entity 96:1: the first has diff_test.velocity, the second nothing more (archetype 0, chunk 0, row 24)\n"},
		{"places", func(t *testing.T, w *ecs.World, ids []ecs.Entity) {
			remove(t, w, ids[0])
			ok(t, ecs.Add(w, ids[0], velocity{Y: 1}))
		}, "entity 0:1: it is at chunk 0 row 0 and chunk 0 row 24, of archetype 0\nentity 96:1: it is at chunk 0 row 24 and chunk 0 row 0, of archetype 0\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b, ids := newForkedWorlds(t, 100)
			test.do(t, b, ids)
			x, y := capture(t, a, nil), capture(t, b, nil)
			got := diff.Text(diff.Images(x, y), 5)
			if !strings.Contains(got, test.want) || (got == "") != (a.Hash() == b.Hash()) || test.want == "" && test.name != "shared" && got != "" {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if d, differ := diff.First(diff.Images(y, x)); differ != (got != "") {
				t.Errorf("the other way round: %v", d)
			}
		})
	}
	a, b, ids := newForkedWorlds(t, 8)
	for _, e := range []ecs.Entity{ids[1]} {
		ok(t, ecs.Set(b, e, team{Number: 9}))
	}
	if got := diff.Text(diff.Images(capture(t, a, nil), capture(t, b, nil)), 9); !strings.Contains(got, "entity 1:1, and all of its chunk: diff_test.team is {Shared:{} Number:1} and {Shared:{} Number:9}") {
		t.Errorf("shared: %s", got)
	}
}

// After any change of one of two equal worlds, Images must yield no difference if and only if the
// worlds have equal hashes.
func TestImagesAgreeWithHash(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		a, b, ids := newForkedWorlds(t, 40+r.IntN(3000))
		old, other := capture(t, a, nil), capture(t, b, nil)
		for range 1 + r.IntN(3) {
			change(t, b, ids[r.IntN(len(ids))], r)
			other = capture(t, b, other) // shares unchanged chunks
			n := 0
			for d := range diff.Images(old, other) {
				if n++; d.String() == "" {
					t.Error("no text")
				}
			}
			if (n == 0) != (old.Hash() == other.Hash()) {
				t.Fatalf("seed %d: %d differences, hashes %x %x", seed, n, old.Hash(), other.Hash())
			}
		}
		if d, differ := diff.First(diff.Images(other, capture(t, b, other))); differ {
			t.Fatalf("seed %d: %v", seed, d)
		}
	}
}

// change makes a random change to an entity, if it exists.
func change(t testing.TB, w *ecs.World, e ecs.Entity, r *rand.Rand) {
	if !w.Exists(e) {
		return
	}
	switch r.IntN(8) {
	case 0:
		ok(t, w.Destroy(e))
	case 1:
		w.Spawn(position{X: 3})
	case 2:
		p, err := ecs.Get[position](w, e)
		ok(t, err)
		p.Y = float32(math.Copysign(0, float64(r.IntN(2)*2-1)))
		ok(t, ecs.Set(w, e, p))
	case 3:
		ok(t, ecs.Set(w, e, position{X: float32(math.NaN())}))
	case 4:
		if ecs.Has[awake](w, e) {
			ok(t, ecs.SetEnabled[awake](w, e, r.IntN(2) == 0))
		}
	case 5:
		ok(t, ecs.Add(w, e, team{Number: int32(r.IntN(4))}))
	case 6:
		if ecs.Has[velocity](w, e) {
			remove(t, w, e)
		}
	case 7:
		if ecs.Has[ecs.Buffer[bag]](w, e) {
			ok(t, ecs.AppendBuffer(w, e, bag{int16(r.IntN(3))}))
		}
	}
}

// Two NaN are equal.
func TestNaN(t *testing.T) {
	a, b, ids := newForkedWorlds(t, 8)
	ok(t, ecs.Set(a, ids[0], position{X: math.Float32frombits(0x7fc00001)}))
	ok(t, ecs.Set(b, ids[0], position{X: math.Float32frombits(0x7fc00777)}))
	if d, differ := diff.First(diff.Images(capture(t, a, nil), capture(t, b, nil))); differ || a.Hash() != b.Hash() {
		t.Error(d)
	}
}

func benchmarkImages(b *testing.B, shared bool) {
	w := ecs.NewWorld("a")
	w.Create(w.Archetype(ecs.With[position](), ecs.With[velocity]()), 1_000_000)
	x := capture(b, w, nil)
	y := capture(b, w, x)
	if !shared {
		f, err := ecs.Fork(x, "f")
		ok(b, err)
		y = capture(b, f, nil)
	}
	b.SetBytes(2 * 32_000_000)
	b.ReportAllocs()
	for b.Loop() {
		if d, differ := diff.First(diff.Images(x, y)); differ {
			b.Fatal(d)
		}
	}
}

// BenchmarkImages compares images of a million equal rows, of two worlds or of one world.
func BenchmarkImages(b *testing.B) {
	b.Run("shared=no", func(b *testing.B) { benchmarkImages(b, false) })
	b.Run("shared=yes", func(b *testing.B) { benchmarkImages(b, true) })
}

// The panic for a nil image must name the function and the image.
func TestNoImage(t *testing.T) {
	whole := capture(t, ecs.NewWorld("w"), nil)
	for i, pair := range [][2]*ecs.Image{{nil, whole}, {whole, nil}} {
		func() {
			defer func() {
				err, _ := recover().(*ecs.Error)
				if want := fmt.Sprintf("ecs: diff.Images: image %d is nil", i+1); err == nil || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}()
			diff.First(diff.Images(pair[0], pair[1]))
		}()
	}
}

// mood is a shared value with a method Equal. All values of mood have the same hash.
type mood struct {
	ecs.Shared
	Name, Note string
}

func (m mood) Equal(o mood) bool { return m.Name == o.Name }
func (mood) Hash() uint64        { return 7 }

// If two shared values have the same hash, only Equal decides whether they are equal. This must
// hold both for rows that were moved and for rows that were not moved.
func TestSharedEqual(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 46))
		a := ecs.NewWorld("a")
		var ids []ecs.Entity
		for i := range 200 {
			ids = append(ids, a.Spawn(position{X: float32(i)}, mood{Name: string(rune('a' + r.IntN(3)))}))
		}
		before := capture(t, a, nil)
		b, err := ecs.Fork(before, "b")
		ok(t, err)
		e := ids[r.IntN(len(ids))]
		was, err := ecs.Get[mood](b, e)
		ok(t, err)
		now := mood{Name: string(rune('a' + r.IntN(5))), Note: "new"}
		ok(t, ecs.Set(b, e, now))
		if r.IntN(2) == 0 {
			b.Spawn(position{})
		}
		told := false
		for d := range diff.Images(before, capture(t, b, nil)) {
			if d.Kind == diff.Shared {
				told = told || d.Entity == e
			}
		}
		if told == was.Equal(now) {
			t.Errorf("seed %d: %v of %v became %v, told: %v", seed, was, e, now, told)
		}
	}
}

// file writes an image as a snapshot, and reads the snapshot without component types.
func file(t testing.TB, m *ecs.Image) *untyped.File {
	t.Helper()
	var b bytes.Buffer
	_, err := snapshot.Write(&b, m)
	ok(t, err)
	f, err := untyped.Read(&b)
	ok(t, err)
	return f
}

// Files must find the same differences as Images.
func TestFiles(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b, ids := newForkedWorlds(t, 40+r.IntN(1500))
		for range r.IntN(4) {
			change(t, b, ids[r.IntN(len(ids))], r)
		}
		x, y := capture(t, a, nil), capture(t, b, nil)
		var want, got []diff.Difference
		for d := range diff.Images(x, y) {
			want = append(want, d)
		}
		f, g := file(t, x), file(t, y)
		for d := range diff.Files(f, g) {
			got = append(got, d)
		}
		if len(got) != len(want) || f.Hash != x.Hash() || f.Entities() != a.Len() {
			t.Fatalf("seed %d: files %v, images %v", seed, got, want)
		}
		for i := range want {
			p, q := want[i], got[i]
			if p.Kind != diff.Shared && p.Lane != "Lane" && p != q || p.Kind != q.Kind || p.Entity != q.Entity {
				t.Errorf("seed %d: image %v, file %v", seed, p, q)
			}
		}
	}
}

// If a component has other lanes in the second file, it counts as another component.
func TestFilesOfTypes(t *testing.T) {
	w := ecs.NewWorld("a")
	w.Spawn(position{X: 1})
	f, g := file(t, capture(t, w, nil)), file(t, capture(t, w, nil))
	g.Components[0].Lanes = g.Components[0].Lanes[:2]
	if got := diff.Text(diff.Files(f, g), 9); !strings.HasPrefix(got, "entity 0:1: the first has diff_test.position, the second diff_test.position (") {
		t.Errorf("got %q", got)
	}
}

// route is a component with a reference to a blob.
type route struct {
	Way  blob.Ref[int32]
	Step int32
}

// TestBlobs checks references to blobs. They must not count as differences, because the hash
// ignores them too. Other numbers in the same component must be compared.
func TestBlobs(t *testing.T) {
	var images [3]*ecs.Image
	for i := range images {
		way := blob.New(func(_ *blob.Builder, v *int32) { *v = 7 })
		defer func() { ok(t, way.Dispose()) }()
		w := ecs.NewWorld(fmt.Sprint("world ", i))
		w.Spawn(route{Way: way, Step: int32(i / 2)})
		images[i] = capture(t, w, nil)
		defer func() { ok(t, w.Close()) }()
	}
	if images[0].Hash() != images[1].Hash() || images[0].Hash() == images[2].Hash() {
		t.Fatal("the hashes are not those that the test is about")
	}
	if text := diff.Text(diff.Images(images[0], images[1]), 9); text != "" {
		t.Errorf("blobs differ: %s", text)
	}
	if text := diff.Text(diff.Images(images[0], images[2]), 9); !strings.Contains(text, "Step is 0 and 1") || strings.Contains(text, "Way") {
		t.Errorf("the difference of Step is %q", text)
	}
}
