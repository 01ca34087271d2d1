// Package c2go provides a second opinion on four hand-written kernels. It
// contains the same functions in C, for comparison: clang compiles them, and
// c2goasm converts the result to Go assembly. Nothing imports it; without the
// build tag c2go it is empty.
//
//	go test -tags c2go ./internal/c2go             fuzz seeds: the same bits as package kernels
//	go test -tags c2go -bench . ./internal/c2go    speed of both
//	make c2go                                      compiles source/kernels.c again
//
// A given version of clang always writes the same bytes. make c2go-again
// compiles with Debian's clang-14 and fails if a byte differs from the
// repository. On each push, CI runs the committed assembly (make opinion) and
// does not compile it again, because another version of clang would write
// other bytes.
//
// generate.sh lists the requirements and limits of c2goasm: constants are
// passed by pointer, every argument has 8 bytes, and arm64 is not supported.
package c2go
