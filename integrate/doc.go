// Package integrate solves ordinary differential equations on lanes. The state
// has a lane for each variable and a row for each system, for example a million
// Lorenz systems, or the planets of a star. The program supplies the right-hand
// side as a function over blocks of rows:
//
//	ode := integrate.ODE[float32]{Pool: pool, Rate: func(dst, x [][]float32, b integrate.Block[float32]) error {
//		kernels.Scale(dst[0], x[0], -1) // x' = -x
//		return nil
//	}}
//	err := ode.RK4([][]float32{x}, 0, 0.01, 100)                // 100 steps of 0.01
//	err := ode.DormandPrince([][]float32{x}, 0, 1, &control)    // adaptive steps
//	err := motion.Verlet(pos, vel, acc, 0, 0.01, 100)           // x'' = f(x): symplectic
//	err := motion.Yoshida4(pos, vel, acc, 0, 0.01, 100)
//	err := motion.Langevin(pos, vel, acc, 0, 0.01, 100, &bath)  // with friction and noise
//
// # Words
//
// A lane is a slice with one number for each row. A system is a set of numbers
// that depend on each other. Rows are independent if each row is a system by itself; they are
// coupled if all rows together are one system. A Rate computes derivatives, which
// are also called slopes.
//
// # Promises
//
// The results have the same bits on every CPU, on every path of package kernels, and for
// every number of workers, if the results of Rate have the same bits too. The result of an
// independent row does not depend on the other rows. A call with n steps of a fixed length
// gives the same bits as n calls with one step. This requires that each call gets the time at
// which its step begins, and the accelerations of the call before.
//
// No call allocates after the first ones, except for its error, or after the
// garbage collector has taken the memory of the blocks.
//
// # Design
//
// A step with one pass over memory for each stage would spend most of its time on
// memory, because a stage has only a few additions for each number that it loads. So a block
// of a few hundred independent rows does all steps of a call before the next block begins.
// All its lanes and slopes fit into the first-level cache. The lanes of a group, for example
// those of one slope, follow each other in memory. So one call of a kernel processes a whole
// group.
//
// A block is copied from the state of the caller and back. Therefore a row may stay infinite
// or NaN for a while: the block looks for such rows only after its last step. If it finds
// such a row, it repeats the steps to find the time of the failure.
//
// The time and the step length are float64 for all types, because a float32 would lose the
// length of the step after some thousand steps. Step k begins at start + k·h, which is
// computed without adding up k terms, so that rounding errors do not accumulate.
//
// An integrator is written once, as passes over groups of lanes. For independent
// rows, one call of a kernel does a pass over a block. For a coupled system, a
// pass runs in parts on the pool. Each pass is a loop in Go, compiled by lanec.
// The control of adaptive steps is such a loop too, because a branch for each row would take
// longer than the stages.
package integrate
