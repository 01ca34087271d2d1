package system

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// frameKeeper keeps its frame and calls functions of the test in Update, StopRunning and Destroy.
type frameKeeper struct {
	frame           *Frame
	q               *ecs.Query
	inUpdate, after func(f *Frame)
}

func (s *frameKeeper) Create(u *Setup) error {
	s.q = u.Query(ecs.Write[alpha]())
	return nil
}

func (s *frameKeeper) Update(f *Frame) error {
	if s.frame = f; s.inUpdate != nil {
		s.inUpdate(f)
	}
	return nil
}

func (s *frameKeeper) StopRunning(f *Frame) error {
	f.Commands().Spawn(alpha{})
	return nil
}

func (s *frameKeeper) Destroy(*Setup) error {
	s.after(s.frame)
	return nil
}

// frameMisuses returns the error of each method of a frame that belongs to an update.
func frameMisuses(s *frameKeeper, f *Frame) map[string]error {
	none := chunkFunc(func(*ecs.Chunk) {})
	errs := map[string]error{"Track": f.Track(jobs.Handle{}, nil), "Run": f.Run(s.q, none)}
	for name, call := range map[string]func(){
		"Commands":      func() { f.Commands() },
		"Quit":          f.Quit,
		"Schedule":      func() { f.Schedule(jobs.Func(func(*jobs.Task) {}), nil) },
		"ParallelRange": func() { f.ParallelRange(jobs.RangeFunc(func(*jobs.Task, int, int) {}), 8, 1, nil) },
		"ParallelFor":   func() { f.ParallelFor(s.q, none) },
	} { //lanewise:inexact the order does not matter
		errs[name] = func() (err error) {
			defer func() { err, _ = recover().(error) }()
			call()
			return nil
		}()
	}
	return errs
}

// TestFrameInDestroy checks that Destroy cannot use a frame, because its commands would never be played
// back. StopRunning of the same system can use the frame.
func TestFrameInDestroy(t *testing.T) {
	for _, closing := range []bool{false, true} {
		w, err := NewWorld(t.Name(), OnPool(newPool(t, 2)), Only(Of[frameKeeper]()))
		if err != nil {
			t.Fatal(err)
		}
		s, called := Find[frameKeeper](w), 0
		s.after = func(f *Frame) {
			called++
			if n := w.Query(ecs.With[alpha]()).Count(); n != 1 {
				t.Errorf("closing %v: %d entities after StopRunning, want 1", closing, n)
			}
			for name, err := range frameMisuses(s, f) { //lanewise:inexact the order does not matter
				if !errors.Is(err, ecs.ErrState) {
					t.Errorf("closing %v: %s in Destroy: got %v, want ErrState", closing, name, err)
				}
			}
		}
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
		if closing {
			err = w.Close()
		} else {
			err = Destroy(w, s)
		}
		if err != nil || called != 1 {
			t.Errorf("closing %v: error %v after %d calls of Destroy, want none after 1", closing, err, called)
		}
	}
}

// TestFrameOnOtherGoroutine checks that a job on a worker cannot use the frame of a running update,
// because the owner uses it at the same time. A build with the tag purego does not detect such a call.
func TestFrameOnOtherGoroutine(t *testing.T) {
	want := 7
	if jobs.Goroutine() == 0 {
		want = 0
	}
	w, err := NewWorld(t.Name(), OnPool(newPool(t, 2)), Only(Of[frameKeeper]()))
	if err != nil {
		t.Fatal(err)
	}
	s := Find[frameKeeper](w)
	s.after = func(*Frame) {}
	var misuses map[string]error
	s.inUpdate = func(f *Frame) {
		done := make(chan bool)
		f.Schedule(jobs.Func(func(*jobs.Task) {
			defer close(done)
			if want > 0 {
				misuses = frameMisuses(s, f)
			}
		}), nil)
		<-done // this goroutine must not run the job
		f.Commands().Spawn(alpha{})
	}
	if err := Update(w); err != nil {
		t.Error(err)
	}
	for name, err := range misuses { //lanewise:inexact the order does not matter
		if !errors.Is(err, ecs.ErrState) {
			t.Errorf("%s in a job: got %v, want ErrState", name, err)
		}
	}
	if n := s.q.Count(); n != 1 || len(misuses) != want {
		t.Errorf("%d entities and %d refusals, want 1 and %d", n, len(misuses), want)
	}
}
