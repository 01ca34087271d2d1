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
// sorter holds as much memory as keys and values of the longest call, and 64 KiB; for
// values that are int32 or uint32, of keys of 32 bits, twice as much. [Sorter.Trim] gives it back.
//
// # How it works
//
// Keys become unsigned numbers in the same order, which are sorted by a digit of some
// bits at a time, the lowest first (a radix sort). On a pool a digit has eight bits: each of up
// to 64 blocks of rows is counted, sums of the counts give each block its places, and each
// block moves its rows there. Alone it is one block, whose digits are all counted in one
// go; they have eleven bits where as many places at once are still near. Keys and values of
// 32 bits each move as one number. Bits in which all keys agree take no time, and keys that
// are sorted already take that of looking at them.
package order
