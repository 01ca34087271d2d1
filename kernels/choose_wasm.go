//go:build goexperiment.simd && go1.27 && !purego

package kernels

// availablePaths returns the paths of a build with the vectors of package simd/archsimd. An engine checks the
// whole program before it starts, so every engine that runs such a program supports these vectors.
func availablePaths() []pathID { return []pathID{generic, simd} }

// allOnes returns an element of a mask.
func allOnes[T uint32 | uint64](b bool) T {
	if b {
		return ^T(0)
	}
	return 0
}
