package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/lanewise/lanewise/bench/compare/worlds"
	"github.com/lanewise/lanewise/internal/crowd"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/order"
	"github.com/lanewise/lanewise/random"
)

// move returns AddScaled on three lanes, and several forms of the same loop in Go.
func move[T kernels.Float](path string, n int) func(*rig) (side, []side, error) {
	return onPath(path, func() (side, []side) {
		made = 0
		p, v := vecs[T](n), vecs[T](n)
		return calls(path, path, func() { p.AddScaled(p, v, 1e-9) }), []side{
			calls("one loop", "", func() { plainIntegrate(p, v, 1e-9) }),
			calls("one loop that reads first", "", func() { moveReadingFirst(p, v, 1e-9) }),
			calls("a loop for each lane", "", func() {
				moveLane(p.X, v.X, 1e-9)
				moveLane(p.Y, v.Y, 1e-9)
				moveLane(p.Z, v.Z, 1e-9)
			}),
		}
	})
}

// onPath returns the sides that find returns, or an error if this CPU lacks the given path of the kernels.
func onPath(path string, find func() (side, []side)) func(*rig) (side, []side, error) {
	return func(*rig) (side, []side, error) {
		if !slices.Contains(kernels.Paths(), path) {
			return side{}, nil, errMissing("there is no " + path + " here")
		}
		ours, rivals := find()
		return ours, rivals, nil
	}
}

//go:noinline
func moveReadingFirst[T kernels.Float](p, v *kernels.Vec3s[T], s T) {
	n := len(p.X)
	px, py, pz := p.X, p.Y[:n], p.Z[:n]
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range px {
		px[i], py[i], pz[i] = px[i]+T(vx[i]*s), py[i]+T(vy[i]*s), pz[i]+T(vz[i]*s)
	}
}

//go:noinline
func moveLane[T kernels.Float](x, v []T, s T) {
	v = v[:len(x)]
	for i := range x {
		x[i] += T(v[i] * s)
	}
}

// sincos returns Sincos, and a loop that calls math.Sincos.
func sincos(path string) func(*rig) (side, []side, error) {
	return onPath(path, func() (side, []side) {
		x := numbersBetween[float32](1024, 0, -10, 10)
		sin, cos := make([]float32, len(x)), make([]float32, len(x))
		return calls(path, path, func() { kernels.Sincos(sin, cos, x) }), []side{
			calls("math.Sincos", "", func() { plainSincos(sin, cos, x) }),
		}
	})
}

//go:noinline
func plainSincos(sin, cos, x []float32) {
	sin, cos = sin[:len(x)], cos[:len(x)]
	for i, v := range x {
		s, c := math.Sincos(float64(v))
		sin[i], cos[i] = float32(s), float32(c)
	}
}

// total returns Sum, and loops in Go with one and with eight partial sums.
func total(path string) func(*rig) (side, []side, error) {
	return onPath(path, func() (side, []side) {
		made = 0
		x := lane[float32](2048)
		return calls(path, path, func() { sink = float64(kernels.Sum(x)) }), []side{
			calls("one sum", "", func() { sink = float64(plainSum(x)) }),
			calls("eight sums", "", func() { sink = float64(sumInEight(x)) }),
		}
	})
}

//go:noinline
func sumInEight(x []float32) float32 {
	var a, b, c, d, e, f, g, h float32
	for ; len(x) >= 8; x = x[8:] {
		p := (*[8]float32)(x)
		a, b, c, d = a+p[0], b+p[1], c+p[2], d+p[3]
		e, f, g, h = e+p[4], f+p[5], g+p[6], h+p[7]
	}
	for _, v := range x {
		a += v
	}
	return ((a + b) + (c + d)) + ((e + f) + (g + h))
}

// sortStandard sorts a million keys, after a copy that restores them.
func sortStandard(*rig) (side, []side, error) {
	const n = 1_000_000
	r := rand.New(rand.NewPCG(1, 2))
	keys, work := make([]uint32, n), make([]uint32, n)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	var s order.Sorter[uint32, int32]
	return calls("ours", "", func() { copy(work, keys); s.Sort(work) }),
		[]side{calls("slices.Sort", "", func() { copy(work, keys); slices.Sort(work) })}, nil
}

// lcg draws the words of sort.cpp and near.c.
type lcg uint32

func (l *lcg) next() uint32 {
	*l = *l*1664525 + 1013904223
	return uint32(*l)
}

// sortC compares a sort of keys alone, after a copy, with the two radix sorts of sort.cpp.
func sortC(n int) func(*rig) (side, []side, error) {
	return func(r *rig) (side, []side, error) {
		p, err := r.native("sorts", "sort.cpp", []string{"-std=c++17", "-O3", "-march=native", "-ffp-contract=off"})
		if err != nil {
			return side{}, nil, err
		}
		words := lcg(1)
		keys, work := make([]uint32, n), make([]uint32, n)
		for i := range keys {
			w := words.next()
			keys[i] = w ^ w>>15
		}
		var s order.Sorter[uint32, int32]
		ours := calls("ours", "", func() { copy(work, keys); s.Sort(work) })
		return ours, []side{askingSide(p, "keys", "uint32", 8, n), askingSide(p, "keys", "uint32", 11, n)}, nil
	}
}

// buildOrSum builds a grid of points, or sums over the neighbors of each point, and compares this with
// near.c.
func buildOrSum(build bool) func(*rig) (side, []side, error) {
	return func(r *rig) (side, []side, error) {
		const n = 100_000
		p, err := r.native("neighbours", "near.c", []string{"-O3", "-mavx2", "-ffp-contract=off"})
		if err != nil {
			return side{}, nil, err
		}
		if !slices.Contains(kernels.Paths(), "avx2") {
			return side{}, nil, errMissing("there is no avx2 here")
		}
		words := lcg(1)
		var lanes [4][]float32
		for k := range lanes {
			lanes[k] = make([]float32, n)
		}
		for i := range n {
			for k := range lanes {
				lanes[k][i] = float32(words.next()>>8) * 0x1p-24
			}
		}
		pool := jobs.New(jobs.Workers(1))
		r.closers = append(r.closers, pool.Close)
		s := crowd.New(pool, lanes[0], lanes[1], lanes[2], lanes[3])
		if build {
			return calls("ours", "avx2", s.Build), []side{askingSide(p, n, crowd.Side(n), "build")}, nil
		}
		sums := calls("ours", "avx2", func() { must(s.Sum()) })
		return sums, []side{askingSide(p, n, crowd.Side(n), "sums"), askingSide(p, n, crowd.Side(n), "tiles")}, nil
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// uniform draws 1,024 numbers by index, and compares this with Philox in draw.c.
func uniform(r *rig) (side, []side, error) {
	const n = 1024
	p, err := r.native("draws", "draw.c", []string{"-O3", "-ffp-contract=off"})
	if err != nil {
		return side{}, nil, err
	}
	if !slices.Contains(kernels.Paths(), "avx2") {
		return side{}, nil, errMissing("there is no avx2 here")
	}
	dst, from := make([]float32, n), random.Key{Seed: 1}.Rows(0)
	return calls("ours", "avx2", func() { random.Uniform(dst, from) }), []side{askingSide(p, "index", 256, n)}, nil
}

// A cell holds the state of one block. A cell fills a cache line, so that blocks do not share one.
type cell struct {
	v uint64
	_ [56]byte
}

// spin computes for about a microsecond: a chain of multiplications that a compiler cannot shorten.
func spin(c *cell) {
	x := c.v
	for range 800 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	c.v = x
}

// runBlocks runs n blocks of about a microsecond on all cores. The rivals use errgroup and goroutines.
func runBlocks(n int) func(*rig) (side, []side, error) {
	return func(r *rig) (side, []side, error) {
		cells := make([]cell, n)
		run := func(lo, hi int) {
			for i := lo; i < hi; i++ {
				spin(&cells[i])
			}
		}
		pool := jobs.New()
		scope := pool.Scope(context.Background())
		r.closers = append(r.closers, func() error { scope.End(); return pool.Close() })
		workers := pool.Workers()
		return calls("Range", "", func() { must(pool.Range(n, 1, run)) }), []side{
			calls("errgroup, a share for each core", "", func() {
				var g errgroup.Group
				for w := range workers {
					g.Go(func() error { run(w*n/workers, (w+1)*n/workers); return nil })
				}
				must(g.Wait())
			}),
			calls("goroutines that take the next block", "", func() {
				var next atomic.Int64
				var g sync.WaitGroup
				for range workers {
					g.Go(func() {
						for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
							run(i, i+1)
						}
					})
				}
				g.Wait()
			}),
		}, nil
	}
}

// secondWorker runs 1,024 blocks of about a microsecond on two workers. The rival has one worker.
func secondWorker(r *rig) (side, []side, error) {
	const n = 1024
	cells := make([]cell, n)
	run := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			spin(&cells[i])
		}
	}
	on := func(workers int) side {
		pool := jobs.New(jobs.Workers(workers))
		r.closers = append(r.closers, pool.Close)
		return calls("Range", "", func() { must(pool.Range(n, 1, run)) })
	}
	return on(2), []side{on(1)}, nil
}

// inC names the variants of kernels.c that use AVX2.
var inC = []string{"C avx2", "C auto2", "C any2", "C loop2"}

// kernelStep moves a million entities, chunk by chunk, and compares this with kernels.c on flat arrays.
func kernelStep(r *rig) (side, []side, error) {
	const n = 1_000_000
	p, err := r.native(".", "kernels.c", kernelFlags)
	if err != nil {
		return side{}, nil, err
	}
	ours, _, err := waySides(worlds.Loops, n, "the kernel", "Ark: ")(r)
	if err != nil {
		return side{}, nil, err
	}
	var rivals []side
	for _, s := range (&program{p}).sides("integrate", 32, n) {
		if slices.Contains(inC, s.name) {
			rivals = append(rivals, s)
		}
	}
	return ours, rivals, nil
}
