// Package forces computes forces between bodies: gravity between all pairs,
// springs between given pairs, the bonds and angles of molecules, and the potentials of
// Lennard-Jones, Morse and Coulomb between the pairs of a cluster pair list. Lennard-Jones also supports several
// species. It adds them to lanes of forces or accelerations, so that several
// kinds of force add up.
//
//	forces.Gravity(&acc, &pos, &pos, mass, soft)                  // all bodies attract each other
//	net := forces.Tie(rows, a, b, rest, stiff)                    // spring s connects row a[s] to row b[s]
//	forces.Springs(&force, &pos, &vel, &pos, &vel, net, damp)
//	lj := forces.LennardJones[float64]{Epsilon: 1, Sigma: 1, Cutoff: 2.5}
//	err := lj.AddTo(&force, energy, virial, pairs)                // pairs of near.Clusters
//	err = bonds.AddTo(&force, energy, virial, &pos)               // and angles
//	vel.AddScaled(&vel, &acc, dt)                                 // then integrate
//	pos.AddScaled(&pos, &vel, dt)
//
// # Words
//
// A row is a body on which forces act. A body attracts rows. A net has the
// springs of all rows; the end of a spring is a row. A quantum is a power of
// two. Numbers are rounded to multiples of it, so that their sums are exact.
//
// # Promises
//
// Each row sums up its forces by itself and in one order. So the bits do not
// depend on the CPU, on [kernels.Path], or on how rows are divided among
// workers.
//
// # Design
//
// Each kernel is a loop in Go, compiled by lanec for the vectors of each CPU. A vector
// holds several rows, and the loop iterates over the bodies, or over the springs of
// these rows.
//
// Each pair of a potential is also computed twice, once for each of its bodies. The
// rows of a vector share a list. If a neighbour in the list is beyond the cutoff of a
// row, the row adds zero, which does not change the sum. Therefore the bits of an
// ordered sum depend only on the order of the neighbours within the cutoff. The list of
// a row contains the row itself, at the distance 0. The kernel counts the bodies that
// are nearer than the least distance. If it finds another body besides the row itself,
// the row gets NaN. So a single comparison excludes the row itself and also finds every
// pair whose terms would be too large. With Coulomb.PairsOnly, and in the lists of
// Exclusions.From, the count begins at 1, because these lists do not contain the row itself.
//
// Each spring is computed twice, once for each of its rows, because then no row
// writes to another one. So the forces of springs need no second pass that adds
// them to their rows, no colouring of rows, and no locks.
package forces
