// Package dice makes random numbers that are the same on every machine: whole
// numbers by SplitMix64, and from them float64 by sums, products and square
// roots, each rounded by itself. There is no logarithm or sine whose last bit
// could differ.
package dice

import "math"

// Dice is the generator SplitMix64 (Steele, Lea, Flood, 2014). The zero value
// is the dice of seed 0.
type Dice struct{ state uint64 }

// New returns the dice of a number in a series: dice of one seed are
// independent of each other, so that one draw more changes nothing elsewhere.
func New(seed, number uint64) Dice { return Dice{mix(seed) ^ mix(number+1)} }

// Uint64 returns 64 random bits.
func (d *Dice) Uint64() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

// mix is SplitMix64's finisher: a bijection that scatters neighbours.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Unit is uniform in [0, 1).
func (d *Dice) Unit() float64 { return float64(float64(d.Uint64()>>11) / (1 << 53)) }

// Between is uniform in [lo, hi).
func (d *Dice) Between(lo, hi float64) float64 { return lo + float64((hi-lo)*d.Unit()) }

// Normal is a sum of six uniforms, less their mean and over their deviation:
// near enough to the normal distribution, and it ends at 4.2 deviations.
func (d *Dice) Normal() float64 {
	sum := -3.0
	for range 6 {
		sum += d.Unit()
	}
	return sum * math.Sqrt2
}

// Rayleigh is the length of a vector of two normals of a deviation.
func (d *Dice) Rayleigh(deviation float64) float64 {
	x, y := d.Normal(), d.Normal()
	return deviation * math.Sqrt(float64(x*x)+float64(y*y))
}
