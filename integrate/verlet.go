package integrate

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// These are the groups of lanes of an equation of motion.
const positions, velocities, accelerations = 0, 1, 2

// Verlet advances positions x and velocities v by n steps of length h, beginning at the
// given time, with the velocity Verlet method. A step consists of half a kick, a drift, and half a kick
// with the new accelerations. Rate computes accelerations from positions, and is called once in a step.
// The error is of the second order in h. The method is symplectic and reversible in time, so that the
// energy of a closed system does not drift.
//
// Before the call, acc must hold the accelerations at x; after the call, it holds the accelerations at the
// new positions. So keep acc with the state. Eval computes acc before the first call, and again after
// other code has moved x. If acc is nil, Verlet calls Rate once more, at the start.
//
// See RK4 for the times of the steps. A call with n steps gives the same bits as n calls with one step that
// keep acc. If acc is nil, this is true only if Rate does not use the time, because the end of a step and
// the start of the next step may differ by a rounding error.
//
// The Rate of a Coupled system may change the order of the rows, as near.Clusters does. The Rate then
// stores the new lanes in x[0], x[1] and so on. The caller finds the lanes there after the call, and
// reorders the velocities itself. See RK4 for errors.
func (o *ODE[T]) Verlet(x, v, acc [][]T, start, h float64, n int) error {
	return o.move("Verlet", x, v, acc, start, h, n, verlet, nil)
}

// Yoshida4 advances positions and velocities as [ODE.Verlet] does, with the fourth-order method of Forest,
// Ruth and Yoshida. Each step consists of three steps of Verlet, and the second of these goes back in
// time. Yoshida4 calls Rate three times in a step. The method is symplectic and reversible in time. Use it
// with longer steps if you need more than about four digits.
func (o *ODE[T]) Yoshida4(x, v, acc [][]T, start, h float64, n int) error {
	return o.move("Yoshida4", x, v, acc, start, h, n, yoshida4, nil)
}

// A Bath is the surroundings of the rows in [ODE.Langevin]. It is part of the state of a simulation.
type Bath[T kernels.Float] struct {
	// Friction is the rate at which velocities decay, in units of 1/time.
	Friction float64
	// Temperature is the mean of mass·v² in equilibrium, which is Boltzmann's constant times the physical
	// temperature.
	Temperature float64
	// Mass is the mass of each row. If it is nil, all masses are 1.
	Mass []T
	// Key selects the random numbers. Langevin adds 1 to Key.Tick in each step. It counts all n steps of
	// a call even if some rows fail, because the other rows do these steps. If a Coupled system fails,
	// it counts only the steps before the failed one. The random numbers for lane k of the velocities
	// come from the stream Key.Stream+k.
	Key random.Key
	// IDs are the ids of the rows, for which random numbers are drawn. If IDs is nil, the random numbers
	// are drawn by the row's index. Set IDs if rows change their order.
	IDs []uint64

	keep, heat float64 // the part of a velocity that is left after a step, and the mean square of the noise for the mass 1
}

// Langevin advances the positions and velocities of bodies in a bath with friction and thermal noise; see
// [ODE.Verlet] for the arguments. A step is the splitting BAOAB of Leimkuhler and Matthews: half a kick,
// half a drift, friction and noise, half a drift, and half a kick. Langevin calls Rate once in a step.
// Averages over positions have an error of the second order in h. In a harmonic potential they have no
// such error.
//
// It returns the same errors as RK4, and an error if the bath is not valid.
func (o *ODE[T]) Langevin(x, v, acc [][]T, start, h float64, n int, bath *Bath[T]) error {
	if err := bath.check(x, h, n); err != nil {
		return err
	}
	bath.keep, bath.heat = kernels.ExpOf(-bath.Friction*h), float64(bath.Temperature*-kernels.Expm1Of(-2*bath.Friction*h))
	return o.move("Langevin", x, v, acc, start, h, n, langevin, bath)
}

// check panics if lengths differ, and returns an error for numbers that are not valid.
func (b *Bath[T]) check(x [][]T, h float64, n int) error {
	lanes, rows := len(x), 0
	if lanes > 0 {
		rows = len(x[0])
	}
	switch {
	case b.Mass != nil && len(b.Mass) != rows:
		panic(fmt.Sprintf("integrate: Langevin: len(Mass) is %d, there are %d rows", len(b.Mass), rows))
	case b.IDs != nil && len(b.IDs) != rows:
		panic(fmt.Sprintf("integrate: Langevin: len(IDs) is %d, there are %d rows", len(b.IDs), rows))
	case !(b.Friction >= 0) || !finite(b.Friction):
		return fmt.Errorf("integrate: Langevin: Friction is %v: 0 or a finite number above", b.Friction)
	case h < 0 && b.Friction > 0:
		return fmt.Errorf("integrate: Langevin: the step is %v: friction does not go back in time, so it must not be negative", h)
	case !(b.Temperature >= 0) || !finite(b.Temperature):
		return fmt.Errorf("integrate: Langevin: Temperature is %v: 0 or a finite number above", b.Temperature)
	case uint64(b.Key.Stream)+uint64(lanes) > random.MaxStream+1:
		return fmt.Errorf("integrate: Langevin: Key.Stream is %d, and the last of %d lanes draws with one above %d: take a smaller one", b.Key.Stream, lanes, random.MaxStream)
	case uint64(b.Key.Tick)+uint64(max(n, 0)) > math.MaxUint32:
		return fmt.Errorf("integrate: Langevin: Key.Tick is %d, and %d more steps go beyond 2^32-1: set it to 0, and change Key.Seed", b.Key.Tick, n)
	}
	return nil
}

// move runs a method for equations of motion.
func (o *ODE[T]) move(name string, x, v, acc [][]T, start, h float64, n int, m method, bath *Bath[T]) error {
	c := call[T]{name: name, state: [maxState][][]T{x, v, acc}, groups: 3, begin: acc == nil && n > 0, start: start, h: h, steps: n, method: m, bath: bath}
	if acc == nil {
		o.check(name, n, x, v)
	} else {
		o.check(name, n, x, v, acc)
	}
	if err := o.checkStep(name, start, h); err != nil {
		return err
	}
	if bath != nil {
		c.groups = 5
	}
	return c.do(o)
}

func (a *arena[T]) verletStep(k int) error {
	h, t := a.run.h, a.run.time(k)
	a.kickDrift(h/2, h)
	if err := a.rate(accelerations, positions, t+h); err != nil {
		return err
	}
	a.kick(h / 2)
	return nil
}

// These are the lengths of the three steps of Verlet in a step of Yoshida4. The first and the third are
// 1/(2-∛2), and the second is the rest to 1.
const (
	yoshidaOuter = 1.35120719195965763404768780897146
	yoshidaInner = 1 - 2*yoshidaOuter
)

func (a *arena[T]) yoshidaStep(k int) error {
	h, t := a.run.h, a.run.time(k)
	outer, between, inner := float64(yoshidaOuter*h), float64((yoshidaOuter+yoshidaInner)/2*h), float64(yoshidaInner*h)
	a.kickDrift(outer/2, outer)
	if err := a.rate(accelerations, positions, t+outer); err != nil {
		return err
	}
	a.kickDrift(between, inner)
	if err := a.rate(accelerations, positions, t+(outer+inner)); err != nil {
		return err
	}
	a.kickDrift(between, outer)
	if err := a.rate(accelerations, positions, t+h); err != nil {
		return err
	}
	a.kick(outer / 2)
	return nil
}

// These are the groups of lanes of a Langevin step: the random numbers, and their amplitude.
const noise, amplitude = 3, 4

func (a *arena[T]) langevinStep(k int) error {
	h, t := a.run.h, a.run.time(k)
	a.kickDrift(h/2, h/2)
	a.do(pass[T]{op: opNoise, step: uint32(k)})
	a.do(pass[T]{op: opThermal, group: [9]uint8{velocities, noise, amplitude}, s: T(a.run.bath.keep)})
	a.addScaled(positions, positions, velocities, h/2)
	if err := a.rate(accelerations, positions, t+h); err != nil {
		return err
	}
	a.kick(h / 2)
	return nil
}

// draw draws the random numbers of some rows of an arena, and computes their amplitude: √(heat/mass). The
// amplitude is computed again only for a coupled system, because only its rows may have changed their
// masses since the first step.
func (a *arena[T]) draw(lo, hi int, step uint32) {
	bath := a.run.bath
	key := bath.Key
	key.Tick += step
	for l, lane := range a.lane[noise] {
		rows := key.Rows(uint64(a.lo + lo))
		if bath.IDs != nil {
			rows = key.IDs(bath.IDs[a.lo+lo : a.lo+hi])
		}
		random.Normal(lane[lo:hi], rows, 0, 1)
		key.Stream++
		if dst := a.lane[amplitude][l][lo:hi]; bath.Mass == nil {
			kernels.Fill(dst, T(math.Sqrt(bath.heat)))
		} else if step == 0 || a.coupled {
			for i, m := range bath.Mass[a.lo+lo : a.lo+hi] {
				dst[i] = T(math.Sqrt(bath.heat / float64(m)))
			}
		}
	}
}

func (a *arena[T]) kickDrift(kick, drift float64) {
	p := pass[T]{op: opKickDrift, group: [9]uint8{velocities, positions, accelerations}, s: T(kick), t: T(drift)}
	switch a := any(a).(type) { // in a block, direct calls are faster than do
	case *arena[float32]:
		if !a.coupled {
			kickDrift32(a.group[velocities], a.group[positions], a.group[accelerations], float32(p.s), float32(p.t))
			return
		}
	case *arena[float64]:
		if !a.coupled {
			kickDrift64(a.group[velocities], a.group[positions], a.group[accelerations], float64(p.s), float64(p.t))
			return
		}
	}
	a.do(p)
}

func (a *arena[T]) kick(h float64) {
	a.addScaled(velocities, velocities, accelerations, h)
}
