package jobs

import (
	"strings"
	"testing"
	"time"
)

// forEach calls f for each number below n, as a user's own helper does.
func forEach(p *Pool, n int, f func(i int)) error {
	return p.RangeFor(f, n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// TestRangeFor checks that each function has a name and an expected duration of its own, although the
// same body calls all of them.
func TestRangeFor(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	short := func(int) {}
	long := func(int) { time.Sleep(200 * time.Microsecond) }
	fail := func(int) { panic("no") }
	for range 30 {
		for _, f := range []func(int){short, short, short, long} {
			if err := forEach(p, 8, f); err != nil {
				t.Fatal(err)
			}
		}
	}
	estimate := func(f func(int)) int64 { return statsByCode.getOrCreate(funcPC(f), funcName).estimate(8) }
	if s, l := estimate(short), estimate(long); s < 0 || l < 800_000 || s > l/2 {
		t.Errorf("eight short calls are expected to take %d ns, eight long ones %d ns; want less than half of that, and at least half of their 1.6 ms", s, l)
	}
	for _, n := range []int{1, 8} {
		if err := forEach(p, n, fail); err == nil || !strings.Contains(err.Error(), "TestRangeFor") {
			t.Errorf("the error of %d calls is %q: want the name of the function", n, err)
		}
	}
}

// TestRangeForPanics checks the messages about misuse.
func TestRangeForPanics(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	for _, c := range []struct {
		f    any
		n    int
		want string
	}{{nil, 1, "jobs: RangeFor: f is a <nil>: it must be a function"}, {3, 1, "jobs: RangeFor: f is a int: it must be a function"}, {(func())(nil), 1, "jobs: RangeFor: f is nil"}, {func() {}, -1, "RangeFor"}} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, c.want) {
					t.Errorf("%v, %d: the panic says %q, want it to contain %q", c.f, c.n, v, c.want)
				}
			}()
			_ = p.RangeFor(c.f, c.n, 1, func(int, int) {})
		}()
	}
}
