// Package forces computes forces between bodies: gravity between all pairs, and
// springs between given pairs. It adds them to lanes of forces or
// accelerations, so that several kinds of force add up.
//
//	forces.Gravity(&acc, &pos, &pos, mass, soft)                  // all bodies attract each other
//	net := forces.Tie(rows, a, b, rest, stiff)                    // spring s connects row a[s] to row b[s]
//	forces.Springs(&force, &pos, &vel, &pos, &vel, net, damp)
//	vel.AddScaled(&vel, &acc, dt)                                 // then integrate
//	pos.AddScaled(&pos, &vel, dt)
//
// # Words
//
// A row is a body on which forces act. A body attracts rows. A net has the
// springs of all rows; the end of a spring is a row.
//
// # Promises
//
// Each row sums up its forces by itself and in one order. So the bits do not
// depend on the CPU, on [kernels.Path], or on how rows are divided among
// workers.
//
// # Design
//
// Each kernel is a loop in Go, compiled by lanec for the vectors of each CPU. A
// vector holds several rows and iterates over the bodies, or over the springs
// of these rows.
//
// Each spring is computed twice, once for each of its rows, because then no row
// writes to another one. So no second pass must add the forces of springs to
// their rows, and rows need no colouring and no locks.
package forces
