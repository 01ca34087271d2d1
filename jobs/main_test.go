package jobs

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// load makes TestForeignLoad a foreign load, for TestSoak.
var load = flag.Bool("jobs.load", false, "keep a processor busy until the input ends")

// soak is how long TestSoak runs: make soak sets ten minutes.
var soak = flag.Duration("jobs.soak", 0, "how long TestSoak runs")

// TestMain fails if a goroutine is left when all tests have passed.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leftover(5 * time.Second); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "FAIL: these goroutines are left:\n\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftover returns the stacks of the goroutines other than this one and those of
// package testing and of signals, once they had time to end.
func leftover(wait time.Duration) (left string) {
	stacks := make([]byte, 4<<20)
	for end := time.Now().Add(wait); ; time.Sleep(10 * time.Millisecond) {
		all := strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n")
		all = slices.DeleteFunc(all[1:], func(stack string) bool {
			return strings.Contains(stack, "created by testing.") || strings.Contains(stack, "os/signal.")
		})
		if left = strings.Join(all, "\n\n"); left == "" || time.Now().After(end) {
			return left
		}
	}
}

func TestLeftover(t *testing.T) {
	quit := make(chan struct{})
	go func() { <-quit }()
	if left := leftover(0); !strings.Contains(left, ".TestLeftover.func1(") {
		t.Errorf("a goroutine that waits is not left over:\n%s", left)
	}
	close(quit)
}

// counts are the numbers of workers that tests run with.
var counts = []int{1, 2, 3, 8, 64}

// pools runs a test with each number of workers, on each bed, with several
// orders of stealing.
func pools(t *testing.T, test func(t *testing.T, p *Pool), opts ...Option) {
	t.Helper()
	for i, workers := range counts {
		bed := Option(func(*Pool) {})
		name := "chan"
		if i%2 == 1 {
			bed, name = Futex(), "futex"
		}
		t.Run(name+"/workers="+strconv.Itoa(workers), func(t *testing.T) {
			p := New(append([]Option{Workers(workers), Seed(uint64(i)), bed}, opts...)...)
			test(t, p)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// soon waits until a condition holds, for a minute at most: long enough for any
// machine that is busy with other things.
func soon(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !met(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after a minute", what)
		}
	}
}
