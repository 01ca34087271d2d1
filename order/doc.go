// Package order sorts: keys with whatever belongs to them, on all workers, with the
// result of one.
//
// The words. A key is an integer or a float, a value is what belongs to it and moves
// along. A sorter keeps the memory that sorting takes, so that the second time
// allocates nothing; its zero value works alone, with a pool it works on all workers.
//
//	var s order.Sorter[uint32, int32]   // keys and values
//	s.Pool = pool                       // or nil
//	s.SortPairs(cells, rows)            // both by cells; stable
//	s.Sort(keys)                        // keys alone
//	order.Argsort(&s, index, keys)      // which row is first, second …
//	s.Merge(keys, rows, a, ra, b, rb)   // of two that are sorted
//	s.Nth(keys, rows, n)                // as much as that the n-th is in its place
//	starts = order.Groups(starts, keys) // where equal keys begin
//
// # The order
//
// Integers are as usual. Floats are in a total order: from −Inf to +Inf, −0 before
// +0, then NaN: the sign and the payload of a NaN are free in this library, so all of
// them are equal, and last. [Less] is this order.
//
// # Promises
//
// Sorts are stable: equal keys keep their order. So there is one result, and it does
// not depend on the number of workers. Lengths are checked before anything moves. A
// sorter holds as much memory as keys and values of the longest call, and 64 KiB for each block, of
// which a worker has up to four; for values that are int32 or uint32, of keys of 32 bits, twice as
// much. Keys that are signed or floats, and those of [Argsort], which stay, take once more their
// own size. [Sorter.Trim] gives it back.
//
// # How it works
//
// Keys become unsigned numbers in the same order, words, by kernels, which are sorted by a digit of
// 8 or 11 bits at a time, the lowest first (a radix sort): blocks of rows are counted, sums of the
// counts give each block its places, and each block moves its rows there. Alone it is one block, whose
// digits are all counted before the first pass; on a pool there are some for each worker. Keys and values
// of 32 bits each move as one number, if they are many. Digits in which all keys agree take no pass, and keys that
// are sorted already take that of looking at them.
//
// Mostly the highest bits are enough: of n keys that are drawn, some eight times n values tell
// all but a few apart. So the highest digits are counted first, as many as it takes for these counts to
// promise that; the passes are over them alone, and then one look at all rows lets each go back
// past those that are greater. Should that take too many steps, for a lane can be made so
// that counts promise too much, all digits are gone over after all.
//
// Where things are: sorter.go has what users call and which way a call goes; key.go the types, words.go and packed.go
// what keys become and back; radix.go the passes, scatter.go the move of one, insertion.go the look at all rows; merge.go,
// nth.go and groups.go a function each. A new way to sort is chosen in sorter.go and joins the cases of order_test.go,
// which are compared with package slices.
package order
