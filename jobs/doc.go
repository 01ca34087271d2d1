// Package jobs spreads work over the cores: a fork-join pool and a job graph
// with one kind of handle, for slices as well as for worlds.
//
// The words. A pool has workers; the goroutine that waits is one of them. A
// job is a value with a Run or a RunRange method, held by pointer and not
// copied: its fields stay put until it is done. A parallel-for is cut into
// blocks of grain indices; a block is the unit that is run, stolen and
// reported. A handle stands for a job that was scheduled; the zero Handle is
// complete. A scope is a time in which workers stay awake, with a context
// that cancels what has not begun. A task is what a running job sees of the
// pool. Inside: a seat is a place from which jobs are run and scheduled, a
// slot holds one scheduled job, a loop a parallel-for that is open to several
// workers, a kind what is known of all jobs of one name. A slot's job is ready when
// nothing before it is left, and claimed by the seat that will run it. An edge says that one job
// needs another. The runnext of a seat is the one job that was queued there last, its
// deque the others; a line is jobs that were scheduled on a seat each behind the last
// one. A continuation is which of the jobs that become ready the seat that ends others would run
// itself. A walk is the search of a wait for something to do; a cursor takes blocks
// of a loop. The sentinel is the idle worker that looks after small jobs which no other
// may come for. A body runs isolated, on a goroutine of its own, where its end must not
// end others. A trial is what is known of two ways to run a loop. A worker is a seat for a goroutine that
// looks for something to do, an await is one wait.
//
// # Promises
//
// Every index runs exactly once, in one block. A panic becomes a *PanicError
// that names the job, the first index of the block and the stack. It ends its own
// block only: all other blocks of the loop run, because otherwise what the loop has
// done would depend on the number of workers. Of several blocks that fail the lowest is
// reported. A body that calls runtime.Goexit, as testing.T.FailNow
// does, fails its job alike, with an *ExitError; what waits for that goes on, and the
// pool keeps its workers. Jobs after a failed one are skipped and carry the
// same error. A cancelled context stops at job borders: a job that has begun ends,
// and a loop with all its blocks, unless its body asks (Task.Cancelled) and
// returns, which is no error; what has not begun carries the context's cause. A
// wait runs what it waits for and nothing else, so that an unrelated long job
// never sits on its stack, except for jobs that belong to its goroutine. It runs what it needs in other pools too,
// so that no wait depends on a worker of another pool being free. One inside a
// job that could never end, when it begins or because of a child that comes later,
// is an ErrDeadlock, for one of those that wait in a circle. No result depends on
// the number of workers or on timing. A worker that wakes up late is never waited
// for. The steady state allocates nothing. All hand-overs go through sync/atomic,
// so the race detector sees their order.
//
// # Where a job lies until it runs
//
// A job of priority Normal is the runnext of a seat or in its deque; one of High or Background is in
// the queue of its priority, a lane, and the second has a phase of its own, so that only a wait for it or a worker
// with a permit may claim it (priority.go says all that a priority is). One of ScheduleHere is in the list
// of owners: what it belongs to is a goroutine, and while a body of that goroutine runs isolated, a proxy makes the call
// there. One of External lies nowhere: the seat that ends the last job before it starts its goroutine.
// A parallel-for that is open has a bit in loopTable.open, under its priority.
//
// A child belongs to the job whose body made it: that is not done before it, and it bears the priority and the
// scope of that. Grain 0 and the parts of Reduce depend on n alone. A pool with a watchdog, or at
// level Panic, has a list of its live jobs besides, under a lock.
//
// Who calls matters in four places: a goroutine that runs a body keeps its seat, a wait looks for jobs of its own stack,
// Close refuses jobs, and worlds refuse what is not their owner. All of them ask goroutine.go, and no other file
// knows how goroutines are told apart; without assembly a seat on which nothing runs does not know its own.
//
// # How it works
//
// Where things are. The types that know each other: pool.go, seat.go, slot.go,
// task.go, job.go, handle.go, scope.go, loop.go, deque.go and live.go, which hold
// nothing else. Above them, each resting on those before it: the caller and where it
// sits (enter.go), memory (slots.go, edge.go), where to steal (steal.go), what is ready
// and which workers are told (priority.go, wake.go, ready.go), the end of a job (exit.go, complete.go), new ones
// (submit.go), running them (serial.go, fork.go, cursor.go, run.go, external.go), what one goroutine
// must run (owner.go), all pools (pools.go), looking for something to do (search.go, deadlock.go, wait.go,
// idle.go, worker.go), and what users call (schedule.go, frame.go, child.go, sit.go, reduce.go,
// close.go, look.go with spreads.go). What a pool is told when it is made is in new.go, options.go, level.go and watchdog.go; what is
// known of jobs by their names in kind.go and trial.go, how loops are cut in grain.go; what handles tell beside that they are done in
// follows.go, what tools are told in observe.go, errors in errors.go, and model_*.go lets a test choose
// which goroutine goes on. How a goroutine sleeps and is woken, and what that costs, is internal/park, which knows nothing of jobs. Which goroutine runs is asked in
// goroutine.go alone, by goroutine_*.go and cpu_*.go of each CPU, and compared in caller.go; bodies that run on one
// of their own are in isolated.go, and goroutineset.go is those that Close waits for.
//
// Which type a function belongs to. What users call is the Pool's, in schedule.go, enter.go, look.go and close.go,
// and so is which workers are woken (wake.go). What is done on a seat to begin, run and end jobs is the seat's. How
// a parallel-for is run is in functions of their own until it is opened (fork.go, serial.go), and then the loop's. An await is one
// wait; a worker is a seat that looks for something to do; the jobs of one goroutine are in owners.
//
// What holds it together:
//   - A job is run by the seat that claims it, and claims are compare-and-swaps on one word that
//     bears the generation. All else that names a job is a hint: it may be old, and
//     does no harm.
//   - A generation ends in one step that takes the edges out of the job away: each
//     edge is met once.
//   - A goroutine that makes something ready shows it before it looks which others sleep; one that is about to
//     sleep says so before it looks once more. So one of the two sees the other.
//   - A wait that sleeps is registered as a waiter in each pool of which it needs a job, and has found nothing to
//     do after it was. A job that gets a child after one of another pool wakes the waiters of its pool, which look again.
//   - A goroutine has one seat of each pool, at most, for the bodies that it runs, also while a body runs isolated. So
//     the jobs on its stack are found in all pools.
//   - A wait runs nothing but what it waits for. So what lies on a stack is needed
//     by what lies below, and a job met twice on the way is a circle.
//   - What is measured (kinds, trials, costs of waking) decides where and when a job
//     runs, and never what it computes.
//
// A slot has a word of generation, first edge out, pins and phase; one
// compare-and-swap ends a job and takes its list of dependants away, and a
// handle of an older generation is done. An edge leads from a job to one that
// needs it: because it comes after it, is its parent, or waits for it. A
// single job that is ready is the runnext of the seat where it was
// scheduled, or in its deque; idle workers steal from there, but leave what is
// tiny to the goroutine that is about to wait for it. Runnexts and deques hold hints: what
// takes one must claim the job, which may be another than the one that was
// laid there. A waiting goroutine walks the edges backwards from the job that
// it needs, runs what is ready and joins loops that are open; if it comes upon
// a job of its own stack, the wait is one of a circle.
//
// A parallel-for becomes a loop if it is worth it: each worker has a contiguous
// share of the blocks, always the same one, and steals half of another's when
// its own is empty. Loops shorter than two microseconds, and those that are not
// worth waking a worker for, are run by one seat; if they take longer than their
// kind has taken so far they are opened after all. Between those and loops of ten
// milliseconds the pool tries both ways and goes by what they took (trial.go,
// Pool.Spreads). Jobs of a kind that was always waited for at once wake no worker when
// they are scheduled: that is left to the wait.
//
// Go ends a goroutine that calls runtime.Goexit with all that is on its stack. So a
// job of a kind that the pool does not know yet runs, inside a wait, on a goroutine of
// its own; see exit.go.
//
// An idle worker stays awake for a while, less on a machine that others use
// too, and then sleeps. It is woken if the work is worth twice what waking has
// turned out to cost. The guide is docs/guide/jobs.md; docs/performance/jobs.md has
// what bench/jobs measures.
package jobs
