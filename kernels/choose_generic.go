//go:build purego || !(amd64 || arm64 || (wasm && goexperiment.simd && go1.27))

package kernels

// availablePaths returns the paths of a build without vectors.
func availablePaths() []pathID { return []pathID{generic} }
