package main

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

const (
	rows   = 4096
	bodies = 1024
)

// data holds the operands of all kernels, as in source/kernels.c.
type data struct {
	f     [16][]float32
	d     [2][]float64
	g     [7][]float64 // bodies, their masses, and the bodies that attract them
	k     []int32
	near  []int32
	turns []int32
	seed  []uint32
	start []int32
}

// fill draws the numbers that kernels.c draws.
func fill() *data {
	state := uint32(1)
	next := func() uint32 {
		state = state*1664525 + 1013904223
		return state
	}
	d := &data{k: make([]int32, rows), turns: make([]int32, rows), seed: make([]uint32, rows), start: make([]int32, rows+1), near: make([]int32, 16*rows)}
	for l := range d.f {
		d.f[l] = make([]float32, rows)
		for i := range d.f[l] {
			d.f[l][i] = float32(float32(int32(next()>>8))*0x1p-22) - 2
		}
	}
	d.d = [2][]float64{make([]float64, rows), make([]float64, rows)}
	for i := range rows {
		d.d[1][i] = float64(next() >> 20)
		d.k[i] = int32(next() >> 22)
		d.seed[i] = next() | 1
	}
	for l := range d.g {
		d.g[l] = make([]float64, bodies)
		if l < 4 {
			kernels.Convert(d.g[l], d.f[l][:bodies])
		}
	}
	for i := range rows {
		d.start[i+1] = d.start[i] + 8 + int32(next()>>29)
	}
	for i := range rows {
		for j := d.start[i]; j < d.start[i+1]; j++ {
			d.near[j] = (int32(i) + int32(next()>>24)) & (rows - 1)
		}
	}
	return d
}

// hash returns the same hash as kernels.c.
func (d *data) hash() uint64 {
	h := uint64(14695981039346656037)
	add := func(w uint32) { h = (h ^ uint64(w)) * 1099511628211 }
	for _, lane := range d.f {
		for _, v := range lane {
			add(math.Float32bits(v))
		}
	}
	for _, lane := range slices.Concat(d.d[:], d.g[:]) {
		for _, v := range lane {
			add(uint32(math.Float64bits(v)))
			add(uint32(math.Float64bits(v) >> 32))
		}
	}
	for _, v := range d.turns {
		add(uint32(v))
	}
	for _, v := range d.seed {
		add(v)
	}
	return h
}

func (d *data) vec(l, n int) *kernels.Vec3s[float32] {
	return &kernels.Vec3s[float32]{X: d.f[l][:n], Y: d.f[l+1][:n], Z: d.f[l+2][:n]}
}

func (d *data) bodies() *kernels.Vec3s[float64] {
	return &kernels.Vec3s[float64]{X: d.g[0], Y: d.g[1], Z: d.g[2]}
}

func (d *data) pulled() *kernels.Vec3s[float64] {
	return &kernels.Vec3s[float64]{X: d.g[4], Y: d.g[5], Z: d.g[6]}
}

func (d *data) quat(l int) *kernels.Quats[float32] {
	return &kernels.Quats[float32]{X: d.f[l], Y: d.f[l+1], Z: d.f[l+2], W: d.f[l+3]}
}

func (d *data) system() *system {
	f := d.f[3:]
	return &system{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11]}
}

// A kernel is a loop in Go and lanec's code for this loop, for the same number
// of rows.
type kernel struct {
	name             string
	rows             int
	source, compiled func(d *data)
}

var list = []kernel{
	{"move", rows, func(d *data) { move(d.vec(0, rows), d.vec(3, rows), 1e-6) }, func(d *data) { Move(d.vec(0, rows), d.vec(3, rows), 1e-6) }},
	{"spring", rows, func(d *data) { spring(d.f[6], d.f[7], 0.1, 3, 0.2, 0.7, 0.01) }, func(d *data) { Spring(d.f[6], d.f[7], 0.1, 3, 0.2, 0.7, 0.01) }},
	{"gravity", bodies * bodies, func(d *data) { gravity(d.vec(8, bodies), d.vec(0, bodies), d.f[3][:bodies], 1e-3) }, func(d *data) {
		forces.Gravity(d.vec(8, bodies), d.vec(0, bodies), d.vec(0, bodies), d.f[3][:bodies], 1e-3)
	}},
	{"gravity64", bodies * bodies, func(d *data) { gravity(d.pulled(), d.bodies(), d.g[3], 1e-3) }, func(d *data) { forces.Gravity(d.pulled(), d.bodies(), d.bodies(), d.g[3], 1e-3) }},
	{"product", rows, func(d *data) { product(d.quat(0), d.quat(4), d.quat(8)) }, func(d *data) { Product(d.quat(0), d.quat(4), d.quat(8)) }},
	{"escape", rows, func(d *data) { escape(d.turns, d.f[0], d.f[1], 256) }, func(d *data) { Escape(d.turns, d.f[0], d.f[1], 256) }},
	{"root", rows, func(d *data) { root(d.d[0], d.d[1]) }, func(d *data) { Root(d.d[0], d.d[1]) }},
	{"wave", rows, func(d *data) { wave(d.f[0], d.f[1], d.seed, 7) }, func(d *data) { Wave(d.f[0], d.f[1], d.seed, 7) }},
	{"density", rows, func(d *data) { density(d.f[4], d.vec(0, rows), d.f[3], d.start, d.near, 2.5) }, func(d *data) { Density(d.f[4], d.vec(0, rows), d.f[3], d.start, d.near, 2.5) }},
	{"solve", rows, func(d *data) { solve(d.vec(0, rows), d.system()) }, func(d *data) { Solve(d.vec(0, rows), d.system()) }},
	{"table", rows, func(d *data) { table(d.f[0], d.f[1], d.k, d.f[2]) }, func(d *data) { Table(d.f[0], d.f[1], d.k, d.f[2]) }},
}
