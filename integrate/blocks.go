package integrate

import (
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/kernels"
)

// The memory of a block, in bytes, is smaller than the first-level cache of most CPUs. A block has at least leastRows,
// because the calls of kernels take time too.
const (
	blockBytes = 24 << 10
	leastRows  = 64
	mostRows   = 1024
	leastParts = 8 // a state with few rows has more blocks, for several workers
)

// A blockRun runs a call on the blocks of independent rows.
type blockRun[T kernels.Float] struct {
	call call[T]
	rows int // of a block
	body func(lo, hi int)

	mu                 sync.Mutex
	at                 int // the block of err
	err                error
	accepted, rejected int
}

// These pools keep the memory of finished calls and blocks for reuse.
var (
	runs32, runs64     sync.Pool
	arenas32, arenas64 sync.Pool
)

func poolsOf[T kernels.Float]() (runs, arenas *sync.Pool) {
	if eps[T]() > 0x1p-30 {
		return &runs32, &arenas32
	}
	return &runs64, &arenas64
}

// do runs a call.
func (c call[T]) do(o *ODE[T]) error {
	c.rate, c.pool = o.Rate, o.Pool
	if len(c.state[0]) == 0 || len(c.state[0][0]) == 0 {
		c.count(c.steps)
		return nil
	}
	if o.Coupled {
		return o.doCoupled(c)
	}
	runs, _ := poolsOf[T]()
	r, _ := runs.Get().(*blockRun[T])
	if r == nil {
		r = new(blockRun[T])
		r.body = r.doBlocks
	}
	bytes := 4
	if eps[T]() < 0x1p-30 {
		bytes = 8
	}
	r.call, r.at, r.err, r.accepted, r.rejected = c, 0, nil, 0, 0
	rows := len(c.state[0][0])
	r.rows = min(mostRows, blockBytes/(bytes*c.groups*len(c.state[0])), rows/leastParts+leastRows-1)
	r.rows = max(leastRows, r.rows&^(leastRows-1))
	err := error(nil)
	if blocks := (rows-1)/r.rows + 1; c.pool == nil {
		r.body(0, blocks)
	} else {
		err = c.pool.RangeFor(c.rate, blocks, 0, r.body)
	}
	if err == nil {
		err = r.err
	}
	if c.adapt != nil {
		c.adapt.control.Accepted += r.accepted
		c.adapt.control.Rejected += r.rejected
	}
	c.count(c.steps)
	r.call = call[T]{} // keep nothing of the caller alive
	runs.Put(r)
	return err
}

// count adds finished steps to the tick count of a bath.
func (c *call[T]) count(steps int) {
	if c.bath != nil {
		c.bath.Key.Tick += uint32(steps)
	}
}

// doBlocks runs the call on some blocks. The division into blocks depends only on the shape of the state. So the same rows
// advance for every number of workers, even if Rate returns an error for some blocks.
func (r *blockRun[T]) doBlocks(lo, hi int) {
	_, arenas := poolsOf[T]()
	a, _ := arenas.Get().(*arena[T])
	if a == nil {
		a = new(arena[T])
	}
	a.run = &r.call
	for rows := len(r.call.state[0][0]); lo < hi; lo++ {
		a.setBlock(lo*r.rows, min(rows, (lo+1)*r.rows))
		err := error(nil)
		if r.call.adapt != nil {
			err = a.doAdaptive()
		} else {
			err = a.doSteps()
		}
		r.mu.Lock()
		if err != nil && (r.err == nil || lo < r.at) {
			r.at, r.err = lo, err
		}
		r.accepted += a.clock.accepted
		r.rejected += a.clock.rejected
		r.mu.Unlock()
		a.clock.accepted, a.clock.rejected = 0, 0
	}
	a.run = nil
	arenas.Put(a)
}

// setBlock prepares the memory for a block of rows. The elements after the rows of a lane are zero. These elements stay zero
// in every pass, because the factors of all passes are finite.
func (a *arena[T]) setBlock(lo, hi int) {
	a.lo, a.hi = lo, hi
	lanes, rows := len(a.run.state[0]), hi-lo
	if shape := [3]int{a.run.groups, lanes, rows}; a.shape != shape {
		a.shape = shape
		stride := (rows + 15) &^ 15
		size := lanes*stride + 16 // the first lanes of two groups are in different sets of a cache
		a.memory = resizeSlice(a.memory, a.run.groups*size)
		clear(a.memory)
		a.group, a.lane = resizeSlice(a.group, a.run.groups), resizeSlice(a.lane, a.run.groups)
		for g := range a.group {
			a.group[g] = a.memory[g*size:][: lanes*stride : lanes*stride]
			a.lane[g] = resizeSlice(a.lane[g], lanes)
			for l := range lanes {
				a.lane[g][l] = a.group[g][l*stride:][:rows:rows]
			}
		}
	}
}

// resizeSlice returns a slice of length n, in the memory of x if it is large enough.
func resizeSlice[E any](x []E, n int) []E {
	if cap(x) < n {
		return append(x[:cap(x)], make([]E, n-cap(x))...)
	}
	return x[:n]
}

// rate computes the derivatives of group x into group dst.
func (a *arena[T]) rate(dst, x int, time float64) error {
	return a.run.rate(a.lane[dst], a.lane[x], Block[T]{Lo: a.lo, Hi: a.hi, Time: time})
}

// load copies the rows of the block from the state of the caller.
func (a *arena[T]) load() {
	for g, lanes := range a.run.state {
		for l, lane := range lanes {
			copy(a.lane[g][l], lane[a.lo:a.hi])
		}
	}
}

// store copies the rows of the block to the state of the caller.
func (a *arena[T]) store() {
	for g, lanes := range a.run.state {
		if g < a.run.reads {
			continue
		}
		for l, lane := range lanes {
			copy(lane[a.lo:a.hi], a.lane[g][l])
		}
	}
}

// doSteps does all steps of a block.
func (a *arena[T]) doSteps() error {
	a.load()
	err := a.begin()
	for k := 0; k < a.run.steps && err == nil; k++ {
		err = a.step(k)
	}
	if err != nil {
		return err
	}
	for g, lanes := range a.run.state {
		if lanes != nil && !kernels.AllFinite(a.group[g]) {
			return a.doStepsAgain()
		}
	}
	a.store()
	return nil
}

// doStepsAgain repeats the steps of a block in which a row failed, to find the time of the failure. It stores the other
// rows.
func (a *arena[T]) doStepsAgain() error {
	a.load()
	if a.run.method == evaluation {
		clear(a.group[1]) // the results, which may be anything before
	}
	first := a.notFiniteStart(a.hi)
	if err := a.begin(); err != nil {
		return err
	}
	for k := range a.run.steps {
		if err := a.step(k); err != nil {
			return err
		}
		end := a.hi
		if first != nil {
			end = first.Row
		}
		if g, lane, row := a.findBad(end); row < end {
			first = a.notFinite(g, row, lane, a.run.time(k))
		}
	}
	a.storeFinite(nil)
	a.shape = [3]int{} // the next block clears the memory
	if first == nil {  // the Rate has other results this time
		return nil
	}
	return first
}

// storeFinite stores the rows that are finite and that have not failed.
func (a *arena[T]) storeFinite(failed []bool) {
	for i := range a.hi - a.lo {
		if _, _, bad := a.findBadIn(i, i+1); bad == i+1 && (failed == nil || !failed[i]) {
			for g := a.run.reads; g < maxState; g++ {
				for l, lane := range a.run.state[g] {
					lane[a.lo+i] = a.lane[g][l][i]
				}
			}
		}
	}
}

// findBad returns the first row of the state that is not finite, or end.
func (a *arena[T]) findBad(end int) (group, lane, row int) {
	group, lane, row = a.findBadIn(0, end-a.lo)
	return group, lane, a.lo + row
}

// findBadIn looks at rows of the arena.
func (a *arena[T]) findBadIn(lo, hi int) (group, lane, row int) {
	row = hi
	for g, lanes := range a.run.state {
		for l := range lanes {
			for i, x := range a.lane[g][l][lo:row] {
				if !finite(x) {
					group, lane, row = g, l, lo+i
					break
				}
			}
		}
	}
	return group, lane, row
}

// begin computes the first accelerations if the caller did not pass them.
func (a *arena[T]) begin() error {
	if a.run.begin {
		return a.rate(accelerations, positions, a.run.start)
	}
	return nil
}

// doCoupled runs a call on all rows at once.
func (o *ODE[T]) doCoupled(c call[T]) error {
	a := o.memory
	if a == nil {
		a = &arena[T]{coupled: true, run: new(call[T])}
		a.body = a.doRows
		a.verify.body = a.verifyRows
		o.memory = a
	}
	*a.run = c
	defer func() { *a.run = call[T]{} }()
	a.setCoupled()
	if c.adapt != nil {
		err := a.doAdaptive()
		c.adapt.control.Accepted += a.clock.accepted
		c.adapt.control.Rejected += a.clock.rejected
		a.clock.accepted, a.clock.rejected = 0, 0
		return err
	}
	if err := a.begin(); err != nil {
		return err
	}
	for k := range c.steps {
		if err := a.step(k); err != nil {
			c.count(k)
			return err
		}
		if !a.allFinite() {
			c.count(k)
			g, lane, row := a.findBad(a.hi)
			if g < c.reads { // Rate has not changed it
				return a.notFiniteStart(a.hi)
			}
			return a.notFinite(g, row, lane, c.time(k))
		}
	}
	c.count(c.steps)
	return nil
}

// setCoupled prepares the memory for all rows. The lanes of the state are the caller's lanes, and Rate may exchange them.
func (a *arena[T]) setCoupled() {
	lanes, rows := len(a.run.state[0]), len(a.run.state[0][0])
	a.lo, a.hi = 0, rows
	theirs := 0
	for _, s := range a.run.state {
		if s != nil {
			theirs++
		}
	}
	if shape := [3]int{a.run.groups - theirs, lanes, rows}; shape[0] > a.shape[0] || shape[1] != a.shape[1] || shape[2] != a.shape[2] {
		a.shape = shape
		stride := (rows+15)&^15 + 16
		a.memory = resizeSlice(a.memory[:0], shape[0]*lanes*stride)
		a.own = resizeSlice(a.own[:0], shape[0])
		for g := range a.own {
			a.own[g] = make([][]T, lanes)
			for l := range lanes {
				a.own[g][l] = a.memory[(g*lanes+l)*stride:][:rows:rows]
			}
		}
		a.long = resizeSlice(a.long, partRows)
	}
	a.lane = append(append(a.lane[:0], a.run.state[:theirs]...), a.own[:a.run.groups-theirs]...)
}

// A verifier looks for numbers that are not finite, in parts.
type verifier struct {
	body func(lo, hi int)
	bad  atomic.Bool
}

// allFinite reports whether the state of a coupled system is finite.
func (a *arena[T]) allFinite() bool {
	a.verify.bad.Store(false)
	runRows(a.run.pool, a.hi, a.verify.body)
	return !a.verify.bad.Load()
}

func (a *arena[T]) verifyRows(lo, hi int) {
	for g, lanes := range a.run.state {
		for l := range lanes {
			if !kernels.AllFinite(a.lane[g][l][lo:hi]) {
				a.verify.bad.Store(true)
			}
		}
	}
}
