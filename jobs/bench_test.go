package jobs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// work is a job that takes about one microsecond: a chain of multiplications.
type work struct {
	rounds int
	sinks  [64]struct {
		x uint64
		_ [56]byte
	}
}

func (w *work) RunRange(_ *jobs.Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		sink := &w.sinks[i%len(w.sinks)].x
		x := *sink
		for range w.rounds {
			x = x*6364136223846793005 + 1442695040888963407
		}
		*sink = x
	}
}

// microsecond returns a work job whose indices take one microsecond each, as measured on this
// machine.
func microsecond() *work {
	w := &work{rounds: 1000}
	best := time.Hour
	for range 50 {
		start := time.Now()
		w.RunRange(nil, 0, 10)
		best = min(best, time.Since(start))
	}
	w.rounds = int(10_000 * int64(1000) / int64(best))
	return w
}

// runAwake runs the function f of a benchmark in a scope, because workers stay awake there.
func runAwake(b *testing.B, f func(p *jobs.Pool)) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	sc := p.Scope(context.Background())
	defer sc.End()
	b.ReportAllocs()
	for b.Loop() {
		f(p)
	}
}

func BenchmarkRange(b *testing.B) {
	body := func(lo, hi int) {}
	for _, n := range []int{1, 2, 64, 1024} {
		b.Run(fmt.Sprintf("body=empty/n=%d", n), func(b *testing.B) {
			runAwake(b, func(p *jobs.Pool) { p.Range(n, 1, body) })
		})
	}
	w := microsecond()
	for _, n := range []int{1, 4, 16, 64, 1024} {
		b.Run(fmt.Sprintf("body=1us/n=%d", n), func(b *testing.B) {
			runAwake(b, func(p *jobs.Pool) { p.ParallelFor(w, n, 1).Wait() })
		})
	}
}

func BenchmarkSchedule(b *testing.B) {
	job := &nothing{}
	b.Run("shape=one", func(b *testing.B) {
		runAwake(b, func(p *jobs.Pool) { p.Schedule(job).Wait() })
	})
	b.Run("shape=chain/n=100", func(b *testing.B) {
		runAwake(b, func(p *jobs.Pool) {
			h := p.Schedule(job)
			for range 99 {
				h = p.Schedule(job, h)
			}
			h.Wait()
		})
	})
	handles := make([]jobs.Handle, 998)
	b.Run("shape=diamond/n=1000", func(b *testing.B) {
		runAwake(b, func(p *jobs.Pool) {
			root := p.Schedule(job)
			for i := range handles {
				handles[i] = p.Schedule(job, root)
			}
			p.Schedule(job, handles...).Wait()
		})
	})
}
