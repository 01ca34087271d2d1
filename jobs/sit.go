package jobs

// Sit returns a task for the calling goroutine, outside of any job of its own: for
// work that is done here and now by the same code that does it in a job elsewhere.
// Its Worker is that of the seat which the goroutine takes until Rise, so that no
// job uses it at the same time; its Scratch is as that of a block, which NextBlock
// ends. What it schedules has no parent, and Wait is that of the handle.
//
// The task is the goroutine's until Rise, which must follow on the same one. It does
// not allocate but the first times.
func (p *Pool) Sit() *Task {
	p.check("Sit")
	s := p.enter()
	if s.guests == len(s.sitting) {
		s.sitting = append(s.sitting, &Task{seat: s})
	}
	t := s.sitting[s.guests]
	s.guests++
	t.slot, t.ok, t.blocks = nil, false, 0
	t.begin(0, 0)
	return t
}

// NextBlock begins another block, as a loop does: the first index is lo, and the
// Scratch of the one before is free again. It is for a task of Pool.Sit.
func (t *Task) NextBlock(lo int) { t.begin(t.block+1, lo) }

// SetLo says that the block is that of another first index than the loop's: of a loop over
// a selection, which counts what it is selected from. Lo, traces and errors have it then.
// The first indices of a loop's blocks must ascend as its blocks do: of several that fail the
// one with the lowest is reported.
func (t *Task) SetLo(lo int) { t.lo = lo }

// Rise ends a task of Pool.Sit. The last one that the goroutine was given goes first.
func (t *Task) Rise() {
	s := t.seat
	s.guests--
	s.leave()
}
