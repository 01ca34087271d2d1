//go:build purego || !(amd64 || arm64 || (wasm && goexperiment.simd && go1.27))

package kernels

// available returns the paths of a build without vectors.
func available() []pathID { return []pathID{generic} }
