// Package order sorts keys, with or without values, by a parallel radix sort. The package also
// ranks, merges and groups keys. The sort is stable, so the result is the same
// for any number of workers.
//
//	var s order.Sorter[uint32, int32]   // types of keys and values
//	s.Pool = pool                       // or nil
//	s.SortPairs(cells, rows)            // both by cells; stable
//	s.Sort(keys)                        // keys alone
//	order.Argsort(&s, index, keys)      // keys[index[0]] is the smallest, and so on
//	s.Merge(keys, rows, a, ra, b, rb)   // two sorted slices
//	s.Nth(keys, rows, n)                // only until the n-th key is in its place
//	starts = order.Groups(starts, keys) // where each run of equal keys begins
//
// # Words
//
// A key is an integer or a float. A value belongs to a key, and the sort moves both together.
// After a sort, the sorter keeps its memory for the next sort. Its zero value is ready to use
// and works on one goroutine; with a pool, it works on all workers.
//
// # Order
//
// Integers have the usual order. Floats have a total order: from −Inf to +Inf
// with −0 before +0, and then NaN. All NaN are equal to each other, because the sign and the
// payload of a NaN may differ between CPUs. [Less] reports this order.
//
// # Promises
//
// Sorts are stable: equal keys keep their order. So each input has one result,
// which does not depend on the number of workers. Lengths are checked before
// any row moves.
//
// A sorter allocates only if a call needs more memory than all calls before. It holds as much
// memory as the keys and values of the longest call, plus 64 KiB for each block of rows. There
// are up to four blocks per worker. For 32-bit keys with values of type int32 or uint32, it holds
// twice as much. Signed keys and floats, and the keys of [Argsort], also need memory for a copy
// of the keys. [Sorter.Trim] frees all this memory.
//
// # Design
//
// Kernels convert keys to words: unsigned numbers in the same order. A radix
// sort then sorts the words by digits of 8, 10 or 11 bits, the lowest digit first.
// For each digit, the sort counts the rows of each block by digit, computes the offsets of the
// blocks from the sums of these counts, and moves the rows of each block to their places.
// Without a pool there is one block, and all its digits are counted before the first pass. With
// a pool there are some blocks for each worker.
//
// Many pairs of a 32-bit key and a 32-bit value are moved as one number of 64 bits, because random
// writes to one lane cost less than random writes to two. If all keys have the same value of a
// digit, that digit needs no pass. Keys that are sorted already cost only the scan that detects
// this.
//
// Usually the highest bits suffice: a thousand random words of 64 bits differ
// in their highest twenty bits. So the sort estimates from a sample of 64 rows how many of the highest digits
// distinguish nearly all rows, and which width of digits is the fastest. If there are many rows, it then counts one
// digit after the other, beginning with the highest, until the counts show that the digits so far suffice. The passes use only
// these digits. After the passes, an insertion sort moves rows that are still out of order back
// past greater rows. For some inputs, the estimate is misleading: if the insertion sort takes too
// many steps, the sort passes over all digits instead.
//
// sorter.go chooses how to sort. If you add a new way to sort, add it to the cases of
// order_test.go, which are compared with package slices.
package order
