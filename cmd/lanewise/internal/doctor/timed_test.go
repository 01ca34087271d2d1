package doctor

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

// TestTimed checks the operands of timed kernels. All operands and results must be finite, because
// NaN and infinities can be slower. No two lanes may start at the same offset in their pages.
func TestTimed(t *testing.T) {
	for _, k := range List(every) {
		const rows = 320
		args := k.timedOperands(rows)
		starts := map[uintptr]int{}
		for i, l := range lanes(args) {
			if l.Len() < 2 || l.Type().Elem().Kind() == reflect.Struct {
				continue // a scalar, or planes that apply to all rows
			}
			if n := l.Len(); n != rows && n != kernels.MaskLen(rows) {
				t.Errorf("%v: lane %d has %d rows, want %d", k, i, n, rows)
			}
			line := l.Pointer() % 4096 / 64
			if before, ok := starts[line]; ok {
				t.Errorf("%v: lanes %d and %d begin at line %d of a page", k, before, i, line)
			}
			starts[line] = i
		}
		for i, l := range lanes(append(args, k.call.Call(args)...)) {
			if e := findNonFinite(l); e >= 0 {
				t.Errorf("%v: lane %d: element %d is %v", k, i, e, l.Index(e))
			}
		}
	}
}

// findNonFinite returns the index of an element that is not finite, or -1.
func findNonFinite(lane reflect.Value) int {
	for i := range lane.Len() {
		switch e := lane.Index(i); e.Kind() {
		case reflect.Array:
			if findNonFinite(e.Slice(0, e.Len())) >= 0 {
				return i
			}
		case reflect.Float32, reflect.Float64:
			if x := e.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				return i
			}
		}
	}
	return -1
}

// TestTimedValues checks the operands of kernels that require special values.
func TestTimedValues(t *testing.T) {
	const n = 100
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }
	find := func(name string) []reflect.Value {
		for _, k := range List(every) {
			if k.String() == name {
				return k.timedOperands(n)
			}
		}
		t.Fatalf("there is no %s", name)
		return nil
	}
	q := find("Quats.Slerp/f64")[1].Interface().(*kernels.Quats[float64])
	x := find("Quats.Between/f64")[1].Interface().(*kernels.Vec3s[float64])
	m := find("Mat4s.Inverse/f64")[1].Interface().(*kernels.Mat4s[float64])
	kepler, parents := find("Kepler/f64"), find("Mat4s.MulAffineByParent/f64")[2].Interface().([]int32)
	M, e := kepler[1].Interface().([]float64), kepler[2].Interface().([]float64)
	for i := range n {
		if s := q.X[i]*q.X[i] + q.Y[i]*q.Y[i] + q.Z[i]*q.Z[i] + q.W[i]*q.W[i]; !near(s, 1) {
			t.Errorf("quaternion %d has the square length %v", i, s)
		}
		if s := x.X[i]*x.X[i] + x.Y[i]*x.Y[i] + x.Z[i]*x.Z[i]; !near(s, 1) {
			t.Errorf("vector %d has the square length %v", i, s)
		}
		if c := m.M[i]; c[3] != 0 || c[7] != 0 || c[11] != 0 || c[15] != 1 {
			t.Errorf("matrix %d is not affine: %v", i, c)
		}
		if !(math.Abs(M[i]) <= math.Pi) || !(0 <= e[i] && e[i] < 1) {
			t.Errorf("orbit %d: M %v, e %v", i, M[i], e[i])
		}
		if parents[i] != int32(i/8) {
			t.Errorf("parent of %d is %d", i, parents[i])
		}
	}
}

// TestRowTime checks that the time of a row is never 0, whatever disturbs the measurement.
func TestRowTime(t *testing.T) {
	nothing, long := func() {}, func() { elapsed(1000, func() {}) }
	for _, c := range []struct {
		name       string
		rows, none func()
	}{
		{"no time at all", nothing, nothing},
		{"longer without rows", nothing, long},
		{"as it should be", long, nothing},
	} {
		if ns := rowTime(1, time.Microsecond, c.rows, c.none); !(ns > 0) || math.IsInf(ns, 0) {
			t.Errorf("%s: %v ns", c.name, ns)
		}
	}
}
