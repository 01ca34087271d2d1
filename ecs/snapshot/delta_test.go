package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

func deltaOf(t testing.TB, before, after *ecs.Image, opts ...Option) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := Delta(&b, before, after, opts...)
	must(t, err)
	if n != int64(b.Len()) {
		t.Errorf("it says %d bytes, and has written %d", n, b.Len())
	}
	return b.Bytes()
}

// TestDeltaModel passes a world through a sequence of deltas. The world must stay equal to a world
// without deltas, and both must have the same snapshot, byte for byte. If two images are equal,
// their deltas are equal too, no matter how the images were created.
func TestDeltaModel(t *testing.T) {
	seeds, steps := 2, 120
	if *full {
		seeds, steps = 10, 2000
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 19))
		way := newRoute(t, "way", 3)
		w := newWorld(t, 2)
		before := imageOf(t, w)
		far, err := Read(bytes.NewReader(bytesOf(t, before, named)), named)
		must(t, err)
		for k := range steps {
			for range 1 + rng.IntN(4) {
				step(t, w, rng, way)
			}
			after, err := ecs.Capture(w, before)
			must(t, err)
			b := deltaOf(t, before, after, named, OnPool(w.Pool()))
			next, err := Apply(iotest.HalfReader(bytes.NewReader(b)), far, named)
			must(t, err)
			want := bytesOf(t, after, named)
			if !bytes.Equal(bytesOf(t, next, named), want) {
				t.Fatalf("seed %d, step %d: another snapshot", seed, k)
			}
			if again := deltaOf(t, far, next, named); !bytes.Equal(again, b) {
				t.Fatalf("seed %d, step %d: another delta, of %d bytes, not %d", seed, k, len(again), len(b))
			}
			if len(b) > len(want)+1000 {
				t.Errorf("seed %d, step %d: a delta of %d bytes for a snapshot of %d", seed, k, len(b), len(want))
			}
			for _, own := range Blobs(far) {
				must(t, own.Dispose())
			}
			before, far = after, next
		}
		disposeAll(t, far)
	}
}

// The size of a delta is proportional to the bytes that were written, for any number of workers.
func TestDeltaSize(t *testing.T) {
	var first []byte
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		list := make([]ecs.Entity, 100_000)
		must(t, w.CreateInto(w.Archetype(ecs.With[Place](), ecs.With[Ref]()), list))
		before := imageOf(t, w)
		if b := deltaOf(t, before, before, OnPool(w.Pool())); len(b) > 6000 {
			t.Errorf("nothing is %d bytes", len(b))
		}
		for _, e := range list[40_000:41_000] {
			must(t, ecs.Set(w, e, Place{1, 2, 3}))
		}
		after, err := ecs.Capture(w, before)
		must(t, err)
		b := deltaOf(t, before, after, OnPool(w.Pool()))
		if len(b) > 12*1000+6000 {
			t.Errorf("%d bytes for 12,000", len(b))
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("%d workers: other bytes", workers)
		}
		m, err := Apply(bytes.NewReader(b), before, OnPool(w.Pool()))
		must(t, err)
		if m.Hash() != w.Hash() {
			t.Error("another hash")
		}
	}
}

// stages returns images of a world with all kinds of components, before and after some changes.
func stages(t testing.TB) (before, after *ecs.Image) {
	w := newFullWorld(t, 6)
	before = imageOf(t, w)
	for i, e := range slices.Collect(w.Entities()) {
		switch i % 3 {
		case 0:
			must(t, ecs.Add(w, e, Place{X: float32(i)}))
		case 1:
			must(t, w.Destroy(e))
		}
	}
	w.Spawn(Name{Text: "new"}, Team{Name: "new"})
	return before, imageOf(t, w)
}

// If a delta is cut or one of its bits is flipped, Apply refuses it, and the image before does not
// change.
func TestDeltaDamage(t *testing.T) {
	before, after := stages(t)
	opts := []Option{named, Piece("turn", []byte{3})}
	b, hash, was := deltaOf(t, before, after, opts...), before.Hash(), bytesOf(t, before, named)
	live := blob.Count()
	refused := func(what string, b []byte) {
		if m, err := Apply(bytes.NewReader(b), before, opts...); err == nil || m != nil {
			t.Errorf("%s is read: %v", what, err)
		} else if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrLimit) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrBase) {
			t.Errorf("%s: %v", what, err)
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
	refused("a snapshot", was)
	if n := blob.Count(); n != live {
		t.Errorf("%d blobs are left over", n-live)
	}
	if before.Hash() != hash || !bytes.Equal(bytesOf(t, before, named), was) {
		t.Error("the image before has changed")
	}
	if _, err := Apply(bytes.NewReader(b), after, opts...); !errors.Is(err, ErrBase) {
		t.Errorf("of another image: %v", err)
	}
	bad := errors.New("bad line")
	if _, err := Apply(io.MultiReader(bytes.NewReader(b[:200]), iotest.ErrReader(bad)), before, opts...); !errors.Is(err, bad) {
		t.Error(err)
	}
	pieces := map[string][]byte{}
	m, err := Apply(bytes.NewReader(b), before, named, Pieces(pieces))
	must(t, err)
	if m.Hash() != after.Hash() || !bytes.Equal(pieces["turn"], []byte{3}) {
		t.Error("it is no longer read")
	}
	disposeAll(t, m)
}

// Apply must notice that before is another image, even if the two images have the same hash and differ
// only in values that the hash ignores.
func TestDeltaOfAnother(t *testing.T) {
	image := func(text string) *ecs.Image {
		w := newWorld(t, 1)
		w.Spawn(Place{}, Name{Text: text})
		return imageOf(t, w)
	}
	a, b := image("one"), image("two")
	if a.Hash() != b.Hash() {
		t.Fatal("the hash sees it")
	}
	if _, err := Apply(bytes.NewReader(deltaOf(t, a, a, named)), b, named); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "no part in its hash") {
		t.Error(err)
	}
	if _, err := Delta(io.Discard, a, b); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
	if n, err := Delta(brokenPipe{}, a, b, named); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%d bytes, %v", n, err)
	}
	w := newWorld(t, 1)
	if got := bytesOf(t, imageOf(t, w)); !bytes.Equal(got, bytesOf(t, imageOf(t, newWorld(t, 1)))) {
		t.Error("empty worlds differ")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A delta may claim sizes that it does not have. The cost of reading it must still be proportional to
// its real size.
func TestDeltaClaims(t *testing.T) {
	before, after := stages(t)
	b := deltaOf(t, before, after, named)
	limits := Within(Limits{Room: 64 << 10, Bytes: 1 << 29})
	for at := 16; at+8 <= len(b); at += 7 {
		bad := slices.Clone(b)
		copy(bad[at:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f})
		var from, to runtime.MemStats
		runtime.ReadMemStats(&from)
		m, err := Apply(bytes.NewReader(bad), before, named, limits, unchecked)
		runtime.ReadMemStats(&to)
		if err == nil {
			disposeAll(t, m)
		}
		if used := to.TotalAlloc - from.TotalAlloc; used > 2<<20 {
			t.Errorf("at byte %d of %d: %d bytes, %v", at, len(b), used, err)
		}
	}
}

const goldenDelta = "testdata/v1.delta" // from v2.snapshot

// The delta in testdata can be read, and computing it again produces the same bytes.
func TestDeltaGolden(t *testing.T) {
	w := newFullWorld(t, 40)
	before := imageOf(t, w)
	for i, e := range slices.Collect(w.Entities()) {
		if i%4 == 0 {
			must(t, ecs.Add(w, e, Place{X: float32(i), Y: 0.5}))
		}
	}
	b := deltaOf(t, before, imageOf(t, w), named, Piece("turn", []byte{4}))
	if *update {
		must(t, os.WriteFile(goldenDelta, b, 0o644))
	}
	want, err := os.ReadFile(goldenDelta)
	must(t, err)
	if !bytes.Equal(b, want) {
		t.Errorf("%d other bytes, of %d", len(b), len(want))
	}
	old, err := Open(goldenFile2, named)
	must(t, err)
	m, err := Apply(bytes.NewReader(want), old, named)
	must(t, err)
	if got := m.Hash(); got != w.Hash() || got != 0xfe1d9f92e8444699 {
		t.Errorf("the hash is %#x, of the world %#x, want 0xfe1d9f92e8444699", got, w.Hash())
	}
	disposeAll(t, old)
	disposeAll(t, m)
	want[8] = DeltaVersion + 1
	if _, err := Apply(bytes.NewReader(want), before, named); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

func FuzzApply(f *testing.F) {
	before, after := stages(f)
	f.Add(deltaOf(f, before, after, named))
	f.Add(deltaOf(f, after, before, named, Piece("turn", []byte{3})))
	f.Add(deltaOf(f, before, before, named))
	hash := before.Hash()
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Apply(bytes.NewReader(b), before, named, unchecked)
		if before.Hash() != hash {
			t.Fatal("the image before has changed")
		}
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

// A patch must produce the bytes for which it was computed. The result is never longer than the old
// bytes and the patch together.
func TestPatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		from := make([]byte, rng.IntN(40))
		for i := range from {
			from[i] = byte(rng.IntN(3))
		}
		to := append(slices.Clone(from), make([]byte, rng.IntN(20))...)[:rng.IntN(len(from)+1)]
		if rng.IntN(2) == 0 {
			to = append(to, byte(rng.IntN(3)), 1)
		}
		for range rng.IntN(3) {
			if len(to) > 0 {
				to[rng.IntN(len(to))] = 7
			}
		}
		var o frames.Out
		appendPatch(&o, to, from)
		d := &frames.In{Rest: o.Buf}
		if got := appendPatched([]byte("x"), d, from); string(got) != "x"+string(to) || !d.Done() {
			t.Fatalf("%v of %v with %v: %v", to, from, o.Buf, got)
		}
		bad := slices.Clone(o.Buf)
		bad[rng.IntN(len(bad))] = byte(rng.Uint32())
		d = &frames.In{Rest: bad}
		if got := appendPatched(nil, d, from); len(got) > len(from)+len(bad) {
			t.Fatalf("%d bytes", len(got))
		}
	}
}
