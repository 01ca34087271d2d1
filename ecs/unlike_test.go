package ecs_test

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Code that is right for the first row, chunk and column may be wrong for the second. Therefore the tests
// in this file use the second chunk, the second column, and rows that are not the first of their chunk.

// Four limits the number of rows in a chunk to 4, and Nine limits it to 9.
type (
	Four struct{ Value int32 }
	Nine struct{ Value int32 }
)

func (Four) ChunkCapacity() int { return 4 }
func (Nine) ChunkCapacity() int { return 9 }

// If there are several limits, the smallest limit applies, in any order of components.
func TestSmallestLimit(t *testing.T) {
	w := newWorld(t, 1)
	for _, c := range []struct {
		terms []ecs.Term
		want  int
	}{
		{[]ecs.Term{ecs.With[Nine]()}, 9},
		{[]ecs.Term{ecs.With[Four](), ecs.With[Nine]()}, 4},
		{[]ecs.Term{ecs.With[Nine](), ecs.With[Lone]()}, 1},
		{[]ecs.Term{ecs.With[Four](), ecs.With[Nine](), ecs.With[Lone]()}, 1},
		{[]ecs.Term{ecs.With[Four](), ecs.With[A]()}, 4},
	} {
		if got := w.Archetype(c.terms...).Capacity(); got != c.want {
			t.Errorf("%v: %d rows in a chunk, want %d", c.terms, got, c.want)
		}
	}
}

// If a command writes a value at playback, this must count as a change, like every other write.
func TestPlaybackIsAChange(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{}, ecs.BufferOf(Elem{1}))
	for i, record := range []func(c *ecs.Commands) error{
		func(c *ecs.Commands) error { return ecs.Set(c, e, A{2}) },
		func(c *ecs.Commands) error { return ecs.Add(c, e, A{3}) },
		func(c *ecs.Commands) error { return ecs.Set(c, e, ecs.BufferOf(Elem{2}, Elem{3})) },
		func(c *ecs.Commands) error { return ecs.AppendBuffer(c, e, Elem{4}) },
	} {
		setVersion(w, uint32(100+10*i))
		c := w.NewCommands()
		must(t, record(c))
		must(t, c.Playback(w))
		since := uint32(99 + 10*i)
		for k, q := range []*ecs.Query{w.Query(ecs.With[A](), ecs.Changed[A]()), w.Query(ecs.With[Buf](), ecs.Changed[Buf]())} {
			q.SetSince(since)
			if got, want := q.Count() == 1, (k == 0) == (i < 2); got != want {
				t.Errorf("command %d: query %d sees a change: %v, want %v", i, k, got, want)
			}
		}
		untouched := w.Query(ecs.With[B](), ecs.Changed[B]())
		if untouched.SetSince(since); untouched.Count() != 0 {
			t.Errorf("command %d: another component has changed", i)
		}
	}
}

// Rows from the middle of a chunk get another shared value. There is a chunk with this value
// already, but it does not have enough free rows for all of them.
func TestShareTheMiddle(t *testing.T) {
	w := newWorld(t, 1)
	room := w.Archetype(ecs.With[A](), ecs.With[Sh]()).Capacity()
	for range room - 5 {
		w.Spawn(A{-1}, Sh{Value: 1})
	}
	ids := make([]ecs.Entity, 100)
	for i := range ids {
		ids[i] = w.Spawn(A{int32(i)}, Sh{Value: 2})
	}
	must(t, ecs.AddAll(w, ecs.Entities(ids[10:60]), Sh{Value: 1}))
	for i, e := range ids {
		want := int32(2)
		if i >= 10 && i < 60 {
			want = 1
		}
		if s, a := get[Sh](t, w, e).Value, get[A](t, w, e).Value; s != want || a != int32(i) {
			t.Errorf("entity %d has shared value %d and A %d, want %d and %d", i, s, a, want, i)
		}
	}
	must(t, integrity(w))
}

// When several rows move together, they must keep their enabled bits, wherever in the chunk they
// were.
func TestSwitchesOfTheMiddle(t *testing.T) {
	w := newWorld(t, 1)
	ids := make([]ecs.Entity, 200)
	must(t, w.CreateInto(w.Archetype(ecs.With[A](), ecs.With[En]()), ids))
	on := func(i int) bool { return i%3 == 0 || i > 150 }
	for i, e := range ids {
		must(t, ecs.SetEnabled[En](w, e, on(i)))
	}
	for _, part := range [][]ecs.Entity{ids[70:150], ids[3:5], ids[64:70]} {
		must(t, ecs.AddTypes(w, ecs.Entities(part), ecs.With[B]()))
		for i, e := range ids {
			if got := enabled[En](t, w, e); got != on(i) {
				t.Fatalf("after a move of %d entities number %d is on: %v", len(part), i, got)
			}
		}
	}
	must(t, integrity(w))
}

// A chunk that gets a tag keeps the version of each of its columns.
func TestRelabelKeepsVersions(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, 42)
	ids := make([]ecs.Entity, 3)
	must(t, w.CreateInto(w.Archetype(ecs.With[A](), ecs.With[B](), ecs.With[C]()), ids))
	setVersion(w, 43)
	must(t, ecs.Set(w, ids[0], B{1, 2}))
	setVersion(w, 44)
	must(t, ecs.AddTypes(w, ecs.Matching(w.Query(ecs.With[A]())), ecs.With[Tag]()))
	if a, b, k := ecs.ChangeVersion[A](w, ids[0]), ecs.ChangeVersion[B](w, ids[0]), ecs.ChangeVersion[C](w, ids[0]); a != 42 || b != 43 || k != 42 {
		t.Errorf("versions of A, B and C are %d, %d and %d, want 42, 43 and 42", a, b, k)
	}
}

// If a query has two AnyOf terms, each of them must hold separately.
func TestAnyOfTwice(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(En{}, En2{}, EnTag{}, ElemEnOf())
	q := w.Query(ecs.AnyOf(ecs.With[En](), ecs.With[En2]()), ecs.AnyOf(ecs.With[EnTag](), ecs.With[ecs.Buffer[ElemEn]]()))
	for bits := range 16 {
		must(t, ecs.SetEnabled[En](w, e, bits&1 != 0))
		must(t, ecs.SetEnabled[En2](w, e, bits&2 != 0))
		must(t, ecs.SetEnabled[EnTag](w, e, bits&4 != 0))
		must(t, ecs.SetEnabled[ecs.Buffer[ElemEn]](w, e, bits&8 != 0))
		if got, want := q.Count() == 1, bits&3 != 0 && bits&12 != 0; got != want {
			t.Errorf("with switches %04b the query matches: %v", bits, got)
		}
	}
}

// ElemEnOf returns an enableable buffer.
func ElemEnOf() ecs.Buffer[ElemEn] { return ecs.BufferOf(ElemEn{}) }

// seen is a job that notes its chunks.
type seen struct {
	index []int
	first []int32
}

func (s *seen) Chunk(c *ecs.Chunk) {
	s.index = append(s.index, c.Index())
	s.first = append(s.first, (*ecs.Column[A](c))[0])
}

// A filter must skip the same chunks in loops and in jobs, and the remaining chunks must keep their
// index.
func TestFilterKeepsIndex(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, 42)
	for k := range 3 { // three chunks of one archetype, two of the next
		ids := make([]ecs.Entity, w.Archetype(ecs.With[A]()).Capacity())
		must(t, w.CreateInto(w.Archetype(ecs.With[A]()), ids))
		must(t, ecs.Set(w, ids[0], A{int32(k)}))
	}
	var last []ecs.Entity
	for k := range 2 {
		ids := make([]ecs.Entity, w.Archetype(ecs.With[A](), ecs.With[B]()).Capacity())
		must(t, w.CreateInto(w.Archetype(ecs.With[A](), ecs.With[B]()), ids))
		must(t, ecs.Set(w, ids[0], A{int32(3 + k)}))
		last = ids
	}
	setVersion(w, 50)
	must(t, ecs.Set(w, last[0], A{4}))
	for name, run := range map[string]func(q *ecs.Query, s *seen) error{
		"Run": func(q *ecs.Query, s *seen) error { return q.Run(s) },
		"ParallelFor": func(q *ecs.Query, s *seen) error {
			return q.ParallelFor(s).Wait()
		},
		"Chunks": func(q *ecs.Query, s *seen) error {
			for c := range q.Chunks() {
				s.Chunk(c)
			}
			return nil
		},
	} {
		q := w.Query(ecs.Read[A](), ecs.Changed[A]())
		q.SetSince(45)
		var s seen
		must(t, run(q, &s))
		if !slices.Equal(s.index, []int{4}) || !slices.Equal(s.first, []int32{4}) {
			t.Errorf("%s visits the chunks %v, which begin with %v; want 4, which begins with 4", name, s.index, s.first)
		}
	}
	must(t, w.Sync())
}

// A job that is scheduled after a structural change runs over the new chunks.
func TestJobsSeeNewChunks(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(ecs.Read[A]())
	count := func() (n int) {
		job := &rowsSeen{}
		must(t, q.ParallelFor(job).Wait())
		return job.n
	}
	w.Spawn(A{1})
	for i, change := range []func(){
		func() {},
		func() { w.Spawn(A{2}, B{}) },
		func() {
			w.Create(w.Archetype(ecs.With[A]()), 5000)
		},
		func() { must(t, ecs.DestroyAll(w, ecs.Matching(w.Query(ecs.With[B]())))) },
	} {
		change()
		if got, want := count(), []int{1, 2, 5002, 5001}[i]; got != want {
			t.Errorf("after change %d a job sees %d rows, want %d", i, got, want)
		}
	}
	must(t, w.Sync())
}

type rowsSeen struct{ n int }

func (c *rowsSeen) Chunk(chunk *ecs.Chunk) { c.n += chunk.Len() }
