package study

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// newHeldSlot returns a slot whose run is in progress. Another run can be queued after that run, as after a short run.
func newHeldSlot(t *testing.T, c *Crew, run int) *processSlot {
	t.Helper()
	at := <-c.freePosts
	if _, err := at.start(); err != nil {
		t.Fatal(err)
	}
	at.child.order(run)
	at.offer()
	return at
}

// TestBehind checks that a run queued after another runs in the same process. If the first run crashes
// the process, or if the process must not be used again, the crew orders the queued run again. This
// second order does not count as an attempt.
func TestBehind(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	s := openStudy(t, t.TempDir(), "trap=none,exit,panic,goexit")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	for before, want := range []struct {
		state State // of the first run
		same  bool  // the process survives
	}{{OK, true}, {0, false}, {Panic, false}, {Panic, false}} {
		var began, failed []int
		c, err := s.Crew(CrewOptions{Processes: 1, Attempts: 2, OnAttemptBegan: func(run, attempt int) error {
			began = append(began, run, attempt)
			return nil
		}, OnAttemptFailed: func(run, _ int, _ string) error {
			failed = append(failed, run)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		at := newHeldSlot(t, c, before)
		pid := at.child.cmd.Process.Pid
		var behind sync.WaitGroup
		behind.Go(func() {
			record, err := c.Do(t.Context(), 0)
			r, bad := ParseRecord(record)
			if err != nil || bad != nil || r.Run != 0 || r.State != OK {
				t.Errorf("behind run %d: %v, %v, %+v", before, err, bad, r)
			}
		})
		for waits := false; !waits; time.Sleep(time.Millisecond) {
			at.mu.Lock()
			waits = at.nextOrdered
			at.mu.Unlock()
		}
		if r, err := at.do(t.Context(), before, true); (err != nil) != (want.state == 0) || State(r.State) != want.state {
			t.Errorf("run %d: %v, %v", before, r.State, err)
		}
		at.leave()
		behind.Wait()
		if same := at.child.cmd.Process.Pid == pid; same != want.same || !slices.Equal(began, []int{0, 1}) || failed != nil {
			t.Errorf("behind run %d: the same process is %v; began %v, failed %v", before, same, began, failed)
		}
		c.Close()
	}
}

// TestBehindAndAway checks two runs. A queued run that is given up must not end the process of another
// run. A run that comes too late for a queue must wait for a slot.
func TestBehindAndAway(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	s := openStudy(t, t.TempDir(), "trap=none", "-seeds", "4")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	c, err := s.Crew(CrewOptions{Processes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	at := newHeldSlot(t, c, 0)
	ctx, stop := context.WithCancel(t.Context())
	var behind sync.WaitGroup
	behind.Go(func() {
		if _, err := c.Do(ctx, 1); !errors.Is(err, errStopped) {
			t.Errorf("after its context: %v", err)
		}
	})
	for waits := false; !waits; time.Sleep(time.Millisecond) {
		at.mu.Lock()
		waits = at.nextOrdered
		at.mu.Unlock()
	}
	stop()
	if r, err := at.do(t.Context(), 0, true); err != nil || r.State != OK {
		t.Error(r, err)
	}
	at.leave()
	behind.Wait()
	at = newHeldSlot(t, c, 2) // in another process, because run 1 was not wanted
	if r, err := at.do(t.Context(), 2, true); err != nil || r.Run != 2 {
		t.Error(r, err)
	}
	if at.lastRunShort = true; len(c.aheadPosts) != 1 {
		t.Errorf("%d posts to order behind", len(c.aheadPosts))
	}
	at.leave()
	if record, err := c.Do(t.Context(), 3); err != nil || len(record) == 0 || len(c.aheadPosts) > 1 {
		t.Errorf("with a post of which the offer is over: %v, %d to order behind", err, len(c.aheadPosts))
	}
}

// TestCrowdBehind queues many runs at once, some of which crash their processes. Each run must get its
// record.
func TestCrowdBehind(t *testing.T) {
	if !startable() {
		t.Skip("starts the test program anew, which cannot be done here")
	}
	s := openStudy(t, t.TempDir(), "trap=none,none,none,exit,none,none,panic,none", "-seeds", "3")
	t.Setenv("LANEWISE_STUDY_TEST", "walk")
	c, err := s.Crew(CrewOptions{Processes: 2, Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	next := newQueue(s.missing(Share{0, 1}))
	defer next.stop()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for run, ok := next.next(); ok; run, ok = next.next() {
				values, _ := s.manifest.Design.At(nil, run)
				want := map[string]State{"none": OK, "exit": Crash, "panic": Panic}[values[len(values)-1]]
				record, err := c.Do(t.Context(), run)
				if r, bad := ParseRecord(record); err != nil || bad != nil || r.Run != run || r.State != want {
					t.Errorf("run %d: %v, %v, %v; want %v", run, err, bad, r.State, want)
				}
			}
		})
	}
	all.Wait()
}
