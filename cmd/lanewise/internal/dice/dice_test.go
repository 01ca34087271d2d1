package dice

import (
	"math"
	"testing"
)

// TestUint64 compares the first numbers for the state 1234567 with those that the authors' program of SplitMix64 prints.
func TestUint64(t *testing.T) {
	d := Dice{1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := d.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// TestDistributions checks the distributions with wide bounds, because the sum of six uniforms has
// thinner tails than a normal distribution.
func TestDistributions(t *testing.T) {
	d := New(1, 1)
	const n = 100000
	for _, c := range []struct {
		name            string
		draw            func() float64
		mean, deviation float64
	}{
		{"Unit", d.Unit, 0.5, math.Sqrt(1.0 / 12)},
		{"Between", func() float64 { return d.Between(-3, 1) }, -1, 4 * math.Sqrt(1.0/12)},
		{"Normal", d.Normal, 0, 1},
		{"Rayleigh", func() float64 { return d.Rayleigh(2) }, 2 * math.Sqrt(math.Pi/2), 2 * math.Sqrt(2-math.Pi/2)},
	} {
		var sum, squares float64
		for range n {
			v := c.draw()
			sum += v
			squares += v * v
		}
		mean := sum / n
		deviation := math.Sqrt(squares/n - mean*mean)
		if math.Abs(mean-c.mean) > 0.03*c.deviation || math.Abs(deviation-c.deviation) > 0.03*c.deviation {
			t.Errorf("%s: mean %.4f, deviation %.4f; want %.4f, %.4f", c.name, mean, deviation, c.mean, c.deviation)
		}
	}
}
