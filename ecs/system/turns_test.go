package system_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

type (
	red    struct{ X float32 }
	green  struct{ X float32 }
	blue   struct{ X float32 }
	reds   struct{ X []float32 }
	greens struct{ X []float32 }
	blues  struct{ X []float32 }
)

func (red) Column() (c reds)     { return }
func (green) Column() (c greens) { return }
func (blue) Column() (c blues)   { return }

// slow writes a component for some time.
type slow[T any] struct {
	_ system.In[system.Simulation]
	_ system.Before[reader]
	q *ecs.Query
}

func (s *slow[T]) Create(u *system.Setup) error { s.q = u.Query(ecs.Write[T]()); return nil }
func (s *slow[T]) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *slow[T]) Chunk(*ecs.Chunk)             { time.Sleep(2 * time.Millisecond) }

// reader reads the components one after the other.
type reader struct {
	_     system.In[system.Simulation]
	order [3]int
	q     [3]*ecs.Query
}

func (s *reader) Create(u *system.Setup) error {
	s.q = [3]*ecs.Query{u.Query(ecs.Read[red]()), u.Query(ecs.Read[green]()), u.Query(ecs.Read[blue]())}
	return nil
}

func (s *reader) Update(*system.Frame) error {
	for _, k := range s.order {
		for range s.q[k].Chunks() {
		}
	}
	return nil
}

// TestTurnWaits checks the system that the turn of a wait names: it must be the system whose jobs
// the owner waited for, not the system that waited. The test tries every order and several numbers
// of workers.
func TestTurnWaits(t *testing.T) {
	colours := []string{"red", "green", "blue"}
	for _, workers := range []int{1, 2, 4} {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			w, err := system.NewWorld("turns", system.Only(system.Of[slow[red]](), system.Of[slow[green]](), system.Of[slow[blue]](), system.Of[reader]()), system.OnPool(jobs.New(jobs.Workers(workers))))
			if err != nil {
				t.Fatal(err)
			}
			w.Create(w.Archetype(ecs.With[red]()), 10)
			w.Create(w.Archetype(ecs.With[green]()), 10)
			w.Create(w.Archetype(ecs.With[blue]()), 10)
			r := system.Find[reader](w)
			r.order = order
			stop := system.RecordTimes(w, 1)
			waits, last := 0, -1
			system.OnFrameEnd(w, func(b *system.FrameEnd) {
				for _, turn := range b.Turns {
					if !turn.Wait || turn.Instance == nil && turn.End-turn.Start < time.Millisecond {
						continue // the last is for jobs that were done already
					}
					if turn.Instance == nil || !strings.Contains(turn.Instance.Name(), "slow") {
						t.Errorf("%d workers, order %v: a wait of %v is for %v, want one of the slow systems", workers, order, turn.End-turn.Start, turn.Instance)
						continue
					}
					// If a job has already finished, the update does not wait for it. So the test knows the order
					// of the waits, but not which waits happen.
					at := slices.IndexFunc(order[:], func(c int) bool { return strings.Contains(turn.Instance.Name(), colours[c]) })
					if at <= last {
						t.Errorf("%d workers, order %v: wait %d is for %s, which is read before the system of the wait before", workers, order, waits, turn.Instance.Name())
					}
					last = at
					waits++
				}
			})
			if err := system.Update(w); err != nil {
				t.Fatal(err)
			}
			if waits == 0 {
				t.Errorf("%d workers, order %v: no wait is in the turns", workers, order)
			}
			stop()
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// recording records commands to two buffers: one that another system plays back, and one that is
// played back after its own update. recording also changes the world directly.
type recording[T any] struct {
	_ system.In[system.Simulation]
}

func (s *recording[T]) Update(f *system.Frame) error {
	var value T
	c := system.Commands[system.EndSimulation](f)
	e, err := c.Spawn(value)
	_, posted := f.Commands().Spawn(value)
	f.World().Spawn(value)
	return errors.Join(err, posted, c.Destroy(e))
}

// TestChanging checks that each change is attributed to the system that recorded it. The attribution
// must be correct in every frame, although systems reuse each other's buffers.
func TestChanging(t *testing.T) {
	w, err := system.NewWorld("changing", system.Only(system.Of[recording[red]](), system.Of[recording[blue]](), system.Of[system.EndSimulation]()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	const frames = 5
	by := map[string]int{}
	w.Hooks().OnCommit(func(op string) { by[op+" by "+shortName(w.Scheduler().ChangingSystem())]++ })
	for range frames {
		if err := system.Update(w); err != nil {
			t.Fatal(err)
		}
	}
	for _, system := range []string{"recording[red]", "recording[blue]"} {
		if n := by["Spawn by "+system]; n != frames {
			t.Errorf("%d times Spawn by %s, want %d: %v", n, system, frames, by)
		}
	}
	for op, n := range by {
		if strings.HasSuffix(op, " by EndSimulation") {
			t.Errorf("%d times %s, which records nothing", n, op)
		}
	}
	t.Log(by)
}

// shortName removes the paths from a name.
func shortName(name string) string {
	return regexp.MustCompile(`[\w.~-]+/|\b(system_test|system)\.`).ReplaceAllString(name, "")
}
