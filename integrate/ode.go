package integrate

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// A Rate is the right-hand side of an equation: it sets dst to the derivatives
// of x. For [ODE.Verlet], [ODE.Yoshida4] and [ODE.Langevin], x has the positions
// and dst gets the accelerations.
//
// x and dst have a lane for each variable. The lanes contain only the rows of
// the block b: element 0 of a lane is row b.Lo of the state. A Rate writes every
// element of dst, and changes nothing else. It must not keep the slices.
//
// If Rate returns an error, the block stops, and its rows are as before the call of the
// integrator. All other blocks advance. The integrator returns the error of the lowest
// block that failed. The blocks depend only on the number of rows and lanes, and on the
// method. So the result and the error are the same for every number of workers. A Coupled
// system stops in the middle of a step, so its lanes may have changed.
type Rate[T kernels.Float] func(dst, x [][]T, b Block[T]) error

// A Block tells a [Rate] the rows and the time for which it computes.
type Block[T kernels.Float] struct {
	// The block consists of the rows Lo to Hi-1 of the state. For example,
	// mass[b.Lo:b.Hi] are the masses of these rows.
	Lo, Hi int
	// Time is the time of all rows. It is NaN if Times is used.
	Time float64
	// Times has the time of each row of the block. It is nil, except in DormandPrince for
	// rows that are not Coupled, because each of these rows takes steps of a different
	// length. It is float64 for all types, as Time is.
	Times []float64
}

// Errors of integrators. An [*Error] that an integrator returns wraps one of these errors.
var (
	ErrNotFinite = errors.New("a number is not finite")
	ErrStep      = errors.New("the step became too short")
	ErrMost      = errors.New("there are too many steps")
)

// An Error names the place where an integration failed.
type Error struct {
	Row  int     // of the state; the lowest one if several rows failed
	Lane int     // with a number that is not finite, or with the largest error
	Time float64 // at which the row was finite for the last time
	Err  error   // ErrNotFinite, ErrStep or ErrMost
	text string
}

// Error returns the message.
func (e *Error) Error() string {
	if e.text == "" { // an Error of a Rate
		return fmt.Sprintf("integrate: row %d of lane %d at time %v: %v", e.Row, e.Lane, e.Time, e.Err)
	}
	return e.text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// An ODE is a system of ordinary differential equations with a right-hand side.
// The methods of an ODE advance a state: lanes with one variable each, and a row for each
// system. Set the fields before the first call.
//
// By default each row is a system by itself. An integrator then works on blocks of rows
// that fit into the first-level cache. It copies a block, does all steps of the call, and
// copies the block back. Several goroutines may use one ODE at the same time, for example
// jobs on chunks of a world.
//
// If Coupled is set, all rows are one system. The ODE then keeps memory for the slopes
// between calls, and only one goroutine at a time may use it.
type ODE[T kernels.Float] struct {
	// Rate is the right-hand side.
	Rate Rate[T]
	// Coupled is true if the derivatives of a row depend on other rows, as with
	// bodies that attract each other, or with the points of a grid. Rate then
	// gets all rows in one call, and may use Pool itself.
	Coupled bool
	// Pool runs blocks on its workers. If Pool is nil, the caller does all the work. The
	// result is the same. If Coupled is not set, the workers call Rate at the same time.
	Pool *jobs.Pool

	memory *arena[T] // of a coupled system
}

// Eval computes the derivatives of x at a time: the lanes of dst get the result of
// Rate. For example, it computes the accelerations before the first call of Verlet.
//
// Eval returns the error of Rate, and an [*Error] if a derivative is not finite.
func (o *ODE[T]) Eval(dst, x [][]T, time float64) error {
	o.check("Eval", 0, x, dst)
	if err := checkTime("Eval", time, "step", 0); err != nil {
		return err
	}
	c := call[T]{name: "Eval", state: [maxState][][]T{x, dst}, reads: 1, groups: 2, start: time, steps: 1}
	return c.do(o)
}

// RK4 advances x by n steps of length h with the classical method of Runge and
// Kutta, from the given time on. The error is of the fourth order in h, and RK4 calls Rate
// four times in a step. Step k begins at the time start + float64(float64(k)*h), and ends h
// later. So a call with n steps gives the same bits as n calls with one step, if call k
// gets the time at which step k begins.
//
// RK4 returns the error of Rate, and an [*Error] if a number becomes NaN or infinite. Rows
// that failed are then as before the call, and all other rows have advanced. A Coupled
// system is as the failed step left it. It panics if the lengths of lanes differ.
func (o *ODE[T]) RK4(x [][]T, start, h float64, n int) error {
	o.check("RK4", n, x)
	if err := o.checkStep("RK4", start, h); err != nil {
		return err
	}
	c := call[T]{name: "RK4", state: [maxState][][]T{x}, groups: 6, start: start, h: h, steps: n, method: rk4}
	return c.do(o)
}

// rk4Step does a step. The groups are x, y, and the slopes k1 to k4.
func (a *arena[T]) rk4Step(k int) error {
	const x, y, k1, k2, k3, k4 = 0, 1, 2, 3, 4, 5
	h, t := a.run.h, a.run.time(k)
	if err := a.rate(k1, x, t); err != nil {
		return err
	}
	a.addScaled(y, x, k1, h/2)
	if err := a.rate(k2, y, t+float64(h/2)); err != nil {
		return err
	}
	a.addScaled(y, x, k2, h/2)
	if err := a.rate(k3, y, t+float64(h/2)); err != nil {
		return err
	}
	a.addScaled(y, x, k3, h)
	if err := a.rate(k4, y, t+h); err != nil {
		return err
	}
	p := pass[T]{op: opRK4Sum, group: [9]uint8{x, k1, k2, k3, k4}, s: T(h / 6)}
	switch a := any(a).(type) { // in a block, direct calls are faster than do
	case *arena[float32]:
		if !a.coupled {
			rk4Sum32(a.group[x], a.group[k1], a.group[k2], a.group[k3], a.group[k4], float32(p.s))
			return nil
		}
	case *arena[float64]:
		if !a.coupled {
			rk4Sum64(a.group[x], a.group[k1], a.group[k2], a.group[k3], a.group[k4], float64(p.s))
			return nil
		}
	}
	a.do(p)
	return nil
}

// check panics unless all lanes of all parts of the state have one length.
func (o *ODE[T]) check(name string, n int, x [][]T, others ...[][]T) {
	if o.Rate == nil {
		panic("integrate: " + name + ": Rate is nil: set the right-hand side")
	}
	if n < 0 {
		panic(fmt.Sprintf("integrate: %s: n is %d", name, n))
	}
	for k, other := range others {
		if len(other) != len(x) {
			panic(fmt.Sprintf("integrate: %s: x has %d lanes, argument %d has %d", name, len(x), k+2, len(other)))
		}
	}
	for k := -1; k < len(others); k++ {
		lanes := x
		if k >= 0 {
			lanes = others[k]
		}
		for l := range lanes {
			if len(lanes[l]) != len(x[0]) {
				panic(fmt.Sprintf("integrate: %s: x[0] has %d rows, lane %d of argument %d has %d", name, len(x[0]), l, k+2, len(lanes[l])))
			}
		}
	}
}

// checkTime returns an error for times that are not finite.
func checkTime(name string, start float64, what string, h float64) error {
	if !finite(start) || !finite(h) {
		return fmt.Errorf("integrate: %s: the start is %v and the %s is %v: both must be finite", name, start, what, h)
	}
	return nil
}

// checkStep returns an error for a start or a step that is not finite, and for a step that overflows in T. Yoshida4 multiplies the step by
// numbers below 2.
func (o *ODE[T]) checkStep(name string, start, h float64) error {
	if err := checkTime(name, start, "step", h); err != nil {
		return err
	}
	if !finite(T(2 * h)) {
		return fmt.Errorf("integrate: %s: the step is %v, which is too long for %T", name, h, T(0))
	}
	return nil
}

func finite[T kernels.Float](x T) bool { return x-x == 0 }

// eps returns the distance from 1 to the next number.
func eps[T kernels.Float]() float64 {
	if _, single := any(T(0)).(float32); single {
		return 0x1p-23
	}
	return 0x1p-52
}

// These are remedies for numbers that are not finite.
const (
	notFiniteAtStart = "set it to a finite number before the call"
	notFiniteRate    = "look for a division by zero or an overflow in the Rate"
)

// place names a number of the state, and its group of lanes if there are several groups.
func (c *call[T]) place(group, row, lane int) string {
	name := ""
	switch {
	case c.method == evaluation && c.reads > 0:
		name = [...]string{"", "the derivative of "}[group]
	case c.method >= verlet:
		name = [...]string{"the position of ", "the velocity of ", "the acceleration of "}[group]
	}
	return fmt.Sprintf("integrate: %s: %srow %d of lane %d", c.name, name, row, lane)
}

// notFinite returns the error for a number of the state that is not finite after the step at a time.
func (a *arena[T]) notFinite(group, row, lane int, time float64) *Error {
	if a.run.method >= verlet && group == velocities && !finite(a.lane[accelerations][lane][row-a.lo]) {
		group = accelerations // the cause
	}
	place, value := a.run.place(group, row, lane), float64(a.lane[group][lane][row-a.lo])
	text := fmt.Sprintf("%s became %v in the step after time %v: take shorter steps, or %s", place, value, time, notFiniteRate)
	if a.run.method == evaluation {
		text = fmt.Sprintf("%s is %v at time %v: %s", place, value, time, notFiniteRate)
	}
	return &Error{Row: row, Lane: lane, Time: time, Err: ErrNotFinite, text: text}
}

// notFiniteStart returns the error for the first number before row end that is not finite before the first step, or nil.
func (a *arena[T]) notFiniteStart(end int) *Error {
	g, lane, row := a.findBad(end)
	if row == end {
		return nil
	}
	text := fmt.Sprintf("%s is %v at the start: %s", a.run.place(g, row, lane), float64(a.lane[g][lane][row-a.lo]), notFiniteAtStart)
	return &Error{Row: row, Lane: lane, Time: a.run.start, Err: ErrNotFinite, text: text}
}
