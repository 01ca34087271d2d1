package jobs

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Priority is how early idle workers take a job. It orders nothing: only
// dependencies do. Whoever waits for a job runs it and what it needs at once,
// whatever their priority.
type Priority int8

const (
	// Background jobs are run when there is nothing else, by a quarter of the
	// workers at most.
	Background Priority = iota - 1
	// Normal is the priority of Pool.Schedule.
	Normal
	// High jobs are taken before all others.
	High
)

// Queue schedules jobs of one priority. It is a small value; see Pool.At and
// Scope.At.
type Queue struct {
	pool     *Pool
	scope    *Scope
	priority Priority
}

// At returns a queue for jobs of a priority. Children inherit it. It panics if
// there is no such priority.
func (p *Pool) At(pr Priority) Queue { return Queue{pool: p, priority: pr.check("Pool.At")} }

// At returns a queue for jobs of a priority in the scope; see Pool.At.
func (s *Scope) At(pr Priority) Queue {
	return Queue{pool: s.pool, scope: s, priority: pr.check("Scope.At")}
}

// check panics if there is no such priority.
func (pr Priority) check(fn string) Priority {
	if pr < Background || pr > High {
		panic(fmt.Sprintf("jobs: %s: priority is %d", fn, pr))
	}
	return pr
}

// Schedule queues a job behind others.
func (q Queue) Schedule(j Job, after ...Handle) Handle {
	mustHave("Queue.Schedule", j != nil)
	s := q.enter("Queue.Schedule")
	defer s.leave()
	sl := s.newJob(j, q.scope)
	sl.priority = q.priority
	return q.keep(s.submit(sl, after))
}

// ParallelFor queues a job over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (q Queue) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("Queue.ParallelFor", j != nil)
	grain = checkGrain("Queue.ParallelFor", n, grain)
	s := q.enter("Queue.ParallelFor")
	defer s.leave()
	sl := s.newLoop(j, n, grain, q.scope)
	sl.priority = q.priority
	return q.keep(s.submit(sl, after))
}

func (q Queue) enter(fn string) *seat {
	if q.scope != nil {
		return q.scope.enter(fn)
	}
	q.pool.check(fn)
	return q.pool.enter()
}

// keep remembers a job for the end of its scope, if it has one.
func (q Queue) keep(h Handle) Handle {
	if q.scope != nil {
		q.scope.keep(h)
	}
	return h
}

// lane is a first-in-first-out queue for the jobs of one priority that do not
// go into the deques. As there, an entry is a hint: who takes it must claim
// the job.
type lane struct {
	size atomic.Int32
	mu   sync.Mutex
	list []*slot
	head int
}

func (l *lane) push(sl *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == cap(l.list) {
		// Make room: what was taken, and what waiters have claimed, can go.
		l.list = append(l.list[:0], slices.DeleteFunc(l.list[l.head:], func(sl *slot) bool {
			return sl.word.Load()&phaseReady == 0
		})...)
		l.head = 0
	}
	l.list = append(l.list, sl)
	l.size.Store(int32(len(l.list) - l.head))
}

// claim takes entries until it can claim the job of one, in the way that the
// lane's jobs are claimed; nil if there is none.
func (l *lane) claim(how func(*slot) bool) *slot {
	for l.size.Load() > 0 {
		l.mu.Lock()
		var sl *slot
		if l.head < len(l.list) {
			sl = l.list[l.head]
			l.list[l.head] = nil
			l.head++
			if l.head == len(l.list) {
				l.list, l.head = l.list[:0], 0
			}
			l.size.Store(int32(len(l.list) - l.head))
		}
		l.mu.Unlock()
		if sl != nil && how(sl) {
			return sl
		}
	}
	return nil
}
