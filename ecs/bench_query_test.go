package ecs_test

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// BenchmarkMatch creates a new query in a world with many archetypes, half of which match.
func BenchmarkMatch(b *testing.B) {
	types := []ecs.Term{
		ecs.With[B](), ecs.With[C](), ecs.With[D](), ecs.With[Tag](), ecs.With[Tag2](), ecs.With[Position](), ecs.With[Velocity](), ecs.With[Spin](),
		ecs.With[Made](), ecs.With[Part](), ecs.With[Piece](), ecs.With[Rival](), ecs.With[RivalTag](), ecs.With[Ref](),
	}
	w := newWorld(b, 1)
	const n = 10_000
	terms := make([]ecs.Term, 0, len(types)+1)
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
		q := w.Query(ecs.Write[B](), ecs.Optional(ecs.Read[C]()))
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
			for range w.CreateChunks(w.Archetype(ecs.With[Position](), ecs.With[A]()), 2).Chunks() { // whole chunks are relabelled
			}
		}
		must(b, ecs.AddAll(w, ecs.Matching(w.Query(ecs.With[A](), ecs.Without[Sh]())), Sh{Value: i + 1}))
	}
	for _, way := range []struct {
		name string
		q    *ecs.Query
	}{
		{"none", w.Query(ecs.With[Position]())},
		{"half", w.Query(ecs.With[Position](), ecs.WithShared(Sh{Value: 1}))},
		{"nothing", w.Query(ecs.With[Position](), ecs.WithShared(Sh{Value: 3}))},
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
	list := make([]ecs.Entity, n)
	must(b, w.CreateInto(w.Archetype(ecs.With[En](), ecs.With[En2]()), list))
	for i, e := range list {
		if i%3 == 0 {
			must(b, ecs.SetEnabled[En](w, e, false))
		}
		if i%5 == 0 {
			must(b, ecs.SetEnabled[En2](w, e, false))
		}
	}
	for _, way := range []struct {
		name string
		q    *ecs.Query
	}{
		{"bits=0", w.Query(ecs.Present[En]())},
		{"bits=1", w.Query(ecs.With[En]())},
		{"bits=2", w.Query(ecs.With[En](), ecs.Without[En2]())},
		{"allof", w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[En](), ecs.Without[En2]()), ecs.AllOf(ecs.Disabled[En]())))},
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
		q := w.Query(ecs.With[En]())
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
	p      ecs.ParallelCommands
	record func(c *ecs.Commands, e ecs.Entity)
}

func (r *recorder) Chunk(c *ecs.Chunk) {
	b := r.p.For(c)
	for _, e := range c.Entities() {
		r.record(b, e)
	}
}

// BenchmarkCommandsOf records one command for each of 10,000 entities and plays them, on the owner or in a
// job. Undoing the changes is not timed.
func BenchmarkCommandsOf(b *testing.B) {
	const n = 10_000
	w := newWorld(b, 1)
	base, made := w.Archetype(ecs.With[Position](), ecs.With[Velocity](), ecs.With[A]()), w.Archetype(ecs.With[Position](), ecs.With[Velocity]())
	list := make([]ecs.Entity, n)
	all, created := w.Query(ecs.With[A]()), w.Query(ecs.With[Position](), ecs.Without[A]())
	c := w.NewCommands()
	job := &recorder{}
	for _, way := range []struct {
		name          string
		record        func(c *ecs.Commands, e ecs.Entity)
		before, after func()
	}{
		{"create", func(c *ecs.Commands, _ ecs.Entity) { c.Create(made) }, nil, func() { ecs.DestroyAll(w, ecs.Matching(created)) }},
		{"destroy", func(c *ecs.Commands, e ecs.Entity) { c.Destroy(e) }, nil, func() { w.CreateInto(base, list) }},
		{"add", func(c *ecs.Commands, e ecs.Entity) { ecs.Add(c, e, D{1}) }, nil, func() { ecs.RemoveTypes(w, ecs.Matching(all), ecs.With[D]()) }},
		{"remove", func(c *ecs.Commands, e ecs.Entity) { ecs.Remove[D](c, e) }, func() { ecs.AddTypes(w, ecs.Matching(all), ecs.With[D]()) }, nil},
		{"set", func(c *ecs.Commands, e ecs.Entity) { ecs.Set(c, e, A{2}) }, nil, nil},
	} {
		must(b, ecs.DestroyAll(w, ecs.Matching(all)))
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
