package inspect

import (
	"fmt"
	"testing"
	"time"
)

// Conformance: 461.
func TestPause(t *testing.T) {
	s := newStage(t, 100, Allow(Control|Edit))
	s.awaitFrames(3)
	at := func() uint64 { return get[Frame](s, "/api/frame").Frame }
	stopped := post[Controlled](s, "/api/control", "do", "pause")
	if !stopped.Paused {
		t.Errorf("%+v", stopped)
	}
	first := at()
	elapsed := get[Frame](s, "/api/frame").Elapsed
	for _, c := range asking {
		if code, body, _ := s.do("GET", c[0], values(c[1:])); code != 200 {
			t.Errorf("paused: %s: %d %s", c[0], code, body)
		}
	}
	post[Edited](s, "/api/set", "id", s.hero.String(), "component", "Health", "field", "Points", "value", "55")
	time.Sleep(20 * time.Millisecond)
	if now := at(); now != first {
		t.Fatalf("frames go on in a pause: %d, %d", first, now)
	}
	want := first
	for _, n := range []uint64{1, 2, 7, 1} {
		post[Controlled](s, "/api/control", "do", "step", "value", fmt.Sprint(n))
		want += n
		for begin := time.Now(); at() != want; time.Sleep(time.Millisecond) {
			if time.Since(begin) > generous || at() > want {
				t.Fatalf("%d steps: frame %d, want %d", n, at(), want)
			}
		}
		time.Sleep(5 * time.Millisecond)
		if now := at(); now != want {
			t.Fatalf("%d steps: frame %d, want %d", n, now, want)
		}
	}
	post[Controlled](s, "/api/control", "do", "step")
	for at() != want+1 {
		time.Sleep(time.Millisecond)
	}
	if e := get[Frame](s, "/api/frame").Elapsed - elapsed; e < 11.0/60 || e > 13.0/60 {
		t.Errorf("twelve frames took %v s of the world's time", e)
	}
	// A pause outlasts the lease. Only a request ends it.
	s.in.lastRequest.Store(int64(now() - 2*lease))
	time.Sleep(30 * time.Millisecond)
	if got := at(); got != want+1 {
		t.Errorf("the pause has ended by itself: %d, want %d", got, want+1)
	}
	if c := post[Controlled](s, "/api/control", "do", "resume"); c.Paused {
		t.Errorf("%+v", c)
	}
	s.awaitFrames(5)
	s.wantError(400, "there are pause, resume", "POST", "/api/control", "do", "dance")
	for _, wrong := range []string{"x", "-1", "0", "1e9", "NaN"} {
		s.wantError(400, "want a number", "POST", "/api/control", "do", "step", "value", wrong)
	}
	post[Controlled](s, "/api/control", "do", "pause")
	if err := s.in.Close(); err != nil { // releases the world
		t.Error(err)
	}
	s.stop()
}

// TestPace checks that a page can slow down a world, in real time and in simulated time, and that the
// slow world still answers requests.
func TestPace(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	if c := post[Controlled](s, "/api/control", "do", "pace", "value", "20"); c.Pace != 20 {
		t.Errorf("%+v", c)
	}
	s.awaitFrames(1)
	begin := time.Now()
	s.awaitFrames(4)
	if took := time.Since(begin); took < 100*time.Millisecond {
		t.Errorf("4 frames at 20 a second took %v", took)
	}
	if f := get[Frame](s, "/api/frame"); f.Pace != 20 {
		t.Errorf("pace %v", f.Pace)
	}
	post[Controlled](s, "/api/control", "do", "pace", "value", "0")
	if c := post[Controlled](s, "/api/control", "do", "scale", "value", "0.5"); c.Scale != 0.5 || c.Pace != 0 {
		t.Errorf("%+v", c)
	}
	s.awaitFrames(2)
	if f := get[Frame](s, "/api/frame"); f.Delta != 0.5/60 || f.Scale != 0.5 {
		t.Errorf("delta %v, scale %v", f.Delta, f.Scale)
	}
	for _, wrong := range []string{"", "-1", "1e9"} {
		s.wantError(400, "want a number", "POST", "/api/control", "do", "pace", "value", wrong)
		s.wantError(400, "want a number", "POST", "/api/control", "do", "scale", "value", wrong)
	}
}

// TestClosedInAPause checks that closing the inspector resumes a paused world and stops its recording.
func TestClosedInAPause(t *testing.T) {
	s := newStage(t, 10, Allow(Control))
	s.awaitFrames(2)
	post[Controlled](s, "/api/control", "do", "pause")
	if s.w.Pool().Profile().Recording() == 0 {
		t.Error("nothing is recorded")
	}
	if err := s.in.Close(); err != nil {
		t.Error(err)
	}
	for begin := time.Now(); len(s.in.list()) > 0 || s.w.Pool().Profile().Recording() > 0; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatalf("%d worlds are looked at, %d events of each worker kept", len(s.in.list()), s.w.Pool().Profile().Recording())
		}
	}
}
