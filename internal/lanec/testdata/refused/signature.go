package refused

// What cannot be a kernel by its signature.

//lanec:kernel Method
func (p point) method(x []float32) { // a method cannot be a kernel
}

//lanec:kernel Typed
func typed[T float32](x []T) { // a kernel with type parameters is made for one type at a time: say so with its name, //lanec:kernel Typed32[float32]
}

//lanec:kernel Result
func result(x []float32) float32 { // a kernel returns nothing
	return 0
}

//lanec:kernel NoLane
func noLane(x float32) { // no parameter is a slice of numbers
}

//lanec:kernel Bytes
func bytes(x []float32, b []byte) { // byte is no number of 32 or 64 bits
}

//lanec:kernel Bools
func bools(x []float32, b []bool) { // a slice of bool has elements of 8 bits
}

//lanec:kernel Ints
func ints(x []float32, b []int) { // int has another width on other CPUs: write int32
}

//lanec:kernel Strings
func texts(x []float32, b []string) { // string is no number of 32 or 64 bits
}

//lanec:kernel Structs
func structs(x []float32, b []point) { // refused.point is no number
}

//lanec:kernel Maps
func maps(x []float32, b map[int]int) { // a parameter of type map[int]int is not understood
}

//lanec:kernel Pointer
func pointer(x []float32, b *float32) { // a pointer is understood to a struct of slices or an array only
}

//lanec:kernel Blank
func blank(x []float32, _ float32) { // a parameter cannot be called _ here
}

//lanec:kernel Unnamed
func unnamed([]float32) { // every parameter needs a name
}

//lanec:kernel Assembly
func assembly(x []float32) // a kernel needs a body in Go

//lanec:kernel IntsAlone
func intsAlone(b []int) { // int has another width on other CPUs: write int32
}

//lanec:kernel Points
func points(p []point) { // []point is a slice of structs
}

//lanec:kernel Value
func value(v view) { // a struct of slices is passed by its address: write *view
}
