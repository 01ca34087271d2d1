// Package jobs distributes work to the cores: a pool of workers runs single jobs,
// parallel-for loops over slices, and graphs of jobs that depend on each other. The pool
// works on plain slices as well as on worlds, and its results do not depend on the number
// of workers.
//
// This program fills a slice and then prints its last value:
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
// A Pool has workers. A goroutine that waits counts as one of the workers, so Workers(1) starts
// no goroutine.
//
// A Job is a value with a Run method, and a RangeJob is a value with a RunRange
// method. The pool keeps a pointer to it, so its fields must stay valid until
// the job is done.
//
// A parallel-for is cut into blocks of grain indices. Workers run and steal whole blocks, and an
// error names the block that failed. If grain is 0, the pool computes it from the number of
// indices alone.
//
// A Handle identifies a scheduled job. Schedule and ParallelFor take the
// handles of the jobs that must be done first. The zero Handle identifies a
// job that is done.
//
// A Task is the interface through which a running job uses the pool. A job that is scheduled
// through a task is a child of the task's job. The parent is not done before its children are, and
// the children inherit its priority and scope.
//
// A Scope is a period of time, such as a frame, in which workers stay awake. The context of a
// Scope can cancel the jobs that have not begun.
//
// Package jobs/access derives dependencies from the data that jobs read and
// write, and package jobs/profile records the times of jobs. The guide is
// docs/guide/jobs.md, and docs/performance/jobs.md has the measurements.
//
// # Promises
//
//   - Once: every index of a loop runs exactly once, in one block.
//   - Deterministic: no result depends on the number of workers or on timing.
//     The grain that the pool chooses and the parts of Reduce depend on the
//     number of indices alone.
//   - Failures: a panic fails its job with a *PanicError. The error names the
//     job, the first index of the block and the stack. All other blocks of the loop
//     still run, because otherwise the effects of the loop would depend on the
//     number of workers. If several blocks fail, the failure of the lowest block is reported. A
//     call of runtime.Goexit, as by testing.T.FailNow, fails the job with an *ExitError, and the
//     pool keeps its workers. Jobs that depend on a failed job are skipped and carry its error.
//   - Cancellation: a cancelled context stops jobs that have not begun. Their handles return the
//     context's cause. A job that has begun runs to its end, and a loop runs all its blocks. A
//     body can ask Task.Cancelled and return early, which is not an error.
//   - Waits: a wait runs the jobs that it needs, which may belong to any pool. It also runs the
//     jobs that belong to its goroutine, and no other jobs. So an unrelated long job never delays
//     a wait, and no wait depends on a free worker of another pool. If several waits inside jobs
//     form a cycle that could never end, one of them returns ErrDeadlock, even if a child that is
//     scheduled later closes the cycle. No wait depends on a worker that wakes up late.
//   - Quiet: the steady state does not allocate.
//   - Visible to -race: jobs are handed over through sync/atomic. So the race
//     detector sees the order of their effects.
//
// # Design
//
// A jobNode holds one scheduled job. One 64-bit word of the node holds the phase, the number of
// readers, the list of dependent jobs, and a generation. A Handle holds the generation of its job.
// A compare-and-swap on the node's word claims the job for a goroutine, and a second
// compare-and-swap completes the job. Nodes are reused; a handle of an older generation is done.
//
// An edge says that one job needs another job, for one of three reasons: the other job is its
// dependency, the other job is its child, or it waits for the other job.
//
// A workerContext holds the state that a goroutine needs to schedule and run jobs. Each worker has
// a context. A goroutine that is not a worker acquires a free context for the duration of a call.
// A context has a queue of the jobs that were scheduled there: runnext, which is the newest job of
// an otherwise empty queue, and a work-stealing deque. Jobs of priority High and Background are in
// a priorityQueue of the pool. Jobs of ScheduleHere are in a list that belongs to their goroutine.
// An External job starts a goroutine when its last dependency is done.
//
// A loop is a parallel-for that several workers run. Each worker has a
// contiguous share of the blocks. A worker gets the same share each time, because its caches may
// still hold the data of that share. A worker whose share is empty steals half of another share.
//
// A pendingWait is one wait. A wait does a dependencyWalk: it follows the edges backwards from the
// job that it needs, runs ready jobs and joins open loops. If the walk meets a job of the waiting
// goroutine's stack, the wait is part of a cycle.
//
// A jobStats holds the measured duration of all jobs of one name, type or function. A modeTuner
// finds by trials whether loops of one job and of about the same length run faster on one
// worker or on all.
//
// The following invariants make the design correct:
//
//   - A goroutine must claim a job before it runs the job. The exception is a job that
//     the goroutine has made ready itself and shown to no other goroutine. Entries of queues and
//     bits of open loops are hints that may be old, because removing them at once would cost a
//     lock. A stale hint does no harm, since its claim fails or claims another
//     ready job.
//   - A generation ends in one atomic step. This step also takes the list of
//     dependent jobs away. So each edge is counted exactly once, and no job can be
//     linked to a job that is done.
//   - No wake-up is lost. A goroutine that makes a job ready publishes it
//     before it looks for sleepers. A goroutine that is about to sleep registers before it looks
//     for work once more. Both are atomic read-modify-write operations, so one of the two
//     goroutines sees the other.
//   - A wait that sleeps is registered in every pool that has a job it needs. It registers before
//     its last look for work. If a job later gets a child that depends on another pool, the job
//     wakes the waits of its pool, because they may have to register in that pool too.
//   - A goroutine runs all its bodies of one pool in a single context, even while a body
//     runs isolated on another goroutine. So Caller and the deadlock detection can find
//     all jobs on the goroutine's stack.
//   - A wait runs only jobs that it needs. So each job on a stack is needed by
//     the jobs below it, and a job that a walk meets twice closes a cycle.
//   - A ready job does not stay unclaimed. Until it is claimed, at least one worker searches, is
//     waking up, or is the sentinel; or all workers are busy and look again when they are done. The
//     sentinel is the idle worker that wakes up now and then to look for small jobs. Scheduling a
//     small job wakes no worker, because usually a goroutine is about to wait for the job.
//   - No result depends on measured durations, because they differ from run to run.
//     They decide only where and when a job runs.
//
// If a job calls runtime.Goexit, Go ends the goroutine with everything on its stack. So, inside a
// wait, the pool runs a job isolated, on a separate goroutine, until one job of its kind has
// completed. The rules are in failure.go.
//
// Four features depend on the goroutine that calls: the context that a running body keeps, the jobs
// on the goroutine's stack, Close, and the owner of a world. Only goroutine.go and its variants
// for builds with and without assembly know how to distinguish goroutines.
//
// Waking a worker takes a few microseconds. So a short loop runs on one worker,
// and a longer loop is opened to all workers. Between 2.5 microseconds and 10 milliseconds, the
// modeTuner decides. Pool.LoopModes returns its decisions. A loop
// that takes longer than its estimate is opened while it runs. An idle worker stays awake for a
// while, for a shorter time on a machine that other programs use too. A sleeping worker is woken
// only if the new work takes at least twice the measured cost of waking it. Package internal/park
// implements the sleeping and waking. It does not know about jobs.
package jobs
