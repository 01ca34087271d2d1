// Package kerneltest compares two functions that must have the same result, bit by bit. For
// example, it compares a loop with the kernel that lanec has compiled from the loop.
//
//	func TestMove(t *testing.T) {
//		kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
//			x, v, dt := kerneltest.Lane[float32](in), kerneltest.Lane[float32](in), kerneltest.Value[float32](in)
//			return func() { move(x, v, dt) }, func() { Move(x, v, dt) }
//		})
//	}
//
// Same runs the two functions on every path of package kernels that this CPU has, with
// every number of rows from 0 to [Rows]. The numbers are ordinary ones, special ones
// (zeros, infinities, NaN, subnormal numbers) and random bits. Lanes have any
// alignment. Same also checks that the bytes around a lane do not change. On Linux and
// macOS the byte after a lane cannot be read, so a kernel that reads too far faults.
package kerneltest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// Rows is the largest number of rows that Same tries. It is enough for several vectors of float32 on the
// widest path and for some rows after them.
const Rows = 67

// A Number is the set of element types of lanes.
type Number interface {
	~float32 | ~float64 | ~int32 | ~uint32 | ~int64 | ~uint64
}

// Kinds of numbers.
const (
	ordinary = iota // from -4 to 4
	special
	anything // any bits
	kinds
)

var kindNames = [kinds]string{"ordinary numbers", "special numbers", "any bits"}

// An Input is the source of the arguments of one comparison.
type Input struct {
	rows  int
	kind  int
	draw  *rand.Rand
	pages [][]byte // one for each lane, kept for the next input
	lanes []check
}

// A check holds the memory of a lane and the function that compares it.
type check struct {
	page   []byte
	differ func(want []byte) string // says where the page is not as wanted, or nothing
}

// Rows returns the number of rows of this comparison.
func (in *Input) Rows() int { return in.rows }

// Draw returns the random source of this comparison, for arguments that depend
// on each other, such as indices into a lane.
func (in *Input) Draw() *rand.Rand { return in.draw }

// Lane returns a lane with a number for each row.
func Lane[T Number](in *Input) []T { return Slice[T](in, in.rows) }

// Slice returns n numbers in separate memory. n is at most 256 for numbers of 4 bytes,
// and 128 for numbers of 8 bytes.
func Slice[T Number](in *Input, n int) []T {
	k := len(in.lanes)
	if k == len(in.pages) {
		in.pages = append(in.pages, guardedLane())
	}
	all := toNumbers[T](in.pages[k])
	if n > len(all) {
		panic(fmt.Sprintf("kerneltest: Slice: n is %d, at most %d", n, len(all)))
	}
	for i := range all {
		all[i] = Value[T](in)
	}
	at := len(all) - n // to the guard
	if in.draw.IntN(3) == 0 {
		at = in.draw.IntN(at + 1)
	}
	in.lanes = append(in.lanes, check{in.pages[k], func(want []byte) string {
		for i, w := range toNumbers[T](want) {
			if x := all[i]; bits(x) == bits(w) || x != x && w != w {
				continue
			}
			if row := i - at; row < 0 || row >= n {
				return fmt.Sprintf("lane %d: row %d of %d was changed, from %v to %v", k, row, n, w, all[i])
			}
			return fmt.Sprintf("lane %d, row %d of %d: %v (%#x), want %v (%#x)", k, i-at, n, all[i], bits(all[i]), w, bits(w))
		}
		return ""
	}})
	return all[at : at+n : at+n]
}

// View returns a struct of slices, each with a number for each row: View[kernels.Vec3s[float32]](in). Fields of other types remain zero.
func View[V any](in *Input) *V {
	view := new(V)
	v := reflect.ValueOf(view).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() != reflect.Slice || !f.CanSet() {
			continue
		}
		switch f.Type().Elem().Kind() {
		case reflect.Float32:
			set(f, Lane[float32](in))
		case reflect.Float64:
			set(f, Lane[float64](in))
		case reflect.Int32:
			set(f, Lane[int32](in))
		case reflect.Uint32:
			set(f, Lane[uint32](in))
		case reflect.Int64:
			set(f, Lane[int64](in))
		case reflect.Uint64:
			set(f, Lane[uint64](in))
		}
	}
	return view
}

func set[T Number](f reflect.Value, lane []T) {
	if v := reflect.ValueOf(lane); v.Type().AssignableTo(f.Type()) {
		f.Set(v)
	}
}

var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e-310, 1e-45, -1e-40, 1.1754944e-38,
	math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, 1e20, -1e-20,
}

// Value returns a number for all rows.
func Value[T Number](in *Input) T {
	isFloat := T(1)/2 != 0
	switch {
	case in.kind == ordinary && isFloat:
		return T(float64(in.draw.Float64()*8) - 4)
	case in.kind == ordinary:
		return T(in.draw.IntN(200)) - 100
	case in.kind == special && isFloat:
		return T(specials[in.draw.IntN(len(specials))])
	case in.kind == special:
		return extremes[T](in.draw.IntN(6))
	}
	return fromBits[T](in.draw.Uint64())
}

// extremes returns integers at both ends of the range of T.
func extremes[T Number](i int) T {
	return fromBits[T]([]uint64{0, 1, math.MaxUint64, 1<<63 | 1<<31, (1<<63 - 1) &^ (1 << 31), 1 << 16}[i])
}

// Same runs the two functions that prepare returns on the same arguments. It
// fails the test if any bit of a lane differs afterwards, if only one
// function panics, or if the texts of the panics differ. All NaN are equal. The
// function want runs on the generic path, and got runs on each path.
func Same(t *testing.T, prepare func(in *Input) (want, got func())) {
	t.Helper()
	defer use(t, kernels.Path())
	in := &Input{}
	for _, path := range kernels.Paths() {
		for rows := range Rows + 1 {
			for kind := range kinds {
				in.rows, in.kind, in.lanes = rows, kind, in.lanes[:0]
				in.draw = rand.New(rand.NewPCG(uint64(rows), uint64(kind)))
				want, got := prepare(in)
				if text := in.compare(t, path, want, got); text != "" {
					t.Fatalf("path %s, %d rows, %s: %s", path, rows, kindNames[kind], text)
				}
			}
		}
	}
}

// compare runs want and got with the same contents of the memory, and reports the first difference.
func (in *Input) compare(t *testing.T, path string, want, got func()) string {
	t.Helper()
	before := in.copies()
	use(t, "generic")
	wanted := panicText(want)
	after := in.copies()
	for i, l := range in.lanes {
		copy(l.page, before[i])
	}
	use(t, path)
	if text := panicText(got); text != wanted {
		return fmt.Sprintf("%s, want %s", text, wanted)
	}
	for i, l := range in.lanes {
		if text := l.differ(after[i]); text != "" {
			return text
		}
	}
	return ""
}

// panicText calls f, and returns a text that says whether f panicked and with which value.
func panicText(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("a panic: %v", p)
		}
	}()
	f()
	return "no panic"
}

func (in *Input) copies() (c [][]byte) {
	for _, l := range in.lanes {
		c = append(c, bytes.Clone(l.page))
	}
	return c
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}
