package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Conformance: 185
func TestReplay(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	other.Spawn() // so that ids differ
	c := w.NewCommands()
	c.SetMultiPlayback(true)
	root, err := c.Create(w.Archetype(With[A]()))
	must(t, err)
	must(t, Set(c, root, A{7}))
	child, err := c.Spawn(Ref{1, root}, ShRef{To: root}, BufferOf(Link{root}))
	must(t, err)
	must(t, Add(c, root, Ref{2, child}))
	must(t, Add(c, root, BufferOf(Link{child}, Link{child})))
	for range 3 {
		must(t, c.Playback(w))
	}
	must(t, c.Playback(other))
	for world, want := range map[*World]int{w: 3, other: 1} {
		q := world.Query(Read[Ref](), With[A]())
		if q.Count() != want {
			t.Errorf("%d roots, want %d", q.Count(), want)
		}
		for _, e := range q.AppendEntities(nil) {
			to := get[Ref](t, world, e).To
			if get[Ref](t, world, to).To != e || get[ShRef](t, world, to).To != e || get[Buffer[Link]](t, world, to).Slice()[0].To != e || get[Buffer[Link]](t, world, e).Slice()[1].To != to {
				t.Error("what was made in one go refers to what was made in another")
			}
		}
		must(t, integrity(world))
	}
	wantCategory(t, ErrState, c.Destroy(root)) // it was played, and is refused
	// A buffer whose playback has failed is not played again.
	c.Reset()
	c.SetMultiPlayback(true)
	e := w.Spawn()
	must(t, c.Destroy(e))
	must(t, Add(c, e, A{}))
	wantCategory(t, ErrArgument, c.Playback(w))
	wantCategory(t, ErrState, c.Playback(w))
	c.Reset()
	must(t, c.Playback(w))
	wantCategory(t, ErrState, c.Playback(w)) // SetMultiPlayback is valid until Reset
	// If the world of a buffer is closed, the buffer cannot be played.
	c = w.NewCommands()
	c.SetMultiPlayback(true)
	_, err = c.Create(w.Archetype(With[A]()))
	must(t, err)
	must(t, w.Close())
	wantCategory(t, ErrDisposed, c.Playback(other))
}

// Conformance: 203
func TestSkip(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	e := w.Spawn(A{1})
	must(t, c.Destroy(e))
	c.SetSkip(true)
	l := NewWorldLookup[A](w)
	must(t, c.Playback(w))
	if !w.Exists(e) || !l.Has(e) || !c.played {
		t.Error("a buffer to be skipped was played")
	}
	wantCategory(t, ErrState, c.Destroy(e))
	c.Reset()
	must(t, c.Destroy(e))
	must(t, c.Playback(w))
	if w.Exists(e) {
		t.Error("a buffer is skipped after Reset")
	}
}

// TestCommandsOfMany checks at which time the entities of a command are determined. For a slice it is the
// time of recording, and for a query the time of playback.
func TestCommandsOfMany(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	early := make([]Entity, 5)
	must(t, w.CreateInto(w.Archetype(With[A]()), early))
	q, tagged := w.Query(With[A]()), w.Query(With[Tag]())
	must(t, AddTypes(c, Entities(q.AppendEntities(nil)), With[Tag](), With[B]()))
	must(t, AddTypes(c, Matching(q), With[D]()))
	must(t, AddAll(c, Entities(early[:2]), Sh{Value: 1}))
	must(t, AddAll(c, Matching(tagged), Sh2{Value: 2}))
	must(t, AddAll(c, Entities(early[1:3]), A{9}))
	must(t, AddAll(c, Matching(q), C{1, 2, 3}))
	must(t, AddAll(c, Matching(q), Tag2{}))
	made, err := c.Create(w.Archetype(With[A]()))
	must(t, err)
	must(t, AddAll(c, Entities([]Entity{made, early[0]}), Ref{4, made}))
	must(t, RemoveTypes(c, Entities([]Entity{early[4], made}), With[A]()))
	must(t, RemoveTypes(c, Matching(w.Query(With[B]())), With[B]()))
	must(t, c.SetActive(early[3], false))
	must(t, c.SetActive(made, false))
	must(t, c.SetActive(made, true))
	must(t, c.SetArchetype(early[3], w.Archetype(With[Inactive](), With[D]())))
	late := w.Spawn(A{}) // after recording
	must(t, c.Playback(w))
	if Has[Tag](w, late) || !Has[D](w, late) || !Has[Tag](w, early[2]) || Has[Sh2](w, late) {
		t.Error("slices are for now, queries for later")
	}
	if get[Sh](t, w, early[1]).Value != 1 || Has[Sh](w, early[2]) || get[Sh2](t, w, early[2]).Value != 2 {
		t.Error("shared values are wrong")
	}
	if get[A](t, w, early[2]).Value != 9 || get[A](t, w, early[0]).Value != 0 || get[C](t, w, late).Z != 3 || !Has[Tag2](w, late) {
		t.Error("values are wrong")
	}
	if to := get[Ref](t, w, early[0]).To; get[Ref](t, w, to).To != to || Has[A](w, to) || Has[Inactive](w, to) {
		t.Error("the entity that was made is not meant")
	}
	if Has[A](w, early[4]) || Has[B](w, early[1]) || w.ArchetypeOf(early[3]) != w.Archetype(With[Inactive](), With[D]()) {
		t.Error("types are wrong")
	}
	must(t, integrity(w))
	c.Reset()
	must(t, w.Destroy(early[1]))
	must(t, DestroyAll(c, Entities(early[:3]))) // one of them is destroyed already
	must(t, DestroyAll(c, Matching(w.Query(With[D](), Absent[A]()))))
	must(t, c.Playback(w))
	if w.Exists(early[0]) || w.Exists(early[2]) || !w.Exists(late) || w.Exists(early[4]) {
		t.Error("not all were destroyed, or too many")
	}
	// Enabled bits.
	c.Reset()
	on := w.Spawn(En{})
	must(t, SetEnabledAll[En](c, Matching(w.Query(Present[En]())), false))
	second := w.Spawn(En{})
	must(t, c.Playback(w))
	if enabled[En](t, w, on) || enabled[En](t, w, second) {
		t.Error("the switches are on")
	}
	// Commands of jobs are played in the order of their chunks.
	c.Reset()
	p := c.Parallel()
	w.Query(Present[En]()).ParallelFor(chunkFunc(func(ch *Chunk) {
		b := p.For(ch)
		allow(t, AddTypes(b, Entities(ch.Entities()), With[A]()))
		allow(t, AddAll(b, Matching(q), A{3}))
		allow(t, SetEnabledAll[En](b, Matching(q), true))
	}))
	q = w.Query(With[A](), Present[En]())
	must(t, c.Playback(w))
	if q.Count() != 2 || get[A](t, w, second).Value != 3 || !enabled[En](t, w, on) {
		t.Error("jobs record nothing of many")
	}
	must(t, integrity(w))
}

// Conformance: 151, 186, 195
func TestCommandsOfManyRefuse(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	c := w.NewCommands()
	e, dead := w.Spawn(A{1}), w.Spawn()
	must(t, w.Destroy(dead))
	q, foreign, closed := w.Query(With[A]()), other.Query(With[A]()), w.Query(With[D]())
	must(t, closed.Close())
	all := func(ids []Entity, q *Query) []error {
		return []error{
			DestroyAll(c, Entities(ids)), AddTypes(c, Entities(ids), With[B]()), RemoveTypes(c, Entities(ids), With[B]()), AddAll(c, Entities(ids), B{}),
			DestroyAll(c, Matching(q)), AddTypes(c, Matching(q), With[B]()), RemoveTypes(c, Matching(q), With[B]()), AddAll(c, Matching(q), B{}), SetEnabledAll[En](c, Matching(q), true),
		}
	}
	for _, err := range all([]Entity{e, {}}, nil)[:4] {
		wantCategory(t, ErrState, err)
	}
	for _, err := range all(nil, foreign)[4:] {
		wantCategory(t, ErrArgument, err)
	}
	for _, err := range all(nil, closed)[4:] {
		wantCategory(t, ErrDisposed, err)
	}
	c.Reset()
	wantCategory(t, ErrArgument, AddTypes(c, Entities([]Entity{e}), Without[B]()))
	wantCategory(t, ErrArgument, AddTypes(c, Matching(q), Changed[B]()))
	wantCategory(t, ErrArgument, AddAll(c, Entities([]Entity{e}), int32(1)))
	wantCategory(t, ErrArgument, AddAll(c, Matching(q), int32(1)))
	wantCategory(t, ErrArgument, SetEnabledAll[int32](c, Matching(q), true))
	wantCategory(t, ErrArgument, c.SetArchetype(e, Archetype{}))
	wantCategory(t, ErrState, c.SetArchetype(Entity{}, w.Archetype()))
	wantCategory(t, ErrState, c.SetActive(Entity{}, true))
	if c.Len() != 0 {
		t.Errorf("%d commands were recorded though they were refused", c.Len())
	}
	must(t, c.Playback(w))
	for _, err := range all([]Entity{e}, q) {
		wantCategory(t, ErrState, err)
	}
	// A command that fails at playback changes nothing.
	placeholder, err := w.NewCommands().Create(w.Archetype())
	must(t, err)
	cleanup := w.Spawn(Cl{})
	for _, record := range []func() error{
		func() error { return AddTypes(c, Entities([]Entity{e, dead}), With[B]()) },
		func() error { return AddAll(c, Entities([]Entity{e, dead}), B{}) },
		func() error { return AddAll(c, Entities([]Entity{e, dead}), Sh{Value: 1}) },
		func() error { return AddTypes(c, Matching(q), With[B](), With[B]()) },
		func() error { return AddTypes(c, Entities([]Entity{e}), With[B](), With[B]()) },
		func() error { return RemoveTypes(c, Matching(q), With[B](), With[B]()) },
		func() error { return AddAll(c, Entities([]Entity{e}), Large{}) },
		func() error { return AddAll(c, Matching(q), Large{}) },
		func() error { return SetEnabledAll[En](c, Matching(q), true) },
		func() error { return SetEnabledAll[A](c, Matching(q), true) },
		func() error { return c.SetArchetype(cleanup, w.Archetype(With[A]())) },
		func() error { return c.SetActive(dead, true) },
		func() error { return AddAll(c, Entities([]Entity{e}), Ref{1, placeholder}) },
		func() error { return AddAll(c, Matching(q), Ref{1, placeholder}) },
		func() error { return AddAll(c, Entities([]Entity{e}), ShRef{To: placeholder}) },
		func() error { return AddAll(c, Matching(q), ShRef{To: placeholder}) },
		func() error { return DestroyAll(c, Entities([]Entity{e, placeholder})) },
		func() error { return AddAll(c, Entities([]Entity{e, placeholder}), B{}) },
	} {
		hash := w.Hash()
		c.Reset()
		must(t, record())
		if err := c.Playback(w); !errors.Is(err, ErrArgument) && !errors.Is(err, ErrState) {
			t.Errorf("got %v", err)
		}
		if w.Hash() != hash {
			t.Error("a command that failed has changed something")
		}
	}
	c.Reset()
	must(t, AddAll(c, Matching(q), B{}))
	must(t, q.Close())
	wantCategory(t, ErrDisposed, c.Playback(w))
}

// keyed is a job that records an entity for each index, with the index as key, in any order.
type keyed struct {
	p    ParallelCommands
	made Archetype
}

func (k *keyed) RunRange(t *jobs.Task, lo, hi int) {
	for i := hi - 1; i >= lo; i-- { // each key is lower than the one before
		b := k.p.ForKey(t, i)
		e, err := b.Create(k.made)
		if err == nil {
			err = Set(b, e, A{int32(i)})
		}
		if err != nil {
			panic(err)
		}
	}
}

// TestSortKeys checks the entities that jobs have created: row i has key i, no matter which job
// created it, and the rows of the owner's commands come last.
func TestSortKeys(t *testing.T) {
	const n = 10_000
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		k := &keyed{made: w.Archetype(With[A]())}
		c := w.NewCommands()
		last, err := c.Create(k.made)
		must(t, err)
		must(t, Set(c, last, A{-1}))
		k.p = c.Parallel()
		h := w.Pool().ParallelFor(k, n, 16)
		w.Scheduler().Track(&access.Access{}, h)
		must(t, c.Playback(w))
		got := gather(w.Query(Read[A]()))
		if len(got) != n+1 || got[n] != -1 {
			t.Fatalf("%d workers: %d rows", workers, len(got))
		}
		for i, v := range got[:n] {
			if int(v) != i {
				t.Fatalf("%d workers: row %d is of key %d", workers, i, v)
			}
		}
		must(t, w.Sync())
	}
}

// Commands with keys must be played after those of query jobs that were scheduled before the call of
// Parallel, and before those of query jobs that were scheduled later.
func TestSortKeysAndChunks(t *testing.T) {
	w := newWorld(t, 3)
	w.Create(w.Archetype(With[Lone]()), 40)
	q, made := w.Query(Read[Lone]()), w.Archetype(With[A]())
	c := w.NewCommands()
	record := func(p ParallelCommands, n int32) {
		q.ParallelFor(chunkFunc(func(ch *Chunk) {
			b := p.For(ch)
			e, err := b.Create(made)
			allow(t, err)
			allow(t, Set(b, e, A{n}))
		}))
	}
	first := c.Parallel()
	record(first, 1)
	k := &keyed{made: made, p: c.Parallel()}
	record(k.p, 1000)
	w.Scheduler().Track(&access.Access{}, w.Pool().ParallelFor(k, 100, 7))
	must(t, c.Playback(w))
	got := gather(w.Query(Read[A]()))
	chunks := q.ChunkCount()
	want := slices.Repeat([]int32{1}, chunks)
	for i := range int32(100) {
		want = append(want, i)
	}
	want = append(want, slices.Repeat([]int32{1000}, chunks)...)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	must(t, w.Sync())
}

// Conformance: 189. After a playback, the ParallelCommands of the buffer must be refused.
func TestParallelCommandsEnd(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	c := w.NewCommands()
	p := c.Parallel()
	for chunk := range w.Query().Chunks() {
		must(t, p.For(chunk).Destroy(chunk.Entities()[0]))
	}
	must(t, c.Playback(w))
	for chunk := range w.Query(IncludePrefabs()).Chunks() {
		wantCategory(t, ErrState, p.For(chunk).Destroy(chunk.Entities()[0]))
	}
	w.Spawn(A{})
	c.Reset()
	again := c.Parallel()
	for chunk := range w.Query().Chunks() {
		wantPanic(t, ErrDisposed, func() { p.For(chunk) })
		must(t, again.For(chunk).Destroy(chunk.Entities()[0]))
	}
	w.Pool().ParallelFor(taskFunc(func(task *jobs.Task) {
		wantPanic(t, ErrDisposed, func() { p.ForKey(task, 1) })
		wantPanic(t, ErrState, func() { ParallelCommands{}.ForKey(task, 1) })
	}), 1, 1).Wait()
	must(t, c.Playback(w))
	if w.Len() != 0 {
		t.Error("the new one records nothing")
	}
}

// taskFunc is a function that serves as a job with one block.
type taskFunc func(*jobs.Task)

func (f taskFunc) RunRange(t *jobs.Task, _, _ int) { f(t) }

// Conformance: 199. A handle to an entity's buffer must become stale at playback. The value that was
// recorded is a copy, and stays valid.
func TestPlaybackEndsBuffers(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	e := w.Spawn(BufferOf(elems(1, 2)...))
	b, err := GetBuffer[Elem](w, e)
	must(t, err)
	list := elems(3, 4, 5)
	must(t, Set(c, e, BufferOf(list...)))
	must(t, AppendBuffer(c, e, list...))
	list[0].Value = 99
	must(t, c.Playback(w))
	wantPanic(t, ErrDisposed, func() { b.Len() })
	checkElements(t, get[Buf](t, w, e), 3, 4, 5, 3, 4, 5)
	// The values of buffers that were recorded but never played must not stay in memory.
	bytes, hash := w.Stats().Bytes, w.Hash()
	for range 50 {
		c.Reset()
		must(t, Add(c, e, BufferOf(make([]Elem, 5000)...)))
	}
	c.Reset()
	must(t, c.Playback(w))
	if w.Stats().Bytes != bytes || w.Hash() != hash || cap(c.valueBytes) > 1<<20 {
		t.Errorf("%d bytes, %d before; the recorder has %d", w.Stats().Bytes, bytes, cap(c.valueBytes))
	}
}

// Conformance: 204. Playback and Reset wait for the jobs that record; in a job both are refused.
func TestPlaybackWaitsForRecorders(t *testing.T) {
	w := newWorld(t, 2)
	w.Create(w.Archetype(With[A]()), 3000)
	q, c := w.Query(With[A]()), w.NewCommands()
	var p ParallelCommands
	job := chunkFunc(func(ch *Chunk) {
		b := p.For(ch)
		for _, e := range ch.Entities() {
			allow(t, b.Destroy(e))
		}
		wantCategory(t, ErrState, b.Playback(w))
	})
	p = c.Parallel()
	q.ParallelFor(job)
	c.Reset() // waits, and drops the commands
	must(t, c.Playback(w))
	if w.Len() != 3000 {
		t.Errorf("%d entities", w.Len())
	}
	c.Reset()
	p = c.Parallel()
	hold := make(chan bool)
	q.ParallelFor(chunkFunc(func(ch *Chunk) {
		<-hold
		wantCategory(t, ErrState, c.Playback(w))
		job(ch)
	}))
	go close(hold)
	must(t, c.Playback(w))
	if w.Len() != 0 {
		t.Errorf("%d entities were not destroyed: their jobs were still recording", w.Len())
	}
	must(t, w.Sync())
}

// TestPlaybackNamesRecorder checks that an error names two systems: the one that has recorded the
// command, and the one that plays it back.
func TestPlaybackNamesRecorder(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{})
	dead := w.Spawn()
	must(t, w.Destroy(dead))
	for _, parallel := range []bool{false, true} {
		outer := w.Scheduler().BeginUpdate("demo.Record")
		c := w.NewCommands()
		c.SetName("end")
		if parallel {
			p := c.Parallel()
			w.Query(With[A]()).ParallelFor(chunkFunc(func(ch *Chunk) { allow(t, Add(p.For(ch), dead, A{})) }))
		} else {
			must(t, Add(c, dead, A{}))
		}
		w.Scheduler().EndUpdate(outer)
		outer = w.Scheduler().BeginUpdate("demo.Play")
		err := c.Playback(w)
		w.Scheduler().EndUpdate(outer)
		wantCategory(t, ErrArgument, err)
		for _, part := range []string{`buffer "end", recorded by demo.Record`, "system demo.Play", "command 0, Add", dead.String()} {
			if !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("%q is not in %q", part, err)
			}
		}
	}
}
