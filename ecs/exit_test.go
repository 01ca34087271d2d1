package ecs_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

type leaver struct{ bad int }

func (l *leaver) Chunk(c *ecs.Chunk) {
	if c.Index() >= l.bad {
		runtime.Goexit() // as testing.T.FailNow does
	}
}

// TestGoexitInChunkJob checks a job whose method Chunk ends its goroutine with runtime.Goexit. The job
// must fail with an error that has the job's name and the index of the lowest chunk, for any number of
// workers, wherever a goroutine waits for the job. The waiting goroutine must continue, and the world
// must stay usable.
func TestGoexitInChunkJob(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		w.Create(w.Archetype(ecs.With[Matrix]()), 5000)
		q := w.Scheduler().Query("leaving", ecs.Write[Matrix]())
		for name, wait := range map[string]func(h jobs.Handle) error{
			"handle": jobs.Handle.Wait,
			"sync":   func(jobs.Handle) error { return w.Sync() },
			"behind": func(h jobs.Handle) error { return q.ParallelFor(chunkFunc(func(*ecs.Chunk) {}), h).Wait() },
			"in a job": func(h jobs.Handle) (err error) {
				outer := w.Pool().Schedule(jobs.Func(func(t *jobs.Task) { err = t.Wait(h) }))
				return errors.Join(outer.Wait(), err)
			},
		} {
			returned := false
			left := make(chan struct{})
			go func() {
				defer close(left)
				err := wait(q.ParallelFor(&leaver{bad: 7}))
				returned = true
				var exited *jobs.ExitError
				if !errors.Is(err, jobs.ErrExited) || !errors.As(err, &exited) || exited.Index != 7 || exited.Job != "leaving: ecs_test.leaver" {
					t.Errorf("%d workers, %s: %v", workers, name, err)
				} else if strings.Count(err.Error(), exited.Error()) != 1 {
					t.Errorf("%d workers, %s: it is told more than once: %v", workers, name, err)
				}
			}()
			<-left
			if !returned {
				t.Errorf("%d workers: the wait for %s has not returned", workers, name)
			}
			_ = w.Sync()
			must(t, w.Sync())
			must(t, q.ParallelFor(chunkFunc(func(*ecs.Chunk) {})).Wait())
		}
		must(t, integrity(w))
	}
}
