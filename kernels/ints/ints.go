package ints

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

//go:generate go run ../../cmd/lanec

// Integer is the set of element types.
type Integer interface {
	int32 | uint32 | int64 | uint64
}

// checkLengths panics unless all lanes are as long as the first.
func checkLengths(kernel string, dst int, others ...int) {
	for i, n := range others {
		if n != dst {
			panic(fmt.Sprintf("ints: %s: len(%c) is %d, len(dst) is %d", kernel, "xy"[i], n, dst))
		}
	}
}

func checkMaskLength(kernel string, mask, rows int) {
	if mask != kernels.MaskLen(rows) {
		panic(fmt.Sprintf("ints: %s: len(mask) is %d, MaskLen(len(x)) is %d", kernel, mask, kernels.MaskLen(rows)))
	}
}

// checkSameLength panics unless y is as long as x.
func checkSameLength(kernel string, x, y int) {
	if y != x {
		panic(fmt.Sprintf("ints: %s: len(y) is %d, len(x) is %d", kernel, y, x))
	}
}
