package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/kernels"
)

// A Series holds averages of the samples that a simulation took one after the other, at equal intervals. A Series does not
// hold the samples: 10⁹ samples take 60 kB. The zero value has no samples. A Series must not be copied after the first Add.
// The methods of a Series must not be called concurrently.
//
// Level 0 has the samples. A block of level k is the average of two successive blocks of level k-1, so that it has 2ᵏ
// samples. The longer the blocks are, the less the average of a block depends on the average of the block before it. Once
// the blocks are independent, the standard error that is computed from them is correct, and no longer grows with k.
//
// Source: H. Flyvbjerg and H. G. Petersen, "Error estimates on averages of correlated data", The Journal of Chemical Physics 91 (1989).
type Series struct {
	levels []*level
}

// A level consists of all blocks of one length.
type level struct {
	all   kernels.ExactMoments[float64]
	odd   bool    // a block waits for its neighbour
	first float64 // that block
	n     int     // of last
	last  [32]float64

	least, most float64 // of all blocks
}

// add adds a block. It returns the average of two blocks if the added block is the second of a pair.
func (l *level) add(x float64) (block float64, ok bool) {
	if l.n == len(l.last) {
		l.flush()
	}
	if l.n == 0 && l.all.N() == 0 {
		l.least, l.most = x, x
	}
	l.least, l.most = min(l.least, x), max(l.most, x)
	l.last[l.n] = x
	l.n++
	if l.odd = !l.odd; l.odd {
		l.first = x
		return 0, false
	}
	return float64(l.first/2) + float64(x/2), true
}

// flush adds the last blocks to the moments. It adds several blocks at once, because that is faster.
func (l *level) flush() *kernels.ExactMoments[float64] {
	l.all.Add(l.last[:l.n])
	l.n = 0
	return &l.all
}

// Add adds a sample. It takes about 0.1 µs.
func (s *Series) Add(x float64) {
	for k, ok := 0, true; ok; k++ {
		if k == len(s.levels) {
			s.levels = append(s.levels, &level{})
		}
		x, ok = s.levels[k].add(x)
	}
}

// Merge adds the blocks of o, a series of another run of the same simulation. A block of o that still waits for its
// neighbour stays alone, because the last samples of one run and the first samples of another run do not follow each other.
// The results of o stay the same, but no other goroutine may use o during the call. The results of a series do not depend on
// the order in which other series were merged into it.
func (s *Series) Merge(o *Series) {
	if s == o {
		panic("stats: Series.Merge: a series is merged with itself, so that each sample would count twice")
	}
	for k, l := range o.levels {
		if k == len(s.levels) {
			s.levels = append(s.levels, &level{})
		}
		to := s.levels[k]
		if to.flush().N() == 0 {
			to.least, to.most = l.least, l.most
		}
		to.least, to.most = min(to.least, l.least), max(to.most, l.most)
		to.all.Merge(l.flush())
	}
}

// N returns the number of samples.
func (s *Series) N() int {
	if len(s.levels) == 0 {
		return 0
	}
	return s.levels[0].flush().N()
}

// Mean returns the average of the samples, rounded once. It is NaN if there are no samples.
func (s *Series) Mean() float64 {
	if len(s.levels) == 0 {
		return math.NaN()
	}
	return s.levels[0].flush().Mean()
}

// Levels returns the number of levels that have at least two blocks.
func (s *Series) Levels() int {
	for k, l := range s.levels {
		if l.flush().N() < 2 {
			return k
		}
	}
	return len(s.levels)
}

// Block returns three results: the standard error of the mean that is computed from the blocks of a level, the uncertainty
// of this error, and the number of blocks. To see whether the simulation is long enough, print these results for all levels:
// the errors must reach a plateau. Block panics if level is not in [0, Levels()).
func (s *Series) Block(level int) (stdErr, uncertainty float64, blocks int) {
	if level < 0 || level >= s.Levels() {
		panic(fmt.Sprintf("stats: Series.Block: the level is %d, and the series has %d levels", level, s.Levels()))
	}
	m := s.levels[level].flush()
	blocks = m.N()
	stdErr = math.Sqrt(m.Variance() / float64(blocks))
	return stdErr, stdErr / math.Sqrt(float64(2*(blocks-1))), blocks
}

// StdErr returns the standard error of the mean. It takes the first level whose blocks are so long that neighbouring blocks
// hardly depend on each other. Let B be the length of the blocks, n the number of samples, e the standard error of the level
// and e₀ the standard error of level 0. Then this is the first level with
//
//	B³ > 2 n (e/e₀)⁴
//
// If no level is long enough, the simulation was too short. Then enough is false, and the error is the largest of all
// levels, which is probably still too small. The error is NaN if there are fewer than two samples, or if a sample is NaN or
// infinite.
//
// Source: U. Wolff, "Monte Carlo errors with less errors", Computer Physics Communications 156 (2004), for the balance of the two errors; R. M. Lee et al.,
// "Strategies for improving the efficiency of quantum Monte Carlo calculations", Physical Review E 83 (2011), for the rule.
func (s *Series) StdErr() (e float64, enough bool) {
	e, _, enough = s.plateau()
	return e, enough
}

// plateau returns the results of StdErr, and the standard error that independent samples would have.
func (s *Series) plateau() (e, first float64, enough bool) {
	first = math.NaN()
	most := math.NaN()
	for k := range s.Levels() {
		e, _, _ := s.Block(k)
		if k == 0 {
			first, most = e, e
			if first == 0 {
				return 0, 0, s.levels[0].least == s.levels[0].most // not if the spread is too small for a float64
			}
		}
		most = max(most, e)
		ratio := e / first
		ratio *= ratio
		if length := math.Ldexp(1, k); length*length*length > 2*float64(s.N())*ratio*ratio {
			return e, first, true
		}
	}
	return most, first, false
}

// Time returns the integrated autocorrelation time in intervals between samples. The mean of n samples has about the same
// error as the mean of n/Time independent numbers. The time is about 1 if the samples are independent. If enough is false,
// the simulation was too short to determine the time, which is probably longer.
func (s *Series) Time() (time float64, enough bool) {
	e, first, enough := s.plateau()
	if first == 0 {
		return 1, true
	}
	ratio := e / first
	return float64(ratio * ratio), enough
}

// String returns the mean and its standard error, for example -6.0302 ± 0.0004. The error has two digits if it begins with 1
// or 2, and otherwise one digit. A number that is printed as a whole number has all its digits. A question mark follows if
// the simulation was too short for a reliable error.
func (s *Series) String() string {
	e, enough := s.StdErr()
	mean, mark := s.Mean(), ""
	if !enough {
		mark = " ?"
	}
	if e == 0 || math.IsNaN(e) || math.IsInf(e, 0) {
		return fmt.Sprintf("%.15g ± %.2g%s", mean, e, mark)
	}
	digits := strconv.FormatFloat(e, 'e', 1, 64) // for example 3.8e-04
	at := strings.IndexByte(digits, 'e')
	exponent, err := strconv.Atoi(digits[at+1:])
	if err != nil {
		panic("stats: " + err.Error()) // strconv has written it
	}
	places := -exponent
	if digits[0] < '3' {
		places++
	}
	if places < 0 && math.Abs(mean) < 1e15 {
		return fmt.Sprintf("%.0f ± %.0f%s", mean, e, mark)
	}
	if places < 0 || places > 15 || math.Abs(mean) >= 1e15 {
		return fmt.Sprintf("%.6g ± %.1e%s", mean, e, mark)
	}
	return fmt.Sprintf("%.*f ± %.*f%s", places, mean, places, e, mark)
}
