package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// misusing does in its updates whatever the test wants.
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

// misuser returns a world with a system that does something in the next update.
func misuser(t *testing.T, measured, conservative bool, do func(s *misusing, f *Frame)) *ecs.World {
	t.Helper()
	w, err := NewWorld(t.Name(), OnPool(newPool(t, 2)), Only(Of[misusing](), Of[EndSimulation]()))
	if err != nil {
		t.Fatal(err)
	}
	Conservative(w, conservative)
	Measure(w, measured)
	Find[misusing](w).do = do
	return w
}

// TestNilJob: a job or a query that is nil is refused by the call that was given it, whether or not there are chunks, times are taken, or the
// world is conservative. The world goes on as if there had been no call.
func TestNilJob(t *testing.T) {
	none := chunkFunc(func(*ecs.Chunk) {})
	calls := map[string]func(s *misusing, f *Frame) error{
		"Frame.ParallelFor":            func(s *misusing, f *Frame) error { f.ParallelFor(s.q, nil); return nil },
		"Frame.Schedule":               func(_ *misusing, f *Frame) error { f.Schedule(nil, nil); return nil },
		"Frame.ParallelRange":          func(_ *misusing, f *Frame) error { f.ParallelRange(nil, 3, 1, nil); return nil },
		"Query.Each":                   func(s *misusing, f *Frame) error { return f.Each(s.q, nil) },
		"Query.ParallelFor":            func(s *misusing, _ *Frame) error { s.q.ParallelFor(nil); return nil },
		"Query.ParallelForRuns":        func(s *misusing, _ *Frame) error { s.q.ParallelForRuns(nil); return nil },
		"Query.Each: ":                 func(_ *misusing, f *Frame) error { return f.Each(nil, none) },
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
