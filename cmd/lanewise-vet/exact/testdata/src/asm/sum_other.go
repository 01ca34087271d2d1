//go:build !s390x

package asm

func Sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func Mul(x []float64) float64 { return 1 }

func Len(x []float64) int { return len(x) }
