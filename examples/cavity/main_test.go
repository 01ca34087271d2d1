package main

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// golden is the hash of 24 × 24 cells after 60 steps. It is the same on every machine and path, with any number of
// workers.
const golden = 0xed17430b8f5eedf9

// flow returns a box after some steps.
func flow(t *testing.T, pool *jobs.Pool, cells, steps int) *box {
	t.Helper()
	b := newBox(pool, cells, 100)
	for range steps {
		if err := b.step(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) { return flow(t, pool, 24, 60).hash(), nil })
}

// TestGhia compares the speeds with the table. With the default size, the speeds differ from the table by at most 0.6
// percent of the lid's speed.
func TestGhia(t *testing.T) {
	b := flow(t, jobs.Default(), 64, 20000)
	for _, row := range ghia {
		if got := b.middle(row.height); math.Abs(got-row.speed) > 0.006 {
			t.Errorf("the speed at the height %v is %.4f, want %v within 0.006", row.height, got, row.speed)
		}
	}
}

// TestMass checks that no fluid leaves the box: the walls reflect all fluid that flows out.
func TestMass(t *testing.T) {
	b := flow(t, jobs.Default(), 24, 500)
	mass := 0.0
	for _, f := range b.now {
		for y := range 24 {
			for _, v := range f.Row(y, 0) {
				mass += v
			}
		}
	}
	if math.Abs(mass-24*24) > 1e-9 {
		t.Errorf("the fluid has the mass %v, want %v", mass, 24*24)
	}
}

// TestCollide compares the compiled kernel with its Go source on every path.
func TestCollide(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		var n, f [9][]float64
		for i := range f {
			n[i], f[i] = kerneltest.Lane[float64](in), kerneltest.Lane[float64](in)
		}
		omega := kerneltest.Value[float64](in)
		return func() {
				collide(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], omega)
			}, func() {
				Collide(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], omega)
			}
	})
}

// TestPicture checks that the fluid is fast below the lid and slow at the floor.
func TestPicture(t *testing.T) {
	m := flow(t, jobs.Default(), 24, 500).picture()
	if fast, slow := m.RGBAAt(256, 2), m.RGBAAt(256, 510); fast.R > 60 || slow.R < 200 {
		t.Errorf("the colors below the lid and at the floor are %v and %v, want blue and white", fast, slow)
	}
}
