package goals

import (
	"runtime"

	"github.com/lanewise/lanewise/internal/crowd"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// neighbours returns the goals of package near. These goals are measured with a
// crowd of random points.
func neighbours() []Goal {
	const inC = "1.15 × C with AVX2, where the goal was set"
	return []Goal{
		{Name: "near.Grid.Build/f32", What: "ns a point", Aim: 1.15 * 14, From: inC, measure: onOneWorker(func(o *Options, c *crowd.Crowd) float64 {
			return o.timeEach(o.Points, c.Build)
		})},
		{Name: "sums over neighbours/f32", What: "ns a point", Aim: 1.15 * 134, From: inC, measure: onOneWorker(func(o *Options, c *crowd.Crowd) float64 {
			return o.timeEach(o.Points, sum(c))
		})},
		{Name: "sums over neighbours/f32", What: "times as fast as plain Go", Aim: 3, More: true, From: "as the examples", measure: onOneWorker(func(o *Options, c *crowd.Crowd) float64 {
			some := (o.Points + 7) / 8
			return o.timeEach(some, func() { c.Plain(some) }) / o.timeEach(o.Points, sum(c))
		})},
		{Name: "sums over neighbours/f32", What: "times as fast with two workers", Aim: 1.8, More: true, From: "a ratio", measure: func(o *Options) (float64, string) {
			if runtime.GOMAXPROCS(0) < 2 {
				return 0, "there is one CPU"
			}
			var times [2]float64
			for k := range times {
				pool := jobs.New(jobs.Workers(1 + k))
				times[k] = o.timeEach(1, sum(draw(o.Points, pool)))
				_ = pool.Close() // no job is left
			}
			return times[0] / times[1], ""
		}},
	}
}

// onOneWorker returns a function that measures f on a pool with one worker.
func onOneWorker(measure func(o *Options, c *crowd.Crowd) float64) func(o *Options) (float64, string) {
	return func(o *Options) (float64, string) {
		pool := jobs.New(jobs.Workers(1))
		defer func() { _ = pool.Close() }() // no job is left
		return measure(o, draw(o.Points, pool)), ""
	}
}

// draw returns a crowd of n random points.
func draw(n int, pool *jobs.Pool) *crowd.Crowd {
	var lanes [4][]float32
	for k := range lanes {
		lanes[k] = make([]float32, n)
		random.Uniform(lanes[k], random.Key{Seed: 2, Stream: uint32(k)}.Rows(0))
	}
	return crowd.New(pool, lanes[0], lanes[1], lanes[2], lanes[3])
}

// sum calls Sum and ignores its error, because Sum cannot fail here.
func sum(c *crowd.Crowd) func() {
	return func() {
		if err := c.Sum(); err != nil {
			panic(err)
		}
	}
}
