// Package fold computes the inner loop of a world's hash. It adds whole blocks of bytes to the four
// states of a hash.
//
// # Concepts
//
// A *state* is four words. A *block* is 64 bytes, which are two words for each of the four words of
// a state. A word s of the state takes in its two words v and w of the block by s = [Fold](s ^ v,
// w ^ [Key]). Bytes after the last whole block of b are not read.
//
// # Design
//
//   - All implementations give the same bits, because files contain hashes. The bits are frozen with ecs.HashVersion.
//   - If a function reports that there is no NaN, this is certain. It may report a NaN although there is only an
//     infinity, because that test is cheaper. A caller that gets this report begins again with the state that it had.
package fold
