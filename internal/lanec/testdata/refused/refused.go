// Package refused holds a function for each reason that lanec has to refuse one. The comment at the end of a line is a
// part of what it says, and of where.
package refused

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/kernels"
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

//lanec:kernel Bits
func bits(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(x[i] + 1) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsOfBranch
func bitsOfBranch(x []float32, k []uint32, on bool, s float32) {
	for i := range x {
		v := x[i]
		if on {
			v += s
		}
		k[i] = math.Float32bits(v) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsStored
func bitsStored(x, y []float32, k []uint32) {
	for i := range x {
		if y[i] > 0 {
			x[i] *= y[i]
		}
		y[i] = 0
		k[i] = math.Float32bits(x[i]) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsOfSame
func bitsOfSame(x, y []float32, k []uint32) {
	for i := range x {
		x[i] *= x[i]
		k[i] = math.Float32bits(y[i]) // those of a NaN differ between CPUs
	}
}

//lanec:kernel BitsElsewhere
func bitsElsewhere(x, y []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(y[3]) // an earlier row may have computed
		x[i] *= x[i]
	}
}

//lanec:kernel BitsAhead
func bitsAhead(x, y []float32, k []uint32) {
	for i := range x {
		v := y[i] + y[i+1]
		k[i] = math.Float32bits(y[i]) // an earlier row may have computed
		x[i] = v
	}
}

//lanec:kernel BitsLookedUp
func bitsLookedUp(x, y, z []float32, at []int32, k []uint32) {
	for i := range k {
		n := math.Float32bits(y[at[i]]) // an earlier row may have computed
		x[at[i]] += z[i]
		k[i] = n
	}
}

//lanec:kernel BitsHandedOn
func bitsHandedOn(x, y, z []float32, k []uint32, on bool) {
	for i := range x {
		v := z[i]
		if on {
			v = y[0]
		}
		z[i] = v
		k[i] = math.Float32bits(v) // an earlier row may have computed
		x[i] *= x[i]
	}
}

//lanec:kernel BitsOfTurn
func bitsOfTurn(x, y []float32, k []uint32) {
	for i := range x {
		var n uint32
		for range 3 {
			n += math.Float32bits(y[i]) // those of a NaN differ between CPUs
			x[i] *= x[i]
		}
		k[i] = n
	}
}

//lanec:kernel BitsOfOther
func bitsOfOther(x, y []float32, k []uint32) {
	for i := range x {
		v, w := x[i]+1, y[i]+1
		if v == v || w == w {
			k[i] = math.Float32bits(v) // those of a NaN differ between CPUs
		}
	}
}

//lanec:kernel BitsOfAbs
func bitsOfAbs(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(float32(math.Abs(float64(x[i])))) // those of a NaN differ between CPUs
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
rows: // this statement is not understood
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
	defer clear(x) // this statement is not understood
	for i := range x {
		x[i] = 0
	}
}

//lanec:kernel PairOf
func pairOf(x []float32) {
	for i := range x {
		x[i] = first(pair(x[i])) // first is called with the results of another call
	}
}

func first(a, b float32) float32 { return a }

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
		s += x[i] // s is a parameter: give its value to a variable first
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
		x = append(x, x[i]) // this is no lane
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

//lanec:kernel Func
func functions(x []float32) {
	for i := range x {
		x[i] = func() float32 { return 1 }() // a call of something else than a function of this package
	}
}

//lanec:kernel Statement
func statement(x []float32) {
	for i := range x {
		times(x[i], 2) // a call without a result has no place in a row
	}
}

func again(x float32) float32 { return again(x) } // again calls itself

//lanec:kernel Again
func agains(x []float32) {
	for i := range x {
		x[i] = again(x[i])
	}
}

func inLoop(x float32) float32 {
	for range 3 {
		if x > 1 {
			return 1 // return in a loop of inLoop
		}
	}
	return x
}

//lanec:kernel InLoop
func inLoops(x []float32) {
	for i := range x {
		x[i] = inLoop(x[i])
	}
}

//lanec:kernel Signed
func signed(x, y []float32) {
	for i := range x {
		x[i] = kernels.CopySignOf(x[i], y[i])
		y[i] = kernels.CopySignOf(1, x[i]+y[i]) // the sign of a number that is computed
	}
}

func left(x float32) float32 {
	s, _ := kernels.SincosOf(x)
	return s
}

//lanec:kernel Left
func lefts(x, y []float32) {
	for i := range x {
		y[i] = left(x[i])
		x[i] = left(y[i]) // left leaves some rows to Go, and is called after something was written
	}
}

//lanec:kernel LeftBits
func leftBits(x []float32, k []uint32) {
	for i := range x {
		k[i] = math.Float32bits(left(x[i])) // those of a NaN differ
	}
}

func generic[T, U any](x T, y U) T { return x }

//lanec:kernel Generic
func generics(x []float32) {
	for i := range x {
		x[i] = generic(x[i], float64(x[i])) // generic has type parameters that stand for different types
	}
}

func variadic(x ...float32) float32 { return x[0] }

//lanec:kernel Variadic
func variadics(x []float32) {
	for i := range x {
		x[i] = variadic(x[i]) // variadic has a parameter without a name, or any number of them
	}
}

func pair(x float32) (float32, float32) { return x, x }

//lanec:kernel Pairs
func pairs(x []float32) {
	for i := range x {
		x[i] = times(pair(x[i])) // times is called with the results of another call
	}
}
