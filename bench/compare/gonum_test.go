package main

import (
	"math"
	"testing"
)

// TestBesideGonum checks that the two functions of each pair compute the same number, except for the
// last bits of sums, which are added in different orders.
func TestBesideGonum(t *testing.T) {
	for _, n := range []int{16, 1000} {
		for _, p := range listPairs() {
			theirs, mine := p.call(newOperands(n))
			for range 2 {
				if a, b := theirs(), mine(); !(math.Abs(a-b) <= 1e-12*math.Abs(a)) {
					t.Errorf("%d rows: %s is %v, kernels.%s is %v", n, p.gonum, a, p.kernel, b)
				}
			}
		}
	}
}
