// Package lanec compiles functions with a loop over rows to assembly for AVX2, AVX-512 and NEON that gives the bits of their Go source.
//
// The rooms, in the order in which a kernel goes through them:
//
//	load.go    finds the functions that a line //lanec:kernel Name stands above, and their types
//	front      makes a kernel of each, without branches, or says what to write instead
//	ir         the form in which it is held; ir.Kernel.Tidy removes what nothing needs
//	alloc      gives its values registers
//	amd64      AVX2 and AVX-512
//	arm64      NEON
//	wrapper.go writes the function that users call, which checks lengths, cuts rows into pieces and takes the path
//
// Beside them: compile.go is what a command calls, explain.go says what became of each kernel, with the bound of bound.go; rest.go writes the
// Go loop over some of the rows, library.go is for kernelgen, whose bodies are in a package of ours. A function of package math that
// lanec shall know begins in front/call.go, one of kernels in front/library.go.
//
// The Go source is the specification and the path of every CPU that has no other: nothing is translated to Go.
package lanec
