// Package order sorts keys, alone or with values, by a parallel radix sort. It
// also ranks, merges and groups them. The result is stable, so it is the same
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
// A key is an integer or a float. A value belongs to a key and moves with it. A
// sorter keeps the memory of a sort for the next one; its zero value is ready
// and works on one goroutine, and with a pool on all workers.
//
// # Order
//
// Integers have the usual order. Floats have a total order: from −Inf to +Inf
// with −0 before +0, and then NaN. All NaN are equal, because the sign and the
// payload of a NaN may differ between CPUs. [Less] is this order.
//
// # Promises
//
// Sorts are stable: equal keys keep their order. So each input has one result,
// which does not depend on the number of workers. Lengths are checked before
// any row moves.
//
// A sorter allocates only when a call is larger than all calls before. It holds
// as much memory as keys and values of the longest call, plus 64 KiB for each
// block of rows, of which a worker has up to four. It holds twice as much for
// 32-bit keys with values of type int32 or uint32. Signed keys and floats, and
// the keys of [Argsort], need memory for a copy of the keys. [Sorter.Trim]
// frees it.
//
// # Design
//
// Kernels convert keys to words: unsigned numbers in the same order. A radix
// sort then sorts the words by digits of 8 or 11 bits, the lowest digit first.
// For each digit, blocks of rows are counted, the sums of the counts give each
// block its offsets, and each block moves its rows there. Without a pool there
// is one block, and all its digits are counted before the first pass; with a
// pool there are some blocks for each worker.
//
// Many pairs of a 32-bit key and a 32-bit value move as one number of 64 bits,
// because random writes to one lane cost less than to two. A digit that is
// equal in all keys takes no pass. Keys that are sorted already take only the
// scan that finds this out.
//
// Usually the highest bits suffice: a thousand random words of 64 bits differ
// in their highest twenty bits. So the highest digits are counted first, as
// many as distinguish nearly all rows by these counts. The passes are over
// these digits only, and then an insertion sort moves each row back past
// greater ones. There are inputs for which the counts promise too much; if the
// insertion sort takes too many steps, passes over all digits follow.
//
// A new way to sort is chosen in sorter.go. Add it to the cases of
// order_test.go, which are compared with package slices.
package order
