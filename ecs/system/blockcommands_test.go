package system_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// blockRecorder records commands to the buffers that its function get returns, either in the blocks of
// a parallel job or in a single job.
type blockRecorder struct {
	q      *ecs.Query
	frame  *system.Frame
	kept   *ecs.Commands
	get    func(s *blockRecorder) *ecs.Commands
	single bool
}

func (s *blockRecorder) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[failAge]())
	return nil
}

func (s *blockRecorder) Update(f *system.Frame) error {
	s.frame, s.kept = f, system.Commands[system.EndSimulation](f)
	if s.single {
		f.Schedule(s, nil)
	} else {
		f.ParallelFor(s.q, s)
	}
	_, err := f.Commands().Spawn(failHeat{})
	return err
}

func (s *blockRecorder) record() {
	if _, err := s.get(s).Spawn(failHeat{}); err != nil {
		panic(err)
	}
}

func (s *blockRecorder) Chunk(*ecs.Chunk) { s.record() }
func (s *blockRecorder) Run(*jobs.Task)   { s.record() }

// TestBuffersInBlocks checks that a block of a parallel job cannot record to any command buffer
// of the frame. The call fails at once, for any number of workers. A single job may record to a
// buffer that the update took earlier.
func TestBuffersInBlocks(t *testing.T) {
	for name, get := range map[string]func(s *blockRecorder) *ecs.Commands{
		"kept":     func(s *blockRecorder) *ecs.Commands { return s.kept },
		"post":     func(s *blockRecorder) *ecs.Commands { return s.frame.Commands() },
		"commands": func(s *blockRecorder) *ecs.Commands { return system.Commands[system.EndSimulation](s.frame) },
	} {
		for _, workers := range []int{1, 2, 8} {
			for _, single := range []bool{false, true} {
				if single && name != "kept" {
					continue
				}
				pool := jobs.New(jobs.Workers(workers))
				s := &blockRecorder{get: get, single: single}
				w, err := system.NewWorld("blocks", system.Only(), system.OnPool(pool))
				if err != nil {
					t.Fatal(err)
				}
				if err := system.Adopt(w, s); err != nil {
					t.Fatal(err)
				}
				if err := system.Find[system.Simulation](w).Add(s); err != nil {
					t.Fatal(err)
				}
				w.Create(w.Archetype(ecs.With[failAge]()), 20_000)
				for frame := range 3 {
					err := system.Update(w)
					if !single && (err == nil || !strings.Contains(err.Error(), "Parallel()")) || single && err != nil {
						t.Errorf("%s, %d workers, single %v, frame %d: %v", name, workers, single, frame, err)
					}
				}
				want := 20_003 // recorded by the owner
				if single {
					want += 3
				}
				if w.Len() != want {
					t.Errorf("%s, %d workers, single %v: %d entities, want %d", name, workers, single, w.Len(), want)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				if err := pool.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// foreignBlocks is a loop on another pool whose blocks request command buffers of the frame.
type foreignBlocks struct {
	pool  *jobs.Pool
	taken atomic.Int32
}

func (s *foreignBlocks) Update(f *system.Frame) error {
	return s.pool.Range(4, 1, func(int, int) {
		for _, take := range []func(){func() { f.Commands() }, func() { system.Commands[system.EndSimulation](f) }} {
			func() {
				defer func() {
					if recover() == nil {
						s.taken.Add(1)
					}
				}()
				take()
			}()
		}
	})
}

// TestBuffersInForeignBlocks checks that the blocks of a loop on another pool cannot get a command
// buffer of the frame either.
func TestBuffersInForeignBlocks(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, workers := range []int{1, 2} {
		own, other := jobs.New(jobs.Workers(2)), jobs.New(jobs.Workers(workers))
		for name, pool := range map[string]*jobs.Pool{"own": own, "other": other, "default": jobs.Default()} {
			for _, opts := range [][]system.Option{{system.Only(), system.OnPool(own)}, {system.Only()}} {
				s := &foreignBlocks{pool: pool}
				w, err := system.NewWorld("foreign", opts...)
				must(err)
				must(system.Adopt(w, s))
				must(system.Find[system.Simulation](w).Add(s))
				must(system.Update(w))
				if n := s.taken.Load(); n != 0 {
					t.Errorf("%d buffers were taken in blocks of the %s pool, with %d options", n, name, len(opts))
				}
				must(w.Close())
			}
		}
		must(own.Close())
		must(other.Close())
	}
}
