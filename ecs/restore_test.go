package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// keptModel holds copies of a model and its peer, and images of their worlds.
type keptModel struct {
	own, peer   model
	image, from *Image
	hash        [2]uint64
}

// twin returns a copy of the model, which has the same world, but can be changed independently.
func (m *model) twin() model {
	c := *m
	c.rows = map[Entity]*modelEntity{}
	for e, row := range m.rows {
		own := *row
		own.group = slices.Clone(row.group)
		c.rows[e] = &own
	}
	c.alive, c.free, c.queries = slices.Clone(m.alive), slices.Clone(m.free), slices.Clone(m.queries)
	return c
}

// keep captures both worlds of the model.
func (m *model) keep(before *keptModel) *keptModel {
	m.t.Helper()
	k := &keptModel{own: m.twin(), peer: m.peer.twin(), hash: [2]uint64{m.w.Hash(), m.peer.w.Hash()}}
	var own, from *Image
	if before != nil {
		if own, from = before.image, before.from; before.own.w != m.w {
			own, from = from, own
		}
	}
	var err error
	if k.image, err = Capture(m.w, own); err != nil {
		m.t.Fatal(err)
	}
	if k.from, err = Capture(m.peer.w, from); err != nil {
		m.t.Fatal(err)
	}
	return k
}

// restoreKept restores the model, its peer and their worlds.
func (m *model) restoreKept(k *keptModel) {
	m.t.Helper()
	peer := m.peer
	*m, *peer = k.own.twin(), k.peer.twin()
	m.peer = peer
	for i, w := range []*World{m.w, peer.w} {
		if err := Restore(w, []*Image{k.image, k.from}[i]); err != nil {
			m.t.Fatal(err)
		}
		if err := integrity(w); err != nil {
			m.t.Fatalf("after Restore: %v", err)
		}
		if err := integrityQueries(w); err != nil {
			m.t.Fatalf("after Restore: %v", err)
		}
		if h := w.Hash(); h != k.hash[i] {
			m.t.Fatalf("world %d has the hash %#x after Restore, and had %#x", i, h, k.hash[i])
		}
	}
}

// run does n random steps.
func (m *model) run(rng *rand.Rand, n int) {
	for range n {
		var b [48]byte
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		m.step(b[:])
	}
}

// TestRestoreModel runs the model's operations on two worlds in the same way. One of them is captured,
// changed by other operations, and restored at random, back and forth. After every step its hashes must
// equal those of the other world.
func TestRestoreModel(t *testing.T) {
	worlds, n := keptWorlds()
	for seed := range worlds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng, spoil := rand.New(rand.NewPCG(seed, 6)), rand.New(rand.NewPCG(seed, 7))
			plain, other := newModel(t), newModel(t)
			var last *keptModel
			for i := range n {
				var b [48]byte
				for k := range b {
					b[k] = byte(rng.Uint32())
				}
				plain.step(b[:])
				other.step(b[:])
				if a, b := plain.w.Hash(), other.w.Hash(); a != b {
					t.Fatalf("step %d, %s: the hash is %#x, with images %#x", i, plain.last, a, b)
				}
				if spoil.IntN(5) > 0 || other.cmd.Len()+other.peer.cmd.Len() > 0 {
					continue
				}
				last = other.keep(last)
				other.run(spoil, spoil.IntN(12))
				if other.cmd.Len()+other.peer.cmd.Len() == 0 && spoil.IntN(2) == 0 {
					later := other.keep(last) // from a future that the world will not have
					other.run(spoil, spoil.IntN(6))
					if spoil.IntN(2) == 0 {
						other.restoreKept(last)
						other.run(spoil, spoil.IntN(4))
					}
					other.restoreKept(later)
					other.run(spoil, spoil.IntN(4))
				}
				other.restoreKept(last)
				if err := other.check(i%64 == 0); err != nil {
					t.Fatalf("step %d, %s: %v", i, other.last, err)
				}
				if spoil.IntN(8) == 0 {
					last = nil
				}
			}
		})
	}
}

// If the image was taken of another world, or was built, Restore must copy the whole image.
//
// Conformance: 353
func TestRestoreOfAnother(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 8))
		a, b := newModel(t), newModel(t)
		a.run(rng, 150)
		b.run(rng, 150)
		own := mustCapture(t, b.w, nil)
		for range 3 {
			image := mustCapture(t, a.w, nil)
			built, err := rebuild(image)
			must(t, err)
			for _, m := range []*Image{image, own, built, own} {
				must(t, Restore(b.w, m))
				must(t, integrity(b.w))
				must(t, integrityQueries(b.w))
				if got := b.w.Hash(); got != m.Hash() {
					t.Fatalf("seed %d: hash %#x, want %#x", seed, got, m.Hash())
				}
			}
			c := mustCapture(t, b.w, own)
			if c.Hash() != own.Hash() {
				t.Errorf("an image on an old one of the same world is not what the world is")
			}
			a.run(rng, 20)
		}
	}
}

// TestRestoreVersions checks versions and filters after a Restore.
func TestRestoreVersions(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{1, 1})
	w.Spawn(A{1}, C{})
	w.Scheduler().BeginUpdate("one")
	must(t, Set(w, e, A{2}))
	w.Scheduler().EndUpdate("")
	m := mustCapture(t, w, nil)
	was, orders := []uint32{ChangeVersion[A](w, e), ChangeVersion[B](w, e), orderVersion(w, e)}, orderCount[A](w)
	w.Scheduler().BeginUpdate("two")
	must(t, Set(w, e, A{3}))
	must(t, Add(w, e, D{4}))
	w.Scheduler().EndUpdate("")
	later := w.Version()
	must(t, Restore(w, m))
	is := []uint32{ChangeVersion[A](w, e), ChangeVersion[B](w, e), orderVersion(w, e)}
	if !slices.Equal(was, is) || int32(w.Version()-later) <= 0 {
		t.Errorf("versions %v, want %v; of the world %d, was %d", is, was, w.Version(), later)
	}
	if now := orderCount[A](w); now == orders {
		t.Errorf("the count of orders is %d again", now)
	}
	q := w.Query(Read[A](), Changed[A]())
	q.SetSince(was[0] - 1)
	if q.Count() != 1 {
		t.Errorf("%d rows have changed", q.Count())
	}
	q.SetSince(was[0])
	if q.Count() != 0 {
		t.Errorf("%d rows have changed", q.Count())
	}
	must(t, Set(w, e, A{9}))
	if q.Count() != 1 {
		t.Errorf("%d rows have changed that were written after Restore", q.Count())
	}
}

func TestRestoreRefused(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	m := mustCapture(t, w, nil)
	w.Spawn(A{1})
	hash := w.Hash()
	refused := func(w *World) {
		t.Helper()
		wantCategory(t, ErrState, Restore(w, m))
	}
	q := w.Query(With[A]())
	for range q.Chunks() {
		refused(w)
	}
	must(t, q.ParallelFor(chunkFunc(func(*Chunk) { refused(w) })).Wait())
	w.Scheduler().BeginUpdate("steer")
	refused(w)
	w.Scheduler().EndUpdate("")
	tx, err := BeginTransaction(w)
	must(t, err)
	refused(w)
	tx.Schedule(TransactionFunc(func(inner *World) error { refused(inner); return nil }))
	must(t, tx.End())
	if h := w.Hash(); h != hash {
		t.Errorf("hash %#x, was %#x", h, hash)
	}
	wantCategory(t, ErrArgument, Restore(nil, m))
	wantCategory(t, ErrArgument, Restore(w, nil))
	must(t, Restore(w, m))
	must(t, m.Release())
	wantCategory(t, ErrArgument, Restore(w, m))
	must(t, w.Close())
	wantCategory(t, ErrDisposed, Restore(w, mustCapture(t, newWorld(t, 1), nil)))
}

// Archetypes that are newer than the image leave the order of archetypes. Handles, queries, lookups and
// recorded commands that refer to them must stay safe.
func TestRestoreArchetypes(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	q := w.Query(Read[A]())
	l := NewWorldLookup[A](w)
	p := NewProbe(w, With[A]())
	m := mustCapture(t, w, nil)
	n := len(slices.Collect(w.Archetypes()))
	later := w.Archetype(With[A](), With[B](), With[PerChunk[boundsOf]]())
	other := w.Archetype(With[A](), With[C]())
	w.Spawn(A{2}, C{1, 2, 3})
	must(t, Add(w, e, B{1, 2}))
	replay := w.NewCommands()
	replay.SetMultiPlayback(true)
	_, err := replay.Create(other)
	must(t, err)
	dropped := w.NewCommands()
	_, err = dropped.Create(later)
	must(t, err)
	if q.Count() != 2 || !p.MatchesArchetype(other) {
		t.Errorf("%d rows", q.Count())
	}
	must(t, Restore(w, m))
	if got := len(slices.Collect(w.Archetypes())); got != n {
		t.Errorf("%d archetypes, want %d", got, n)
	}
	if q.Count() != 1 || later.Len() != 0 || later.ChunkCount() != 0 || q.Matches(e) != true || !p.MatchesArchetype(other) {
		t.Errorf("%d rows", q.Count())
	}
	must(t, l.Refresh())
	if v, ok := l.Get(e); !ok || v != (A{1}) {
		t.Errorf("%v", v)
	}
	must(t, dropped.Playback(w))
	if w.Len() != 1 {
		t.Errorf("%d entities: what was recorded before has been played", w.Len())
	}
	must(t, replay.Playback(w))
	if q.Count() != 2 || other.Len() != 1 {
		t.Errorf("%d rows, %d of the archetype", q.Count(), other.Len())
	}
	w.Create(later, 3)
	if later.Len() != 3 || q.Count() != 5 {
		t.Errorf("%d rows of an archetype that has come back, %d in all", later.Len(), q.Count())
	}
	must(t, integrity(w))
	must(t, integrityQueries(w))
	must(t, l.Refresh())
	if v, ok := l.Get(e); !ok || v != (A{1}) {
		t.Errorf("%v", v)
	}
	var types []string
	for a := range w.Archetypes() {
		types = append(types, a.String())
	}
	straight := newWorld(t, 1) // a world with only the remaining history
	straight.Spawn(A{1})
	straight.Archetype(With[A](), With[C]())
	straight.Archetype(With[A](), With[B](), With[PerChunk[boundsOf]]())
	var want []string
	for a := range straight.Archetypes() {
		want = append(want, a.String())
	}
	if !slices.Equal(types, want) {
		t.Errorf("archetypes %v, want %v", types, want)
	}
}

// Conformance: 316
func TestRestoreTellsValues(t *testing.T) {
	w := newWorld(t, 1)
	held := [4]int{}
	value := func(n int) counter { return counter{held: &held[n], n: n} }
	w.Query(With[A](), WithShared(value(3)))
	e := w.Spawn(A{}, value(1))
	m := mustCapture(t, w, nil)
	must(t, Set(w, e, value(2)))
	q := w.Query(With[A](), WithShared(value(2)))
	must(t, w.Destroy(e))
	w.Create(w.Archetype(With[A](), With[counter]()), 1)
	must(t, Restore(w, m))
	must(t, integrity(w))
	must(t, integrityQueries(w))
	if held != [4]int{0, 1, 1, 1} {
		t.Errorf("held %v", held)
	}
	if q.Count() != 0 || w.Query(With[A](), WithShared(value(1))).Count() != 1 {
		t.Error("queries do not find the values")
	}
	must(t, Set(w, e, value(2)))
	if q.Count() != 1 || q != w.Query(With[A](), WithShared(value(2))) {
		t.Errorf("%d rows", q.Count())
	}
	must(t, Restore(w, m))
	must(t, w.Close())
	if held != [4]int{} {
		t.Errorf("held %v by a closed world", held)
	}
}

// If a method of a shared value panics, or a hook panics, Restore must change nothing.
func TestRestoreSurvivesPanics(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, moody{N: 1})
	m := mustCapture(t, w, nil)
	w.Spawn(A{2}, moody{N: 2})
	q := w.Query(With[A](), WithShared(moody{N: 2}))
	hash := w.Hash()
	for _, f := range []func() (undo func()){
		func() func() { moods = 1; return func() { moods = 0 } },
		func() func() { return w.Hooks().OnCommit(func(string) { panic("no") }) },
	} {
		undo := f()
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			t.Error(Restore(w, m))
		}()
		undo()
		must(t, integrity(w))
		if h := w.Hash(); h != hash || q.Count() != 1 {
			t.Errorf("hash %#x, was %#x", h, hash)
		}
	}
	must(t, Restore(w, m))
	must(t, integrity(w))
	if q.Count() != 0 || w.Len() != 1 {
		t.Errorf("%d rows", q.Count())
	}
}

// moody is a shared value whose Equal panics from time to time. All hashes are equal.
type moody struct {
	Shared
	N int32
}

var moods int

func (m moody) Equal(o moody) bool {
	if moods > 0 {
		panic("bad mood")
	}
	return m.N == o.N
}

func (moody) Hash() uint64 { return 1 }

func TestOnRestore(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	unkeep := w.Hooks().OnCapture(func(m *Image) { m.Attach("key", w.Len()) })
	m := mustCapture(t, w, nil)
	unkeep()
	if other := mustCapture(t, w, nil); m.Attached("key") != 1 || other.Attached("key") != nil {
		t.Errorf("kept %v and %v", m.Attached("key"), other.Attached("key"))
	}
	wantPanic(t, ErrArgument, func() { w.Hooks().OnCapture(nil) })
	seen := 0
	remove := w.Hooks().OnRestore(func(own *Image) {
		if seen++; own != m || w.Len() != 1 {
			t.Error("another image")
		}
	})
	w.Spawn(A{})
	must(t, Restore(w, m))
	remove()
	must(t, Restore(w, m))
	if seen != 1 {
		t.Errorf("called %d times", seen)
	}
	wantPanic(t, ErrArgument, func() { w.Hooks().OnRestore(nil) })
}

// Restore must restore names, and chunks that have changed their archetype in place.
//
// Conformance: 351
func TestRestoreNamesAndLabels(t *testing.T) {
	w := newWorld(t, 1)
	w.Create(w.Archetype(With[A]()), 3000)
	all := slices.Collect(w.Entities())
	must(t, w.SetEntityName(all[0], "first"))
	m := mustCapture(t, w, nil)
	AddTypes(w, Matching(w.Query(With[A]())), With[Tag]())
	must(t, w.SetEntityName(all[0], "last"))
	must(t, w.SetEntityName(all[1], "second"))
	must(t, Restore(w, m))
	must(t, integrity(w))
	if w.EntityName(all[0]) != "first" || w.EntityName(all[1]) != "" || w.Query(With[A](), With[Tag]()).Count() != 0 || w.Hash() != m.Hash() {
		t.Errorf("names %q and %q", w.EntityName(all[0]), w.EntityName(all[1]))
	}
}
