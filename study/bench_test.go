package study

import (
	"context"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/lanewise/lanewise/internal/progress"
	"github.com/lanewise/lanewise/jobs"
)

// swept makes a study of walks and opens it.
func swept(b *testing.B, axes ...string) *Study {
	b.Helper()
	p := of[*walk]("benchmark")
	zero, one, seed, list := 0, 1, uint64(1), ""
	d, err := p.design(&designing{seeds: &one, latin: &zero, random: &zero, seed: &seed, list: &list}, axes)
	if err != nil {
		b.Fatal(err)
	}
	s, dir := &Study{program: p, errOut: io.Discard}, b.TempDir()
	if err := s.create(dir, d, 0); err != nil {
		b.Fatal(err)
	}
	if err := s.Open(dir, "bench"); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// timed does runs of a study on so many cores and returns how long that took, but
// for the time in which the processes start.
func timed(b *testing.B, s *Study, cores int) time.Duration {
	b.Helper()
	b.Setenv("LANEWISE_STUDY_TEST", "walk")
	w := &worker{study: s, queue: newQueue(s.missing(Share{0, 1})), labour: labour{cores: cores, attempts: 1, save: time.Minute, progress: progress.New(io.Discard, progress.Options{Style: progress.None})}}
	defer w.queue.stop()
	crew, err := w.crew(modeOuter)
	if err != nil {
		b.Fatal(err)
	}
	defer crew.Close()
	if err := crew.warm(); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := w.do(context.Background(), crew); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// bare does the same runs in a loop without a study.
func bare(b *testing.B, s *Study) time.Duration {
	b.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as in the processes of a crew
	pool := jobs.New(jobs.Workers(1))
	defer func() { _ = pool.Close() }()
	start := time.Now()
	for run := range s.Runs() {
		values, seed := s.manifest.Design.At(nil, run)
		r := &Run{Index: run, Seed: seed, ctx: context.Background(), pool: pool}
		steps, err := s.program.begin(r, values)
		if err == nil {
			err = steps.setup(nil)
		}
		for more := true; more && err == nil; r.Tick++ {
			more, err = steps.step()
		}
		if err != nil {
			b.Fatal(err)
		}
		steps.result()
		_ = r.World.Hash()
		_ = r.World.Close()
	}
	return time.Since(start)
}

// BenchmarkStudy does runs of some 10 ms, and of none, in a loop, in a study on one
// core, and on all. The figures are ratios: x/bare is what a study costs, x/core how many
// times as fast it is on all cores.
func BenchmarkStudy(b *testing.B) {
	for _, c := range []struct {
		name string
		axes []string
	}{
		{"run=10ms", []string{"people=400", "ticks=140", "pace=0.01:1.00:0.01"}},
		{"run=0", []string{"people=1", "ticks=1", "pace=0.01:5.00:0.01"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var plain, one, all time.Duration
			runs := 0
			for b.Loop() {
				plain += bare(b, swept(b, c.axes...))
				one += timed(b, swept(b, c.axes...), 1)
				s := swept(b, c.axes...)
				all += timed(b, s, cores())
				runs += s.Runs()
			}
			b.ReportMetric(float64(one)/float64(plain), "x/bare")
			b.ReportMetric(float64(one)/float64(all)/float64(cores()), "x/core")
			b.ReportMetric(float64(plain.Microseconds())/float64(runs), "µs/bare-run")
			b.ReportMetric(float64((one-plain).Microseconds())/float64(runs), "µs/more")
		})
	}
}
