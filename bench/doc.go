// Package bench measures typical scenarios: the same work in plain Go, by
// kernels on plain lanes, and through a world.
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
// All of them have the same bits; a test checks that. Rows a second are
// entities.
package bench
