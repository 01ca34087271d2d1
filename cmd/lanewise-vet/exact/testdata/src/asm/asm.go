// Package asm has functions without a Go body, on every CPU or on some.
package asm

import "unsafe"

func norm(x []float64) float64

func Norm(x []float64) float64 { return norm(x) }

func Scaled(x []float64) []float64 { return x }

func Copied(p unsafe.Pointer, n int)

//go:linkname Linked mod.sum
func Linked(p unsafe.Pointer, n int)

//go:linkname LinkedDeep mod/sub.sum
func LinkedDeep(p unsafe.Pointer, n int)

//go:linkname LinkedFar go.example.org/x/y.sum
func LinkedFar(p unsafe.Pointer, n int)

//go:linkname Memmove runtime.memmove
func Memmove(to, from unsafe.Pointer, n uintptr)

//go:linkname Equal internal/bytealg.Equal
func Equal(p unsafe.Pointer, n int) bool

func Checksum(p []byte, n uint64) uint32

type Mat struct{ data []float64 }

func (m *Mat) mul(n *Mat)

func (m *Mat) Mul(n *Mat) { m.mul(n) }

type Mixer interface{ Mix(x []float64) float64 }

type native struct{}

func (native) Mix(x []float64) float64 { return norm(x) }

var mixer Mixer = native{}

func Mix(x []float64) float64 { return mixer.Mix(x) }

var Best = plain

func init() { Best = norm }

func plain(x []float64) float64 { return x[0] }

func Plain(x []float64) float64 { return plain(x) }
