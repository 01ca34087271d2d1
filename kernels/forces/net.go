package forces

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// A Net is a list of springs for each row (a CSR adjacency): the springs of
// row i are those with the indices Start[i] to Start[i+1]. A spring of a row
// has three parts: the row at its other end, its length at rest, and its
// stiffness, which is the force for each unit of length. A spring between two rows is
// in the lists of both rows.
type Net[T kernels.Float] struct {
	Start []int32 // one more than rows
	To    []int32
	Rest  []T
	Stiff []T
}

// Tie makes a net of springs between pairs of rows: spring s is between rows
// a[s] and b[s]. The springs of a row are in the order of the pairs. It
// allocates the net.
//
// It panics if the lengths differ, if rows is negative, if an element of a or b is not a row below
// rows, or if there are 2^30 springs or more.
func Tie[T kernels.Float](rows int, a, b []int32, rest, stiff []T) Net[T] {
	checkTie(rows, a, b, rest, stiff)
	n := Net[T]{Start: make([]int32, rows+1), To: make([]int32, 2*len(a)), Rest: make([]T, 2*len(a)), Stiff: make([]T, 2*len(a))}
	for s, row := range a {
		n.Start[row]++
		n.Start[b[s]]++
	}
	sum := int32(0)
	for row, count := range n.Start {
		n.Start[row] = sum
		sum += count
	}
	for s, row := range a {
		n.insertSpring(row, b[s], rest[s], stiff[s])
		n.insertSpring(b[s], row, rest[s], stiff[s])
	}
	copy(n.Start[1:], n.Start) // each has gone on to where the next one begins
	n.Start[0] = 0
	return n
}

// insertSpring stores a spring at the next free index of its row.
func (n *Net[T]) insertSpring(row, to int32, rest, stiff T) {
	at := n.Start[row]
	n.To[at], n.Rest[at], n.Stiff[at] = to, rest, stiff
	n.Start[row]++
}

// Rows returns the springs of rows lo to hi. They share memory with n.
func (n *Net[T]) Rows(lo, hi int) Net[T] {
	return Net[T]{Start: n.Start[lo : hi+1], To: n.To, Rest: n.Rest, Stiff: n.Stiff}
}

// checkRows panics unless the net has the given number of rows.
func (n *Net[T]) checkRows(name string, rows int) {
	if len(n.Start) != rows+1 {
		panic(fmt.Sprintf("forces: %s: len(net.Start) is %d, len(force.X) is %d: it must be one more", name, len(n.Start), rows))
	}
	if len(n.Rest) != len(n.To) || len(n.Stiff) != len(n.To) {
		panic(fmt.Sprintf("forces: %s: len(net.Rest) is %d, len(net.Stiff) is %d, len(net.To) is %d", name, len(n.Rest), len(n.Stiff), len(n.To)))
	}
}

func checkTie[T kernels.Float](rows int, a, b []int32, rest, stiff []T) {
	if len(b) != len(a) || len(rest) != len(a) || len(stiff) != len(a) {
		panic(fmt.Sprintf("forces: Tie: lengths of a, b, rest and stiff are %d, %d, %d and %d", len(a), len(b), len(rest), len(stiff)))
	}
	if len(a) > 1<<30-1 {
		panic(fmt.Sprintf("forces: Tie: len(a) is %d, a net has 2^30-1 springs at most", len(a)))
	}
	if rows < 0 {
		panic(fmt.Sprintf("forces: Tie: rows is %d", rows))
	}
	for s := range a {
		for i, row := range [2]int32{a[s], b[s]} {
			if row < 0 || int(row) >= rows {
				panic(fmt.Sprintf("forces: Tie: %c[%d] is %d, rows is %d", "ab"[i], s, row, rows))
			}
		}
	}
}

// viewOf converts a view of T to one of To by a type assertion. laneOf does the same for a lane.
func viewOf[To, T kernels.Float](v *kernels.Vec3s[T]) *kernels.Vec3s[To] {
	return any(v).(*kernels.Vec3s[To])
}

func laneOf[To, T kernels.Float](x []T) []To { return any(x).([]To) }

// checkView panics unless all lanes of a view have the given number of rows.
func checkView[T kernels.Float](kernel, name string, v *kernels.Vec3s[T], rows int, of string) {
	for i, n := range [3]int{len(v.X), len(v.Y), len(v.Z)} {
		if n != rows {
			panic(fmt.Sprintf("forces: %s: len(%s.%c) is %d, %s is %d", kernel, name, "XYZ"[i], n, of, rows))
		}
	}
}
