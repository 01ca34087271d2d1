// Package random draws random numbers without a generator: each number is a
// function of a seed, a tick, a purpose, and the row or entity that it is for
// (a counter-based generator). So a number does not depend on other draws, on
// their order, on the number of workers, or on the CPU.
//
//	k := random.Key{Seed: seed, Tick: tick, Stream: wind}
//	random.Uniform(dst, k.Rows(first))      // a lane, by index
//	random.Normal(dst, k.IDs(ids), 0, 0.1)  // a lane, by the id of each row
//	x := random.UniformOf[float32](k.ID(7)) // one number, with the same bits
//	r := rand.New(k.ID(7).Source())         // for math/rand/v2 and its users
//
// # Words
//
// A key is a seed, a tick and a stream. The stream is a number for each place
// in the program that draws. A row is drawn by its index in a lane or by an id.
// Each row has an endless sequence of 32-bit words, and every number is made
// from the first words of its row. So there is no state to pass around or to
// store: code that knows the key and the id can draw the same numbers again.
//
// Functions on lanes take the destination first, as kernels do, and each has a
// function for one row that ends in Of: [Uniform], [Uniform4], [Range],
// [Normal], [Exponential], [Below], [Bernoulli], [Directions2], [Directions3].
// [Permutation] makes a random order, and [Source] serves other packages.
// [Noise2] and [Noise3] are smooth functions of a position.
//
// Draws of different kinds with one key and row use the same words, so they are
// correlated: give each its own stream. Draws by index and by id use different
// words.
//
// # Promises
//
// A lane has the same bits as the function for one row, on all CPUs: every
// product and sum is rounded separately, and functions are polynomials of this
// package or kernels.Sincos. Only [Row.Source] allocates.
//
// The words and the formulas are listed in docs/decisions/frozen.md, because
// saved simulations depend on them. A release that changed one would say so.
//
// The generator is not for secrets.
//
// # Design
//
// The words are those of Philox 4×32-10 (Salmon and others, 2011): a cipher
// that encrypts the counter (id, tick, stream, block) with the seed as key. It
// passes every known statistical test. On the paths of package kernels with
// AVX2, eight blocks are computed at once, because blocks are independent.
//
// Blocks of rows by id are numbered from 0 and those of rows by index from 128,
// so that the two never share a block. A row that needs more words than a seed
// has continues with another seed, which is derived from the first.
//
// Each distribution has one file with its function on lanes, its function for
// one row, and the words that it takes. A new distribution needs such a file, a
// row in docs/decisions/frozen.md, and a row in each test that lists
// distributions: statistics_test.go and internal/golden.
package random
