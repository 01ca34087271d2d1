package ecs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Conformance: 184
func TestCommands(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	if c.Len() != 0 {
		t.Error(c.Len())
	}
	e, err := c.Create(w.Archetype())
	must(t, err)
	must(t, Add(c, e, A{7}))
	if c.Len() != 2 || e.Index != -1 || w.Len() != 0 {
		t.Error(c.Len(), e, w.Len())
	}
	must(t, c.Playback(w))
	if got := gather(w.Query(Read[A]())); len(got) != 1 || got[0] != 7 {
		t.Errorf("got %v", got)
	}
	// An empty buffer does not make views stale.
	l := NewWorldLookup[A](w)
	must(t, w.NewCommands().Playback(w))
	l.Has(Entity{})
}

// Conformance: 185, 186
func TestPlayedBuffer(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	must(t, c.Playback(w))
	if !c.played {
		t.Error("the buffer was not played")
	}
	wantCategory(t, ErrState, c.Playback(w))
	_, err := c.Create(w.Archetype())
	wantCategory(t, ErrState, err)
	_, err = c.Spawn(A{})
	wantCategory(t, ErrState, err)
	e := w.Spawn()
	_, err = c.Instantiate(e)
	wantCategory(t, ErrState, err)
	_, err = c.Last()
	wantCategory(t, ErrState, err)
	_, err = Ensure[A](c, e)
	wantCategory(t, ErrState, err)
	_, err = Remove[A](c, e)
	wantCategory(t, ErrState, err)
	for _, err := range []error{c.Destroy(e), Add(c, e, A{}), Set(c, e, A{}), AddTypes(c, One(e)), RemoveTypes(c, One(e))} {
		wantCategory(t, ErrState, err)
	}
	c.Reset()
	must(t, c.Destroy(e))
	must(t, c.Playback(w))
	if w.Exists(e) {
		t.Error("the buffer does not play after Reset")
	}
	wantCategory(t, ErrArgument, w.NewCommands().Playback(newWorld(t, 1)))
}

// Conformance: 191
func TestPlaceholderOfAnotherBuffer(t *testing.T) {
	w := newWorld(t, 1)
	c, other := w.NewCommands(), w.NewCommands()
	e, err := c.Create(w.Archetype())
	must(t, err)
	must(t, other.Destroy(e))
	wantCategory(t, ErrState, other.Playback(w))
	wantCategory(t, ErrArgument, w.Destroy(e))
	wantCategory(t, ErrArgument, Add(w, e, A{}))
	must(t, c.Playback(w))
	c.Reset()
	must(t, Add(c, e, A{})) // kept past playback
	err = c.Playback(w)
	wantCategory(t, ErrState, err)
	if !strings.Contains(err.Error(), "Reset") {
		t.Error(err)
	}
	c.Reset()
	target := w.Spawn()
	must(t, Add(c, target, Ref{1, e}))
	wantCategory(t, ErrState, c.Playback(w))
	if Has[Ref](w, target) {
		t.Error("a command that failed has changed something")
	}
	c.Reset()
	n := w.Len()
	_, err = c.Spawn(A{}, Ref{1, e})
	must(t, err)
	wantCategory(t, ErrState, c.Playback(w))
	if w.Len() != n {
		t.Error("a command that failed has made an entity")
	}
}

// Conformance: 194, 195
func TestCommandsWinInOrder(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	e := w.Spawn()
	must(t, Add(c, e, A{17}))
	_, err := Ensure[A](c, e)
	must(t, err)
	must(t, Set(c, e, A{42}))
	must(t, Add(c, e, Sh{Value: 1}))
	must(t, Add(c, e, Sh{Value: 2}))
	must(t, Add(c, e, BufferOf(elems(1, 2)...)))
	must(t, Set(c, e, BufferOf(elems(3)...)))
	must(t, c.Playback(w))
	if get[A](t, w, e).Value != 42 || get[Sh](t, w, e).Value != 2 {
		t.Error(get[A](t, w, e), get[Sh](t, w, e))
	}
	checkElements(t, get[Buf](t, w, e), 3)
	c.Reset()
	must(t, c.Destroy(e))
	must(t, c.Destroy(e))
	must(t, c.Playback(w))
	c.Reset()
	for _, err := range []error{c.Destroy(Entity{}), Add(c, Entity{}, A{}), Set(c, Entity{}, A{}), AddTypes(c, One(Entity{}), With[A]()), RemoveTypes(c, One(Entity{}), With[A]())} {
		wantCategory(t, ErrState, err)
	}
	_, err = c.Instantiate(Entity{})
	wantCategory(t, ErrState, err)
	wantCategory(t, ErrArgument, AddTypes(c, One(e), Without[A]()))
	if c.Len() != 0 {
		t.Errorf("%d commands were recorded though they were refused", c.Len())
	}
}

// Conformance: 97
func TestCommandsAndCleanup(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	e := w.Spawn(A{}, Cl{})
	must(t, c.Destroy(e))
	must(t, c.Playback(w))
	if !w.Exists(e) {
		t.Fatal("the entity is gone too early")
	}
	c.Reset()
	_, err := Remove[Cl](c, e)
	must(t, err)
	must(t, c.Playback(w))
	if w.Exists(e) {
		t.Error("the entity is still there")
	}
}

// Conformance: 201
func TestManyDeferredEntities(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	a := w.Archetype(With[A]())
	for i := range int32(2500) {
		e, err := c.Create(a)
		must(t, err)
		if last, err := c.Last(); last != e || err != nil {
			t.Fatal(last, err)
		}
		must(t, Add(c, e, B{i, i}))
		must(t, Set(c, e, A{i}))
		must(t, Add(c, e, BufferOf(elems(i, i)...)))
		must(t, AddTypes(c, One(e), With[C](), With[Tag]()))
		must(t, RemoveTypes(c, One(e), With[B]()))
		must(t, c.Destroy(e))
	}
	must(t, c.Playback(w))
	if w.Len() != 0 {
		t.Errorf("%d entities", w.Len())
	}
	must(t, integrity(w))
}

// TestDeferredReferences checks that ids of deferred entities are replaced everywhere in components
// and in buffers.
func TestDeferredReferences(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	root, err := c.Create(w.Archetype())
	must(t, err)
	child, err := c.Spawn(Ref{1, root}, BufferOf(Link{root}))
	must(t, err)
	copied, err := c.Instantiate(child)
	must(t, err)
	many := make([]Link, 20)
	many[0], many[19] = Link{child}, Link{copied}
	must(t, Add(c, root, BufferOf(many...)))
	must(t, Add(c, root, Ref{2, copied}))
	must(t, c.Playback(w))
	e := [3]Entity{{0, 1}, {1, 1}, {2, 1}}
	if get[Ref](t, w, e[1]).To != e[0] || get[Ref](t, w, e[0]).To != e[2] || get[Ref](t, w, e[2]).To != e[0] {
		t.Error("references in components are wrong")
	}
	if b := get[Buffer[Link]](t, w, e[0]).Slice(); len(b) != 20 || b[0].To != e[1] || b[19].To != e[2] {
		t.Errorf("references in a buffer are %v", b)
	}
	if b := get[Buffer[Link]](t, w, e[1]).Slice(); len(b) != 1 || b[0].To != e[0] {
		t.Errorf("references in a buffer are %v", b)
	}
}

// TestPlaybackStopsAtFailure checks a playback that fails. Earlier commands remain, the failing command
// and later ones have no effect, and the error names the failing command.
func TestPlaybackStopsAtFailure(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	c.SetName("end of simulation")
	e, dead := w.Spawn(A{1}), w.Spawn()
	must(t, w.Destroy(dead))
	must(t, Set(c, e, A{2}))
	must(t, Add(c, dead, B{}))
	must(t, Set(c, e, A{3}))
	err := c.Playback(w)
	wantCategory(t, ErrArgument, err)
	for _, part := range []string{`buffer "end of simulation"`, "command 1, Add", dead.String(), "destroyed"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if get[A](t, w, e).Value != 2 {
		t.Errorf("got %v", get[A](t, w, e))
	}
	wantCategory(t, ErrState, c.Playback(w))
	for _, record := range []func() error{
		func() error { return Set(c, e, B{}) },
		func() error { return Set(c, e, Tag{}) },
		func() error { _, err := c.Instantiate(dead); return err },
		func() error { return AddTypes(c, One(dead), With[A]()) },
		func() error { return AddTypes(c, One(e), With[A](), With[A]()) },
		func() error { return Add(c, e, Large{}) },
		func() error { _, err := c.Spawn(A{}, A{}); return err },
		func() error { _, err := Ensure[A](c, dead); return err },
	} {
		hash, n := w.Hash(), w.Len()
		c.Reset()
		must(t, record())
		wantCategory(t, ErrArgument, c.Playback(w))
		if w.Hash() != hash || w.Len() != n {
			t.Error("a command that failed has changed something")
		}
	}
	must(t, integrity(w))
}

// Conformance: 203
func TestZeroCommands(t *testing.T) {
	w := newWorld(t, 1)
	var c Commands
	e := w.Spawn()
	for _, err := range []error{c.Playback(w), (*Commands)(nil).Playback(w), c.Destroy(e), Add(&c, e, A{})} {
		wantCategory(t, ErrState, err)
		if !strings.Contains(err.Error(), "World.NewCommands") {
			t.Error(err)
		}
	}
	for chunk := range w.Query().Chunks() {
		wantPanic(t, ErrState, func() { ParallelCommands{}.For(chunk) })
		wantPanic(t, ErrState, func() { c.Parallel().For(chunk) })
		p := w.NewCommands().Parallel().For(chunk)
		wantCategory(t, ErrState, p.Playback(w))
	}
	_, err := w.NewCommands().Last()
	wantCategory(t, ErrState, err)
}

// TestParallelCommandsPlayInOrder checks the entities that jobs have created: row i comes from
// chunk i, and the rows of the owner's commands come last.
func TestParallelCommandsPlayInOrder(t *testing.T) {
	w := newWorld(t, 3)
	w.Create(w.Archetype(With[Lone]()), 1000)
	q := w.Query(Read[Lone]())
	made := w.Archetype(With[A]())
	c := w.NewCommands()
	last, err := c.Create(made)
	must(t, err)
	must(t, Set(c, last, A{-1}))
	p := c.Parallel()
	q.ParallelFor(chunkFunc(func(chunk *Chunk) {
		b := p.For(chunk)
		for range 10 {
			e, err := b.Create(made)
			allow(t, err)
			allow(t, Set(p.For(chunk), e, A{int32(chunk.Index())}))
		}
	}))
	must(t, c.Playback(w))
	got := gather(w.Query(Read[A]()))
	if len(got) != 10_001 || got[10_000] != -1 {
		t.Fatalf("%d rows", len(got))
	}
	for i, v := range got[:10_000] {
		if int(v) != i/10 {
			t.Fatalf("row %d is of chunk %d", i, v)
		}
	}
}

// spawner records several kinds of commands, depending on its chunk.
type spawner struct {
	made Archetype
	p    ParallelCommands
}

func (s *spawner) Chunk(c *Chunk) {
	rng := rand.New(rand.NewPCG(uint64(c.Index()), 9))
	b := s.p.For(c)
	for _, e := range c.Entities() {
		switch rng.IntN(6) {
		case 0:
			b.Destroy(e)
		case 1:
			n, _ := b.Create(s.made)
			Add(b, n, Ref{rng.Int32(), e})
			Add(b, n, BufferOf(make([]Elem, rng.IntN(20))...))
		case 2:
			Add(b, e, Velocity{X: rng.Float32()})
		case 3:
			b.Instantiate(e)
		case 4:
			Add(b, e, Sh{Value: rng.Int32N(3)})
		}
	}
}

// TestDeterminism checks that the same steps create exactly the same world, with the same ids, for
// any number of workers.
func TestDeterminism(t *testing.T) {
	rows := 2000
	if raceEnabled || guard {
		rows = 500
	}
	run := func(workers int) (hashes []uint64) {
		w := newWorld(t, workers)
		for c := range w.Create(w.Archetype(With[Position](), With[Velocity](), With[Matrix]()), rows).Chunks() {
			vel := Column[Velocity](c)
			for i := range vel.X {
				vel.X[i] = float32(i)
			}
		}
		moving, all := w.Query(Write[Position](), Read[Velocity]()), w.Query(With[Matrix]())
		s := &spawner{made: w.Archetype(With[Matrix](), With[Position]())}
		c := w.NewCommands()
		for range 6 {
			outer := w.Scheduler().BeginUpdate("step")
			moving.ParallelFor(&advance{dt: 0.25})
			s.p = c.Parallel()
			all.ParallelFor(s)
			other := *s
			other.p = c.Parallel()
			moving.ParallelFor(&other)
			if err := c.Playback(w); err != nil && !errors.Is(err, ErrArgument) {
				t.Fatal(err)
			}
			c.Reset()
			w.Scheduler().EndUpdate(outer)
			hashes = append(hashes, w.Hash())
		}
		must(t, w.Sync())
		must(t, integrity(w))
		return hashes
	}
	want := run(1)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		if got := run(workers); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d workers: got %x, want %x", workers, got, want)
		}
	}
}

// Conformance: 196
func TestAppendLater(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	e := w.Spawn(BufferOf(elems(1)...))
	must(t, AppendBuffer(w, e, elems(2)...))
	want := []int32{1, 2}
	for i := range int32(40) {
		must(t, AppendBuffer(c, e, Elem{i}, Elem{-i}))
		want = append(want, i, -i)
	}
	must(t, c.Playback(w))
	checkElements(t, get[Buf](t, w, e), want...)
	c.Reset()
	other := w.Spawn()
	must(t, AppendBuffer(c, other, Elem{1}))
	wantCategory(t, ErrState, c.Playback(w))
	wantCategory(t, ErrArgument, AppendBuffer(w, other, Elem{1}))
	must(t, integrity(w))
}
