package order

import (
	"fmt"
	"math"
)

const maxRows = math.MaxInt32

// fits panics if there are more rows than an int32 can name.
func fits(name string, n int64) {
	if n > maxRows {
		panic(fmt.Sprintf("order: %s: there are %d rows, the most is %d", name, n, int64(maxRows)))
	}
}

// equal panics unless two lengths are.
func equal(name, x string, n int, y string, want int) {
	if n != want {
		panic(fmt.Sprintf("order: %s: len(%s) is %d, len(%s) is %d", name, x, n, y, want))
	}
}
