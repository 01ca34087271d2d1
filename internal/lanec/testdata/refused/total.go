package refused

import "github.com/lanewise/lanewise/kernels"

//lanec:kernel TotalProduct
func totalProduct(sum *kernels.Total[float32], x []float32) {
	for i := range x {
		sum.Add(i, x[i]*x[i]) // this product meets the sum at 8:3
	}
}

//lanec:kernel TotalElsewhere
func totalElsewhere(sum *kernels.Total[float32], x []float32) {
	for i := range x {
		sum.Add(i+1, x[i]) // at the index of the row: sum.Add(i, …)
	}
}

//lanec:kernel TotalOfLoop
func totalOfLoop(sum *kernels.Total[float32], x []float32) {
	for i := range x {
		for j := range 3 {
			sum.Add(j, x[i]) // at the index of the row: sum.Add(i, …)
		}
	}
}

//lanec:kernel TotalAsked
func totalAsked(sum *kernels.Total[float32], x []float32) {
	for range x {
		sum.Sum() // of a total a kernel knows Add
	}
}

//lanec:kernel TotalUsed
func totalUsed(sum *kernels.Total[float32], x []float32) {
	for i := range x {
		x[i] = sum.Sum() // a call of a method is not understood
	}
}

//lanec:kernel TotalBefore
func totalBefore(sum *kernels.Total[float32], x []float32) {
	sum.Add(0, 1) // added to in the loop over the rows
	for i := range x {
		x[i] = 0
	}
}

//lanec:kernel TotalLate
func totalLate(sum *kernels.Total[float32], x []float32, k []int32) {
	for i := range k {
		sum.Add(i, 1)
		sum.Add(i, x[k[i]]) // x is looked up after something was written
	}
}

//lanec:kernel OtherPointer
func otherPointer(sum *kernels.Total[float32], x []float32) {
	s := sum // a pointer that is no parameter
	for i := range x {
		s.Add(i, x[i])
	}
}
