// Package fold computes the inner loop of a world's hash: whole blocks of bytes into the four states of one.
//
// # Words
//
// A *state* is four words. A *block* is 64 bytes, a pair of words for each of the four: v and w go into s by
// s = [Fold](s ^ v, w ^ [Key]). What is behind the last whole block of b is not read.
//
// # What must stay true
//
//   - All ways have the same bits, which are frozen with ecs.HashVersion.
//   - A loop that says that all floats are numbers has seen none that is NaN. The other way it may err: it says that there may
//     be a NaN if some number is infinite. A caller that is told so begins again with the state that it had.
package fold
