// Package random draws random numbers without a generator. Each number is a function of four
// inputs: a seed, a tick, a purpose, and the row or entity for which it is drawn (a counter-based
// generator). So a number does not depend on other draws or their order, on the number of
// workers, or on the CPU.
//
//	k := random.Key{Seed: seed, Tick: tick, Stream: wind}
//	random.Uniform(dst, k.Rows(first))      // a lane, by index
//	random.Normal(dst, k.IDs(ids), 0, 0.1)  // a lane, by the id of each row
//	x := random.UniformOf[float32](k.ID(7)) // one number, with the same bits
//	r := rand.New(k.ID(7).Source())         // for math/rand/v2 and its users
//
// # Words
//
// A key consists of a seed, a tick and a stream. The stream is a number. Each place in the program
// that draws numbers must use a different one. Numbers for a row are drawn by the row's index in a
// lane or by an id. Each row has an endless sequence of 32-bit words, and every number is computed
// from the first words of its row. So there is no state to pass around or to store: code that knows
// the key and the id can draw the same numbers again.
//
// Functions on lanes take the destination first, as kernels do. Each of them has a counterpart
// for a single row, whose name ends in Of. The functions are [Uniform], [Uniform4], [Range],
// [Normal], [Exponential], [Below], [Bernoulli], [Directions2] and [Directions3]. [Permutation]
// creates a random order, and [Source] is for other packages that need a random source.
// [Noise2] and [Noise3] are smooth functions of a position.
//
// Draws of different kinds with one key and row use the same words, so they are
// correlated. Use a different stream for each kind. Draws by index and by id use different
// words.
//
// # Promises
//
// A function on lanes and its counterpart for one row return exactly the same numbers, on all CPUs.
// The reason is that every product and sum is rounded separately. Functions such as the logarithm
// are polynomials in this package; sine and cosine are those of kernels.Sincos. Only [Row.Source]
// allocates.
//
// The words and the formulas are listed in docs/decisions/frozen.md, because
// saved simulations depend on them. If a release changes one of them, its notes say so.
//
// Do not use this generator for secrets.
//
// # Design
//
// The words come from Philox 4×32-10 (Salmon and others, 2011), a cipher that encrypts the
// counter (id, tick, stream, block) with the seed as key. It passes every known statistical test.
// If package kernels uses AVX2, eight blocks are computed at once. This is possible because
// blocks are independent.
//
// Blocks of rows by id are numbered from 0, and blocks of rows by index are numbered from 128. So
// rows by id and rows by index never share a block. If a row needs more words than one seed
// provides, it continues with another seed, which is derived from the first.
//
// Each distribution has one file. It contains the function on lanes, the function for
// one row, and the choice of the words that they use. A new distribution needs such a
// file, a row in docs/decisions/frozen.md, and a row in each test that lists
// distributions: statistics_test.go and internal/golden.
package random
