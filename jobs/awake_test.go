package jobs

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// asleep waits until all workers sleep, none of them as the sentinel.
func asleep(t *testing.T, p *Pool) {
	t.Helper()
	soon(t, "the workers sleep", func() bool {
		return p.lot.Count() == p.workers-1 && !p.sentinel.present.Load()
	})
}

// TestOnlyScheduled: workers find jobs that are only scheduled, small ones too.
func TestOnlyScheduled(t *testing.T) {
	limit(t)
	for _, parker := range []Option{func(*Pool) {}, Futex()} {
		p := New(Workers(2), parker)
		for range 30 { // the kind becomes known as a small one
			p.Schedule(&nothing{}).Wait()
		}
		for range 5 {
			asleep(t, p)
			one, many := p.Schedule(&nothing{}), p.ParallelFor(&nothing{}, 4, 1)
			soon(t, "the jobs are done", func() bool { return one.Done() && many.Done() })
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOnlyScheduledInACrowd: also where workers hardly look before they sleep.
func TestOnlyScheduledInACrowd(t *testing.T) {
	limit(t)
	for signs := range park.MaxSigns + 1 {
		p := New(Workers(2), func(p *Pool) { p.machine.Fix(4) })
		for range 30 { // the kind becomes known as a small one
			p.Schedule(&nothing{}).Wait()
		}
		for range 5 {
			p.machine.Crowd(signs)
			h := p.Schedule(&nothing{})
			soon(t, "the job is done", h.Done)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSmallJobsThatAreNot: what looks small wakes one worker, to be there for
// all that follow. If that one is held up, others must come.
func TestSmallJobsThatAreNot(t *testing.T) {
	limit(t)
	for _, pr := range []Priority{Background, Normal, High} {
		for range 5 {
			p := New(Workers(9))
			body, release := held()
			var running atomic.Int32
			job := Func(func(t *Task) { running.Add(1); body(t) })
			statsByCode.getOrCreate(funcPC(job), funcName).cost.Store(1)
			want := int32(8)
			if pr == Background {
				want = 2 // a quarter of the workers
			}
			asleep(t, p)
			for range want {
				p.ScheduleAt(pr, job)
			}
			soon(t, "all run", func() bool { return running.Load() == want })
			release()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestThiefSpeaksOfWhatItMoves: workers that went to sleep while jobs were on their
// way from deque to deque are woken for them.
func TestThiefSpeaksOfWhatItMoves(t *testing.T) {
	limit(t)
	p := New(Workers(3))
	defer p.Close()
	asleep(t, p)
	victim := p.acquire()
	defer victim.release()
	var jobs []Handle
	for range 4 {
		node := victim.newJob(&nothing{}, nil)
		jobs = append(jobs, Handle{node: node, gen: generation(node.word.Load())})
		victim.publishReady(node)
	}
	victim.queue.deque.publish() // and no worker is woken
	thief := make(chan *workerContext)
	go func() {
		wc := p.acquire()
		defer wc.release()
		wc.stealMore(victim, &observation{})
		wc.wakeSuccessor()
		thief <- wc
	}()
	if wc := <-thief; wc == victim || wc.steal.movedJobs {
		t.Fatalf("the thief is the victim: %v; it has not passed on", wc == victim)
	}
	soon(t, "all run", func() bool {
		return !slices.ContainsFunc(jobs, func(h Handle) bool { return !h.Done() })
	})
}

// TestBackgroundJobWaitsForItsChild: the child becomes ready while its parent
// holds the only permit for background jobs, and sleeps.
func TestBackgroundJobWaitsForItsChild(t *testing.T) {
	limit(t)
	p := New(Workers(4))
	gate := make(chan struct{})
	h := p.ScheduleAt(Background, Func(func(t *Task) {
		outside := p.External(context.Background(), func(context.Context) error { <-gate; return nil })
		if err := t.Wait(t.Schedule(&nothing{}, outside)); err != nil {
			panic(err)
		}
	}))
	soon(t, "the parent sleeps", func() bool { return p.waiters.Count() == 1 && p.lot.Count() == 2 })
	close(gate)
	soon(t, "the parent is done", h.Done)
	if err := p.Close(); err != nil || h.Err() != nil {
		t.Error(err, h.Err())
	}
}

// TestCloseRunsWhatIsLeft: small jobs too, on a seat without a goroutine, and
// what comes after external jobs.
func TestCloseRunsWhatIsLeft(t *testing.T) {
	limit(t)
	for range 20 {
		p := New(Workers(2))
		body, release := held()
		begun, left := make(chan struct{}), make(chan struct{})
		go func() { // sits on the first seat, so that the next one is another
			p.ScheduleHere(Func(func(t *Task) { close(begun); body(t) }))
			runHere(p)
			close(left)
		}()
		<-begun
		asleep(t, p)
		job := &nothing{}
		p.Schedule(job).Wait() // makes the kind
		statsByType.getOrCreate(reflect.TypeOf(job), typeName).cost.Store(1)
		first := p.Schedule(job)
		last := p.Schedule(job, p.External(context.Background(), func(context.Context) error { return nil }, p.Schedule(job)))
		release()
		<-left
		if err := p.Close(); err != nil || !first.Done() || !last.Done() {
			t.Errorf("done: %v, %v; %v", first.Done(), last.Done(), err)
		}
	}
}
