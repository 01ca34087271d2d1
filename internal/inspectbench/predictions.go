//go:build !js

package main

import (
	"errors"
	"fmt"
	"math"
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
func (b *bench) printPredictions() error {
	rows := [][]string{{"program", "workers", "measured", "predicted", "off by", "limit", "", "from 1 worker", "work", "span", "work:span", "4 workers", "8 workers", "any number"}}
	for _, p := range programs {
		var fromOne []time.Duration
		for k, workers := range []int{1, 2} {
			measured, m, err := p.measure(workers, b.options)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if workers == 1 {
				fromOne = m.predicted
			}
			off := float64(m.predicted[k])/benchbin.Median(measured) - 1
			rows = append(rows, []string{
				p.name, fmt.Sprint(workers), medianAndLeast(measured), formatMillis(m.predicted[k]), fmt.Sprintf("%+.1f %%", 100*off), "15 %", b.verdict(fmt.Sprintf("prediction of %s for %d workers", p.name, workers), math.Abs(off), 0.15), formatMillis(fromOne[k]),
				formatMillis(m.work), formatMillis(m.span), fmt.Sprintf("%.2f", float64(m.work)/float64(m.span)), formatMillis(m.predicted[2]), formatMillis(m.predicted[3]), formatMillis(m.predicted[4]),
			})
		}
	}
	b.table("frames: measured (median, and the least), and predicted from frames that were recorded with as many workers", rows)
	return nil
}

// prediction holds medians over several reports.
type prediction struct {
	work, span time.Duration
	predicted  []time.Duration // for 1, 2, 4, 8 and any number of workers
}

// predictionOf returns the medians of reports.
func predictionOf(reports []*system.Report) (*prediction, error) {
	median := func(of func(*system.Report) time.Duration) time.Duration {
		list := make([]float64, len(reports))
		for k, r := range reports {
			list[k] = float64(of(r))
		}
		return time.Duration(benchbin.Median(list))
	}
	for _, r := range reports {
		if len(r.Predicted) != 5 {
			return nil, errors.New("a report has no predictions")
		}
	}
	p := &prediction{
		work: median(func(r *system.Report) time.Duration { return r.Work }),
		span: median(func(r *system.Report) time.Duration { return r.Span }),
	}
	for k := range 5 {
		p.predicted = append(p.predicted, median(func(r *system.Report) time.Duration { return r.Predicted[k].Time }))
	}
	return p, nil
}

// measure returns the lengths of the frames of a program in nanoseconds, and predictions from recorded frames.
func (p *program) measure(workers int, o options) (measured []float64, m *prediction, err error) {
	pool := jobs.New(jobs.Workers(workers))
	defer func() { _ = pool.Close() }()
	w, err := p.make(pool, o.scale)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = w.Close() }()
	measured, reports, err := measureFrames(w, o)
	if err != nil {
		return nil, nil, err
	}
	m, err = predictionOf(reports)
	return measured, m, err
}

// measureFrames returns the lengths of frames in nanoseconds, and reports about recorded frames. Blocks of frames with and
// without recording alternate, so that a change of the machine's speed affects both.
func measureFrames(w *ecs.World, o options) (plain []float64, reports []*system.Report, err error) {
	for block := range o.blocks + 1 {
		for range o.frames {
			begin := time.Now()
			system.ClockOf(w).Advance(1.0 / 60)
			if err := system.Update(w); err != nil {
				return nil, nil, err
			}
			if block > 0 { // the first block warms up the caches and the pool
				plain = append(plain, float64(time.Since(begin)))
			}
		}
		system.Measure(w, true)
		for range o.frames {
			system.ClockOf(w).Advance(1.0 / 60)
			if err := system.Update(w); err != nil {
				return nil, nil, err
			}
		}
		if block > 0 {
			reports = append(reports, system.Explain(w))
		}
		system.Measure(w, false)
	}
	return plain, reports, nil
}
