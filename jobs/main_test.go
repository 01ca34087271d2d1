package jobs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// load makes TestForeignLoad put a load on the machine, for TestSoak.
var load = flag.Bool("jobs.load", false, "keep a processor busy until the input ends")

// soak is the time for which TestSoak runs. The target make soak sets it to ten minutes.
var soak = flag.Duration("jobs.soak", 0, "how long TestSoak runs")

// TestMain fails if a goroutine is left after all tests have passed.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leftGoroutines(5 * time.Second); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "FAIL: these goroutines are left:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftGoroutines returns the stacks of the remaining goroutines after they had time to end. It leaves out
// the calling goroutine, and the goroutines of package testing, of signal handling and of JavaScript
// events.
func leftGoroutines(wait time.Duration) (left string) {
	stacks := make([]byte, 4<<20)
	for end := time.Now().Add(wait); ; time.Sleep(10 * time.Millisecond) {
		all := strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n")
		all = slices.DeleteFunc(all[1:], func(stack string) bool {
			return strings.Contains(stack, "created by testing.") || strings.Contains(stack, "os/signal.") || strings.Contains(stack, "runtime.handleEvent(")
		})
		if left = strings.Join(all, "\n\n"); left == "" || time.Now().After(end) {
			return left
		}
	}
}

func TestLeftover(t *testing.T) {
	limit(t)
	quit := make(chan struct{})
	go func() { <-quit }()
	if left := leftGoroutines(0); !strings.Contains(left, ".TestLeftover.func1(") {
		t.Errorf("a goroutine that waits is not left over:\n%s", left)
	}
	close(quit)
}

// patience is the time that a test may take; waitUntil may wait half of it. Only a test that hangs
// takes that long.
const patience = 2 * time.Minute

// limit ends the program with the name of the test and all stacks if the test exceeds its time. Each
// test that waits calls limit first.
func limit(t *testing.T) {
	t.Helper()
	name, most := t.Name(), patience
	timer := time.AfterFunc(most, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%s hangs: it is not over after %v", name, most))
	})
	t.Cleanup(func() { timer.Stop() })
}

// counts holds the numbers of workers that tests try.
var counts = []int{1, 2, 3, 8, 64}

// runPools runs a test with each number of workers, on each parker, with several orders of stealing.
func runPools(t *testing.T, test func(t *testing.T, p *Pool), opts ...Option) {
	t.Helper()
	for i, workers := range counts {
		parker := Option(func(*Pool) {})
		name := "chan"
		if i%2 == 1 {
			parker, name = Futex(), "futex"
		}
		t.Run(name+"/workers="+strconv.Itoa(workers), func(t *testing.T) {
			limit(t)
			p := New(append([]Option{Workers(workers), seeded(uint64(i)), parker}, opts...)...)
			test(t, p)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// seeded shuffles the order in which workers steal from each other. No result may depend on it.
func seeded(n uint64) Option { return func(p *Pool) { p.seed = n } }

// runHere runs the ready jobs that were scheduled for the calling goroutine.
func runHere(p *Pool) int {
	wc := p.acquireToRun()
	defer wc.release()
	return p.owners.runForCaller(wc)
}

// waitUntil waits until a condition is true, but at most for half of patience.
func waitUntil(t *testing.T, what string, met func() bool) {
	t.Helper()
	most := patience / 2
	for end := time.Now().Add(most); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %v", what, most)
		}
	}
}

// TestEachTestHasALimit checks that each test begins with limit. Without a limit, a hanging test is named
// only when the time of the whole run is over.
func TestEachTestHasALimit(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatalf("err is %v, want nil; files is %v", err, files)
	} else if len(files) == 0 {
		t.Fatalf("len(files) is %v; files is %v; err is %v", len(files), files, err)
	}
	header := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n(.*)$`)
	tests := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range header.FindAllStringSubmatch(string(text), -1) {
			tests++
			switch m[1] {
			case "TestSoak", "TestForeignLoad", "TestWaits", "TestGraphsOverPools", "TestEachTestHasALimit": // these set their limits themselves
				continue
			}
			if m[2] != "\tlimit(t)" {
				t.Errorf("%s: %s does not begin with limit(t)", file, m[1])
			}
		}
	}
	if tests < 100 {
		t.Errorf("%d tests were found", tests)
	}
}

type nothing struct{}

func (*nothing) Run(*Task) {}

func (*nothing) RunRange(*Task, int, int) {}

// newHeldJob returns a job that runs until release is called.
func newHeldJob() (job Func, release func()) {
	gate := make(chan struct{})
	return func(*Task) { <-gate }, func() { close(gate) }
}

type namedJob struct {
	Func
	name string
}

func (j *namedJob) JobName() string { return j.name }

func exit() { runtime.Goexit() }
