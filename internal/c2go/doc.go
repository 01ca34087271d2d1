// Package c2go is the second opinion: four kernels written in C, compiled by clang and turned into Go assembly
// by c2goasm, to hold against the hand-written ones. Nothing imports it; without the build tag c2go it is empty.
//
//	go test -tags c2go ./internal/c2go             fuzz seeds: the same bits as package kernels
//	go test -tags c2go -bench . ./internal/c2go    hand-written beside compiler-written
//	make c2go                                      compile source/kernels.c again
//
// The same compiler writes the same bytes: after make c2go with Debian's clang-14, git diff --exit-code internal/c2go
// shows nothing unless source/kernels.c or generate.sh has changed. CI runs the committed assembly (make opinion) and
// does not compile it again, because another version of clang writes other bytes.
//
// What c2goasm needs and cannot do is written in generate.sh: constants come in by pointer, every argument is
// 8 bytes, and there is no arm64.
package c2go
