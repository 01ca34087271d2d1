package inspect

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// slowStage is a stage whose loop runs at the given rate.
func slowStage(t *testing.T, hz float64, opts ...Option) *stage {
	s := newStage(t, 500, opts...)
	s.stop()
	s.hz = hz
	s.run()
	return s
}

// TestAnswersInSleep sends each kind of request to loops with low frame rates. Each answer must come
// long before the next frame, even the first answer, although the world has no view yet.
func TestAnswersInSleep(t *testing.T) {
	for _, hz := range []float64{0.05, 0.5, 12} {
		t.Run(fmt.Sprint(hz), func(t *testing.T) {
			s := slowStage(t, hz)
			time.Sleep(20 * time.Millisecond) // the first frame has ended
			for range 3 {
				var took []time.Duration
				for _, c := range asking {
					begin := time.Now()
					if code, body, _ := s.do("GET", c[0], values(c[1:])); code != 200 {
						t.Errorf("%s: %d %s", c[0], code, body)
					}
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				if median := took[len(took)/2]; median > 50*time.Millisecond {
					t.Errorf("half of the answers take more than %v", median)
				}
			}
			if n := get[Frame](s, "/api/frame").Frame; n > 20 {
				t.Errorf("frame %d: requests make the loop faster", n)
			}
		})
	}
}

// TestPauseInSleep pauses and steps a world whose loop sleeps for a long time. No frame may run after
// the pause, and each step must run at once and exactly once.
func TestPauseInSleep(t *testing.T) {
	s := slowStage(t, 3, Allow(Control))
	at := func() uint64 { return get[Frame](s, "/api/frame").Frame }
	post[Controlled](s, "/api/control", "do", "pause")
	first := at()
	time.Sleep(700 * time.Millisecond)
	if now := at(); now != first {
		t.Errorf("frame %d, want %d: a frame ran in the pause", now, first)
	}
	want := first
	for _, n := range []uint64{1, 3} {
		post[Controlled](s, "/api/control", "do", "step", "value", fmt.Sprint(n))
		want += n
		for begin := time.Now(); at() != want; time.Sleep(time.Millisecond) {
			if time.Since(begin) > generous || at() > want {
				t.Fatalf("%d steps: frame %d, want %d", n, at(), want)
			}
		}
	}
	time.Sleep(400 * time.Millisecond)
	if now := at(); now != want {
		t.Errorf("frame %d, want %d: the world has not stopped after the steps", now, want)
	}
	post[Controlled](s, "/api/control", "do", "resume")
	s.awaitFrames(1)
}

// TestBudget checks the time by which requests may delay a frame. It is a share of the frame time,
// sleep included, within two limits; or it is a fixed time.
func TestBudget(t *testing.T) {
	v := newView(&New().views, slowStage(t, 100).w)
	for _, c := range []struct {
		share           float64
		fixed, interval time.Duration
		want            time.Duration
	}{
		{DefaultShare, 0, 0, MinBudget},
		{DefaultShare, 0, time.Millisecond, MinBudget},
		{DefaultShare, 0, 80 * time.Millisecond, 700 * time.Microsecond},
		{DefaultShare, 0, time.Minute, maxBudget},
		{0.1, 0, 10 * time.Millisecond, 880 * time.Microsecond},
		{DefaultShare, time.Microsecond, time.Minute, time.Microsecond},
	} {
		v.inspector.share, v.inspector.budget, v.interval = c.share, c.fixed, c.interval
		if got := v.budget(); got != c.want {
			t.Errorf("share %v, budget %v: a frame of %v is delayed by up to %v, want %v", c.share, c.fixed, c.interval, got, c.want)
		}
	}
	for _, x := range []float64{0, -1, 1.5} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Share(%v) does not panic", x)
				}
			}()
			Share(x)
		}()
	}
}

// TestIntervalIncludesSleep checks that the frame time of a paced loop includes its sleep. Requests
// get a share of this frame time.
func TestIntervalIncludesSleep(t *testing.T) {
	s := slowStage(t, 20)
	s.awaitFrames(3)
	v := s.in.find(s.w)
	var interval time.Duration
	if _, err := v.runBetween(t.Context(), "interval", func(*ownerSlice) (bool, error) { interval = v.interval; return false, nil }); err != nil {
		t.Fatal(err)
	}
	if interval < 40*time.Millisecond {
		t.Errorf("the interval is %v at 20 frames a second", interval)
	}
}
