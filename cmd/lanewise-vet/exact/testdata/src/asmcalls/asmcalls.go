// Package asmcalls calls functions that have no Go body somewhere, and has one.
package asmcalls

import (
	"asm"

	_ "github.com/lanewise/lanewise/ecs"
)

func here(x []float64) float64 // want `asmcalls/asmcalls.go:10: here has no Go body, so nothing is known of its bits`

//lanewise:inexact the test compares it with a loop
func accepted(x []float64) float64

func host(x []float64) float64      { return asm.Norm(x) }             // want `asm.Norm is not exact: asm/asm.go:6: norm has no Go body`
func elsewhere(x []float64) float64 { return asm.Sum(x) + asm.Mul(x) } // want `asm.Sum is not exact: asm/sum_s390x.go:5: sumVX has no Go body` `asm.Mul is not exact: asm/sum_s390x.go`
func method(m, n *asm.Mat)          { m.Mul(n) }                       // want `asm.Mul is not exact: asm/asm.go:33: mul has no Go body`
func inside(x []float64) float64    { return asm.Mix(x) }              // want `asm.Mix is not exact: asm/asm.go:6: norm`
func variable(x []float64) float64  { return asm.Best(x) }             // want `asm.Best is not exact: asm/asm.go:6: norm`
func pointer()                      { asm.Copied(nil, 3) }             // want `asm.Copied is not exact: asm/asm.go:12: Copied has no Go body`
func linked() {
	asm.Linked(nil, 3)     // want `asm.Linked is not exact: asm/asm.go:15: Linked has no Go body`
	asm.LinkedDeep(nil, 3) // want `asm.LinkedDeep is not exact: asm/asm.go:18: LinkedDeep has no Go body`
	asm.LinkedFar(nil, 3)  // want `asm.LinkedFar is not exact: asm/asm.go:21: LinkedFar has no Go body`
	asm.Memmove(nil, nil, 3)
	asm.Equal(nil, 3)
}
func fine(x []float64, y []float32, p []byte) (float64, uint32, int) {
	asm.Spring(y)
	return asm.Plain(x), asm.Checksum(p, 1), asm.Len(asm.Scaled(x))
}
