package integrate

import (
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// maxState is the largest number of groups of lanes that a state consists of: positions, velocities and accelerations.
const maxState = 3

// A call is one call of an integrator. The blocks of rows share it, and only read it.
type call[T kernels.Float] struct {
	name     string
	rate     Rate[T]
	pool     *jobs.Pool
	state    [maxState][][]T // the lanes of the caller
	reads    int             // how many groups of the state are only read
	groups   int             // how many groups of lanes the method needs; the first ones are the state
	begin    bool            // compute the accelerations first
	start, h float64
	steps    int
	method   method
	bath     *Bath[T]
	adapt    *adaption
}

// A method is an integrator with steps of one length.
type method uint8

const (
	evaluation method = iota
	rk4
	verlet
	yoshida4
	langevin
)

// step does step k of the call on all rows of an arena.
func (a *arena[T]) step(k int) error {
	switch a.run.method {
	case rk4:
		return a.rk4Step(k)
	case verlet:
		return a.verletStep(k)
	case yoshida4:
		return a.yoshidaStep(k)
	case langevin:
		return a.langevinStep(k)
	}
	return a.rate(1, 0, a.run.start)
}

// time returns the time at which step k begins.
func (c *call[T]) time(k int) float64 { return c.start + float64(float64(k)*c.h) }

// An arena is memory for some rows and all groups of lanes of a method, for example the state and the slopes.
// The rows are a block of independent rows, or all rows of a coupled system.
//
// In a block, the lanes of a group follow each other in memory, so that a pass over a group is one call of a
// kernel. In a coupled system, the lanes of the state are the caller's lanes, and a pass runs in parts on the
// pool.
type arena[T kernels.Float] struct {
	run     *call[T]
	coupled bool
	lo, hi  int
	group   [][]T   // of a block: each with all its lanes
	lane    [][][]T // of each group
	own     [][][]T // those of a coupled system that are not the caller's
	memory  []T
	shape   [3]int // groups, lanes and rows of the memory

	pass pass[T] // of a coupled system: the one that runs
	body func(lo, hi int)
	long []T // the step length, once for each row of a part

	clock  clock[T]
	verify verifier
}

// An op is a loop over the elements of several groups.
type op uint8

const (
	opAddScaled op = iota
	opRK4Sum
	opKickDrift
	opThermal
	opStage2
	opStage3
	opStage4
	opStage5
	opStage6
	opStage7
	opEstimate
	opTake
	opCopy
	opEuler
	opRatio
	opDifference
	opNoise // draws random numbers, and has no operands
)

// operands maps each op to the number of groups that it works on.
var operands = [...]int{
	opAddScaled: 3, opRK4Sum: 5, opKickDrift: 3, opThermal: 3, opStage2: 4, opStage3: 5, opStage4: 6, opStage5: 7, opStage6: 8, opStage7: 8,
	opEstimate: 9, opTake: 5, opCopy: 2, opEuler: 4, opRatio: 3, opDifference: 4, opNoise: 0,
}

// A pass is an op with its operands.
type pass[T kernels.Float] struct {
	op    op
	group [9]uint8
	s, t  T
	step  uint32
}

// stepGroup, used as the number of a group, means the step length of each row.
const stepGroup = 255

// do runs a pass over all elements.
func (a *arena[T]) do(p pass[T]) {
	if a.coupled {
		a.pass = p
		runRows(a.run.pool, a.hi-a.lo, a.body)
		return
	}
	if p.op == opNoise {
		a.draw(0, a.hi-a.lo, p.step)
		return
	}
	var x [9][]T
	for i, g := range p.group[:operands[p.op]] {
		if g == stepGroup {
			g = uint8(len(a.group) - 1)
		}
		x[i] = a.group[g]
	}
	p.run(&x)
}

// addScaled sets dst = x + s·y. In a block it is faster than do.
func (a *arena[T]) addScaled(dst, x, y uint8, s float64) {
	if a.coupled {
		a.do(pass[T]{op: opAddScaled, group: [9]uint8{dst, x, y}, s: T(s)})
		return
	}
	kernels.AddScaled(a.group[dst], a.group[x], a.group[y], T(s))
}

// partRows is the number of rows of a part of a coupled system. One lane of this length holds the step length
// in each row.
const partRows = 2048

// doRows runs the pass of a coupled system over some rows.
func (a *arena[T]) doRows(lo, hi int) {
	if a.pass.op == opNoise {
		a.draw(lo, hi, a.pass.step)
		return
	}
	var x [9][]T
	for ; lo < hi; lo += partRows {
		end := min(hi, lo+partRows)
		for l := range a.lane[0] {
			for i, g := range a.pass.group[:operands[a.pass.op]] {
				if g == stepGroup {
					x[i] = a.long[:end-lo]
				} else {
					x[i] = a.lane[g][l][lo:end]
				}
			}
			a.pass.run(&x)
		}
	}
}

// runRows runs body for all rows, on a pool if there is one. If body panics, the panic reaches the caller.
func runRows(pool *jobs.Pool, rows int, body func(lo, hi int)) {
	if pool == nil {
		body(0, rows)
	} else if err := pool.Range(rows, 0, body); err != nil {
		panic(err)
	}
}

// run calls the kernel.
func (p *pass[T]) run(x *[9][]T) {
	switch x := any(x).(type) {
	case *[9][]float32:
		p.run32(x)
	case *[9][]float64:
		p.run64(x)
	}
}

func (p *pass[T]) run32(x *[9][]float32) {
	s, t := float32(p.s), float32(p.t)
	switch p.op {
	case opAddScaled:
		kernels.AddScaled(x[0], x[1], x[2], s)
	case opRK4Sum:
		rk4Sum32(x[0], x[1], x[2], x[3], x[4], s)
	case opKickDrift:
		kickDrift32(x[0], x[1], x[2], s, t)
	case opThermal:
		thermal32(x[0], x[1], x[2], s)
	case opStage2:
		stage2f32(x[0], x[1], x[2], x[3])
	case opStage3:
		stage3f32(x[0], x[1], x[2], x[3], x[4])
	case opStage4:
		stage4f32(x[0], x[1], x[2], x[3], x[4], x[5])
	case opStage5:
		stage5f32(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
	case opStage6:
		stage6f32(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opStage7:
		stage7f32(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opEstimate:
		estimate32(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], s, t)
	case opTake:
		take32(x[0], x[1], x[2], x[3], x[4])
	case opCopy:
		kernels.Copy(x[0], x[1])
	case opEuler:
		euler(x[0], x[1], x[2], x[3])
	case opRatio:
		ratio(x[0], x[1], x[2], s, t)
	case opDifference:
		difference(x[0], x[1], x[2], x[3], s, t)
	}
}

func (p *pass[T]) run64(x *[9][]float64) {
	s, t := float64(p.s), float64(p.t)
	switch p.op {
	case opAddScaled:
		kernels.AddScaled(x[0], x[1], x[2], s)
	case opRK4Sum:
		rk4Sum64(x[0], x[1], x[2], x[3], x[4], s)
	case opKickDrift:
		kickDrift64(x[0], x[1], x[2], s, t)
	case opThermal:
		thermal64(x[0], x[1], x[2], s)
	case opStage2:
		stage2f64(x[0], x[1], x[2], x[3])
	case opStage3:
		stage3f64(x[0], x[1], x[2], x[3], x[4])
	case opStage4:
		stage4f64(x[0], x[1], x[2], x[3], x[4], x[5])
	case opStage5:
		stage5f64(x[0], x[1], x[2], x[3], x[4], x[5], x[6])
	case opStage6:
		stage6f64(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opStage7:
		stage7f64(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	case opEstimate:
		estimate64(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], s, t)
	case opTake:
		take64(x[0], x[1], x[2], x[3], x[4])
	case opCopy:
		kernels.Copy(x[0], x[1])
	case opEuler:
		euler(x[0], x[1], x[2], x[3])
	case opRatio:
		ratio(x[0], x[1], x[2], s, t)
	case opDifference:
		difference(x[0], x[1], x[2], x[3], s, t)
	}
}
