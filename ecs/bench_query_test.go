package ecs

import (
	"fmt"
	"testing"
)

// perThing reports the time for each of n things.
func perThing(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

// BenchmarkMatch makes a new query in a world with many archetypes, half of which match.
func BenchmarkMatch(b *testing.B) {
	types := []Term{
		With[B](), With[C](), With[D](), With[Tag](), With[Tag2](), With[Position](), With[Velocity](), With[Spin](),
		With[Made](), With[Part](), With[Piece](), With[Rival](), With[RivalTag](), With[Ref](),
	}
	w := newWorld(b, 1)
	const n = 10_000
	terms := make([]Term, 0, len(types)+1)
	for set := range n {
		terms = terms[:0]
		for k, t := range types {
			if set>>k&1 != 0 {
				terms = append(terms, t)
			}
		}
		w.Archetype(terms...)
	}
	b.ReportAllocs()
	for b.Loop() {
		q := w.Query(Write[B](), Optional(Read[C]()))
		b.StopTimer()
		must(b, q.Close())
		b.StartTimer()
	}
	perThing(b, n, "ns/archetype")
}

// BenchmarkWithShared compares a loop over the chunks of one of two shared values with a loop over all
// chunks.
func BenchmarkWithShared(b *testing.B) {
	w := newWorld(b, 1)
	for i := range int32(2) {
		for range 500 {
			for range w.CreateChunks(w.Archetype(With[Position](), With[A]()), 2).Chunks() { // whole chunks are relabelled
			}
		}
		must(b, AddAll(w, Matching(w.Query(With[A](), Without[Sh]())), Sh{Value: i + 1}))
	}
	for _, way := range []struct {
		name string
		q    *Query
	}{
		{"none", w.Query(With[Position]())},
		{"half", w.Query(With[Position](), WithShared(Sh{Value: 1}))},
		{"nothing", w.Query(With[Position](), WithShared(Sh{Value: 3}))},
	} {
		b.Run("pass="+way.name, func(b *testing.B) {
			visit := func() (n int) {
				for c := range way.q.Chunks() {
					n += c.Len()
				}
				return n
			}
			b.ReportAllocs()
			for b.Loop() {
				visit()
			}
			perThing(b, 1000, "ns/chunk")
		})
	}
}

// BenchmarkCount counts a million entities, some of which are off.
func BenchmarkCount(b *testing.B) {
	const n = 1 << 20
	w := newWorld(b, 1)
	list := make([]Entity, n)
	must(b, w.CreateInto(w.Archetype(With[En](), With[En2]()), list))
	for i, e := range list {
		if i%3 == 0 {
			must(b, SetEnabled[En](w, e, false))
		}
		if i%5 == 0 {
			must(b, SetEnabled[En2](w, e, false))
		}
	}
	for _, way := range []struct {
		name string
		q    *Query
	}{
		{"bits=0", w.Query(Present[En]())},
		{"bits=1", w.Query(With[En]())},
		{"bits=2", w.Query(With[En](), Without[En2]())},
		{"allof", w.Query(AnyOf(AllOf(With[En](), Without[En2]()), AllOf(Disabled[En]())))},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				way.q.Count()
			}
			perEntity(b, n)
		})
	}
	list = list[:1000]
	b.Run("matches", func(b *testing.B) {
		q := w.Query(With[En]())
		count := func() (n int) {
			for _, e := range list {
				if q.Matches(e) {
					n++
				}
			}
			return n
		}
		for b.Loop() {
			count()
		}
		perEntity(b, len(list))
	})
}

// recorder records one command for each entity of its chunk.
type recorder struct {
	p      ParallelCommands
	record func(c *Commands, e Entity)
}

func (r *recorder) Chunk(c *Chunk) {
	b := r.p.For(c)
	for _, e := range c.Entities() {
		r.record(b, e)
	}
}

// BenchmarkCommandsOf records one command for each of 10,000 entities and plays them, on the owner or in a
// job. It does not time the undoing.
func BenchmarkCommandsOf(b *testing.B) {
	const n = 10_000
	w := newWorld(b, 1)
	base, made := w.Archetype(With[Position](), With[Velocity](), With[A]()), w.Archetype(With[Position](), With[Velocity]())
	list := make([]Entity, n)
	all, created := w.Query(With[A]()), w.Query(With[Position](), Without[A]())
	c := w.NewCommands()
	job := &recorder{}
	for _, way := range []struct {
		name          string
		record        func(c *Commands, e Entity)
		before, after func()
	}{
		{"create", func(c *Commands, _ Entity) { c.Create(made) }, nil, func() { DestroyAll(w, Matching(created)) }},
		{"destroy", func(c *Commands, e Entity) { c.Destroy(e) }, nil, func() { w.CreateInto(base, list) }},
		{"add", func(c *Commands, e Entity) { Add(c, e, D{1}) }, nil, func() { RemoveTypes(w, Matching(all), With[D]()) }},
		{"remove", func(c *Commands, e Entity) { Remove[D](c, e) }, func() { AddTypes(w, Matching(all), With[D]()) }, nil},
		{"set", func(c *Commands, e Entity) { Set(c, e, A{2}) }, nil, nil},
	} {
		must(b, DestroyAll(w, Matching(all)))
		must(b, w.CreateInto(base, list))
		for _, parallel := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/parallel=%v", way.name, parallel), func(b *testing.B) {
				b.ReportAllocs()
				job.record = way.record
				frame := func() {
					if parallel {
						job.p = c.Parallel()
						all.ParallelFor(job)
					} else {
						for _, e := range list {
							way.record(c, e)
						}
					}
					if err := c.Playback(w); err != nil {
						b.Fatal(err)
					}
					c.Reset()
				}
				for b.Loop() {
					if way.before != nil {
						b.StopTimer()
						way.before()
						b.StartTimer()
					}
					frame()
					if way.after != nil {
						b.StopTimer()
						way.after()
						b.StartTimer()
					}
				}
				perThing(b, n, "ns/command")
			})
		}
	}
}
