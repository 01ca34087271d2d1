// Command jobs compares package jobs with alternatives: OpenMP, plain
// goroutines, errgroup and conc. The command prints tables of medians, goals with their
// results, and an estimate for more processors.
//
//	go run . [-rounds 3] [-limit 5m] [-only fork,empty,graph,kernel,foreign,idle,model] [-sides .] [-tries 6] [-c program]
//
// A series that other processes have disturbed is repeated while there is time.
// Three rounds take about four minutes on a quiet machine. On a busy machine, they take
// little more than the limit.
//
// The C program is openmp/jobs.c, built with gcc -O2 -fopenmp -pthread. If -c is empty, it is built
// here, provided that there is a gcc.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

func main() {
	roundCount := flag.Int("rounds", 3, "rounds; the table has the medians")
	only := flag.String("only", "fork,empty,graph,kernel,foreign,idle,model", "sections")
	sideFilter := flag.String("sides", ".", "regular expression of the sides to measure")
	flag.IntVar(&quietTries, "tries", quietTries, "how often to take a series that others have disturbed, at most")
	limit := flag.Duration("limit", 5*time.Minute, "when to stop taking disturbed series again")
	program := flag.String("c", "", "the compiled C program")
	busyLoop := flag.Bool("busy", false, "only keep one processor busy (the foreign load of the section foreign)")
	flag.Parse()
	if *busyLoop {
		busyUntilOrphan()
		return
	}
	filter, err := regexp.Compile(*sideFilter)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(2)
	}
	sides = slices.DeleteFunc(sides, func(s side) bool { return !filter.MatchString(s.name) })
	graphList = slices.DeleteFunc(graphList, func(g graph) bool { return !filter.MatchString(g.name) })
	if err := run(*roundCount, *limit, strings.Split(*only, ","), *program); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func run(roundCount int, limit time.Duration, only []string, program string) error {
	if program == "" {
		built, remove, err := buildC()
		if err != nil {
			fmt.Fprintln(os.Stderr, "jobs: without OpenMP:", err)
		}
		defer remove()
		program = built
	}
	makeParticles()
	calibrate()
	if slices.Contains(only, "model") {
		defer printModel()
	}
	found := series{}
	for round := range roundCount {
		retryUntil = now() + int64(limit)/int64(roundCount)
		for i := range sections {
			sec := sections[(round+i)%len(sections)] // each round begins with another section, because the time for retries runs out in the last ones
			if !slices.Contains(only, sec.name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, roundCount, sec.name)
			sec.measure(found)
			if program != "" && sec.c {
				if err := runC(program, sec.name, found); err != nil {
					fmt.Fprintln(os.Stderr, "jobs:", err)
				}
			}
		}
	}
	printTable(found)
	fmt.Printf("%d of %d series of ours were disturbed: others had more than %.0f %% of the machine.\n\n", disturbed, taken, 100*quietShare)
	printGoals(found)
	return nil
}

// section is a group of rows. The field c says whether the C program measures these rows
// too.
type section struct {
	name    string
	c       bool
	measure func(series)
}

var sections = []section{
	{"fork", true, measureFork},
	{"empty", true, measureEmpty},
	{"graph", true, measureGraph},
	{"kernel", true, measureKernels},
	{"foreign", false, measureForeign},
	{"idle", false, measureIdle},
}

func measureFork(found series) {
	for _, s := range sides {
		run, stop := s.make()
		for _, n := range []int{1, 4, 16, 64, 1024, 16384} {
			for _, gap := range []string{"hot", "50us", "1ms"} {
				t := measure(time.Duration(n)*time.Microsecond, gap, func() { run(n, workBlock) })
				found.add(key{"fork", s.name, n, gap}, t)
			}
		}
		stop()
	}
}

func measureEmpty(found series) {
	for _, s := range sides {
		run, stop := s.make()
		for _, n := range []int{1, 2, 64, 1024} {
			for _, gap := range []string{"hot", "50us"} {
				found.add(key{"empty", s.name, n, gap}, measure(0, gap, func() { run(n, emptyBlock) }))
			}
		}
		stop()
	}
}

func measureGraph(found series) {
	for _, g := range graphList {
		one, chain, diamond, stop := g.make()
		for _, gap := range []string{"hot", "50us"} {
			found.add(key{"schedule + wait", g.name, 1, gap}, measure(0, gap, one))
			found.add(key{"chain", g.name, 100, gap}, measure(10*time.Microsecond, gap, chain))
		}
		found.add(key{"diamond", g.name, 1000, "hot"}, measure(200*time.Microsecond, "hot", func() { diamond(emptyBlock) }))
		found.add(key{"diamond of 1us", g.name, 1000, "hot"}, measure(700*time.Microsecond, "hot", func() { diamond(workBlock) }))
		stop()
	}
}

func measureKernels(found series) {
	for _, s := range sides {
		run, stop := s.make()
		for _, k := range kernelList {
			t := measure(time.Duration(k.blocks)*2*time.Microsecond, "hot", func() { run(k.blocks, k.block) })
			found.add(key{k.name, s.name, k.blocks, "hot"}, t)
		}
		stop()
	}
}

// measureForeign measures the kernels while other processes are busy, one for each
// processor.
func measureForeign(found series) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	for range workers {
		cmd := exec.Command(self, "-busy")
		in, err := cmd.StdinPipe()
		if err == nil && cmd.Start() == nil {
			defer func() { in.Close(); cmd.Wait() }()
		}
	}
	var names []string
	var runs []func(int, func(int))
	for _, s := range sides {
		switch s.name {
		case "serial", "lanewise", "lanewise+futex", "goroutine a worker":
			run, stop := s.make()
			defer stop()
			names, runs = append(names, s.name), append(runs, run)
		}
	}
	const reps = 60
	for _, k := range []kernel{{"axpy 64 MiB", chunks, axpyBlock}, {"1024 x 1us", 1024, workBlock}} {
		sums := make([]float64, len(runs))
		for range reps {
			for i, run := range runs { // in turns, because the load of other processes changes from second to second
				start := now()
				run(k.blocks, k.block)
				sums[i] += float64(now() - start)
			}
		}
		for i, name := range names {
			found.add(key{"foreign: " + k.name, name, k.blocks, "hot"}, sums[i]/reps)
		}
	}
}

// busyUntilOrphan is the foreign load: it keeps a processor busy until its
// input ends, which happens at the latest when its parent process ends.
func busyUntilOrphan() {
	var over atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		over.Store(true)
	}()
	for !over.Load() {
		busy(time.Millisecond)
	}
}

// idleTime is the time for which an idle pool is measured.
const idleTime = 10 * time.Second

// measureIdle measures the processor time that a pool uses outside of scopes,
// in nanoseconds for each second.
func measureIdle(found series) {
	p := jobs.New()
	defer p.Close()
	for range 100 {
		if err := p.Range(64, 1, func(lo, _ int) { workBlock(lo) }); err != nil {
			panic(err)
		}
	}
	before := ownTime()
	time.Sleep(idleTime)
	found.add(key{"idle", "lanewise", 1, "hot"}, (ownTime()-before)/idleTime.Seconds()*1e9)
}

// buildC compiles the C program into a temporary directory.
func buildC() (program string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		return "", func() {}, err
	}
	remove = func() { os.RemoveAll(dir) }
	program = filepath.Join(dir, "jobs")
	out, err := exec.Command("gcc", "-O2", "-fopenmp", "-pthread", "-o", program, "openmp/jobs.c", "-lm").CombinedOutput()
	if err != nil {
		return "", remove, fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return program, remove, nil
}

// runC runs the C program for one section and reads its lines
// "section,side,n,gap,nanoseconds".
func runC(program, section string, found series) error {
	tries := 1
	if now() < retryUntil {
		tries = max(quietTries/2, 1) // it does not check the time
	}
	cmd := exec.Command(program, section, strconv.Itoa(rounds), strconv.Itoa(workers), strconv.Itoa(tries))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w", program, section, err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Split(lines.Text(), ",")
		if len(f) != 5 {
			return fmt.Errorf("%s %s: line %q", program, section, lines.Text())
		}
		n, err1 := strconv.Atoi(f[2])
		t, err2 := strconv.ParseFloat(f[4], 64)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("%s %s: line %q", program, section, lines.Text())
		}
		found.add(key{f[0], f[1], n, f[3]}, t)
	}
	return nil
}
