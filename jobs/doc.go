// Package jobs spreads work over the cores: a pool of workers that runs single
// jobs, parallel-for loops over slices, and graphs of jobs that depend on each
// other. It is for slices as well as for worlds, and its results do not depend
// on the number of workers.
//
// A program that fills a slice and then prints its last value:
//
//	pool := jobs.New()
//	defer pool.Close()
//	x := make([]float64, 1_000_000)
//	fill := jobs.RangeFunc(func(t *jobs.Task, lo, hi int) {
//		for i := range x[lo:hi] {
//			x[lo+i] = 2 * float64(lo+i)
//		}
//	})
//	filled := pool.ParallelFor(fill, len(x), 0)
//	report := jobs.Func(func(t *jobs.Task) { fmt.Println(x[len(x)-1]) })
//	err := pool.Schedule(report, filled).Wait()
//
// # Concepts
//
// A Pool has workers. A goroutine that waits is one of them: Workers(1) starts
// no goroutine.
//
// A Job is a value with a Run method, and a RangeJob one with a RunRange
// method. The pool keeps a pointer to it, so its fields must stay valid until
// the job is done.
//
// A parallel-for is cut into blocks of grain indices. A block is the unit that
// is run, stolen and reported. Grain 0 lets the pool choose, by the number of
// indices alone.
//
// A Handle identifies a scheduled job. Schedule and ParallelFor take the
// handles of the jobs that have to be done before. The zero Handle is that of a
// job that is done.
//
// A Task is the interface of a running job to the pool. A job that is scheduled
// through a task is a child of the task's job: the parent is not done before
// its children are, and they inherit its priority and scope.
//
// A Scope is a time, such as a frame, in which workers stay awake, with a
// context that cancels the jobs which have not begun.
//
// Package jobs/access derives dependencies from the data that jobs read and
// write, and package jobs/profile records the times of jobs. The guide is
// docs/guide/jobs.md; docs/performance/jobs.md has the measurements.
//
// # Promises
//
//   - Once: every index of a loop runs exactly once, in one block.
//   - Deterministic: no result depends on the number of workers or on timing.
//     The grain that the pool chooses and the parts of Reduce depend on the
//     number of indices alone.
//   - Failures: a panic fails its job with a *PanicError that names the job,
//     the first index of the block and the stack. All other blocks of the loop
//     still run, because otherwise the effects of the loop would depend on the
//     number of workers. If several blocks fail, the lowest is reported. A call
//     of runtime.Goexit, as by testing.T.FailNow, fails the job with an
//     *ExitError, and the pool keeps its workers. Jobs that depend on a failed
//     job are skipped and carry its error.
//   - Cancellation: a cancelled context stops jobs that have not begun; they
//     carry the context's cause. A job that has begun runs to its end, a loop
//     with all its blocks, unless its body asks Task.Cancelled and returns,
//     which is no error.
//   - Waits: a wait runs jobs that it needs, of any pool, and jobs that belong
//     to its goroutine, and no others. So an unrelated long job never delays
//     it, and no wait depends on a free worker of another pool. Of several
//     waits inside jobs that could never end, one returns ErrDeadlock, also
//     when a child that is scheduled later closes the circle. No wait depends
//     on a worker that wakes up late.
//   - Quiet: the steady state does not allocate.
//   - Visible to -race: jobs are handed over through sync/atomic, so the race
//     detector sees the order of their effects.
//
// # Design
//
// A jobNode holds one scheduled job. One 64-bit word of it has the phase, the
// number of readers, the list of dependent jobs, and a generation, which a
// Handle repeats. A compare-and-swap on that word claims the job for a
// goroutine, and another one completes it. Nodes are reused; a handle of an
// older generation is done.
//
// An edge says that one job needs another: as a dependency, as a child, or
// because it waits for it.
//
// A workerContext is the place from which a goroutine schedules and runs jobs.
// Each worker has one; a goroutine from outside acquires a free one for the
// length of a call. It has the queue of the jobs that were scheduled there:
// runnext, which is the newest job of an otherwise empty queue, and a
// work-stealing deque. Jobs of priority High and Background are in a
// priorityQueue of the pool, those of ScheduleHere in a list of their
// goroutine's jobs, and an External job starts a goroutine when its last
// dependency is done.
//
// A loop is a parallel-for that several workers run. Each worker has a
// contiguous share of the blocks, always the same one, because its caches may
// still hold that data, and steals half of another share when its own is empty.
//
// A pendingWait is one wait. It does a dependencyWalk: it follows the edges
// backwards from the job that it needs, runs ready jobs and joins open loops.
// If it meets a job of the waiting goroutine's stack, the wait is part of a
// circle.
//
// A jobStats has the measured duration of all jobs of one name, type or
// function, and a modeTuner decides by trials whether loops of such a job and
// one length are faster on one worker or on all.
//
// These invariants hold the parts together:
//
//   - A goroutine runs a job only after it has claimed it, or has made it ready
//     itself and shown it to no other. Entries of queues and bits of open loops
//     are hints that may be old, because removing them at once would cost a
//     lock. A stale hint does no harm, since its claim fails or claims another
//     ready job.
//   - The step that ends a generation also takes the list of dependent jobs
//     away, so that each edge is counted exactly once, and nothing can be
//     linked to a job that is done.
//   - A goroutine that makes a job ready publishes it before it looks for
//     sleepers. A goroutine that is about to sleep registers before it looks
//     for work once more. Both are atomic read-modify-writes, so one of the two
//     sees the other, and no wake-up is lost.
//   - A wait that sleeps is registered in each pool of which it needs a job,
//     before its last look for work. A job that later gets a child which
//     depends on another pool wakes the waits of its pool, because they may
//     have to register there too.
//   - A goroutine has at most one context in each pool for the bodies that it
//     runs, also while a body runs isolated on another goroutine. So all jobs
//     on its stack can be found, which Caller and the search for deadlocks
//     need.
//   - A wait runs only jobs that it needs. So each job on a stack is needed by
//     the jobs below it, and a job that a walk meets twice closes a circle.
//   - While a ready job is unclaimed, a worker searches, is waking up, or is
//     the sentinel, or all are busy and look again when they are done. The
//     sentinel is the idle worker that wakes up now and then to look for small
//     jobs, which wake nobody because usually a goroutine is about to wait for
//     them.
//   - Measured durations decide where and when a job runs, and never what it
//     computes, because they differ from run to run.
//
// Go ends a goroutine that calls runtime.Goexit with everything on its stack.
// So inside a wait the pool runs a job isolated, on a separate goroutine, until
// one of its kind has completed; failure.go has the rules.
//
// Four things depend on which goroutine calls: the context that a running body
// keeps, the jobs of its stack, Close, and the owner of a world. Only
// goroutine.go and its build-tagged neighbours know how to distinguish
// goroutines.
//
// Waking a worker takes a few microseconds. So a short loop runs on one worker,
// a longer one is opened to all, and between 2.5 microseconds and 10
// milliseconds the modeTuner decides (Pool.LoopModes shows its results). A loop
// that takes longer than its estimate is opened while it runs. An idle worker
// stays awake for a while, less so on a machine that others use too, and is
// woken for work that is worth twice the measured cost of waking. Package
// internal/park has the sleeping and waking; it knows nothing of jobs.
package jobs
