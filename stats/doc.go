// Package stats estimates averages from the samples of a simulation, and how far they are from the true averages.
//
// Successive samples of a simulation resemble each other. So n samples contain less information than n independent numbers
// would. The usual standard error, the standard deviation divided by √n, is then too small. For example, consider an energy
// that hardly changes during ten steps. If the program takes a sample at each step, the usual error is too small by a factor
// of about three. A [Series] finds the error from averages of longer and longer blocks of samples:
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
// Do not add the samples from the time before the system has settled, because no estimate can correct them.
//
// All results have the same bits on every machine. If several series are merged, the results do not depend on the order of
// the merges, because a Series adds its samples without rounding ([kernels.ExactMoments]).
package stats
