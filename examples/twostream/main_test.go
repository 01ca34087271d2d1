package main

import (
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of 5,000 particles after 300 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x8cd96d2c4b647fea

// advance does some steps, and returns the amplitude of the wave after each step.
func advance(t *testing.T, p *plasma, steps int) (waves []float64) {
	t.Helper()
	for range steps {
		if err := p.step(); err != nil {
			t.Fatal(err)
		}
		waves = append(waves, p.wave())
	}
	return waves
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		p := newPlasma(pool, 64, 5000)
		advance(t, p, 300)
		return p.hash(), nil
	})
}

// TestGrowth compares the measured growth rate with the exact growth rate.
func TestGrowth(t *testing.T) {
	var g growth
	p := newPlasma(jobs.Default(), 64, 6000)
	for i, wave := range advance(t, p, 800) {
		g.add(float64(i)*dt, wave)
	}
	if want := 1 / math.Sqrt(8); math.Abs(g.rate()/want-1) > 0.005 {
		t.Errorf("the growth rate is %v, want %v within half a percent", g.rate(), want)
	}
}

// TestMomentum checks that the forces of the electrons on each other cancel.
func TestMomentum(t *testing.T) {
	p := newPlasma(jobs.Default(), 64, 6000)
	advance(t, p, 800)
	if sum := kernels.Sum(p.v); math.Abs(sum) > 1e-8 {
		t.Errorf("the velocities add up to %v, want 0", sum)
	}
}

// TestOrder checks that the field has the same bits if the electrons are in another order. An ordinary sum of
// floats would depend on the order.
func TestOrder(t *testing.T) {
	p, q := newPlasma(jobs.Default(), 64, 6000), newPlasma(jobs.Default(), 64, 6000)
	slices.Reverse(q.x)
	slices.Reverse(q.v)
	if a, b := advance(t, p, 200), advance(t, q, 200); !slices.Equal(a, b) {
		t.Error("the field depends on the order of the electrons")
	}
}

// TestPicture checks that each beam has its colour before the waves grow.
func TestPicture(t *testing.T) {
	m := newPlasma(jobs.Default(), 64, 20000).picture(100, 60)
	if blue, red := m.RGBAAt(50, 20), m.RGBAAt(50, 40); blue.B != 255 || blue.R > 60 || red.R != 255 || red.B > 60 {
		t.Errorf("the beams have the colours %v and %v, want blue and red", blue, red)
	}
}
