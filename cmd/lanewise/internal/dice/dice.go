// Package dice makes random numbers that are the same on every machine.
// SplitMix64 generates the integers. The package computes float64 numbers
// from them by sums, products and square roots, each rounded separately. It
// uses no logarithm or sine, because their last bits could differ.
package dice

import "math"

// Dice is the generator SplitMix64 (Steele, Lea, Flood, 2014). The zero value
// is the dice of seed 0.
type Dice struct{ state uint64 }

// New returns the dice for a seed. One seed has many dice, which are
// numbered. Dice with different numbers are independent: a further draw from
// one of them does not affect the others.
func New(seed, number uint64) Dice { return Dice{mix(seed) ^ mix(number+1)} }

// Uint64 returns 64 random bits.
func (d *Dice) Uint64() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

// mix is the finalizer of SplitMix64: a bijection that maps similar numbers to
// very different numbers.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Unit returns a number in [0, 1).
func (d *Dice) Unit() float64 { return float64(float64(d.Uint64()>>11) / (1 << 53)) }

// Between returns a number in [lo, hi).
func (d *Dice) Between(lo, hi float64) float64 { return lo + float64((hi-lo)*d.Unit()) }

// Normal is a sum of six uniform numbers, minus their mean and divided by their
// deviation. It approximates the normal distribution up to 4.2 deviations.
func (d *Dice) Normal() float64 {
	sum := -3.0
	for range 6 {
		sum += d.Unit()
	}
	return sum * math.Sqrt2
}

// Rayleigh returns the length of a vector whose two components are normally
// distributed with the given deviation.
func (d *Dice) Rayleigh(deviation float64) float64 {
	x, y := d.Normal(), d.Normal()
	return deviation * math.Sqrt(float64(x*x)+float64(y*y))
}
