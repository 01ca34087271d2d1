// Package random draws numbers that belong to something: to an entity or a row, at
// a tick, for a purpose. The numbers of one do not depend on what else draws, in which order,
// on how many workers, or on which CPU.
//
// The words. A key is a seed, a tick and a stream, which is a number for each
// place in the program that draws. A row is drawn by its index in a lane or by an
// id. Each row has words, of 32 bits, without end, and every number is made of the
// first words of its row. So there is no generator that is handed around, and
// nothing to store: what knows key and id can draw the numbers again.
//
//	k := random.Key{Seed: seed, Tick: tick, Stream: wind}
//	random.Uniform(dst, k.Rows(first))      // a lane, by index
//	random.Normal(dst, k.IDs(ids), 0, 0.1)  // a lane, by id: each row its own
//	x := random.UniformOf[float32](k.ID(7)) // one number, the same bits
//	r := rand.New(k.ID(7).Source())         // for math/rand/v2 and what uses that
//
// Functions on lanes take the destination first, as kernels do, and each has a
// scalar that ends in Of: [Uniform], [Uniform4], [Range], [Normal], [Exponential],
// [Below], [Bernoulli], [Directions2], [Directions3]. [Permutation] orders, [Source]
// serves other packages. [Noise2] and [Noise3] are smooth functions of a place.
//
// # Promises
//
// The words are those of Philox 4×32-10 (Salmon and others, 2011), a cipher of the
// counter (id, tick, stream, block) under the seed as key, which passes every known
// test of statistics; it is not meant for secrets. Their places are written down in
// docs/decisions/frozen.md, with every formula that makes numbers of them: a release
// that changed one would say so. Products and sums are rounded each, and functions
// are polynomials of this package or kernels.Sincos, so that all CPUs agree. Nothing
// is allocated but what [Row.Source] returns. With AVX2, on the paths of package
// kernels that have it, eight blocks are made at once.
//
// What holds it together: a number is a function of key, row and kind, so nothing is kept between calls and no order is one. Blocks of rows by id are numbered from 0,
// those of rows by index from 128, so that the two never share one; what asks for more words than a seed has goes on with another seed, made of the first. A lane is
// what its scalars are, bit by bit.
//
// Draws of different kinds with one key and row are made of the same words: give
// each its own stream. By index and by id the words differ.
//
// Where things are: key.go has keys and rows, words.go their words, philox.go the cipher, words_amd64.go eight blocks at once;
// then a file for each distribution (uniform, normal, exponential, below, bernoulli, direction), with its function on
// lanes, its scalar, and which words it takes; log.go is the logarithm that two of them share. A new distribution is such a
// file, a row in docs/decisions/frozen.md and one in each test that lists them: statistics_test.go, and internal/golden.
package random
