package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/random"
)

// newWalk returns n samples of an autoregressive process of first order with the mean 3 and the variance 1, whose correlation of
// samples k apart is phi^k. The integrated autocorrelation time of the samples is (1+phi)/(1-phi).
func newWalk(seed uint64, n int, phi float64) []float64 {
	noise := make([]float64, n)
	random.Normal(noise, random.Key{Seed: seed, Stream: 1}.Rows(0), 0, 1)
	x, width := noise[0], math.Sqrt(1-float64(phi*phi))
	for i, v := range noise {
		if i > 0 {
			x = float64(phi*x) + float64(width*v)
		}
		noise[i] = 3 + x
	}
	return noise
}

func newSeries(x []float64) *Series {
	s := new(Series)
	for _, v := range x {
		s.Add(v)
	}
	return s
}

// TestTime compares both estimates of the autocorrelation time with the true value.
func TestTime(t *testing.T) {
	const n = 1 << 17
	for seed, phi := range []float64{0, 0.5, 0.9, -0.5} {
		x := newWalk(uint64(seed), n, phi)
		want := (1 + phi) / (1 - phi)
		if got, window := AutocorrelationTime(x); math.Abs(got-want) > 0.1*want || float64(window) < 5*max(1, got) || float64(window) > 5*max(1, got)+1 {
			t.Errorf("phi %v: the time is %v in a window of %d, want %v", phi, got, window, want)
		}
		if got, enough := newSeries(x).Time(); !enough || math.Abs(got-want) > 0.15*want {
			t.Errorf("phi %v: the time of the series is %v, enough %v, want %v", phi, got, enough, want)
		}
		correlations := make([]float64, 4)
		Autocorrelation(correlations, x)
		for k, got := range correlations {
			if want := math.Pow(phi, float64(k)); math.Abs(got-want) > 0.03 || k == 0 && got != 1 {
				t.Errorf("phi %v: the correlation of samples %d apart is %v, want %v", phi, k, got, want)
			}
		}
	}
}

// TestStdErr counts how often the true mean is within one and two standard errors, for many runs with correlated samples.
func TestStdErr(t *testing.T) {
	const runs, n = 400, 4096
	var one, two, short int
	for seed := range uint64(runs) {
		s := newSeries(newWalk(100+seed, n, 0.8))
		e, enough := s.StdErr()
		off := math.Abs(s.Mean() - 3)
		if off < e {
			one++
		}
		if off < 2*e {
			two++
		}
		if !enough {
			short++
		}
	}
	if one < runs*60/100 || one > runs*76/100 || two < runs*91/100 || short > 0 {
		t.Errorf("of %d runs the true mean is within one error in %d, within two in %d, and %d are too short", runs, one, two, short)
	}
}

// TestBlocks compares the blocks of a Series with blocks that are averaged directly from the samples.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 31, 32, 33, 64, 65, 1000} {
		x := newWalk(7, n+1, 0.5)[:n]
		s := newSeries(x)
		if s.N() != n {
			t.Errorf("%d samples: N is %d", n, s.N())
		}
		for k := range s.Levels() {
			e, uncertainty, blocks := s.Block(k)
			if blocks != len(x) || blocks < 2 {
				t.Fatalf("%d samples: level %d has %d blocks, want %d", n, k, blocks, len(x))
			}
			mean, spread := 0.0, 0.0
			for _, v := range x {
				mean += v / float64(blocks)
			}
			for _, v := range x {
				spread += float64((v - mean) * (v - mean))
			}
			want := math.Sqrt(spread / float64(blocks*(blocks-1)))
			if math.Abs(e-want) > 1e-12*want || math.Abs(uncertainty-want/math.Sqrt(float64(2*(blocks-1)))) > 1e-12*want {
				t.Errorf("%d samples: level %d has the error %v ± %v, want %v", n, k, e, uncertainty, want)
			}
			half := x[:len(x)/2]
			for i := range half {
				half[i] = float64(x[2*i]/2) + float64(x[2*i+1]/2)
			}
			x = half
		}
		if len(x) > 1 {
			t.Errorf("%d samples: %d blocks are in no level", n, len(x))
		}
	}
}

// TestEqualSamples checks equal samples whose mean cannot be represented as a float64.
func TestEqualSamples(t *testing.T) {
	x := []float64{0.1, 0.1, 0.1}
	dst := make([]float64, 3)
	Autocorrelation(dst, x)
	time, window := AutocorrelationTime(x)
	for _, v := range append(dst, time) {
		if !math.IsNaN(v) {
			t.Errorf("%v, time %v, window %d, want NaN", dst, time, window)
		}
	}
}

// TestMerge merges runs in random orders and groups.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var want string
	for round := range 20 {
		var runs []*Series
		for k := range 9 {
			runs = append(runs, newSeries(newWalk(uint64(k), 1+137*k*k, 0.7)))
		}
		for len(runs) > 1 {
			i := rng.IntN(len(runs))
			s := runs[i]
			runs[i] = runs[len(runs)-1]
			runs = runs[:len(runs)-1]
			runs[rng.IntN(len(runs))].Merge(s)
		}
		got := describe(runs[0])
		if round == 0 {
			want = got
		}
		if got != want {
			t.Fatalf("merged in another order:\n%s\nwant\n%s", got, want)
		}
	}
}

// describe returns the bits of all results of a series.
func describe(s *Series) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d samples, mean %x, %v\n", s.N(), s.Mean(), s)
	for k := range s.Levels() {
		e, _, blocks := s.Block(k)
		fmt.Fprintf(&b, "level %d: %d blocks, %x\n", k, blocks, e)
	}
	return b.String()
}

// TestGolden compares bits that must be the same on every machine.
func TestGolden(t *testing.T) {
	x := newWalk(42, 10_000, 0.9)
	s := newSeries(x)
	e, _ := s.StdErr()
	time, _ := s.Time()
	sum, window := AutocorrelationTime(x)
	const want = "0x1.7fb6efdca949dp+01 0x1.8dc61b7d2a7acp-05 0x1.721dd97c8379dp+04 0x1.612c71e93964dp+04 111"
	if got := fmt.Sprintf("%x %x %x %x %d", s.Mean(), e, time, sum, window); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		want    string
		samples []float64
	}{
		{"NaN ± NaN ?", nil},
		{"5 ± NaN ?", []float64{5}},
		{"5 ± 0", []float64{5, 5, 5}},
		{"2.0 ± 1.0 ?", []float64{1, 3}},
		{"NaN ± NaN ?", []float64{1, math.NaN(), 2, 3}},
		{"+Inf ± NaN ?", []float64{1, math.Inf(1), 2, 3}},
		{"2e+20 ± 1.0e+20 ?", []float64{1e20, 3e20}},
		{"2e-200 ± 0 ?", []float64{1e-200, 3e-200}},
		{"123456789 ± 0", []float64{123456789, 123456789}},
		{"1234567890 ± 10 ?", []float64{1234567880, 1234567900}},
	} {
		if got := newSeries(c.samples).String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.samples, got, c.want)
		}
	}
	for want, scale := range map[string]float64{"3.09 ± 0.04": 1, "309 ± 4": 100, "0.000309 ± 0.000004": 1e-4} {
		s := new(Series)
		for _, v := range newWalk(3, 4096, 0.7) {
			s.Add(v * scale)
		}
		if got := s.String(); got != want {
			t.Errorf("scale %v: %s, want %s", scale, got, want)
		}
	}
}

// TestPanics checks three panics: for a level that a series does not have, for too many results, and for a series that is
// merged with itself.
func TestPanics(t *testing.T) {
	s := newSeries([]float64{1, 2, 3})
	for want, f := range map[string]func(){
		"stats: Series.Block: the level is 1, and the series has 1 levels":                           func() { s.Block(1) },
		"stats: Series.Block: the level is -1, and the series has 1 levels":                          func() { s.Block(-1) },
		"stats: Autocorrelation: there are 4 results and 3 samples":                                  func() { Autocorrelation(make([]float64, 4), make([]float64, 3)) },
		"stats: Series.Merge: a series is merged with itself, so that each sample would count twice": func() { s.Merge(s) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			f()
		}()
	}
}

func BenchmarkAdd(b *testing.B) {
	x := newWalk(1, 1<<16, 0.9)
	for b.Loop() {
		newSeries(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/sample")
}
