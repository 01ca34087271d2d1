package integrate

import (
	"fmt"
	"math"
	"sync"

	"github.com/lanewise/lanewise/kernels"
)

// A Control has the tolerances of [ODE.DormandPrince], the lengths of the next steps, and the counts of the
// steps that were taken.
type Control struct {
	// Rtol and Atol limit the error that one step adds to a number x of the
	// state: Atol + Rtol·|x|. Atol must be above 0, and Rtol at least 2^-20 for
	// float32, or 2^-48 for float64.
	Rtol, Atol float64
	// Longest is the longest step that is allowed. If Longest is 0, there is no limit. Use it for forces
	// that act only for a moment, which a long step would not notice.
	Longest float64
	// Most is the largest number of steps of one system in a call, including rejected steps. If Most is 0,
	// the limit is 1,000,000. A system that needs more steps stops with ErrMost. For example, a stiff system
	// needs more steps, because its steps stay short.
	Most int
	// Next has the length of the next step of each system: one number for each
	// row, or one number if the rows are Coupled. If Next has another length, for example 0, DormandPrince
	// chooses the first steps. So calls that follow each other continue with the step lengths of the last
	// call.
	Next []float64
	// Accepted and Rejected count the steps of all calls and systems.
	Accepted, Rejected int
}

// DormandPrince advances x from time start to time end with the method of Dormand and Prince. The time end
// may be earlier than start. Steps have the fifth order, the error estimate has the fourth, and PI control
// chooses the step lengths as in Hairer's program DOPRI5. All rows arrive exactly at end.
//
// Each row is a system with its own steps. The error of a system is the root mean square, over its lanes, of
// the error divided by the tolerance. So the steps and the result of a row do not depend on any other row.
// The times of rows differ, so a Rate that uses the time must read Block.Times.
//
// If the rows are Coupled, all numbers of the state are one system with one step. The
// mean square is then an exact sum, so that the steps do not depend on the
// number of workers or the CPU.
//
// DormandPrince returns the error of Rate. It returns an [*Error] in three cases: a number becomes NaN or
// infinite, a step becomes too short to change the time, or there are more than Control.Most steps. A row
// that failed is then as before the call, and all other rows are at end. A Coupled system is as it was after
// the last accepted step. It panics if the lengths of lanes differ.
func (o *ODE[T]) DormandPrince(x [][]T, start, end float64, control *Control) error {
	o.check("DormandPrince", 0, x)
	if err := checkTime("DormandPrince", start, "end", end); err != nil {
		return err
	}
	least := 8 * eps[T]()
	if eps[T]() < 0x1p-30 {
		least = 16 * eps[T]()
	}
	switch {
	case !(T(control.Atol) > 0) || !finite(T(control.Atol)):
		return fmt.Errorf("integrate: DormandPrince: Atol is %v: it must be a finite number above 0, because a number near 0 has no relative error", control.Atol)
	case !(control.Rtol >= least) || !finite(T(control.Rtol)):
		return fmt.Errorf("integrate: DormandPrince: Rtol is %v: it must be finite, and numbers of this type are not more exact than %v", control.Rtol, least)
	case !finite(end - start):
		return fmt.Errorf("integrate: DormandPrince: the time from %v to %v is too long", start, end)
	case !(control.Longest >= 0):
		return fmt.Errorf("integrate: DormandPrince: Longest is %v: a length, or 0 for no limit", control.Longest)
	case control.Most < 0:
		return fmt.Errorf("integrate: DormandPrince: Most is %d: a number of steps, or 0 for %d", control.Most, defaultMost)
	case start == end || len(x) == 0 || len(x[0]) == 0:
		return nil
	}
	ad := adaptions.Get().(*adaption)
	*ad = adaption{control: control, start: start, length: math.Abs(end - start), sign: 1, longest: control.Longest, most: control.Most}
	if end < start {
		ad.sign = -1
	}
	if ad.most == 0 {
		ad.most = defaultMost
	}
	if ad.longest == 0 {
		ad.longest = math.Inf(1)
	}
	ad.shortest = 0x1p-50 * max(math.Abs(start), math.Abs(end))
	systems := len(x[0])
	if o.Coupled {
		systems = 1
	}
	if len(control.Next) != systems {
		control.Next = make([]float64, systems) // the memory after the old numbers is the caller's
	}
	c := call[T]{name: "DormandPrince", state: [maxState][][]T{x}, groups: 10, start: start, adapt: ad}
	if o.Coupled {
		c.groups = 8
	}
	err := c.do(o)
	*ad = adaption{}
	adaptions.Put(ad)
	return err
}

// An adaption has the arguments of a call of DormandPrince.
type adaption struct {
	control           *Control
	start, length     float64
	sign              float64
	longest, shortest float64
	most              int
}

// defaultMost is the largest number of steps if Control does not set it.
const defaultMost = 1_000_000

var adaptions = sync.Pool{New: func() any { return new(adaption) }}

// The groups of lanes of a step are the state, the next state and the slopes. Independent rows also have the
// verdict on their steps and the lengths of these steps. During a step, the error replaces the third slope.
// The seventh slope, which is the first slope of the next step, replaces the second one.
const gx, gy, gk1, gk2, gk3, gk4, gk5, gk6, gverdict = 0, 1, 2, 3, 4, 5, 6, 7, 8

const gk7, gerror = gk2, gk3

// A clock has the time and the step of each system of an arena. A system is one row of a block or, if the
// system is coupled, all rows together.
type clock[T kernels.Float] struct {
	way, step, next, past []float64 // see plan and control
	slope, guess          []float64 // for the first steps
	times                 []float64 // of a stage
	verdict, square, h    []T
	failed                []bool
	accepted, rejected    int
	sum                   exactNorm[T]
	first                 *Error // of the lowest system that failed
}

// reset prepares the clock for n systems at the start.
func (c *clock[T]) reset(n int) {
	for _, lane := range []*[]float64{&c.way, &c.step, &c.next, &c.past, &c.slope, &c.guess, &c.times} {
		*lane = resizeSlice(*lane, n)
	}
	for _, lane := range []*[]T{&c.verdict, &c.square, &c.h} {
		*lane = resizeSlice(*lane, n)
	}
	c.failed = resizeSlice(c.failed, n)
	clear(c.failed)
	c.first = nil
	kernels.Fill(c.way, 0)
	kernels.Fill(c.step, 0)
	kernels.Fill(c.past, kernels.PowOf(1e-4, 0.04))
}
