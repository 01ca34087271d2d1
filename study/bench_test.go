package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// timed does runs of a study on so many cores and returns how long that took, and for how long they had
// a processor, except for the time in which the processes start.
func timed(b *testing.B, s *Study, cores int) (took, cpu time.Duration) {
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
	pids := []int{os.Getpid()}
	for range cap(crew.free) {
		at := <-crew.free
		pids = append(pids, at.child.cmd.Process.Pid)
		crew.free <- at
	}
	before, start := onCPU(pids), time.Now()
	if err := w.do(context.Background(), crew); err != nil {
		b.Fatal(err)
	}
	return time.Since(start), onCPU(pids) - before
}

// onCPU is how long the threads of processes have had a processor, where the system tells (Linux); 0 elsewhere. It is what others on the machine
// change least.
func onCPU(pids []int) (sum time.Duration) {
	for _, pid := range pids {
		names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, name := range names {
			var ns int64
			b, _ := os.ReadFile(name)
			_, _ = fmt.Sscan(string(b), &ns)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// bare does the runs of a share in a loop without a study.
func bare(s *Study, of Share) (took time.Duration, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as in the processes of a crew
	pool := jobs.New(jobs.Workers(1))
	defer func() { _ = pool.Close() }()
	start := time.Now()
	for run := of.Index; run < s.Runs(); run += of.Count {
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
			return 0, err
		}
		steps.result()
		_ = r.World.Hash()
		_ = r.World.Close()
	}
	return time.Since(start), nil
}

// bareMain is the program that does a share of the runs of a study in a loop, when it is told to: of the arguments the first is
// the study's directory, the second the share.
func bareMain() {
	s := &Study{program: of[*walk]("benchmark"), errOut: io.Discard}
	share, err := ParseShare(os.Args[2])
	if err = errors.Join(err, s.load(os.Args[1])); err == nil {
		if _, err = os.Stdin.Read(make([]byte, 1)); err == nil {
			_, err = bare(s, share)
		}
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// ceiling is how long as many loops take that do the runs in processes of their own, which know nothing of
// each other: what the machine can do on so many cores at once.
func ceiling(b *testing.B, s *Study, cores int) time.Duration {
	b.Helper()
	b.Setenv("LANEWISE_STUDY_TEST", "bare")
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var begin []io.WriteCloser
	var all []*exec.Cmd
	for i := range cores {
		c := exec.Command(exe, s.dir, Share{i, cores}.String())
		in, err := c.StdinPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			b.Fatal(err)
		}
		begin, all = append(begin, in), append(all, c)
	}
	time.Sleep(50 * time.Millisecond) // they start
	start := time.Now()
	for _, in := range begin {
		_, _ = in.Write([]byte{1})
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}

// BenchmarkStudy does runs of some 10 ms, and of none, in a loop, in a study on one core, in as many loops as there are
// cores, and in a study on all. The figures are medians of ratios, of what was measured one after the other:
// x/bare is what a study costs on one core, x/core how many times as fast as a loop a study is on each of all cores, and x/ceiling
// how many times as fast as such loops that run at once: what cores share, memory and caches, slows down both. cpu/bare is x/bare in time
// on processors, which others on the machine change least.
func BenchmarkStudy(b *testing.B) {
	for _, c := range []struct {
		name string
		axes []string
	}{
		{"run=10ms", []string{"people=400", "ticks=230", "pace=0.01:1.00:0.01"}},
		{"run=0", []string{"people=1", "ticks=1", "pace=0.01:5.00:0.01"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			figures := map[string][]float64{}
			note := func(name string, v float64) { figures[name] = append(figures[name], v) }
			for b.Loop() {
				s := swept(b, c.axes...)
				self := []int{os.Getpid()}
				before := onCPU(self)
				plain, err := bare(s, Share{0, 1})
				if err != nil {
					b.Fatal(err)
				}
				alone := onCPU(self) - before
				one, cpu := timed(b, swept(b, c.axes...), 1)
				most := max(ceiling(b, s, cores()), 1)
				all, both := timed(b, swept(b, c.axes...), cores())
				note("x/bare", float64(one)/float64(plain))
				note("cpu/bare", float64(cpu)/float64(max(alone, 1)))
				note("cpu-of-all/bare", float64(both)/float64(max(alone, 1)))
				note("x/core", float64(plain)/float64(all)/float64(cores()))
				note("x/ceiling", float64(most)/float64(all))
				note("ceiling/core", float64(plain)/float64(most)/float64(cores()))
				note("µs/bare-run", float64(plain.Microseconds())/float64(s.Runs()))
				note("µs/more", float64((one-plain).Microseconds())/float64(s.Runs()))
			}
			for name, list := range figures {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name)
			}
		})
	}
}
