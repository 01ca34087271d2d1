package jobs

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// careful is a job of either kind that counts what begins, returns, and is put away.
type careful struct {
	fails func(i int) func() // what the body of block i ends with, or nil
	worse bool               // to put away panics too

	at                   [64]atomic.Int32 // by worker: bodies that are under way
	began, done, stopped atomic.Int32
}

func (j *careful) Run(t *Task) { j.RunRange(t, 0, 1) }

func (j *careful) RunRange(t *Task, lo, _ int) {
	j.began.Add(1)
	j.at[t.Worker()].Add(1)
	if f := j.fails(lo); f != nil {
		f()
	}
	j.at[t.Worker()].Add(-1)
	j.done.Add(1)
}

func (j *careful) NotReturned(worker int) {
	j.at[worker].Add(-1)
	j.stopped.Add(1)
	if j.worse {
		panic("worse")
	}
}

// A job hears of every body of its own that did not return, on its worker, before it
// is done.
func TestUnfinished(t *testing.T) {
	limit(t)
	const n = 50
	boom := errors.New("boom")
	panics := func() { panic(boom) }
	for _, workers := range []int{1, 2, 8} {
		p := New(Workers(workers))
		for name, tc := range map[string]struct {
			fails func(i int) func()
			cause error
		}{
			"nothing": {func(int) func() { return nil }, nil},
			"one":     {func(i int) func() { return map[int]func(){17: panics}[i] }, boom},
			"first":   {func(i int) func() { return map[int]func(){0: panics}[i] }, boom},
			"all":     {func(int) func() { return panics }, boom},
		} {
			for _, worse := range []bool{false, true} {
				for _, single := range []bool{false, true} {
					j := &careful{fails: tc.fails, worse: worse}
					h, want := Handle{}, tc.cause
					if single {
						h = p.Schedule(j)
						if tc.fails(0) == nil {
							want = nil
						}
					} else {
						h = p.ParallelFor(j, n, 1)
					}
					if err := h.Wait(); !errors.Is(err, want) {
						t.Errorf("%s, %d workers: got %v, want %v", name, workers, err, want)
					} else if err != nil && !strings.Contains(string(err.(*PanicError).Stack), "(*careful).RunRange") {
						t.Errorf("%s: the stack does not show where it happened:\n%s", name, err.(*PanicError).Stack)
					}
					if j.began.Load() != j.done.Load()+j.stopped.Load() || (j.stopped.Load() > 0) != (h.Err() != nil) {
						t.Errorf("%s, %d workers: %d began, %d returned, %d did not", name, workers, j.began.Load(), j.done.Load(), j.stopped.Load())
					}
					for i := range j.at {
						if left := j.at[i].Load(); left != 0 {
							t.Errorf("%s: %d bodies of worker %d were not put away", name, left, i)
						}
					}
				}
			}
		}
		j := &careful{fails: func(int) func() { return runtime.Goexit }}
		done := make(chan bool)
		go func() { // it may run here
			defer close(done)
			_ = p.Schedule(j).Wait()
		}()
		<-done
		_ = p.Schedule(&nothing{}).Wait()
		for j.stopped.Load() == 0 {
			runtime.Gosched()
		}
		p.Close()
	}
}
