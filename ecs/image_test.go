package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// continueIn makes the model continue with another world that has the same contents.
func (m *model) continueIn(w *World) {
	old := m.w
	m.w, m.cmd = w, w.NewCommands()
	for i := range m.queries {
		m.queries[i].q = w.Query(m.queries[i].q.terms...)
	}
	if err := old.Close(); err != nil {
		m.t.Error(err)
	}
}

// fork captures the model's world and forks the image. The fork must pass the same integrity check
// as the world.
func (m *model) fork(before *Image) (*Image, *World) {
	m.t.Helper()
	image, err := Capture(m.w, before)
	if err != nil {
		m.t.Fatal(err)
	}
	w, err := Fork(image, "fork", OnPool(m.w.Pool()))
	if err != nil {
		m.t.Fatal(err)
	}
	if err := integrity(w); err != nil {
		m.t.Fatalf("the fork: %v", err)
	}
	if a, b := m.w.Hash(), w.Hash(); a != b {
		m.t.Fatalf("the hash of the world is %#x, of the fork %#x", a, b)
	}
	if a, b := image.Hash(), w.Hash(); a != b {
		m.t.Fatalf("the hash of the image is %#x, of the fork %#x", a, b)
	}
	return image, w
}

// keptWorlds returns the number of worlds in the model tests of images, and the number of operations for
// each. There are at least two worlds, and at most a few thousand operations, since the test compares all
// live entities after each.
func keptWorlds() (worlds uint64, each int) {
	each = max(min(*kept/2, 5_000), 1)
	return uint64(*kept / each), each
}

// TestImageModel runs the model's operations on two worlds. The second world is captured at random
// times, and then replaced by a fork of the image. The two worlds must have the same hash after every
// step.
func TestImageModel(t *testing.T) {
	worlds, n := keptWorlds()
	for seed := range worlds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 2))
			plain, other := newModel(t), newModel(t)
			var image *Image
			for i := range n {
				var b [48]byte
				for k := range b {
					b[k] = byte(rng.Uint32())
				}
				plain.step(b[:])
				other.step(b[:])
				if rng.IntN(4) > 0 || other.cmd.Len() > 0 {
					continue
				}
				var w *World
				if image, w = other.fork(image); rng.IntN(4) == 0 {
					other.continueIn(w)
					if image, w = other.fork(nil); rng.IntN(2) == 0 {
						image = nil
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if err := other.check(i%64 == 0); err != nil {
					t.Fatalf("step %d, %s: %v", i, other.last, err)
				}
				if a, b := plain.w.Hash(), other.w.Hash(); a != b {
					t.Fatalf("step %d, %s: the hash is %#x, with images %#x", i, plain.last, a, b)
				}
			}
		})
	}
}

// mustCapture calls Capture, which must succeed.
func mustCapture(t *testing.T, w *World, before *Image) *Image {
	t.Helper()
	m, err := Capture(w, before)
	must(t, err)
	return m
}

// Conformance: 345
func TestCaptureRefused(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	version, hash := w.Version(), w.Hash()
	refused := func(w *World) {
		t.Helper()
		m, err := Capture(w, nil)
		if wantCategory(t, ErrState, err); m != nil {
			t.Error("there is an image")
		}
	}
	unchanged := func(where string) {
		t.Helper()
		if now := w.Version(); now != version {
			t.Errorf("%s: version %d, was %d", where, now, version)
		}
		if now := w.Hash(); now != hash {
			t.Errorf("%s: hash %x, was %x", where, now, hash)
		}
	}
	q := w.Query(With[A]())
	calls := 0
	for range q.Chunks() {
		refused(w)
		calls++
	}
	unchanged("in a loop over chunks")
	var inJob atomic.Int32
	must(t, q.ParallelFor(chunkFunc(func(*Chunk) { refused(w); inJob.Add(1) })).Wait())
	unchanged("in a job")
	tx, err := BeginTransaction(w)
	must(t, err)
	refused(w)
	inTransaction := 0
	tx.Schedule(TransactionFunc(func(inner *World) error { refused(inner); inTransaction++; return nil }))
	must(t, tx.End())
	if calls != 1 || inJob.Load() != 1 || inTransaction != 1 {
		t.Errorf("%d, %d and %d refusals, want one in the loop, the job and the transaction", calls, inJob.Load(), inTransaction)
	}
	if now := w.Hash(); now != hash {
		t.Errorf("after the transaction: hash %x, was %x", now, hash)
	}
	must(t, w.Close())
	_, err = Capture(w, nil)
	wantCategory(t, ErrDisposed, err)
	_, err = Capture(nil, nil)
	wantCategory(t, ErrArgument, err)
}

// Conformance: 347
func TestCaptureEndsViews(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Position{})
	var kept *Chunk
	for c := range w.Query(Write[Position]()).Chunks() {
		kept = c
	}
	mustCapture(t, w, nil)
	wantPanic(t, ErrDisposed, func() { Column[Position](kept) })
}

// TestImageBytes checks the number of bytes in images. Rows that images share are counted once, blocks
// of buffers are counted, and released images are not counted.
func TestImageBytes(t *testing.T) {
	w := newWorld(t, 1)
	if got := w.ImageBytes(); got != 0 {
		t.Errorf("%d bytes without an image", got)
	}
	w.Create(w.Archetype(With[Position](), With[A]()), 1000)
	long := w.Spawn(BufferOf(elems(slices.Repeat([]int32{7}, 1000)...)...))
	first := mustCapture(t, w, nil)
	one := w.ImageBytes()
	if least := 1001*8 + 1000*(12+4) + 1000*int(sizeOf[Elem]()); one < least || one > least*3/2 {
		t.Errorf("%d bytes, want about %d", one, least)
	}
	same := mustCapture(t, w, first)
	if got := w.ImageBytes(); got != one {
		t.Errorf("%d bytes in two equal images, want %d", got, one)
	}
	must(t, Set(w, long, BufferOf(elems(1, 2)...)))
	changed := mustCapture(t, w, same)
	if got := w.ImageBytes(); got <= one || got > one+one/2 {
		t.Errorf("%d bytes after a small change, want a few more than %d", got, one)
	}
	other := newWorld(t, 1)
	must(t, Restore(other, first))
	if got := other.ImageBytes(); got != 0 {
		t.Errorf("%d bytes in a world that was restored from an image of another one", got)
	}
	for _, m := range []*Image{first, same, changed} {
		must(t, m.Release())
	}
	if got := w.ImageBytes(); got != 0 {
		t.Errorf("%d bytes after all images were released", got)
	}
}

// Conformance: 348, 350
func TestCaptureCopiesWhatWasWritten(t *testing.T) {
	w := newWorld(t, 1)
	w.Create(w.Archetype(With[Position](), With[A](), With[En]()), 5000)
	many := slices.Collect(w.Entities())
	first := mustCapture(t, w, nil)
	chunks := w.ArchetypeOf(many[0]).ChunkCount()
	if want := 5000 * (12 + 4 + 4); first.copiedBytes < want {
		t.Errorf("%d bytes copied, want %d at least", first.copiedBytes, want)
	}
	second := mustCapture(t, w, first)
	if second.copiedBytes != 0 || second.Hash() != first.Hash() {
		t.Errorf("%d bytes copied of what was not written", second.copiedBytes)
	}
	must(t, Set(w, many[0], A{7})) // one column of one chunk
	third := mustCapture(t, w, second)
	if third.copiedBytes < 4 || third.copiedBytes > 4*5000/chunks*2 {
		t.Errorf("%d bytes copied of one column of one of %d chunks", third.copiedBytes, chunks)
	}
	must(t, SetEnabled[En](w, many[1], false))
	if fourth := mustCapture(t, w, third); fourth.copiedBytes == 0 || fourth.Hash() == third.Hash() || fourth.Hash() != w.Hash() {
		t.Errorf("%d bytes copied of a row that is off, hash %#x", fourth.copiedBytes, fourth.Hash())
	}
	must(t, w.Destroy(many[0])) // a row moves, with its old version
	fifth := mustCapture(t, w, third)
	if fifth.Hash() != w.Hash() {
		t.Errorf("hash %#x, want %#x", fifth.Hash(), w.Hash())
	}
	must(t, w.Close())
	for i, m := range []*Image{first, second, third, fifth} { // they are unchanged
		fork, err := Fork(m, "fork")
		must(t, err)
		if v, err := Get[A](fork, many[1]); err != nil || v != (A{}) || fork.Hash() != m.Hash() || fork.Exists(many[0]) != (i < 3) {
			t.Errorf("image %d: %v, %v", i, v, err)
		}
		must(t, fork.Close())
	}
}

func TestForkGoesOn(t *testing.T) {
	w := newWorld(t, 1)
	held := 0
	e := w.Spawn(A{1}, counter{held: &held, n: 1})
	stale, other := w.Spawn(A{2}), w.Spawn(Ref{To: e}, BufferOf(Elem{1}, Elem{2}))
	must(t, w.Destroy(stale))
	must(t, w.SetEntityName(e, "hero"))
	m := mustCapture(t, w, nil)
	if m.Len() != 2 {
		t.Errorf("%d entities", m.Len())
	}
	must(t, w.Destroy(e))
	fork, err := Fork(m, "fork")
	must(t, err)
	if held != 1 || !fork.Exists(e) || fork.Exists(stale) || fork.EntityName(e) != "hero" {
		t.Errorf("held %d times, entity %v, stale %v, name %q", held, fork.Exists(e), fork.Exists(stale), fork.EntityName(e))
	}
	if next := fork.Spawn(A{}); next != (Entity{stale.Index, stale.Version + 1}) {
		t.Errorf("the next id is %v", next)
	}
	if shared, err := Get[counter](fork, fork.Spawn(counter{held: &held, n: 1})); err != nil || shared.n != 1 || held != 1 {
		t.Errorf("the value is %v, held %d times, %v", shared, held, err)
	}
	if b, err := GetBuffer[Elem](fork, other); err != nil || !slices.Equal(b.Slice(), []Elem{{1}, {2}}) {
		t.Errorf("the buffer is %v, %v", b.Slice(), err)
	}
	must(t, fork.Close())
	if held != 0 {
		t.Errorf("held %d times by closed worlds", held)
	}
}

// Conformance: 355
func TestReleaseInAnyOrder(t *testing.T) {
	w := newWorld(t, 1)
	w.Create(w.Archetype(With[Position](), With[A]()), 20_000)
	q := w.Query(Write[A]())
	rng := rand.New(rand.NewPCG(3, 5))
	var list []*Image
	var last *Image
	round := func() {
		for c := range q.Chunks() {
			if rng.IntN(8) == 0 {
				(*Column[A](c))[0]++
			}
		}
		last = mustCapture(t, w, last)
		if list = append(list, last); len(list) > 10 {
			k := rng.IntN(len(list) - 1)
			must(t, list[k].Release())
			list = slices.Delete(list, k, k+1)
		}
	}
	for range 50 {
		round()
	}
	before := heap()
	for range 1000 {
		round()
	}
	if after := heap(); after > before+before/4+1<<20 {
		t.Errorf("the heap has %d bytes after 50 images, %d after 1000 more", before, after)
	}
	for _, m := range list {
		if m == last && m.Hash() != w.Hash() {
			t.Error("the last image is not the world")
		}
		must(t, m.Release())
	}
	wantCategory(t, ErrArgument, last.Release())
	_, err := Capture(w, last)
	wantCategory(t, ErrArgument, err)
	_, err = Fork(last, "fork")
	wantCategory(t, ErrArgument, err)
	wantPanic(t, ErrArgument, func() { last.Hash() })
	wantPanic(t, ErrArgument, func() { last.Columns() })
}

// Conformance: 356
func TestForksAtOnce(t *testing.T) {
	w := newWorld(t, 1)
	m := newModel(t)
	rng := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		var b [48]byte
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		m.step(b[:])
	}
	image := mustCapture(t, m.w, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			fork, err := Fork(image, fmt.Sprint("fork ", i), OnPool(w.Pool()))
			if err != nil || fork.Hash() != image.Hash() {
				t.Errorf("%v", err)
				return
			}
			fork.Spawn(A{int32(i)})
			if err := fork.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := Capture(m.w, image); err != nil {
		t.Error(err)
	}
	all.Wait()
}

func TestImageColumns(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Spawn(A{1}, En{Value: 2}, Sh{Value: 3})
	b := w.Spawn(A{4}, En{Value: 5}, Sh{Value: 3})
	must(t, SetEnabled[En](w, b, false))
	var got []string
	for p := range mustCapture(t, w, nil).Columns() {
		got = append(got, fmt.Sprint(p.Archetype, p.Chunk, p.Entities, p.Component, p.Lanes, p.On, p.Value))
	}
	if littleEndian {
		want := []string{
			fmt.Sprint("0 0 ", []Entity{a, b}, " ecs.A [[1 0 0 0 4 0 0 0]] [] <nil>"),
			fmt.Sprint("0 0 ", []Entity{a, b}, " ecs.En [[2 0 0 0 5 0 0 0]] [1] <nil>"),
			fmt.Sprint("0 0 ", []Entity{a, b}, " ecs.Sh [] [] ", Sh{Value: 3}),
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for range mustCapture(t, w, nil).Columns() {
		break
	}
}

// For every version, a fork must report the same changes since that version as the captured world.
func TestForkKnowsWhatChanged(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{1, 1})
	spawned := w.Version()
	w.Scheduler().BeginUpdate("one")
	w.Spawn(C{1, 2, 3})
	w.Scheduler().EndUpdate("")
	between := w.Version()
	w.Scheduler().BeginUpdate("two")
	must(t, Set(w, e, A{2}))
	w.Scheduler().EndUpdate("")
	fork, err := Fork(mustCapture(t, w, nil), "fork", OnPool(w.Pool()))
	must(t, err)
	defer func() { must(t, fork.Close()) }()
	for _, terms := range [][]Term{
		{Read[A](), Changed[A]()}, {Read[B](), Changed[B]()}, {Read[C](), Changed[C]()}, {Read[C](), OrderChanged()}, {OrderChanged()},
	} {
		for _, since := range []uint32{0, spawned - 1, spawned, between, w.Version()} {
			var got [2]string
			for i, one := range []*World{w, fork} {
				q := one.Query(terms...)
				q.SetSince(since)
				var seen atomic.Int64
				must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { seen.Add(int64(c.Len())) })).Wait())
				got[i] = fmt.Sprint(q.Count(), q.Unchanged(), q.AppendEntities(nil), seen.Load())
			}
			if got[0] != got[1] {
				t.Errorf("%v since %d: %s in the fork, want %s", terms, since, got[1], got[0])
			}
		}
	}
}

// A fork does not have a shared value that only a query of the world holds, because the fork has no
// query.
func TestForkDropsValues(t *testing.T) {
	w := newWorld(t, 1)
	held := 0
	w.Spawn(A{1}, Sh{Value: 1})
	w.Query(With[A](), WithShared(Sh{Value: 5}))
	w.Query(With[A](), WithShared(counter{held: &held, n: 2}))
	w.Spawn(A{2}, Sh{Value: 7})
	fork, err := Fork(mustCapture(t, w, nil), "fork")
	must(t, err)
	must(t, integrity(fork))
	var values []int32
	for _, v := range SharedValues[Sh](fork) {
		values = append(values, v.Value)
	}
	if !slices.Equal(values, []int32{0, 1, 7}) || held != 1 {
		t.Errorf("the fork has %v, the other value is held %d times", values, held)
	}
	must(t, fork.Close())
	if held != 1 {
		t.Errorf("held %d times", held)
	}
}

// TestReleaseTwiceAtOnce lets two goroutines release an image at the same time. One of them must
// get an error, and the memory of a built image must be recycled only once.
func TestReleaseTwiceAtOnce(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1})
	built, err := NewImageBuilder().Image()
	must(t, err)
	for name, m := range map[string]*Image{"captured": mustCapture(t, w, nil), "built": built} {
		p := m.pool
		p.mu.Lock() // both wait here before one is through
		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- m.Release() }()
		}
		time.Sleep(20 * time.Millisecond)
		p.mu.Unlock()
		if one, two := <-errs, <-errs; (one == nil) == (two == nil) {
			t.Errorf("%s: %v and %v, want one error", name, one, two)
		}
	}
}
