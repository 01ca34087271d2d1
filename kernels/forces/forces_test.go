package forces

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

func TestGravity(t *testing.T) {
	t.Run("float32", testGravity[float32])
	t.Run("float64", testGravity[float64])
}

// testGravity compares the compiled loop with its source in Go.
func testGravity[T kernels.Float](t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		acc, pos := kerneltest.View[kernels.Vec3s[T]](in), kerneltest.View[kernels.Vec3s[T]](in)
		at, mass, soft := bodies[T](in, min(9, in.Rows())), kerneltest.Slice[T](in, min(9, in.Rows())), kerneltest.Value[T](in)
		return func() { gravity(acc, pos, at, mass, soft) }, func() { Gravity(acc, pos, at, mass, soft) }
	})
}

// bodies returns n bodies in separate memory.
func bodies[T kernels.Float](in *kerneltest.Input, n int) *kernels.Vec3s[T] {
	return &kernels.Vec3s[T]{X: kerneltest.Slice[T](in, n), Y: kerneltest.Slice[T](in, n), Z: kerneltest.Slice[T](in, n)}
}

func TestSprings(t *testing.T) {
	t.Run("float32", testSprings[float32])
	t.Run("float64", testSprings[float64])
}

// testSprings compares the compiled loop with its source on random nets. The nets contain rows without
// springs, springs from a row to itself, and bodies at the same place. Some nets have a spring to a
// row that does not exist; both versions must stop there.
func testSprings[T kernels.Float](t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		view := func() *kernels.Vec3s[T] { return kerneltest.View[kernels.Vec3s[T]](in) }
		r, ends := in.Draw(), 1+in.Draw().IntN(60)
		force, pos, vel, at, way := view(), view(), view(), bodies[T](in, ends), bodies[T](in, ends)
		start := kerneltest.Slice[int32](in, in.Rows()+1)
		n := int32(0)
		for i := range start {
			start[i] = n
			n = min(n+int32(r.IntN(4)), 100)
		}
		to, rest, stiff := kerneltest.Slice[int32](in, 100), kerneltest.Slice[T](in, 100), kerneltest.Slice[T](in, 100)
		for s := range to {
			to[s] = int32(r.IntN(ends))
		}
		if r.IntN(9) == 0 {
			to[r.IntN(len(to))] = int32(ends) - 7*int32(r.IntN(2)*ends)
		}
		if in.Rows() > 3 {
			pos.X[3], pos.Y[3], pos.Z[3] = at.X[0], at.Y[0], at.Z[0]
		}
		net, damp := Net[T]{Start: start, To: to, Rest: rest, Stiff: stiff}, kerneltest.Value[T](in)
		return func() { springs(force, pos, vel, at, way, start, to, rest, stiff, damp) },
			func() { Springs(force, pos, vel, at, way, net, damp) }
	})
}

// cloud returns bodies at random positions with random velocities.
func cloud[T kernels.Float](r *rand.Rand, n int) (pos, vel kernels.Vec3s[T]) {
	for _, lane := range []*[]T{&pos.X, &pos.Y, &pos.Z, &vel.X, &vel.Y, &vel.Z} {
		*lane = make([]T, n)
		for i := range *lane {
			(*lane)[i] = T(r.NormFloat64())
		}
	}
	return pos, vel
}

func nothing[T kernels.Float](n int) kernels.Vec3s[T] {
	return kernels.Vec3s[T]{X: make([]T, n), Y: make([]T, n), Z: make([]T, n)}
}

// TestKnown compares forces with values that follow directly from the laws.
func TestKnown(t *testing.T) {
	at := kernels.Vec3s[float64]{X: []float64{0, 2}, Y: []float64{0, 0}, Z: []float64{0, 0}}
	acc := nothing[float64](2)
	for i, mass := range []float64{3, 8} {
		a, p, other := acc.Slice(i, i+1), at.Slice(i, i+1), at.Slice(1-i, 2-i)
		Gravity(&a, &p, &other, []float64{11 - mass}, 0)
	}
	if acc.X[0] != 8./4 || acc.X[1] != -3./4 || acc.Y[0] != 0 || acc.Z[1] != 0 {
		t.Errorf("3 and 8 pull each other over 2 by %v", acc)
	}
	if Gravity(&acc, &at, &at, []float64{3, 8}, 12); acc.X[0] != 2+2*8./64 || acc.X[1] != -0.75-2*3./64 {
		t.Errorf("softly by %v more", acc)
	}
	for _, c := range []struct {
		soft float32
		want bool
	}{{1e-20, true}, {1e-27, false}} { // for the second, the power of 3/2 is above 0 but its inverse is infinite
		point, alone := nothing[float32](1), nothing[float32](1)
		if Gravity(&alone, &point, &point, []float32{1}, c.soft); (alone.X[0] == 0) != c.want {
			t.Errorf("softly by %v a body pulls itself by %v", c.soft, alone.X[0])
		}
	}
	way := kernels.Vec3s[float64]{X: []float64{-0.5, 0.5}, Y: []float64{7, 7}, Z: []float64{0, 0}}
	force := nothing[float64](2)
	net := Tie(2, []int32{0}, []int32{1}, []float64{1.5}, []float64{10})
	Springs(&force, &at, &way, &at, &way, net, 4)
	if want := 10*0.5 + 4*1.0; force.X[0] != want || force.X[1] != -want || force.Y[0] != 0 {
		t.Errorf("a spring drawn from 1.5 to 2 pulls by %v, want %v", force, want)
	}
}

// TestThirdLaw checks that both ends of a spring get opposite forces of the same size, so that the
// forces of many springs add up to zero.
func TestThirdLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const rows, ties = 50, 200
	pos, vel := cloud[float32](r, rows)
	var a, b []int32
	var rest, stiff []float32
	for range ties {
		a, b = append(a, int32(r.IntN(rows))), append(b, int32(r.IntN(rows)))
		rest, stiff = append(rest, r.Float32()), append(stiff, 100*r.Float32())
	}
	sum := [3]float64{}
	for s := range a {
		force := nothing[float32](rows)
		Springs(&force, &pos, &vel, &pos, &vel, Tie(rows, a[s:s+1], b[s:s+1], rest[s:s+1], stiff[s:s+1]), 0.3)
		if i, k := a[s], b[s]; i != k && (force.X[i] == 0 || force.X[i] != -force.X[k] || force.Y[i] != -force.Y[k] || force.Z[i] != -force.Z[k]) {
			t.Fatalf("spring %d: %v and %v", s, force.X[i], force.X[k])
		}
	}
	force := nothing[float32](rows)
	Springs(&force, &pos, &vel, &pos, &vel, Tie(rows, a, b, rest, stiff), 0.3)
	for i := range rows {
		sum[0], sum[1], sum[2] = sum[0]+float64(force.X[i]), sum[1]+float64(force.Y[i]), sum[2]+float64(force.Z[i])
	}
	for _, s := range sum {
		if math.Abs(s) > 0.05 {
			t.Errorf("all forces add up to %v", sum)
		}
	}
}

// TestRows computes the rows in parts, all rows at once, and with a loop over single springs, and
// checks that all results have the same bits. The parts are like those that workers get, so the
// test finds a part in which the order of additions differs.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows, ties = 300, 900
	pos, vel := cloud[float64](r, rows)
	var a, b []int32
	var rest, stiff []float64
	for range ties {
		a, b = append(a, int32(r.IntN(rows))), append(b, int32(r.IntN(rows)))
		rest, stiff = append(rest, r.Float64()), append(stiff, 100*r.Float64())
	}
	net := Tie(rows, a, b, rest, stiff)
	all, parts := nothing[float64](rows), nothing[float64](rows)
	Springs(&all, &pos, &vel, &pos, &vel, net, 0.3)
	Gravity(&all, &pos, &pos, rest[:rows], 0.01)
	for lo := 0; lo < rows; {
		hi := min(lo+1+r.IntN(60), rows)
		f, p, v := parts.Slice(lo, hi), pos.Slice(lo, hi), vel.Slice(lo, hi)
		Springs(&f, &p, &v, &pos, &vel, net.Rows(lo, hi), 0.3)
		Gravity(&f, &p, &pos, rest[:rows], 0.01)
		lo = hi
	}
	if !slices.Equal(all.X, parts.X) || !slices.Equal(all.Y, parts.Y) || !slices.Equal(all.Z, parts.Z) {
		t.Error("parts have other bits than the whole")
	}
}

// TestTie checks that each row has its springs in the order of the pairs, because the order decides
// the bits of the sum.
func TestTie(t *testing.T) {
	net := Tie(4, []int32{2, 0, 2, 3}, []int32{0, 2, 2, 0}, []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40})
	if got, want := fmt.Sprint(net), "{[0 3 3 7 8] [2 2 3 0 0 2 2 0] [1 2 4 1 2 3 3 4] [10 20 40 10 20 30 30 40]}"; got != want {
		t.Errorf("net is %s, want %s", got, want)
	}
	if part := net.Rows(2, 4); fmt.Sprint(part.Start) != "[3 7 8]" || len(part.To) != 8 {
		t.Errorf("rows 2 and 3 are %v", part)
	}
	if empty := Tie[float64](0, nil, nil, nil, nil); len(empty.Start) != 1 {
		t.Errorf("no rows: %v", empty)
	}
}

// TestMessages checks the messages about operands that do not fit together.
func TestMessages(t *testing.T) {
	two, three := nothing[float32](2), nothing[float32](3)
	uneven := kernels.Vec3s[float32]{X: three.X, Y: three.Y, Z: two.Z}
	net := Tie(3, []int32{0, 1}, []int32{1, 2}, two.X, two.X)
	springs := func(force, pos, vel, at, way *kernels.Vec3s[float32], net Net[float32]) func() {
		return func() { Springs(force, pos, vel, at, way, net, 0) }
	}
	short := net
	short.Rest = short.Rest[1:]
	for _, c := range []struct {
		call func()
		want string
	}{
		{func() { Gravity(&three, &two, &three, three.X, 1) }, "forces: Gravity: len(pos.X) is 2, len(acc.X) is 3"},
		{func() { Gravity(&uneven, &three, &three, three.X, 1) }, "forces: Gravity: len(acc.Z) is 2, len(acc.X) is 3"},
		{func() { Gravity(&three, &three, &three, two.X, 1) }, "forces: Gravity: len(at.X) is 3, len(mass) is 2"},
		{springs(&uneven, &three, &three, &three, &three, net), "forces: Springs: len(force.Z) is 2, len(force.X) is 3"},
		{springs(&three, &two, &three, &three, &three, net), "forces: Springs: len(pos.X) is 2, len(force.X) is 3"},
		{springs(&three, &three, &two, &three, &three, net), "forces: Springs: len(vel.X) is 2, len(force.X) is 3"},
		{springs(&three, &three, &three, &uneven, &three, net), "forces: Springs: len(at.Z) is 2, len(at.X) is 3"},
		{springs(&three, &three, &three, &three, &two, net), "forces: Springs: len(way.X) is 2, len(at.X) is 3"},
		{springs(&three, &three, &three, &three, &three, net.Rows(0, 2)), "forces: Springs: len(net.Start) is 3, len(force.X) is 3: it must be one more"},
		{springs(&three, &three, &three, &three, &three, short), "forces: Springs: len(net.Rest) is 3, len(net.Stiff) is 4, len(net.To) is 4"},
		{springs(&three, &three, &three, &two, &two, net), "runtime error: index out of range [2] with length 2"},
		{func() { Tie(2, []int32{0}, []int32{2}, two.X[:1], two.X[:1]) }, "forces: Tie: b[0] is 2, rows is 2"},
		{func() { Tie[float32](-1, nil, nil, nil, nil) }, "forces: Tie: rows is -1"},
		{func() { Tie(2, []int32{-1}, []int32{1}, two.X[:1], two.X[:1]) }, "forces: Tie: a[0] is -1, rows is 2"},
		{func() { Tie(2, []int32{0}, []int32{1}, two.X, two.X[:1]) }, "forces: Tie: lengths of a, b, rest and stiff are 1, 1, 2 and 1"},
	} {
		if got := panicOf(c.call); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func panicOf(f func()) (said string) {
	defer func() { said = fmt.Sprint(recover()) }()
	f()
	return
}

// TestAllocs checks that forces are computed without allocation.
func TestAllocs(t *testing.T) {
	pos, vel := cloud[float32](rand.New(rand.NewPCG(5, 6)), 40)
	force := nothing[float32](40)
	net := Tie(40, []int32{1, 2}, []int32{3, 4}, []float32{1, 1}, []float32{1, 1})
	if n := testing.AllocsPerRun(20, func() {
		Gravity(&force, &pos, &pos, vel.X, 0.1)
		Springs(&force, &pos, &vel, &pos, &vel, net, 0.1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
