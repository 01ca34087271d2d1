package jobs

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
