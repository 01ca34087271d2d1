// Package bench measures scenarios that a user would recognise: the same work
// in plain Go, by kernels on bare lanes, and through a world.
//
//	go test -run '^$' -bench . ./bench
//	go test -run '^$' -bench Integrate/rows=100000 -count 10 ./bench | tee now.txt
//	go tool -modfile=tools/go.mod benchstat -col /via now.txt
//
// A name is made of keys and values. "via" is what does the work:
//
//	go      a plain loop over lanes, as one writes it without this library
//	structs a plain loop over a slice of structs
//	lanes   kernels on lanes that are each as long as the scenario
//	chunks  the same kernels on the chunks of a world, found beforehand
//	ecs     a query, its chunks, views and kernels, on one goroutine
//	jobs    the same as a scheduled job; "workers" says how many
//
// All of them give the same bits, which a test holds them to. Rows a second
// are counted in entities.
package bench
