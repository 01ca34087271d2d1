// Package refused holds a function for each reason that lanec has to refuse one. The comment at the end of a line is a
// part of what it says, and of where.
package refused

import (
	"math"
	"slices"
)

type view struct{ X, Y []float32 }

type point struct{ x float32 }

func (p point) get() float32 { return p.x }

var global float32

//lanec:kernel Sine
func sine(x []float32) {
	for i := range x {
		x[i] = float32(math.Sin(float64(x[i]))) // write kernels.SinOf
	}
}

//lanec:kernel ToInt
func toInt(x []float32, k []int32) {
	for i := range x {
		k[i] = int32(x[i]) // a float to an integer: Go's result differs between CPUs where the number is too large; write kernels.ToInt32
	}
}

//lanec:kernel Quotient
func quotient(k []int32) {
	for i := range k {
		k[i] /= k[i] // no CPU divides vectors of them
	}
}

//lanec:kernel ShiftBy
func shiftBy(k []uint32, n []int32) {
	for i := range k {
		k[i] = 1 << n[i] // a shift by a variable
	}
}

//lanec:kernel Scatter
func scatter(x []float32, n int) {
	for i := range x {
		for j := range n {
			x[j] = x[i] // x is written at another row than the loop's
		}
	}
}

//lanec:kernel ReadWritten
func readWritten(x []float32) {
	for i := range x {
		x[i] = 1
		for j := range x {
			x[i] = x[j] // x is written at its own row and read at another one
		}
	}
}

//lanec:kernel WriteRead
func writeRead(x, y []float32) {
	for i := range x {
		for j := range x {
			y[i] += x[j]
		}
		x[i] = 0 // x is read at other rows and written here
	}
}

//lanec:kernel TurnsOf
func turnsOf(x []float32, n int) {
	for i := range x {
		for range n + 1 { // this number must be the same for all rows
			x[i] = 0
		}
	}
}

//lanec:kernel Endless
func endless(x []float32) {
	for i := range x {
		for { // a loop without an end
			x[i] = 0
		}
	}
}

//lanec:kernel Parts
func parts(x []float32, n int) {
	for i := range x {
		for j := n; j > 0; j-- { // of loops with three parts only
			x[i] = 0
		}
	}
}

//lanec:kernel Break
func breaks(x []float32) {
	for i := range x {
		if x[i] > 1 {
			break // break would end the loop for later rows
		}
	}
}

//lanec:kernel Return
func returns(x []float32) {
	for i := range x {
		if x[i] > 1 {
			return // return would end the loop for later rows
		}
	}
}

//lanec:kernel ReturnBefore
func returnBefore(x []float32) {
	if len(x) == 0 { // if before the loop over the rows
		return
	}
	for i := range x {
		x[i] = 0
	}
}

//lanec:kernel Labels
func labels(x []float32, n int) {
rows: // a label is not understood
	for i := range x {
		for range n {
			continue rows
		}
		x[i] = 0
	}
}

//lanec:kernel Switch
func switches(x []float32) {
	for i := range x {
		switch {
		case x[i] > 1:
			x[i] = 1
			fallthrough // fallthrough in a switch is not understood
		case x[i] < 1:
			x[i] = 2
		}
	}
}

//lanec:kernel SwitchBreak
func switchBreak(x []float32) {
	for i := range x {
		switch {
		case x[i] > 1:
			if x[i] < 3 {
				break // break in a switch is not understood
			}
			x[i] = 1
		}
	}
}

//lanec:kernel SwitchBefore
func switchBefore(x []float32, up bool) {
	s := float32(1)
	switch { // switch before the loop over the rows
	case up:
		s = 2
	}
	for i := range x {
		x[i] += s
	}
}

//lanec:kernel ArrayRow
func arrayRow(x []float32, m *[4]float32) {
	for i := range x {
		x[i] = m[0]
		m[i] = 1 // read at other rows and written here
	}
}

//lanec:kernel Gamma
func gamma(x []float64) {
	for i := range x {
		x[i] = math.Gamma(x[i]) // math.Gamma has no place in a kernel
	}
}

//lanec:kernel After
func after(x []float32) {
	for i := range x {
		x[i] = 0
	}
	clear(x) // nothing may follow the loop over the rows
}

//lanec:kernel None
func none(x []float32) { // there is no loop over rows
}

//lanec:kernel Constant
func constant(x []float32) {
	for range 7 { // a loop over a constant number of rows
	}
}

//lanec:kernel While
func while(x []float32, n int32) {
	for n > 3 { // the loop over the rows is counted
	}
}

//lanec:kernel Types
func types(x []float32) {
	for i := range x {
		type own float32 // declare it outside
		x[i] = 0
	}
}

//lanec:kernel AnyPointer
func anyPointer(x []float32, v *view) {
	p := &view{} // a pointer that is no parameter
	_ = p
	for i := range x {
		x[i] = v.X[i]
	}
}

//lanec:kernel Assign
func assign(x []float32, v *view) {
	for i := range x {
		v.X = x // x is a whole lane or view
		x[i] = v.X[i]
	}
}

//lanec:kernel Key
func key(x []float32) {
	i := 0
	for i = range x { // write := in the range
		x[i] = 0
	}
}

//lanec:kernel RangeMap
func rangeMap(x []float32) {
	for range "text" { // a range over untyped string
		x[0] = 0
	}
}

//lanec:kernel RangeArray
func rangeArray(x []float32) {
	for i := range x {
		for range [3]int{} { // this is no lane
			x[i] = 0
		}
	}
}

//lanec:kernel Remainder
func remainder(k []int64) {
	for i := range k {
		k[i] %= k[i] // no CPU divides vectors of them
	}
}

//lanec:kernel Address
func address(x []float32) {
	for i := range x {
		p := &x[i] // a pointer that is no parameter
		*p = 0
	}
}

//lanec:kernel Defer
func defers(x []float32) {
	defer clear(x) // defer has no place in a kernel
	for i := range x {
		x[i] = 0
	}
}

//lanec:kernel Builtin2
func builtin2(x []float32) {
	for i := range x {
		x[i] = float32(copy(x, x)) // copy has no place in a row
	}
}

//lanec:kernel Nothing
func nothing(x []float32) {
	for i := range x {
		x[i] = 0
		none(x) // a call without a result has no place in a row
	}
}

//lanec:kernel Global
func globals(x []float32) {
	for i := range x {
		x[i] = global // global is not known in a kernel
	}
}

//lanec:kernel Index
func index(x []float32, k []int32) {
	for i := range x {
		k[i] = int32(i) // i is an index, which may stand in brackets only
	}
}

//lanec:kernel Count
func count(k []int32, n int) {
	for i := range k {
		k[i] = int32(n) // n is an int, which counts turns only
	}
}

//lanec:kernel Length
func length(k []int32) {
	for i := range k {
		k[i] = int32(len(k)) // len is an int, which counts turns only
	}
}

//lanec:kernel Whole
func whole(x []float32, v *view) {
	for i := range x {
		x[i] = point{x[i]}.get() // a call of a method
	}
}

//lanec:kernel Literal
func literal(x []float32) {
	for i := range x {
		p := point{x[i]} // this expression is not understood
		x[i] = p.x
	}
}

//lanec:kernel Field
func field(x []float32, v *view) {
	for i := range x {
		x[i] = v.X[i]
		v.Y[0] = 1 // v.Y is written at another row than the loop's
	}
}

//lanec:kernel Parameter
func parameter(x []float32, s float32) {
	for i := range x {
		s += x[i] // s is a parameter: give its value to a variable of the row first
	}
}

//lanec:kernel Captured
func captured(x []float32) {
	for i := range x {
		global = x[i] // global is not a variable of the row
	}
}

//lanec:kernel Append
func appends(x []float32) {
	for i := range x {
		x = append(x, x[i]) // a kernel makes no slices
	}
}

//lanec:kernel Builtin
func builtins(x []float32) {
	for i := range x {
		x[i] = *new(float32) // this expression is not understood
	}
}

//lanec:kernel Part
func part(x []float32) {
	x = x[1:] // a part of a slice that begins at its first row
	for i := range x {
		x[i] = 0
	}
}

//lanec:kernel Rename
func rename(x, y []float32) {
	for i := range x {
		y = x // y is no number of the row
		y[i] = 0
	}
}

//lanec:kernel Other
func other(x []float32) {
	for i := range x {
		x[i] = slices.Max(x) // slices.Max is no function that a kernel can call
	}
}
