// Package stats estimates averages from the samples of a simulation, and how far they are from the true averages.
//
// Successive samples of a simulation resemble each other, so that n of them say less than n independent numbers would. The usual standard
// error, the standard deviation divided by √n, is then too small. For example, with an energy that hardly changes during ten steps, it is
// too small by a factor of about three if the program takes a sample at each step. A [Series] finds the error from averages of longer and longer blocks of
// samples:
//
//	var energy stats.Series
//	for step := range steps {
//		simulate()
//		if step >= settled {
//			energy.Add(measure())
//		}
//	}
//	fmt.Println("energy", &energy) // energy -6.0302 ± 0.0004
//
// Do not add the samples from before the system has settled: no estimate can correct them.
//
// All results have the same bits on every machine. Those of several series that are merged do not depend on the order in which they are merged,
// because a Series adds its samples without rounding ([kernels.ExactMoments]).
package stats
