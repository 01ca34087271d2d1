package system

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

type delta struct{ Value int32 }

func (delta) Column() (c []int32) { return }

// The elements of columns are the components of random systems. Each element says how to declare the
// component and how to read its column.
var columns = []struct {
	read, write func() ecs.Term
	with        func() ecs.Term
	of          func(*ecs.Chunk) []int32
}{
	{ecs.Read[alpha], ecs.Write[alpha], ecs.With[alpha], func(c *ecs.Chunk) []int32 { return *ecs.Column[alpha](c) }},
	{ecs.Read[beta], ecs.Write[beta], ecs.With[beta], func(c *ecs.Chunk) []int32 { return *ecs.Column[beta](c) }},
	{ecs.Read[gamma], ecs.Write[gamma], ecs.With[gamma], func(c *ecs.Chunk) []int32 { return *ecs.Column[gamma](c) }},
	{ecs.Read[delta], ecs.Write[delta], ecs.With[delta], func(c *ecs.Chunk) []int32 { return *ecs.Column[delta](c) }},
}

// randomSystem reads and writes columns so that the final values depend on the order of the jobs.
type randomSystem struct {
	number        int32
	reads, writes []int
	q             *ecs.Query
	serial        bool
	running       *atomic.Int32 // number of jobs that run now, and the maximum so far
	most          *atomic.Int32
}

func (s *randomSystem) Create(u *Setup) error {
	var terms []ecs.Term
	for _, i := range s.reads {
		terms = append(terms, columns[i].read())
	}
	for _, i := range s.writes {
		terms = append(terms, columns[i].write())
	}
	s.q = u.Query(terms...)
	return nil
}

func (s *randomSystem) Update(f *Frame) error {
	if s.serial {
		return f.Run(s.q, s)
	}
	f.ParallelFor(s.q, s)
	return nil
}

func (s *randomSystem) Chunk(c *ecs.Chunk) {
	if n := s.running.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	defer s.running.Add(-1)
	sum := make([]int32, c.Len())
	for _, i := range s.reads {
		for row, v := range columns[i].of(c) {
			sum[row] = sum[row]*31 + v
		}
	}
	for _, i := range s.writes {
		for row, v := range columns[i].of(c) {
			sum[row] = sum[row]*31 + v
			columns[i].of(c)[row] = sum[row]*17 + s.number
		}
	}
}

// randomSystems creates a world of entities with random components and systems with random
// accesses. randomSystems returns the hash of the world after some frames.
func randomSystems(t *testing.T, seed uint64, pool *jobs.Pool, serial, conservative bool) (hash uint64, most int32) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 24))
	w := ecs.NewWorld("", ecs.OnPool(pool))
	SetConservative(w, conservative)
	for range 1 + r.IntN(5) {
		var terms []ecs.Term
		for i := range columns {
			if r.IntN(2) == 0 {
				terms = append(terms, columns[i].with())
			}
		}
		if err := w.CreateInto(w.Archetype(terms...), make([]ecs.Entity, r.IntN(3000))); err != nil {
			t.Fatal(err)
		}
	}
	g := GetOrCreate[Simulation](w)
	var running, peak atomic.Int32
	for n := range 2 + r.IntN(12) {
		s := &randomSystem{number: int32(n), serial: serial, running: &running, most: &peak}
		for _, i := range r.Perm(len(columns))[:1+r.IntN(3)] {
			if r.IntN(2) == 0 {
				s.writes = append(s.writes, i)
			} else {
				s.reads = append(s.reads, i)
			}
		}
		slices.Sort(s.reads)
		slices.Sort(s.writes)
		if err := Adopt(w, s); err != nil {
			t.Fatal(err)
		}
		if err := g.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
	}
	return w.Hash(), peak.Load()
}

// Random systems in parallel have the same result as systems that run one after the other, for any
// number of workers and with both rules.
func TestDependenciesAgainstSerial(t *testing.T) {
	seeds := uint64(8)
	if *full {
		seeds = 60
	}
	want := make([]uint64, seeds)
	one := newPool(t, 1)
	for seed := range seeds {
		want[seed], _ = randomSystems(t, seed, one, true, false)
	}
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		overlap := int32(0)
		for seed := range seeds {
			for _, conservative := range []bool{false, true} {
				got, most := randomSystems(t, seed, pool, false, conservative)
				overlap = max(overlap, most)
				if got != want[seed] {
					t.Errorf("seed %d, conservative %v: hash %x, one after the other %x", seed, conservative, got, want[seed])
				}
			}
		}
		if pool.Workers() == 1 && overlap > 1 {
			t.Errorf("%d jobs at once on one worker", overlap)
		}
	})
}

// Two writers of one type in different archetypes run at the same time. With the conservative rule,
// they run one after the other.
func TestConservative(t *testing.T) {
	pool := newPool(t, 2)
	for _, conservative := range []bool{false, true} {
		t.Run(fmt.Sprint(conservative), func(t *testing.T) {
			b := newBench(t)
			b.w = ecs.NewWorld("", ecs.OnPool(pool))
			SetConservative(b.w, conservative)
			b.w.Spawn(alpha{}, beta{})
			b.w.Spawn(alpha{}, gamma{})
			p, in := b.add("")
			met := make(chan bool, 1)
			first := false
			p.update = func(f *Frame) error {
				f.ParallelFor(f.Query(ecs.Write[alpha](), ecs.With[beta]()), chunkFunc(func(*ecs.Chunk) {
					if !conservative {
						<-met // until the other runs too
					}
					first = true
				}))
				f.ParallelFor(f.Query(ecs.Write[alpha](), ecs.With[gamma]()), chunkFunc(func(*ecs.Chunk) {
					if conservative && !first {
						t.Error("the second writer does not wait for the first")
					}
					met <- true
				}))
				return nil
			}
			b.ok(in.Update())
			b.ok(b.w.Sync())
			if !first {
				t.Error("the first writer did not run")
			}
		})
	}
}

// A job has no component in common with the job of another system, but a second query of its system
// does. With the conservative rule, the job waits for the other job.
func TestConservativeAsksTheSystem(t *testing.T) {
	pool := newPool(t, 2)
	for _, conservative := range []bool{false, true} {
		t.Run(fmt.Sprint(conservative), func(t *testing.T) {
			b := newBench(t)
			b.w = ecs.NewWorld("", ecs.OnPool(pool))
			SetConservative(b.w, conservative)
			b.w.Spawn(alpha{}, beta{})
			writer, one := b.add("writer")
			other, two := b.add("other")
			met := make(chan bool, 1)
			patience := 10 * time.Second
			if conservative {
				patience = 20 * time.Millisecond // time for the other one to run too
			}
			writer.update = func(f *Frame) error {
				f.ParallelFor(f.Query(ecs.Write[beta]()), chunkFunc(func(*ecs.Chunk) {
					select {
					case <-met:
						if conservative {
							t.Error("the job of the system that reads as well runs beside that of the one that writes")
						}
					case <-time.After(patience):
						if !conservative {
							t.Error("two jobs that touch different things do not run at once")
						}
					}
				}))
				return nil
			}
			other.update = func(f *Frame) error {
				f.Query(ecs.Read[beta]())
				f.ParallelFor(f.Query(ecs.Write[alpha]()), chunkFunc(func(*ecs.Chunk) { met <- true }))
				return nil
			}
			b.ok(one.Update())
			b.ok(two.Update())
			b.ok(b.w.Sync())
			if len(met) == 1 != conservative {
				t.Error("one of the jobs did not run")
			}
		})
	}
}
