package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/regatta"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/jobs"
)

// value is a generic component: each type argument makes a different component, so that systems can use
// different components.
type value[T any] struct{ X float32 }

func (value[T]) Column() (c struct{ X []float32 }) { return }

// compute reads one component and writes another, with some arithmetic for each row.
type compute[R, W any] struct {
	q *ecs.Query
	n int
}

func (s *compute[R, W]) Create(u *system.Setup) error {
	s.q, s.n = u.Query(ecs.Read[value[R]](), ecs.Write[value[W]]()), 8
	return nil
}

func (s *compute[R, W]) Update(f *system.Frame) error {
	f.ParallelFor(s.q, s)
	return nil
}

func (s *compute[R, W]) Chunk(c *ecs.Chunk) {
	in, out := ecs.Column[value[R]](c), ecs.Column[value[W]](c)
	for i := range out.X {
		x := in.X[i]
		for range s.n {
			x = float32(math.Sqrt(float64(float32(x*x) + 1)))
		}
		out.X[i] = x
	}
}

// These types choose components.
type (
	c0 [0]byte
	c1 [1]byte
	c2 [2]byte
	c3 [3]byte
	c4 [4]byte
)

// program is a world whose frames are measured and predicted.
type program struct {
	name string
	make func(pool *jobs.Pool, scale int) (*ecs.World, error)
}

// programs are the measured programs.
var programs = []program{
	{"one loop", newComputing(4, system.Of[compute[c0, c1]]())},
	{"chain", newComputing(1, system.Of[compute[c0, c1]](), system.Of[compute[c1, c2]](), system.Of[compute[c2, c3]](), system.Of[compute[c3, c4]]())},
	{"fork and join", newComputing(1, system.Of[compute[c0, c1]](), system.Of[compute[c0, c2]](), system.Of[compute[c0, c3]](), system.Of[compute[c1, c4]](), system.Of[compute[c4, c0]]())},
	{"many small systems", func(pool *jobs.Pool, _ int) (*ecs.World, error) {
		w, err := newComputing(1, system.Of[compute[c0, c1]]())(pool, 200)
		for range 59 {
			if err != nil {
				return nil, err
			}
			var s *compute[c0, c2]
			if s, err = system.Create[compute[c0, c2]](w); err == nil {
				s.n = 30
				err = system.GetOrCreate[system.Simulation](w).Add(s)
			}
		}
		return w, err
	}},
	{"regatta", func(pool *jobs.Pool, scale int) (*ecs.World, error) {
		race, err := regatta.New(regatta.Options{Boats: max(scale/50, 20)}, system.OnPool(pool))
		if err != nil {
			return nil, err
		}
		return race.World, nil
	}},
}

// newComputing returns a function that creates a world with systems. The number of its entities is a
// multiple of the scale.
func newComputing(times int, types ...*system.Type) func(*jobs.Pool, int) (*ecs.World, error) {
	return func(pool *jobs.Pool, scale int) (*ecs.World, error) {
		w, err := system.NewWorld("predicted", system.OnPool(pool), system.Only(types...))
		if err != nil {
			return nil, err
		}
		w.Create(w.Archetype(ecs.With[value[c0]](), ecs.With[value[c1]](), ecs.With[value[c2]](), ecs.With[value[c3]](), ecs.With[value[c4]]()), scale*times)
		return w, nil
	}
}

// printPredictions prints the measured lengths of frames beside the predicted lengths.
func printPredictions(out io.Writer, o options) error {
	rows := [][]string{{"program", "workers", "measured", "predicted", "off by", "from 1 worker", "work", "span", "4 workers", "8 workers", "any number"}}
	for _, p := range programs {
		var fromOne []system.ReportPrediction
		for k, workers := range []int{1, 2} {
			measured, r, err := p.measure(workers, o)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if len(r.Predicted) != 5 {
				return fmt.Errorf("%s: no predictions", p.name)
			}
			if workers == 1 {
				fromOne = r.Predicted
			}
			predicted := r.Predicted[k].Time
			rows = append(rows, []string{
				p.name, fmt.Sprint(workers), formatMillis(measured), formatMillis(predicted), fmt.Sprintf("%+.1f %%", 100*(float64(predicted)/measured-1)), formatMillis(fromOne[k].Time),
				formatMillis(r.Work), formatMillis(r.Span), formatMillis(r.Predicted[2].Time), formatMillis(r.Predicted[3].Time), formatMillis(r.Predicted[4].Time),
			})
		}
	}
	table(out, "frames, medians: predicted from frames that were recorded with as many workers; it is to be within 15 %", rows)
	return nil
}

// measure returns the median length of the frames of a program in nanoseconds, and a report about
// recorded frames. Blocks of frames with and without recording alternate, so that a change of the
// machine's speed affects both.
func (p *program) measure(workers int, o options) (ns float64, r *system.Report, err error) {
	pool := jobs.New(jobs.Workers(workers))
	defer func() { _ = pool.Close() }()
	w, err := p.make(pool, o.scale)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = w.Close() }()
	var plain []float64
	var reports []*system.Report
	for block := range o.blocks + 1 {
		for range o.frames {
			begin := time.Now()
			system.ClockOf(w).Advance(1.0 / 60)
			if err := system.Update(w); err != nil {
				return 0, nil, err
			}
			if block > 0 { // the first block warms up the caches and the pool
				plain = append(plain, float64(time.Since(begin)))
			}
		}
		system.Measure(w, true)
		for range o.frames {
			system.ClockOf(w).Advance(1.0 / 60)
			if err := system.Update(w); err != nil {
				return 0, nil, err
			}
		}
		reports = append(reports, system.Explain(w))
		system.Measure(w, false)
	}
	slices.SortFunc(reports, func(a, b *system.Report) int { return cmp.Compare(a.Predicted[0].Time, b.Predicted[0].Time) })
	return benchbin.Median(plain), reports[len(reports)/2], nil
}
