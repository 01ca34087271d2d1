// Package bench measures typical scenarios. Each scenario does the same work in
// plain Go, with kernels on plain lanes, and in a world.
//
//	go test -run '^$' -bench . ./bench
//	go test -run '^$' -bench Integrate/rows=100000 -count 10 ./bench | tee now.txt
//	go tool -modfile=tools/go.mod benchstat -col /via now.txt
//
// A name consists of keys and values. The key "via" names the implementation:
//
//	go      a plain loop over lanes, as one writes it without this library
//	structs a plain loop over a slice of structs
//	lanes   kernels on lanes with all rows of the scenario
//	chunks  the same kernels on the chunks of a world, found beforehand
//	ecs     a query, its chunks, views and kernels, on one goroutine
//	jobs    the same as a scheduled job; "workers" says how many
//
// All implementations compute the same bits, which a test checks. "rows/s"
// counts entities.
package bench
