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

// newSweep makes a study of walks and opens it.
func newSweep(b *testing.B, axes ...string) *Study {
	b.Helper()
	p := programOf[*walk]("benchmark")
	zero, one, seed, list := 0, 1, uint64(1), ""
	d, err := p.design(&designFlags{seeds: &one, latin: &zero, random: &zero, seed: &seed, list: &list}, axes)
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

// timeRuns does runs of a study on the given number of cores. It returns the wall time and the CPU time,
// both without the start of the processes.
func timeRuns(b *testing.B, s *Study, cores int) (took, cpu time.Duration) {
	b.Helper()
	b.Setenv("LANEWISE_STUDY_TEST", "walk")
	w := &worker{study: s, queue: newQueue(s.missing(Share{0, 1})), workerOptions: workerOptions{cores: cores, attempts: 1, save: time.Minute, progress: progress.New(io.Discard, progress.Options{Style: progress.None})}}
	defer w.queue.stop()
	crew, err := w.crew(modeOuter)
	if err != nil {
		b.Fatal(err)
	}
	defer crew.Close()
	if err := crew.startAll(); err != nil {
		b.Fatal(err)
	}
	pids := []int{os.Getpid()}
	for range cap(crew.freePosts) {
		at := <-crew.freePosts
		pids = append(pids, at.child.cmd.Process.Pid)
		crew.freePosts <- at
	}
	before, start := onCPU(pids), time.Now()
	if err := w.runQueueOn(context.Background(), crew); err != nil {
		b.Fatal(err)
	}
	return time.Since(start), onCPU(pids) - before
}

// onCPU returns the CPU time of the threads of processes, on Linux, and 0 on other systems. Other
// programs on the machine change it less than wall time.
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

// runBare does the runs of a share in a plain loop, without a study.
func runBare(s *Study, of Share) (took time.Duration, err error) {
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

// bareMain is the main function of a program that does a share of the runs of a study in a loop.
// The program's arguments are the study's directory and the share.
func bareMain() {
	s := &Study{program: programOf[*walk]("benchmark"), errOut: io.Discard}
	share, err := ParseShare(os.Args[2])
	if err = errors.Join(err, s.load(os.Args[1])); err == nil {
		if _, err = os.Stdin.Read(make([]byte, 1)); err == nil {
			_, err = runBare(s, share)
		}
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// ceiling returns the time that the given number of loops takes in separate processes without
// coordination. This time is the machine's limit on that many cores.
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
	time.Sleep(50 * time.Millisecond) // lets them start
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

// BenchmarkStudy does runs of about 10 ms, and empty runs. It does them in four ways: in a loop, in a
// study on one core, in one loop per core, and in a study on all cores. The figures are medians of
// ratios of consecutive measurements. The metric x/bare is the cost of a study on one core; x/core is
// the speed of a study, per core, relative to one loop; x/ceiling is its speed relative to parallel
// loops, which share caches and memory in the same way; and cpu/bare is x/bare in CPU time, which
// other programs on the machine change least.
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
				s := newSweep(b, c.axes...)
				self := []int{os.Getpid()}
				before := onCPU(self)
				plain, err := runBare(s, Share{0, 1})
				if err != nil {
					b.Fatal(err)
				}
				alone := onCPU(self) - before
				one, cpu := timeRuns(b, newSweep(b, c.axes...), 1)
				most := max(ceiling(b, s, cores()), 1)
				all, both := timeRuns(b, newSweep(b, c.axes...), cores())
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
