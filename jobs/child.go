package jobs

// Schedule queues a child: the job is done when its children are.
func (t *Task) Schedule(j Job, after ...Handle) Handle {
	mustHave("Task.Schedule", j != nil)
	if t.slot == nil {
		return t.seat.pool.Schedule(j, after...)
	}
	return t.seat.submit(t.adopt(t.seat.newJob(j, t.slot.scope)), after)
}

// ParallelFor queues a child over the indices of [0, n), cut into blocks of
// grain. Grain 0 chooses. It panics if n or grain is negative.
func (t *Task) ParallelFor(j RangeJob, n, grain int, after ...Handle) Handle {
	mustHave("Task.ParallelFor", j != nil)
	if t.slot == nil {
		return t.seat.pool.ParallelFor(j, n, grain, after...)
	}
	grain = checkGrain("Task.ParallelFor", n, grain)
	return t.seat.submit(t.adopt(t.seat.newLoop(j, n, grain, t.slot.scope)), after)
}

// Wait waits for a handle of any pool inside a job: the worker works meanwhile. It
// returns ErrDeadlock where the handle cannot be done before the job is.
func (t *Task) Wait(h Handle) error {
	if h.slot == nil {
		return nil
	}
	if h.Done() {
		return h.Err()
	}
	if t.slot == nil {
		return h.Wait()
	}
	return (&await{seat: t.seat, job: h}).wait()
}

// adopt makes a new slot a child of the task's job.
func (t *Task) adopt(sl *slot) *slot {
	s, parent := t.seat, t.slot
	sl.word.Add(wordPins)                                // its edges are not seen until submit has made them
	s.need(t, sl, generation(sl.word.Load()), edgeChild) // this may panic: nothing has been counted yet
	sl.bound, sl.parent, sl.priority = true, parent, parent.priority
	sl.order = t.block<<24 | uint64(t.calls)&(1<<24-1)
	t.calls++
	parent.left.Add(1)
	return sl
}
