package main

import (
	"math"
	"time"
)

// A cell holds the state of one block. A cell fills a cache line, so that blocks do not
// share one.
type cell struct {
	v uint64
	_ [56]byte
}

var cells [16384]cell

// rounds is the number of steps of the chain that take a microsecond on this
// machine.
var rounds = 1000

// workBlock does a block of about one microsecond: a chain of multiplications
// that a compiler cannot shorten.
func workBlock(i int) {
	x := cells[i].v
	for range rounds {
		x = x*6364136223846793005 + 1442695040888963407
	}
	cells[i].v = x
}

// calibrate sets rounds.
func calibrate() {
	best := int64(math.MaxInt64)
	for range 200 {
		start := now()
		for i := range 10 {
			workBlock(i)
		}
		best = min(best, now()-start)
	}
	rounds = int(10 * int64(time.Microsecond) * int64(rounds) / best)
}

func emptyBlock(int) {}

// A chunk holds 16 KiB of particles.
type chunk struct{ pos, vel [2048]float32 }

const chunks = 4096 // 64 MiB

var particles []chunk

func makeParticles() {
	particles = make([]chunk, chunks)
	for i := range particles {
		for k := range particles[i].pos {
			particles[i].pos[k], particles[i].vel[k] = float32(k)*0.5, float32(i)*0.25
		}
	}
}

// axpyBlock computes pos += vel*dt for one chunk.
func axpyBlock(i int) {
	c := &particles[i]
	for k := range c.pos {
		c.pos[k] += float32(c.vel[k] * 0.016)
	}
}

// copyBlock copies half a chunk onto the other half.
func copyBlock(i int) { copy(particles[i].pos[:], particles[i].vel[:]) }

// computeBlock computes a chain of roots and divisions over a quarter of a chunk.
func computeBlock(i int) {
	c := &particles[i&255]
	for k := range 512 {
		x, y := c.pos[k], c.vel[k]
		for range 8 {
			l := 1 / float32(math.Sqrt(float64(float32(x*x)+float32(y*y)+1)))
			x, y = float32(x*l)-float32(y*0.01), float32(y*l)+float32(x*0.01)
		}
		c.pos[k+1024], c.vel[k+1024] = x, y
	}
}

// A kernel is the body of a block, with a name and a size.
type kernel struct {
	name   string
	blocks int
	block  func(int)
}

var kernelList = []kernel{
	{"compute", 1024, computeBlock},
	{"axpy 64 MiB", chunks, axpyBlock},
	{"copy 64 MiB", chunks, copyBlock},
	{"axpy 1 MiB", 64, axpyBlock},
}
