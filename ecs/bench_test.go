package ecs

import (
	"fmt"
	"testing"
)

// addScaled is the loop that the benchmarks of queries run on each lane.
//
//go:noinline
func addScaled(dst, x, y []float32, s float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + float32(s*y[i])
	}
}

// advance is one system: positions advance by their velocity.
type advance struct{ dt float32 }

func (m *advance) Chunk(c *Chunk) {
	pos, vel := Column[Position](c), Column[Velocity](c)
	addScaled(pos.X, pos.X, vel.X, m.dt)
	addScaled(pos.Y, pos.Y, vel.Y, m.dt)
	addScaled(pos.Z, pos.Z, vel.Z, m.dt)
}

// newFilledWorld returns a world of n entities that move. If they are wide, they also have a matrix.
func newFilledWorld(b testing.TB, n, workers int, wide bool) (*World, *Query) {
	w := newWorld(b, workers)
	a := w.Archetype(With[Position](), With[Velocity]())
	if wide {
		a = w.Archetype(With[Position](), With[Velocity](), With[Matrix]())
	}
	row := 0
	for c := range w.Create(a, n).Chunks() {
		vel := Column[Velocity](c)
		for i := range vel.X {
			vel.X[i] = float32(row)
			row++
		}
	}
	return w, w.Query(Write[Position](), Read[Velocity]())
}

func perEntity(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
}

func BenchmarkColumn(b *testing.B) {
	_, q := newFilledWorld(b, 512, 1, false)
	views := func(c *Chunk) (n int) {
		for range 1000 {
			n += len(Column[Position](c).X) + len(Column[Velocity](c).Z)
		}
		return n
	}
	b.ReportAllocs()
	for c := range q.Chunks() {
		for b.Loop() {
			views(c)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/view")
}

// BenchmarkQuery compares a query of two components with the bare loops on the
// same memory.
func BenchmarkQuery(b *testing.B) {
	for _, wide := range []bool{false, true} {
		for _, n := range []int{1000, 100_000, 1_000_000} {
			_, q := newFilledWorld(b, n, 1, wide)
			rows := "512"
			if wide {
				rows = "160"
			}
			m := &advance{dt: 1.0 / 60}
			type pair struct{ pos, vel vec3s }
			var bare []pair
			for c := range q.Chunks() {
				bare = append(bare, pair{*Column[Position](c), *Column[Velocity](c)})
			}
			run := func(what string, f func()) {
				b.Run(fmt.Sprintf("rows=%s/n=%d/%s", rows, n, what), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
					perEntity(b, n)
				})
			}
			run("bare", func() {
				for i := range bare {
					p := &bare[i]
					addScaled(p.pos.X, p.pos.X, p.vel.X, m.dt)
					addScaled(p.pos.Y, p.pos.Y, p.vel.Y, m.dt)
					addScaled(p.pos.Z, p.pos.Z, p.vel.Z, m.dt)
				}
			})
			run("chunks", func() {
				for c := range q.Chunks() {
					m.Chunk(c)
				}
			})
			run("each", func() { q.Run(m) })
			run("parallel", func() { q.ParallelFor(m).Wait() })
		}
	}
}

// BenchmarkVisit measures an empty loop over chunks.
func BenchmarkVisit(b *testing.B) {
	_, q := newFilledWorld(b, 100_000, 1, true)
	chunks := q.ChunkCount()
	visit := func() (n int) {
		for c := range q.Chunks() {
			n += c.Len()
		}
		return n
	}
	b.ReportAllocs()
	for b.Loop() {
		visit()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(chunks), "ns/chunk")
}

// nothing is a job that does nothing.
type nothing struct{ n int }

func (v *nothing) Chunk(c *Chunk) { v.n += c.Len() }

// BenchmarkVisitInJob measures the same as BenchmarkVisit in a job on one worker.
func BenchmarkVisitInJob(b *testing.B) {
	_, q := newFilledWorld(b, 100_000, 1, true)
	chunks := q.ChunkCount()
	job := &nothing{}
	b.ReportAllocs()
	for b.Loop() {
		q.ParallelFor(job).Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(chunks), "ns/chunk")
}

// BenchmarkNothingChanged measures a query whose filter passes no chunk.
func BenchmarkNothingChanged(b *testing.B) {
	const n = 1_000_000
	w, _ := newFilledWorld(b, n, 1, false)
	q := w.Query(Read[Position](), Changed[Position]())
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	visit := func() (n int) {
		for c := range q.Chunks() {
			n += c.Len()
		}
		return n
	}
	for b.Loop() {
		if visit() != 0 {
			b.Fatal("something changed")
		}
	}
	perEntity(b, n)
}

func BenchmarkNewWorld(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NewWorld("bench")
	}
}

func BenchmarkCreate(b *testing.B) {
	const n = 100_000
	w := newWorld(b, 1)
	a := w.Archetype(With[Position](), With[Velocity]())
	ids := make([]Entity, n)
	must(b, w.CreateInto(a, ids))
	must(b, DestroyAll(w, Entities(ids)))
	b.Run("batch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.CreateInto(a, ids)
			b.StopTimer()
			DestroyAll(w, Entities(ids))
			b.StartTimer()
		}
		perEntity(b, n)
	})
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range ids[:1000] {
				w.CreateInto(a, ids[i:i+1])
			}
			b.StopTimer()
			DestroyAll(w, Entities(ids[:1000]))
			b.StartTimer()
		}
		perEntity(b, 1000)
	})
	b.Run("spawn", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range ids[:1000] {
				ids[i] = w.Spawn(Position{}, Velocity{})
			}
			b.StopTimer()
			DestroyAll(w, Entities(ids[:1000]))
			b.StartTimer()
		}
		perEntity(b, 1000)
	})
}

func BenchmarkDestroy(b *testing.B) {
	const n = 100_000
	w := newWorld(b, 1)
	a := w.Archetype(With[Position](), With[Velocity]())
	q := w.Query(With[Position]())
	ids := make([]Entity, n)
	for _, way := range []struct {
		name string
		f    func()
	}{
		{"slice", func() { DestroyAll(w, Entities(ids)) }},
		{"query", func() { DestroyAll(w, Matching(q)) }},
		{"one", func() {
			for _, e := range ids {
				w.Destroy(e)
			}
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				w.CreateInto(a, ids)
				b.StartTimer()
				way.f()
			}
			perEntity(b, n)
		})
	}
}

func BenchmarkInstantiate(b *testing.B) {
	const n = 100_000
	w := newWorld(b, 1)
	e := w.Spawn(Position{X: 1}, Velocity{Y: 2})
	ids := make([]Entity, n)
	for b.Loop() {
		w.InstantiateInto(e, ids)
		b.StopTimer()
		DestroyAll(w, Entities(ids))
		b.StartTimer()
	}
	perEntity(b, n)
}

// BenchmarkAddRemove adds a component and removes it again.
func BenchmarkAddRemove(b *testing.B) {
	const n = 10_000
	w := newWorld(b, 1)
	a := w.Archetype(With[Position](), With[Velocity]())
	ids := make([]Entity, n)
	must(b, w.CreateInto(a, ids))
	q := w.Query(With[Position]())
	w.Spawn(Position{}, Velocity{}, D{}) // its chunk stays
	tag, data := []Term{With[Tag]()}, []Term{With[D]()}
	for _, way := range []struct {
		name string
		f    func()
	}{
		{"one", func() {
			for _, e := range ids {
				Add(w, e, D{1})
				Remove[D](w, e)
			}
		}},
		{"slice", func() { AddTypes(w, Entities(ids), data...); RemoveTypes(w, Entities(ids), data...) }},
		{"query", func() { AddTypes(w, Matching(q), data...); RemoveTypes(w, Matching(q), data...) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				way.f()
			}
			perEntity(b, n)
		})
	}
	b.Run("tag", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			AddTypes(w, Matching(q), tag...)
			RemoveTypes(w, Matching(q), tag...)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*q.ChunkCount()), "ns/chunk")
	})
}

// BenchmarkAccess reads and writes single entities in random order.
func BenchmarkAccess(b *testing.B) {
	const n = 1 << 20
	w := newWorld(b, 1)
	a := w.Archetype(With[Position](), With[Velocity](), With[A]())
	ids := make([]Entity, n)
	must(b, w.CreateInto(a, ids))
	for i := range ids {
		j := int(uint32(i) * 2654435761 % n)
		ids[i], ids[j] = ids[j], ids[i]
	}
	one, three := NewWorldLookup[A](w), NewWorldLookup[Position](w)
	for _, way := range []struct {
		name string
		f    func() float32
	}{
		{"Get", func() (s float32) {
			for _, e := range ids {
				v, _ := Get[Position](w, e)
				s += v.X + v.Y + v.Z
			}
			return s
		}},
		{"Set", func() (s float32) {
			for _, e := range ids {
				Set(w, e, Position{1, 2, 3})
			}
			return s
		}},
		{"Lookup/lanes=1", func() (s float32) {
			for _, e := range ids {
				v, _ := one.Get(e)
				s += float32(v.Value)
			}
			return s
		}},
		{"Lookup/lanes=3", func() (s float32) {
			for _, e := range ids {
				v, _ := three.Get(e)
				s += v.X + v.Y + v.Z
			}
			return s
		}},
		{"Ref", func() (s float32) {
			for _, e := range ids {
				s += float32(one.Ref(e).Value)
			}
			return s
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				way.f()
			}
			perEntity(b, n)
		})
	}
}

func BenchmarkHash(b *testing.B) {
	const n = 1_000_000
	w, _ := newFilledWorld(b, n, 1, true)
	b.SetBytes(n * (8 + 12 + 12 + 64))
	for b.Loop() {
		w.Hash()
	}
}

// BenchmarkCommands records commands that create and destroy entities, and plays them.
func BenchmarkCommands(b *testing.B) {
	const n = 10_000
	w := newWorld(b, 1)
	a := w.Archetype(With[Position](), With[Velocity]())
	c := w.NewCommands()
	q := w.Query(With[Position]())
	b.ReportAllocs()
	for b.Loop() {
		for range n {
			e, _ := c.Create(a)
			Set(c, e, Position{X: 1})
		}
		must(b, c.Playback(w))
		c.Reset()
		for chunk := range q.Chunks() {
			for _, e := range chunk.Entities() {
				c.Destroy(e)
			}
		}
		must(b, c.Playback(w))
		c.Reset()
	}
	perEntity(b, n)
}
