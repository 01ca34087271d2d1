package system

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// adder is a typical system of a program: it adds beta to alpha, in parallel.
type adder struct {
	q *ecs.Query
}

func (s *adder) Create(u *Setup) error {
	s.q = u.Query(ecs.Write[alpha](), ecs.Read[beta]())
	return nil
}

func (s *adder) Update(f *Frame) error {
	f.ParallelFor(s.q, s)
	return nil
}

func (s *adder) Chunk(c *ecs.Chunk) {
	a, b := *ecs.Column[alpha](c), *ecs.Column[beta](c)
	for i := range a {
		a[i] += b[i]
	}
}

// turnover creates entities with buffers of the frame, and destroys entities with a parallel buffer.
type turnover struct {
	_    In[FixedStep]
	made *ecs.Query
	arch ecs.Archetype
	gone ecs.ParallelCommands
}

func (s *turnover) Create(u *Setup) error {
	s.made = u.Query(ecs.Read[gamma]())
	s.arch = u.World().Archetype(ecs.With[gamma]())
	return nil
}

func (s *turnover) Update(f *Frame) error {
	s.gone = Commands[EndFixedStep](f).Parallel()
	f.ParallelFor(s.made, s)
	for range 10 {
		e, err := Commands[EndSimulation](f).Create(s.arch)
		if err != nil {
			return err
		}
		_ = e
	}
	_, err := f.Commands().Create(s.arch)
	return err
}

func (s *turnover) Chunk(c *ecs.Chunk) {
	gone := s.gone.For(c)
	for _, e := range c.Entities() {
		if err := gone.Destroy(e); err != nil {
			panic(err)
		}
	}
}

// newSystems creates n adders in w.
func newSystems(tb testing.TB, w *ecs.World, n int) []System {
	tb.Helper()
	systems := make([]System, n)
	for i := range systems {
		s, err := Create[adder](w)
		if err != nil {
			tb.Fatal(err)
		}
		systems[i] = s
	}
	return systems
}

// The world is the same for any number of workers.
func TestDeterministic(t *testing.T) {
	var want uint64
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[adder](), Of[turnover](), Of[counter]()), OnPool(pool))
		for i, e := range spawnAlphas(w, 20_000) {
			if err := ecs.Set(w, e, beta{int32(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := runFrames(w, 30, 0.02); err != nil {
			t.Fatal(err)
		}
		hash := w.Hash()
		if want == 0 {
			want = hash
		}
		if hash != want {
			t.Errorf("hash %x, with one worker %x", hash, want)
		}
	})
}

// Several goroutines make, update and close worlds on one pool at the same time, while systems come
// and go and jobs fail. Each world has the same result as if it ran alone.
func TestWorldsOnOnePool(t *testing.T) {
	live := func(pool *jobs.Pool) (hash uint64, err error) {
		w, err := NewWorld("", Only(Of[adder](), Of[turnover](), Of[counter]()), OnPool(pool))
		if err != nil {
			return 0, err
		}
		spawnAlphas(w, 5000)
		group := GetOrCreate[Simulation](w)
		for frame := range 20 {
			bad, err := Create[panicker](w)
			if err != nil {
				return 0, err
			}
			if err := group.Add(bad); err != nil {
				return 0, err
			}
			ClockOf(w).Advance(DefaultStep)
			var panicked *jobs.PanicError
			if err := Update(w); !errors.As(err, &panicked) {
				return 0, fmt.Errorf("frame %d: %w", frame, err)
			}
			if err := Destroy(w, bad); err != nil {
				return 0, err
			}
		}
		return w.Hash(), w.Close()
	}
	want, err := live(newPool(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 8} {
		pool := newPool(t, workers)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if hash, err := live(pool); hash != want || err != nil {
					t.Errorf("%d workers: hash %x, alone %x (%v)", workers, hash, want, err)
				}
			})
		}
		all.Wait()
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[adder](), Of[turnover](), Of[counter]()), OnPool(pool))
		if err := GetOrCreate[Simulation](w).Add(newSystems(t, w, 20)...); err != nil {
			t.Fatal(err)
		}
		spawnAlphas(w, 20_000)
		frame := func() {
			ClockOf(w).Advance(DefaultStep)
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
		for range 50 {
			frame()
		}
		n := testing.AllocsPerRun(100, frame)
		for round := 0; n != 0 && round < 10; round++ {
			n = testing.AllocsPerRun(100, frame) // a worker that has slept allocates once
		}
		if n != 0 {
			t.Errorf("%v allocations a frame", n)
		}
	})
}
