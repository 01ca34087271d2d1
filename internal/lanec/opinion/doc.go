// Package opinion is what lanec makes of generic bodies of package kernels whose assembly is written by hand: its test wants the same bits of both,
// its benchmark puts their times side by side. Nothing imports it.
//
//	go test -run '^$' -bench . ./internal/lanec/opinion
package opinion
