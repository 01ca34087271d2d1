//go:build !purego

package raster

import "github.com/lanewise/lanewise/kernels"

// vectors reports whether assembly draws four pixels at once, which it does on
// the paths with AVX2.
func vectors() bool { return kernels.Path() != "generic" }

// tinyAVX2 draws a triangle into rows of sums that are stride bytes apart. It
// draws 4*groups pixels of each row. The edges have their values at the
// corner of the first pixel, and are as small as [band.vector] guarantees.
//
//go:noescape
func tinyAVX2(sums *uint64, stride, groups, rows int, e *[3]edge, color uint64)

// resolveAVX2 is [band.resolveSolid] for a multiple of eight pixels.
//
//go:noescape
func resolveAVX2(pix []byte, sums []uint64)
