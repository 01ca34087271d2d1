// Package lanec compiles Go functions with a loop over rows to SIMD assembly
// for AVX2, AVX-512 and NEON, and to Go with the vectors of WebAssembly, with the same bits as the Go source.
//
//	//lanec:kernel Move
//	func move(x, v []float32, dt float32) {
//		for i := range x {
//			x[i] += float32(v[i] * dt)
//		}
//	}
//
//	p, err := lanec.Compile(dir) // the package with this function
//	err = p.Write()              // its function Move and the assembly
//
// # Design
//
// The Go source is the specification. It also runs on every CPU without a supported
// vector extension, so the package does not generate Go versions of kernels.
//
// A kernel passes through these parts in order:
//
//	load.go    finds the functions with a directive //lanec:kernel Name, and their types
//	front      converts each to a kernel without branches, or reports a problem with its remedy
//	ir         the intermediate form; ir.Kernel.Tidy removes unused values
//	alloc      register allocation
//	amd64      AVX2 and AVX-512
//	arm64      NEON
//	wasm       Go source with the 128-bit vectors of WebAssembly
//	wrapper.go writes the function that users call: it checks lengths, divides rows into pieces and selects the path
//
// compile.go is the entry for commands. explain.go reports statistics of each
// kernel, with the bound of bound.go. rest.go writes the Go loop over the
// remaining rows. library.go is for kernelgen, whose bodies are in package
// kernels. To support another function of package math, begin in
// front/call.go. To support another function of package kernels, begin in
// front/library.go.
package lanec
