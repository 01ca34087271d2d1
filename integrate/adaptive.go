package integrate

import (
	"fmt"
	"math"
	"sync"

	"github.com/lanewise/lanewise/kernels"
)

// doAdaptive advances all systems of an arena to the end. Each turn of its loop makes one step of each system
// that has not arrived.
func (a *arena[T]) doAdaptive() error {
	c, ad := &a.clock, a.run.adapt
	systems := 1
	if !a.coupled {
		systems = a.hi - a.lo
		a.load()
	}
	c.reset(systems)
	for lo := 0; lo < a.hi-a.lo; {
		_, lane, row := a.findBadIn(lo, a.hi-a.lo)
		if lo = row + 1; row < a.hi-a.lo {
			a.fail(row, &Error{Row: a.lo + row, Lane: lane, Time: ad.start, Err: ErrNotFinite,
				text: fmt.Sprintf("integrate: DormandPrince: row %d of lane %d is %v at the start: "+notFiniteAtStart, a.lo+row, lane, float64(a.lane[gx][lane][row]))})
		}
	}
	if err := a.rateAt(gk1, gx, 0); err != nil {
		return err
	}
	if err := a.firstSteps(); err != nil {
		return err
	}
	active := !a.coupled || c.first == nil
	for turn := 0; active; turn++ {
		if turn == ad.most {
			a.stopAll()
			break
		}
		c.plan(ad)
		a.spreadSteps()
		if err := a.computeStages(); err != nil {
			return err
		}
		a.do(pass[T]{op: opEstimate, group: [9]uint8{gerror, gx, gy, gk1, gk4, gk5, gk6, gk7, stepGroup}, s: T(ad.control.Atol), t: T(ad.control.Rtol)})
		c.control(ad, a.sumSquares())
		a.takeSteps()
		active = a.countSteps()
	}
	a.finish()
	if c.first == nil {
		return nil // an error, and not a nil pointer in one
	}
	return c.first
}

// computeStages computes the slopes of a step and the new state.
func (a *arena[T]) computeStages() error {
	for _, s := range [...]struct {
		op    op
		group [9]uint8
		dst   int
		node  float64
	}{
		{opStage2, [9]uint8{gy, gx, gk1, stepGroup}, gk2, c2},
		{opStage3, [9]uint8{gy, gx, gk1, gk2, stepGroup}, gk3, c3},
		{opStage4, [9]uint8{gy, gx, gk1, gk2, gk3, stepGroup}, gk4, c4},
		{opStage5, [9]uint8{gy, gx, gk1, gk2, gk3, gk4, stepGroup}, gk5, c5},
		{opStage6, [9]uint8{gy, gx, gk1, gk2, gk3, gk4, gk5, stepGroup}, gk6, 1},
		{opStage7, [9]uint8{gy, gx, gk1, gk3, gk4, gk5, gk6, stepGroup}, gk7, 1},
	} {
		a.do(pass[T]{op: s.op, group: s.group})
		if err := a.rateAt(s.dst, gy, s.node); err != nil {
			return err
		}
	}
	return nil
}

// rateAt computes derivatives at a node of the step: node 0 is the beginning of the step, and node 1 is its
// end.
func (a *arena[T]) rateAt(dst, x int, node float64) error {
	c, ad := &a.clock, a.run.adapt
	b := Block[T]{Lo: a.lo, Hi: a.hi, Time: math.NaN(), Times: c.times}
	if a.coupled {
		b.Time, b.Times = ad.timeOf(c.way[0]+float64(node*c.step[0])), nil
	} else {
		times64(c.times, c.way, c.step, ad.start, ad.sign, node)
	}
	return a.run.rate(a.lane[dst], a.lane[x], b)
}

// timeOf returns the time at a given distance from the start.
func (ad *adaption) timeOf(way float64) float64 { return ad.start + float64(ad.sign*way) }

// spreadSteps copies the step length of each row to all lanes.
func (a *arena[T]) spreadSteps() {
	if a.coupled {
		kernels.Fill(a.long[:min(partRows, a.hi)], a.clock.h[0])
		return
	}
	for _, lane := range a.lane[len(a.lane)-1] {
		copy(lane, a.clock.h)
	}
}

// plan chooses the steps.
func (c *clock[T]) plan(ad *adaption) {
	switch h := any(c.h).(type) {
	case []float32:
		plan32(h, c.way, c.step, c.next, ad.length, ad.longest, ad.sign)
	case []float64:
		plan64(h, c.way, c.step, c.next, ad.length, ad.longest, ad.sign)
	}
}

// control accepts or rejects the steps. Parameter many is the number of squares in each sum.
func (c *clock[T]) control(ad *adaption, many float64) {
	switch square := any(c.square).(type) {
	case []float32:
		control32(any(c.verdict).([]float32), square, c.way, c.step, c.next, c.past, ad.length, many, ad.longest)
	case []float64:
		control64(any(c.verdict).([]float64), square, c.way, c.step, c.next, c.past, ad.length, many, ad.longest)
	}
}

// An exactNorm adds squares in parts, without rounding errors.
type exactNorm[T kernels.Float] struct {
	mu   sync.Mutex
	sum  kernels.ExactSum[T]
	body func(lo, hi int)
}

// sumSquares adds the squares of the error of each system, and returns the number of squares. For an
// independent row, it adds the squares in the order of the lanes.
func (a *arena[T]) sumSquares() (many float64) {
	c, lanes := &a.clock, a.lane[gerror]
	if a.coupled {
		n := &c.sum
		if n.body == nil {
			n.body = a.addSquares
		}
		n.sum = kernels.ExactSum[T]{}
		runRows(a.run.pool, a.hi, n.body)
		c.square[0] = n.sum.Value()
		return float64(len(lanes)) * float64(a.hi)
	}
	copy(c.square, lanes[0])
	for _, lane := range lanes[1:] {
		kernels.Add(c.square, c.square, lane)
	}
	return float64(len(lanes))
}

// addSquares adds the squares of some rows of a coupled system.
func (a *arena[T]) addSquares(lo, hi int) {
	var part kernels.ExactSum[T]
	for _, lane := range a.lane[gerror] {
		part.Add(lane[lo:hi])
	}
	n := &a.clock.sum
	n.mu.Lock()
	n.sum.Merge(&part)
	n.mu.Unlock()
}

// takeSteps advances the systems whose steps are accepted.
func (a *arena[T]) takeSteps() {
	c := &a.clock
	if a.coupled {
		if c.verdict[0] > 0 {
			a.do(pass[T]{op: opCopy, group: [9]uint8{gx, gy}})
			a.lane[gk1], a.lane[gk7] = a.lane[gk7], a.lane[gk1]
		}
		return
	}
	for _, lane := range a.lane[gverdict] {
		copy(lane, c.verdict)
	}
	a.do(pass[T]{op: opTake, group: [9]uint8{gx, gk1, gy, gk7, gverdict}})
}

// countSteps counts the steps, notes the systems whose steps became too short, and reports whether a system
// has not arrived yet.
func (a *arena[T]) countSteps() (active bool) {
	c, ad := &a.clock, a.run.adapt
	for i, verdict := range c.verdict {
		if verdict > 0 {
			c.accepted++
		} else if verdict < 0 {
			c.rejected++
		}
		rest := ad.length - c.way[i]
		if rest > c.next[i] && !(c.next[i] > ad.shortest) {
			a.fail(i, a.tooShort(i))
			continue
		}
		active = active || rest > 0
	}
	return active && !(a.coupled && c.first != nil)
}

// fail stops a system at an error: row i of a block, or the coupled system.
func (a *arena[T]) fail(i int, err *Error) {
	c := &a.clock
	if a.coupled {
		i = 0
	}
	c.failed[i], c.way[i], c.next[i] = true, a.run.adapt.length, 0
	if c.first == nil || err.Row < c.first.Row {
		c.first = err
	}
}

// stopAll stops all systems that have not arrived after the largest allowed number of steps.
func (a *arena[T]) stopAll() {
	c, ad := &a.clock, a.run.adapt
	for i := range c.way {
		if c.way[i] >= ad.length {
			continue
		}
		lo, hi := i, i+1
		if a.coupled {
			lo, hi = 0, a.hi
		}
		row, lane := a.largestError(lo, hi)
		e := &Error{Row: a.lo + row, Lane: lane, Time: ad.timeOf(c.way[i]), Err: ErrMost}
		e.text = fmt.Sprintf("integrate: DormandPrince: row %d, mainly lane %d, is at time %v after %d steps, and the next step is %.3g: "+
			"raise Control.Most or the tolerances; if the equation is stiff, it needs an implicit method, which this package does not have", e.Row, lane, e.Time, ad.most, c.next[i])
		a.fail(i, e)
	}
}

// tooShort returns the error of a system whose step became too short.
func (a *arena[T]) tooShort(i int) *Error {
	c, ad := &a.clock, a.run.adapt
	lo, hi := i, i+1
	if a.coupled {
		lo, hi = 0, a.hi
	}
	e := &Error{Time: ad.timeOf(c.way[i])}
	if row, lane := a.findBadSlope(lo, hi); row < hi {
		e.Row, e.Lane, e.Err = a.lo+row, lane, ErrNotFinite
		e.text = fmt.Sprintf("integrate: DormandPrince: row %d of lane %d, or its derivative, is not finite after time %v, even in a step of %.3g: "+
			"end before this time, or look for a division by zero or an overflow in the Rate", e.Row, lane, e.Time, c.step[i])
		return e
	}
	row, lane := a.largestError(lo, hi)
	e.Row, e.Lane, e.Err = a.lo+row, lane, ErrStep
	e.text = fmt.Sprintf("integrate: DormandPrince: row %d, mainly lane %d: at time %v a step of %.3g had too large an error: "+
		"the solution has a singularity here, or the Rate has a jump or noise: end before it, or raise the tolerances", e.Row, lane, e.Time, c.step[i])
	return e
}

// findBadSlope returns the first row whose slopes or new state are not finite, or hi.
func (a *arena[T]) findBadSlope(lo, hi int) (row, lane int) {
	row = hi
	for _, g := range [...]int{gk1, gy, gk7, gk4, gk5, gk6} { // gk3 has the error
		for l, x := range a.lane[g] {
			for k := lo; k < row; k++ {
				if !finite(x[k]) {
					row, lane = k, l
				}
			}
		}
	}
	return row, lane
}

// largestError returns the row and the lane with the largest error.
func (a *arena[T]) largestError(lo, hi int) (row, lane int) {
	most := T(-1)
	for l, x := range a.lane[gerror] {
		for k := lo; k < hi; k++ {
			if x[k] > most {
				most, row, lane = x[k], k, l
			}
		}
	}
	return row, lane
}

// finish stores the state and the lengths of the next steps.
func (a *arena[T]) finish() {
	c, ad := &a.clock, a.run.adapt
	if a.coupled {
		ad.control.Next[0] = c.next[0]
		if g, lane, row := a.findBad(a.hi); c.first == nil && row < a.hi {
			c.first = a.notFinite(g, row, lane, ad.timeOf(ad.length))
		}
		return
	}
	copy(ad.control.Next[a.lo:a.hi], c.next)
	if c.first == nil && kernels.AllFinite(a.group[gx]) {
		a.store()
		return
	}
	for lo := 0; lo < a.hi-a.lo; {
		_, lane, row := a.findBadIn(lo, a.hi-a.lo)
		if lo = row + 1; row < a.hi-a.lo && !c.failed[row] {
			ad.control.Next[a.lo+row] = 0
			a.fail(row, a.notFinite(gx, a.lo+row, lane, ad.timeOf(ad.length)))
		}
	}
	a.storeFinite(c.failed)
}

// firstSteps chooses the lengths of the first steps, unless the lengths of an earlier call can be used. It
// chooses the length so that the expected error is a hundredth of the tolerance. The expected error follows
// from one step of Euler's method, which also gives an estimate of the second derivative. This is the method
// of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.4.
func (a *arena[T]) firstSteps() error {
	c, ad := &a.clock, a.run.adapt
	known := ad.control.Next
	if !a.coupled {
		known = known[a.lo:a.hi]
	}
	copy(c.next, known)
	missing := false
	for i, next := range c.next {
		missing = missing || !(next > 0)
		c.next[i] = min(next, ad.longest)
	}
	if !missing {
		return nil
	}
	rtol, atol := T(ad.control.Rtol), T(ad.control.Atol)
	slope, guess := c.slope, c.guess
	a.do(pass[T]{op: opRatio, group: [9]uint8{gerror, gk1, gx}, s: atol, t: rtol})
	many := a.sumSquares()
	for i, s := range c.square {
		slope[i] = math.Sqrt(float64(s) / many)
	}
	a.do(pass[T]{op: opRatio, group: [9]uint8{gerror, gx, gx}, s: atol, t: rtol})
	a.sumSquares()
	limit := min(ad.length, ad.longest)
	for i, s := range c.square {
		size := math.Sqrt(float64(s) / many)
		guess[i] = float64(0.01 * (size / slope[i]))
		if !(slope[i] > 1e-5) || !(size > 1e-5) || !(guess[i] > 0) {
			guess[i] = 1e-6
		}
		guess[i] = min(guess[i], limit)
		c.step[i], c.h[i] = guess[i], T(float64(ad.sign*guess[i]))
	}
	a.spreadSteps()
	a.do(pass[T]{op: opEuler, group: [9]uint8{gy, gx, gk1, stepGroup}})
	if err := a.rateAt(gk2, gy, 1); err != nil {
		return err
	}
	a.do(pass[T]{op: opDifference, group: [9]uint8{gerror, gk2, gk1, gx}, s: atol, t: rtol})
	a.sumSquares()
	for i, s := range c.square {
		if c.failed[i] || c.next[i] > 0 {
			continue
		}
		bend := max(slope[i], math.Sqrt(float64(s)/many)/guess[i])
		next := kernels.PowOf(0.01/bend, 0.2)
		if !(bend > 1e-15) {
			next = max(1e-6, float64(guess[i]*1e-3))
		}
		if !(next > float64(guess[i]*1e-3)) { // NaN too
			next = float64(guess[i] * 1e-3)
		}
		c.next[i] = min(float64(100*guess[i]), next, limit)
	}
	return nil
}

// euler computes the state after a step with one slope.
func euler[T kernels.Float](y, x, k1, h []T) {
	for i := range y {
		y[i] = x[i] + T(h[i]*k1[i])
	}
}

// ratio computes the square of a number in units of the tolerance.
func ratio[T kernels.Float](dst, a, x []T, atol, rtol T) {
	for i := range dst {
		q := a[i] / (atol + T(rtol*T(math.Abs(float64(x[i])))))
		dst[i] = T(q * q)
	}
}

// difference computes the square of a difference in units of the tolerance.
func difference[T kernels.Float](dst, a, b, x []T, atol, rtol T) {
	for i := range dst {
		q := (a[i] - b[i]) / (atol + T(rtol*T(math.Abs(float64(x[i])))))
		dst[i] = T(q * q)
	}
}
