package jobs

import (
	"flag"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// load makes TestForeignLoad a foreign load, for TestSoak.
var load = flag.Bool("jobs.load", false, "keep a processor busy until the input ends")

// soak is how long TestSoak runs: make soak sets ten minutes.
var soak = flag.Duration("jobs.soak", 0, "how long TestSoak runs")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
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
