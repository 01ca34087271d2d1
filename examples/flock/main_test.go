package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// golden is the hash of 1,500 birds after 20 ticks: on every machine, with any number
// of workers.
const golden = 0xfccff1cfaf6d59c4

func TestHash(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 64} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			pool := jobs.New(jobs.Workers(workers))
			defer func() { _ = pool.Close() }()
			o, err := study.Once[*Flock](pool, "birds=1500", "ticks=20")
			if err != nil {
				t.Fatal(err)
			}
			if o.Hash != golden {
				t.Errorf("hash is %#016x, want %#016x (%+v)", o.Hash, uint64(golden), o)
			}
		})
	}
}

// The model is fit for a study.
func TestFlock(t *testing.T) { study.Test[*Flock](t, "birds=700", "ticks=5") }

// Without noise they end up flying one way, with much of it they do not.
func TestOrder(t *testing.T) {
	quiet, err := study.Once[*Flock](nil, "birds=150", "size=5", "noise=0", "ticks=150")
	if err != nil || quiet.Result.Order < 0.9 {
		t.Errorf("%+v, %v", quiet, err)
	}
	loud, err := study.Once[*Flock](nil, "birds=150", "size=5", "noise=10", "ticks=30")
	if err != nil || loud.Result.Order > 0.4 {
		t.Errorf("%+v, %v", loud, err)
	}
	if _, err := study.Once[*Flock](nil, "size=3", "view=2"); err == nil {
		t.Error("a square of less than three views")
	}
}

// The grid finds whom a comparison with everybody finds.
func TestGrid(t *testing.T) {
	const n, size, view = 300, 7, 1
	at, way := vectors(n), vectors(n)
	for i := range n {
		row := random.Key{Seed: 1}.ID(uint64(i))
		u := random.Uniform4Of[float32](row)
		at.X[i], at.Y[i] = float32(size*u[0]), float32(size*u[1])
		way.X[i], way.Y[i] = 1, float32(i) // sums of whole numbers are exact in any order
	}
	g := grid{cells: size / view, side: size}
	g.sort(at)
	sorted := slices.Clone(g.rows)
	if slices.Sort(sorted); len(slices.Compact(sorted)) != n {
		t.Fatal("birds are lost, or twice")
	}
	for i := range n {
		x, y := float32(0), float32(0)
		for j := range n {
			u, v := g.near(at.X[j]-at.X[i]), g.near(at.Y[j]-at.Y[i])
			if float32(u*u)+float32(v*v) <= view {
				x, y = x+way.X[j], y+way.Y[j]
			}
		}
		if gx, gy := g.around(i, at, way, view); gx != x || gy != y {
			t.Errorf("bird %d: %v and %v, want %v and %v", i, gx, gy, x, y)
		}
	}
}
