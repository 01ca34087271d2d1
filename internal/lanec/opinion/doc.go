// Package opinion has the assembly that lanec generates for bodies of package
// kernels whose assembly is hand-written. Its test compares the results of both
// assemblies, and its benchmark compares their times. Nothing imports it.
//
//	go test -run '^$' -bench . ./internal/lanec/opinion
package opinion
