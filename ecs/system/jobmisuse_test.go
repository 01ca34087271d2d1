package system

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// misusing calls a function of the test in its updates.
type misusing struct {
	q  *ecs.Query
	do func(s *misusing, f *Frame)
}

func (s *misusing) Create(u *Setup) error {
	s.q = u.Query(ecs.Write[alpha]())
	return nil
}

func (s *misusing) Update(f *Frame) error {
	if s.do != nil {
		s.do(s, f)
	}
	return nil
}

// misuser returns a world with a system that calls do in its next update.
func misuser(t *testing.T, measured, conservative bool, do func(s *misusing, f *Frame)) *ecs.World {
	t.Helper()
	w, err := NewWorld(t.Name(), OnPool(newPool(t, 2)), Only(Of[misusing](), Of[EndSimulation]()))
	if err != nil {
		t.Fatal(err)
	}
	SetConservative(w, conservative)
	Measure(w, measured)
	Find[misusing](w).do = do
	return w
}

// TestNilJob checks that a call with a nil job or query always panics: with and without chunks, with
// and without measured times, and in a conservative world. Afterwards the world continues as if there
// had been no call.
func TestNilJob(t *testing.T) {
	none := chunkFunc(func(*ecs.Chunk) {})
	calls := map[string]func(s *misusing, f *Frame) error{
		"Frame.ParallelFor":            func(s *misusing, f *Frame) error { f.ParallelFor(s.q, nil); return nil },
		"Frame.Schedule":               func(_ *misusing, f *Frame) error { f.Schedule(nil, nil); return nil },
		"Frame.ParallelRange":          func(_ *misusing, f *Frame) error { f.ParallelRange(nil, 3, 1, nil); return nil },
		"Query.Run":                    func(s *misusing, f *Frame) error { return f.Run(s.q, nil) },
		"Query.ParallelFor":            func(s *misusing, _ *Frame) error { s.q.ParallelFor(nil); return nil },
		"Query.ParallelForSpans":       func(s *misusing, _ *Frame) error { s.q.ParallelForSpans(nil); return nil },
		"Query.Run: ":                  func(_ *misusing, f *Frame) error { return f.Run(nil, none) },
		"Frame.ParallelFor: the query": func(_ *misusing, f *Frame) error { f.ParallelFor(nil, none); return nil },
	}
	for _, measured := range []bool{false, true} {
		for _, conservative := range []bool{false, true} {
			for _, rows := range []int{0, 3} {
				w := misuser(t, measured, conservative, func(s *misusing, f *Frame) {
					for call, do := range calls { //lanewise:inexact the order does not matter
						err := func() (err error) {
							defer func() {
								if v := recover(); v != nil {
									err, _ = v.(error)
								}
							}()
							return do(s, f)
						}()
						if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), call) || !strings.Contains(err.Error(), "is nil") {
							t.Errorf("measured %v, conservative %v, %d rows: %s: got %v, want an error of category ErrArgument that says which is nil", measured, conservative, rows, call, err)
						}
					}
				})
				spawnAlphas(w, rows)
				for range 2 {
					if err := Update(w); err != nil {
						t.Errorf("measured %v, conservative %v, %d rows: Update returns %v", measured, conservative, rows, err)
					}
				}
				if err := w.Close(); err != nil {
					t.Errorf("measured %v, conservative %v, %d rows: Close returns %v", measured, conservative, rows, err)
				}
			}
		}
	}
}

// TestRefusedInJob checks that a call that is refused in a job names the system that has scheduled
// the job, and not the system that waits for it. If a job is not over a query, the message names
// no system.
func TestRefusedInJob(t *testing.T) {
	for _, measured := range []bool{false, true} {
		for _, over := range []bool{true, false} {
			waiting, want := make(chan struct{}), ""
			refused := map[string]error{}
			var e ecs.Entity
			calls := func(w *ecs.World, from string) {
				_, err := ecs.Capture(w, nil)
				refused["Capture"+from] = err
				refused["Add"+from] = ecs.Add(w, e, gamma{})
				refused["Set"+from] = ecs.Set(w, e, alpha{})
				refused["Destroy"+from] = w.Destroy(e)
				refused["Sync"+from] = w.Sync()
			}
			w := misuser(t, false, false, func(s *misusing, f *Frame) {
				if _, err := Commands[EndSimulation](f).Spawn(gamma{}); err != nil {
					t.Error(err)
				}
				if !over {
					f.Schedule(jobs.Func(func(*jobs.Task) { <-waiting; calls(f.World(), "") }), nil)
					return
				}
				f.ParallelFor(s.q, chunkFunc(func(c *ecs.Chunk) {
					<-waiting
					calls(f.World(), "")
					task := c.Task()
					if err := task.Wait(task.Schedule(jobs.Func(func(*jobs.Task) { calls(f.World(), " of a child") }))); err != nil {
						t.Error(err)
					}
				}))
			})
			if over {
				want = Of[misusing]().String()
			}
			e = spawnAlphas(w, 1)[0]
			waits := sync.OnceFunc(func() { close(waiting) })
			w.Hooks().OnSync(func() {
				if w.Scheduler().RunningSystem() == Of[EndSimulation]().String() {
					waits()
				}
			})
			Measure(w, measured) // both its hook and the second wait for jobs
			if err := Update(w); err != nil {
				t.Error(err)
			}
			for call, err := range refused { //lanewise:inexact the order does not matter
				own, ok := errors.AsType[*ecs.Error](err)
				if !ok || own.System != want || !errors.Is(err, ecs.ErrState) {
					t.Errorf("measured %v, over a query %v: %s: got %v, want an ErrState of system %q", measured, over, call, err, want)
				}
			}
			if len(refused) < 5 {
				t.Errorf("measured %v, over a query %v: the job did not run", measured, over)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
