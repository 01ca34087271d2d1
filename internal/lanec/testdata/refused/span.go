package refused

//lanec:kernel SpanOfRow
func spanOfRow(x, y []float32, start, list []int32) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i]:start[i+1]] { // a part of a list is understood that several rows share
			s += y[k]
		}
		x[i] = s
	}
}

//lanec:kernel SpanOfTwo
func spanOfTwo(x, y []float32, start, end, list []int32) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i/4]:end[i/4+1]] { // begins and ends at two neighbours of one slice
			s += y[k]
		}
		x[i] = s
	}
}

//lanec:kernel SpanOfGroups
func spanOfGroups(x, y []float32, start, list []int32, n int) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i/4]:start[i/n+1]] { // begins and ends at two neighbours of one slice
			s += y[k]
		}
		x[i] = s
	}
}

//lanec:kernel SpanPosition
func spanPosition(x, y []float32, start, list []int32) {
	for i := range x {
		s := x[i]
		for j, k := range list[start[i/8]:start[i/8+1]] { // the position in a list has no meaning
			s += y[k] + y[j]
		}
		x[i] = s
	}
}

//lanec:kernel SpanWide
func spanWide(x, y []float32, start, list []int64) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i/8]:start[i/8+1]] { // has elements of type int32
			s += y[k]
		}
		x[i] = s
	}
}

//lanec:kernel SpanLate
func spanLate(x, y []float32, start, list []int32) {
	for i := range x {
		x[i] = 0
		s := y[i]
		for _, k := range list[start[i/8]:start[i/8+1]] { // list is looked up after something was written
			s += float32(k)
		}
		x[i] = s
	}
}

//lanec:kernel SpanWrites
func spanWrites(x, y []float32, start, list []int32) {
	for i := range x {
		for _, k := range list[start[i/8]:start[i/8+1]] {
			x[i] += y[k] // y is looked up after something was written
		}
	}
}

//lanec:kernel SpanAssigned
func spanAssigned(x, y []float32, start, list []int32) {
	for i := range x {
		s := y[i]
		for _, k := range list[start[i/8]:start[i/8+1]] {
			k++ // k is an element of a list: give its value to a variable of the row first
			s += y[k]
		}
		x[i] = s
	}
}

//lanec:kernel SpanProduct
func spanProduct(x, y []float32, start, list []int32) {
	for i := range x {
		s := y[i]
		for _, k := range list[start[i/8]:start[i/8+1]] {
			s += y[k] * y[k] // this product meets
		}
		x[i] = s
	}
}

//lanec:kernel SpanOwn
func spanOwn(x []float32, start, list []int32) {
	for i := range x {
		s := x[i]
		for _, k := range list[start[i/8]:start[i/8+1]] {
			s += x[k]
		}
		x[i] = s // x is read at other rows and written here
	}
}
