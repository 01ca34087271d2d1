package refused

//lanec:kernel WholeRow
func wholeRow(m, n [][16]float32, x []float32) {
	for i := range x {
		m[i] = n[i] // n has arrays for rows: write which number of the row
	}
}

//lanec:kernel WhichNumber
func whichNumber(m [][16]float32, x []float32, n int) {
	for i := range x {
		for j := range n {
			x[i] += m[i][j] // which number of an array is meant must be a constant
		}
	}
}

//lanec:kernel OtherMatrix
func otherMatrix(m [][16]float32, x []float32) {
	for i := range x {
		x[i] = m[i+1][3] // m has arrays for rows, of which a kernel sees that of its own row: write m[i]
	}
}

//lanec:kernel MatrixCopy
func matrixCopy(m [][16]float32, x []float32) {
	for i, a := range m { // a range over arrays with a value would copy them
		x[i] = a[3]
	}
}

//lanec:kernel LongRows
func longRows(m [][17]float32, x []float32) {
	for i := range x {
		x[i] = m[i][16] // m has 17 numbers a row: up to 16 are understood
	}
}
