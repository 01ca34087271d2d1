// Package forces pulls: bodies at each other, and springs at what they are tied to.
//
//	forces.Gravity(&acc, &pos, &pos, mass, soft)                  // all bodies pull at all
//	net := forces.Tie(rows, a, b, rest, stiff)                    // spring s ties row a[s] to row b[s]
//	forces.Springs(&force, &pos, &vel, &pos, &vel, net, damp)
//
// Forces are added to what is there, so that several kinds add up; what moves the bodies afterwards
// is [kernels.Vec3s.AddScaled]. Each row sums up its own forces, and in one order: the bits do not
// depend on the CPU, on [kernels.Path], or on how rows are spread over workers.
//
// # Words
//
// A row is a body that is pulled. A body pulls at others; a net is the springs of all rows. An end of a
// spring is a row.
//
// # How it works
//
// Each kernel is a loop in Go, compiled by lanec for the vectors of each CPU: a vector has as many rows, and
// walks for all of them over the bodies, or for each over its springs. A spring is computed twice, once for
// each of its rows: so none writes to another's row, no lane of forces of springs has to be summed up
// afterwards, and a row needs no colours or locks.
package forces
