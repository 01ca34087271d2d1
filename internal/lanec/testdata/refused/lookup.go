package refused

//lanec:kernel Neighbour
func neighbour(x, y []float32) {
	for i := range x {
		x[i] = y[i-1] // y at a row before the loop's
	}
}

//lanec:kernel TwoRows
func twoRows(x, y []float32) {
	for i := range x {
		x[i] = y[i+i] // neither the row's, a loop's counter, a constant nor a number of the row
	}
}

//lanec:kernel FurtherOn
func furtherOn(x []float32) {
	for i := range x {
		x[i] = 1
		x[i] = x[i+1] // x is written at its own row and read at another one
	}
}

//lanec:kernel FurtherWritten
func furtherWritten(x []float32) {
	for i := range x {
		x[i] = x[i+1] // x is read at other rows and written here
	}
}

//lanec:kernel Late
func late(x, y []float32, k []int32) {
	for i := range x {
		x[i] = 1
		x[i] = y[k[i]] // y is looked up after something was written
	}
}

//lanec:kernel LateBehindBranch
func lateBehindBranch(x, y []float32, k []int32, on bool) {
	for i := range x {
		if on {
			x[i] = 1
		}
		x[i] = y[k[i]] // y is looked up after something was written
	}
}

//lanec:kernel LateInLoop
func lateInLoop(x, y []float32, k []int32) {
	for i := range x {
		for range 3 {
			n := k[i]
			x[i] = y[n] // y is looked up after something was written
		}
	}
}

//lanec:kernel LateScatter
func lateScatter(x, y []float32, k []int32) {
	for i := range x {
		x[i] = 1
		y[k[i]] = 1 // y is looked up after something was written
	}
}

//lanec:kernel Before
func before(x, y []float32, k int32) {
	v := y[k] // no place before the loop over the rows
	for i := range x {
		x[i] = v
	}
}

//lanec:kernel GatherWritten
func gatherWritten(x []float32, k []int32) {
	for i := range x {
		x[i] = x[k[i]] // x is read at other rows and written here
	}
}

//lanec:kernel ScatterRead
func scatterRead(x []float32, k []int32) {
	for i := range k {
		x[k[i]] = x[i] // x is written at an index that is computed, and used elsewhere in the row too
	}
}

//lanec:kernel ScatterLookedUp
func scatterLookedUp(x []float32, k []int32) {
	for i := range k {
		v := x[k[i]]
		x[k[i]] = v + 1 // x is written at an index that is computed, and used elsewhere in the row too
	}
}

//lanec:kernel ScatterBefore
func scatterBefore(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] = 1
		y[i] = x[k[i]] // x is written at an index that is computed, and used here too
	}
}

//lanec:kernel ScatterWritten
func scatterWritten(x []float32, k []int32) {
	for i := range k {
		x[k[i]] = 1
		x[i] = 2 // x is written at an index that is computed, and used here too
	}
}

//lanec:kernel ScatterRow
func scatterRow(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] = 1
		y[i] = x[i] // x is written at an index that is computed, and used here too
	}
}

//lanec:kernel ScatterFurther
func scatterFurther(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] = 1
		y[i] = x[i+1] // x is written at an index that is computed, and used here too
	}
}

//lanec:kernel ScatterProduct
func scatterProduct(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] *= y[i] // =, +=, -=, ++ and -- are understood
	}
}

//lanec:kernel ScatterBits
func scatterBits(x []uint32, k []int32) {
	for i := range k {
		x[k[i]] &^= 3 // and &=, |= and ^= of integers
	}
}

//lanec:kernel ScatterInLoop
func scatterInLoop(x []float32, k []int32) {
	for i := range k {
		for range 3 {
			x[k[i]]++ // x is written at an index that is computed, in a loop of the row
		}
	}
}

//lanec:kernel ScatterFused
func scatterFused(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] += y[i] * y[i] // this product meets the sum at
	}
}

//lanec:kernel ScatterStored
func scatterStored(x, y []float32, k []int32) {
	for i := range k {
		x[k[i]] = y[i] * y[i] // this product meets the sum at
		x[k[i]] += 1
	}
}

//lanec:kernel IntIndex
func intIndex(x, y []float32, n int) {
	for i := range x {
		x[i] = y[n] // neither the row's, a loop's counter, a constant nor a number of the row
	}
}

//lanec:kernel RangeBefore
func rangeBefore(x []float32, n int32) {
	for range n { // the number of turns must be the same for all rows
		x[0] = 0
	}
}

//lanec:kernel StartBefore
func startBefore(x []float32, n int32) {
	for j := n; j < 5; j++ { // the loop over the rows is for i := range x
		x[0] = 0
	}
}

//lanec:kernel AroundRow
func aroundRow(x, y []float32, n int) {
	for i := range x {
		x[i] = y[i%n] // neither the row's, a loop's counter, a constant nor a number of the row: compute it in int32
	}
}
