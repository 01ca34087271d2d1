package random

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// quality is the number of words for each test of quality. The default is small; make random-quality
// uses 2^36 words in all.
var quality = flag.Int("random.words", 1<<18, "words for each test of TestQuality and source of words")

// A stream of words is filled in pieces.
type stream struct {
	name string
	fill func(dst []uint32, at uint64)
}

// streams returns the words of one key by index and by id. It also returns streams whose words
// might be correlated: the first words of neighbouring ids, of one id at successive ticks, and
// of neighbouring seeds and streams.
func streams() []stream {
	byLane := func(name string, r func(at uint64, n int) Rows) stream {
		return stream{name, func(dst []uint32, at uint64) {
			var w wordBatch
			for lo := 0; lo < len(dst); lo += batchRows {
				n := min(batchRows, len(dst)-lo)
				rows := r(at+uint64(lo), n)
				rows.fillWords(&w, 0, n, 0, 1)
				copy(dst[lo:], w[0][:n])
			}
		}}
	}
	byKey := func(name string, row func(at uint64) Row) stream {
		return stream{name, func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = row(at + uint64(i)).word(0)
			}
		}}
	}
	ids := make([]uint64, batchRows)
	k := Key{Seed: 2026, Tick: 1, Stream: 1}
	return []stream{
		byLane("rows", func(at uint64, _ int) Rows { return k.Rows(at) }),
		byLane("ids", func(at uint64, n int) Rows {
			for i := range ids {
				ids[i] = at + uint64(i)
			}
			return k.IDs(ids[:n])
		}),
		{"words of one id", func(dst []uint32, at uint64) { // and of the next ids, 512 words of each
			for i := range dst {
				dst[i] = k.ID((at + uint64(i)) / 512).word((at + uint64(i)) % 512)
			}
		}},
		byKey("ticks", func(at uint64) Row { return Key{2026, uint32(at), 1 + uint32(at>>32)}.ID(3) }),
		byKey("seeds", func(at uint64) Row { return Key{at, 1, 1}.ID(3) }),
		byKey("streams", func(at uint64) Row { return Key{2026, uint32(at >> 23), uint32(at & (1<<23 - 1))}.ID(3) }),
		byKey("upper ids", func(at uint64) Row { return k.ID(at << 32) }),
	}
}

// A check computes a statistic of the words of a stream, and returns the probability that random
// words give a smaller value. A result close to 0 or 1 is bad.
type check struct {
	name string
	run  func(s stream, words int) float64
}

var checks = []check{
	{"bits", countBits}, {"bytes", countBytes}, {"runs of words", countAscents}, {"collisions", throwBalls},
	{"birthdays", testBirthdays}, {"gaps", countGaps}, {"neighbours", countNeighbours},
}

// TestQuality applies every check to every stream. Each pair of a check and a stream is a subtest,
// so that a run that takes hours can be stopped and continued.
func TestQuality(t *testing.T) {
	for _, s := range streams() {
		for _, c := range checks {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				p := c.run(s, *quality)
				t.Logf("p = %.4f", p)
				if !(p > 1e-7 && p < 1-1e-7) {
					t.Errorf("probability %g", p)
				}
			})
		}
	}
}

// TestChecksCatch applies the checks to streams that are not random. Each stream names a check that
// must reject it, because a check that accepts everything proves nothing.
func TestChecksCatch(t *testing.T) {
	for _, bad := range []struct {
		stream
		caught string
	}{
		{stream{"counter", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(at) + uint32(i)
			}
		}}, "bytes"},
		{stream{"one bit rare", func(dst []uint32, at uint64) {
			for i := range dst {
				h := splitMix64(at + uint64(i))
				dst[i] = uint32(h)
				if h>>56 < 16 {
					dst[i] &^= 1 << 7
				}
			}
		}}, "bits"},
		{stream{"never twice", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(at+uint64(i)) * 2654435769
			}
		}}, "collisions"},
		{stream{"spaced", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(at+uint64(i)) * 2654435769
			}
		}}, "birthdays"},
		{stream{"alternating", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(splitMix64(at+uint64(i)))>>1 | uint32(i)<<31
			}
		}}, "gaps"},
		{stream{"like its neighbour", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(splitMix64((at + uint64(i)) / 2))
			}
		}}, "neighbours"},
		{stream{"ascending in pairs", func(dst []uint32, at uint64) {
			for i := range dst {
				dst[i] = uint32(splitMix64(at+uint64(i)))>>1 | uint32(i)<<31
			}
		}}, "runs of words"},
	} {
		i := slices.IndexFunc(checks, func(c check) bool { return c.name == bad.caught })
		if p := checks[i].run(bad.stream, 1<<18); p > 1e-7 && p < 1-1e-7 {
			t.Errorf("%s: %s: probability %g: not caught", bad.name, bad.caught, p)
		}
	}
}

// eachPiece passes all words of the stream to a check, in pieces.
func (s stream) eachPiece(n int, body func(w []uint32)) {
	buf := make([]uint32, min(n, 1<<14))
	for at := 0; at < n; at += len(buf) {
		part := buf[:min(len(buf), n-at)]
		s.fill(part, uint64(at))
		body(part)
	}
}

// countBits counts how often the bit at each of the 32 positions of a word is 1.
func countBits(s stream, n int) float64 {
	var ones [32]int
	s.eachPiece(n, func(w []uint32) {
		for _, x := range w {
			for ; x != 0; x &= x - 1 {
				ones[bits.TrailingZeros32(x)]++
			}
		}
	})
	chi := 0.0
	for _, c := range ones {
		d := float64(c) - float64(n)/2
		chi += d * d / (float64(n) / 4)
	}
	return chiSquared(chi, 32)
}

// countBytes counts the values of each byte.
func countBytes(s stream, n int) float64 {
	var counts [4][256]int
	s.eachPiece(n, func(w []uint32) {
		for _, x := range w {
			counts[0][x&255]++
			counts[1][x>>8&255]++
			counts[2][x>>16&255]++
			counts[3][x>>24]++
		}
	})
	chi, want := 0.0, float64(n)/256
	for _, c := range counts {
		for _, k := range c {
			chi += (float64(k) - want) * (float64(k) - want) / want
		}
	}
	return chiSquared(chi, 4*255)
}

// countAscents counts how often each order of three successive words occurs.
func countAscents(s stream, n int) float64 {
	var orders [8]int
	triples := 0
	s.eachPiece(n, func(w []uint32) {
		for ; len(w) >= 3; w = w[3:] {
			k := 0
			for j, less := range [3]bool{w[0] < w[1], w[1] < w[2], w[0] < w[2]} {
				if less {
					k |= 1 << j
				}
			}
			orders[k]++
			triples++
		}
	})
	chi, want := 0.0, float64(triples)/6
	for k, c := range orders {
		if k == 3 || k == 4 { // a < b < c without a < c is impossible
			continue
		}
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return chiSquared(chi, 5)
}

// throwBalls throws balls into 2^20 urns, 2^14 at a time, by the upper bits of words. It counts the
// balls that hit an occupied urn.
func throwBalls(s stream, n int) float64 {
	const urns, balls = 1 << 20, 1 << 14
	var used [urns / 64]uint64
	found, rounds := 0, 0
	s.eachPiece(n, func(w []uint32) {
		if len(w) < balls {
			return
		}
		clear(used[:])
		for _, x := range w[:balls] {
			u := x >> 12
			found += int(used[u/64] >> (u % 64) & 1)
			used[u/64] |= 1 << (u % 64)
		}
		rounds++
	})
	// Knuth, volume 2, 3.3.2 I: the mean number of occupied urns is exact. The collisions of many
	// rounds have nearly a Poisson distribution.
	mean := balls - urns*-math.Expm1(balls*math.Log1p(-1.0/urns))
	return normalTail(float64(found), mean*float64(rounds), math.Sqrt(mean*float64(rounds)))
}

// testBirthdays is Marsaglia's test of spacings: 2^11 birthdays in a year of 2^32 days. The number of
// equal spacings has a Poisson distribution with mean 2^33/2^34.
func testBirthdays(s stream, n int) float64 {
	const days = 1 << 11
	equal, rounds := 0, 0
	spacing := make([]uint32, days)
	s.eachPiece(n, func(w []uint32) {
		for ; len(w) >= days; w = w[days:] {
			b := w[:days]
			slices.Sort(b)
			for i := range b[1:] {
				spacing[i] = b[i+1] - b[i]
			}
			spacing[days-1] = b[0] - b[days-1] // across the end of the year
			slices.Sort(spacing)
			for i := range spacing[1:] {
				if spacing[i] == spacing[i+1] {
					equal++
				}
			}
			rounds++
		}
	})
	mean := math.Pow(days, 3) / math.Ldexp(4, 32) * float64(rounds)
	return poissonTail(equal, mean)
}

// countGaps counts how many words are between two successive words that are 2^31 or larger.
func countGaps(s stream, n int) float64 {
	var lengths [16]int
	gap, all := 0, 0
	s.eachPiece(n, func(w []uint32) {
		for _, x := range w {
			if x < 1<<31 {
				gap++
				continue
			}
			lengths[min(gap, 15)]++
			gap = 0
			all++
		}
	})
	chi := 0.0
	for k, c := range lengths {
		want := math.Ldexp(float64(all), -min(k+1, 15))
		chi += (float64(c) - want) * (float64(c) - want) / want
	}
	return chiSquared(chi, 15)
}

// countNeighbours counts in how many bits each word differs from the next one.
func countNeighbours(s stream, n int) float64 {
	var counts [33]int
	pairs := 0
	s.eachPiece(n, func(w []uint32) {
		for i := range w[1:] {
			counts[bits.OnesCount32(w[i]^w[i+1])]++
			pairs++
		}
	})
	chi, cells, rest, restWant := 0.0, 0, 0.0, 0.0
	choose := 1.0
	for k, c := range counts {
		want := math.Ldexp(choose*float64(pairs), -32)
		choose = choose * float64(32-k) / float64(k+1)
		if want < 10 {
			rest, restWant = rest+float64(c), restWant+want
			continue
		}
		chi += (float64(c) - want) * (float64(c) - want) / want
		cells++
	}
	if restWant > 1 {
		chi += (rest - restWant) * (rest - restWant) / restWant
		cells++
	}
	return chiSquared(chi, cells-1)
}

// chiSquared returns the probability of a smaller value of the chi-squared distribution,
// approximated by Wilson and Hilferty's cube root.
func chiSquared(x float64, freedom int) float64 {
	k := 2 / (9 * float64(freedom))
	return normalTail(math.Cbrt(x/float64(freedom)), 1-k, math.Sqrt(k))
}

// normalTail returns the probability of a smaller value of the normal distribution.
func normalTail(x, mean, deviation float64) float64 {
	return math.Erfc((mean-x)/deviation/math.Sqrt2) / 2
}

// poissonTail returns the probability that a Poisson distributed number is smaller than n, plus
// half the probability of n.
func poissonTail(n int, mean float64) float64 {
	if mean > 1000 {
		return normalTail(float64(n), mean, math.Sqrt(mean))
	}
	sum := 0.0
	for k := 0; k <= n; k++ {
		g, _ := math.Lgamma(float64(k + 1))
		p := math.Exp(float64(k)*math.Log(mean) - mean - g)
		if k == n {
			p /= 2
		}
		sum += p
	}
	return sum
}

// TestDistributions compares the numbers of each function with its distribution: it divides the
// range into forty parts of equal probability and counts the numbers in each part.
func TestDistributions(t *testing.T) {
	distributions[float32](t)
	distributions[float64](t)
	integersAre[int32](t, 6)
	integersAre[uint32](t, 3<<30)
	integersAre[int64](t, 52)
	integersAre[uint64](t, 3<<62)
}

const trials = 40_000

func distributions[T kernels.Float](t *testing.T) {
	x, y, z, u := make([]T, trials), make([]T, trials), make([]T, trials), make([]T, trials)
	for _, r := range []Rows{key.Rows(1), key.IDs(spread(trials))} {
		parts := func(name string, x []T, below func(v float64) float64) {
			var counts [40]int
			for _, v := range x {
				counts[min(int(below(float64(v))*40), 39)]++
			}
			chi := 0.0
			for _, c := range counts {
				chi += math.Pow(float64(c)-trials/40, 2) / (trials / 40)
			}
			if p := chiSquared(chi, 39); p > 1-1e-6 || p < 1e-6 {
				t.Errorf("%T, by id %v: %s: probability %g", x, r.byID, name, p)
			}
		}
		flat := func(v float64) float64 { return v }
		Uniform(x, r)
		parts("Uniform", x, flat)
		Range(x, r, -2, 2)
		parts("Range", x, func(v float64) float64 { return v/4 + 0.5 })
		Uniform4(x, y, z, u, r)
		parts("Uniform4, the fourth", u, flat)
		Normal(x, r, 3, 2)
		parts("Normal", x, func(v float64) float64 { return normalTail(v, 3, 2) })
		Exponential(x, r, 0.5)
		parts("Exponential", x, func(v float64) float64 { return -math.Expm1(-2 * v) })
		Directions2(&kernels.Vec2s[T]{X: x, Y: y}, r)
		for i := range x {
			z[i] = T(math.Atan2(float64(y[i]), float64(x[i])))
			if length := math.Hypot(float64(x[i]), float64(y[i])); math.Abs(length-1) > 2e-7 {
				t.Fatalf("a direction has length %v", length)
			}
		}
		parts("Directions2", z, func(v float64) float64 { return v/(2*math.Pi) + 0.5 })
		Directions3(&kernels.Vec3s[T]{X: x, Y: y, Z: z}, r)
		for i := range x {
			if length := math.Sqrt(float64(x[i]*x[i]) + float64(y[i]*y[i]) + float64(z[i]*z[i])); math.Abs(length-1) > 3e-7 {
				t.Fatalf("a direction has length %v", length)
			}
		}
		for name, lane := range map[string][]T{"X": x, "Y": y, "Z": z} { // each coordinate is uniform from -1 to 1
			parts("Directions3 "+name, lane, func(v float64) float64 { return v/2 + 0.5 })
		}
	}
}

func integersAre[I Integer](t *testing.T, n I) {
	x := make([]I, trials)
	for _, r := range []Rows{key.Rows(1), key.IDs(spread(trials))} {
		Below(x, r, n)
		counts := make([]int, min(uint64(n), 6))
		for _, v := range x {
			if v < 0 || v >= n {
				t.Fatalf("%v is not below %v", v, n)
			}
			counts[int(float64(v)/float64(n)*float64(len(counts)))]++
		}
		chi, want := 0.0, trials/float64(len(counts))
		for k, c := range counts {
			if uint64(n)%uint64(len(counts)) != 0 && uint64(n) < 1000 { // parts of 8 or 9 of 52 numbers
				want = trials / float64(n) * (math.Ceil(float64(k+1)*float64(n)/float64(len(counts))) - math.Ceil(float64(k)*float64(n)/float64(len(counts))))
			}
			chi += math.Pow(float64(c)-want, 2) / want
		}
		if p := chiSquared(chi, len(counts)-1); p > 1-1e-6 || p < 1e-6 {
			t.Errorf("%T below %v, by id %v: probability %g: %v", x, n, r.byID, p, counts)
		}
	}
}

// TestBernoulli counts the chosen rows. It also checks that the second word determines the result if
// the first word alone does not.
func TestBernoulli(t *testing.T) {
	const n = 1 << 18
	mask := make([]uint64, kernels.MaskLen(n))
	for _, p := range []float64{0, 0x1p-64, 1e-3, 0.5, 0.9, 1} {
		Bernoulli(mask, n, key.Rows(0), p)
		count := 0
		for _, m := range mask {
			count += bits.OnesCount64(m)
		}
		if d := math.Sqrt(n * p * (1 - p)); math.Abs(float64(count)-n*p) > 5*d+1e-9 && p > 0x1p-60 || p < 0x1p-60 && count != 0 {
			t.Errorf("p %v chooses %d of %d", p, count, n)
		}
	}
	// These probabilities are equal to the words of a row. A row must be chosen if its word is below
	// the probability, but not if it is equal to the probability.
	r := key.ID(4)
	first, second := uint64(r.word(0)), uint64(r.word(1))
	for _, c := range []struct {
		words uint64
		want  bool
	}{{first<<32 | second&^2047, false}, {first<<32 | second&^2047 + 2048, true}, {first << 32, false}, {(first + 1) << 32, true}} {
		p := float64(c.words) * 0x1p-64 // some are rounded to 53 bits
		want := first<<32|second < uint64(p*0x1p64)
		one := make([]uint64, 1)
		Bernoulli(one, 1, key.IDs([]uint64{4}), p)
		if got := BernoulliOf(r, p); got != want || got != (one[0] == 1) {
			t.Errorf("words %x, p·2^64 %x: %v, a lane says %v", first<<32|second, c.words, got, one[0])
		}
	}
}

// TestPermutation counts how often each order of four numbers occurs, and checks that each number
// appears once.
func TestPermutation(t *testing.T) {
	counts := map[string]int{}
	for tick := range uint32(24_000) {
		p := make([]int32, 4)
		Permutation(p, Key{Seed: 9, Tick: tick})
		counts[fmt.Sprint(p)]++
	}
	chi := 0.0
	for _, c := range counts { // a sum of exact squares, so the order does not matter
		chi += float64((c-1000)*(c-1000)) / 1000
	}
	if p := chiSquared(chi, 23); len(counts) != 24 || p > 1-1e-6 || p < 1e-6 {
		t.Errorf("%d orders, probability %g", len(counts), p)
	}
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		p := make([]int32, n)
		Permutation(p, key)
		slices.Sort(p)
		for i, v := range p {
			if int(v) != i {
				t.Fatalf("%d numbers: %d is missing", n, i)
			}
		}
	}
}
