// Package opinion contains assembly that lanec generates for kernels of package
// kernels. Package kernels itself uses hand-written assembly for these kernels. Its
// test compares the results of both assemblies, and its benchmark compares their times.
// Nothing imports it.
//
//	go test -run '^$' -bench . ./internal/lanec/opinion
package opinion
