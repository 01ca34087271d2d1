package asm

type width struct{ w float32 }

func sumVX(x []float64) float64

func mulVX(a *width)

func Sum(x []float64) float64 {
	if len(x) > 8 {
		return sumVX(x)
	}
	return 0
}

func Mul(x []float64) float64 { return helper(x) }

func helper(x []float64) float64 { mulVX(nil); return Sum(x) }

func Len(x []float64) int { return len(x) }
