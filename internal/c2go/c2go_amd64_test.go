//go:build c2go

package c2go

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// opinion holds the two bodies of one kernel, which the tests run on the same
// operands.
type opinion struct {
	name       string
	byHand     func(*operands)
	byCompiler func(*operands)
	result     func(*operands) [][]float32
	multipleOf int // the C kernel needs a multiple of so many rows
}

// operands are the lanes of n rows that the four kernels read and write.
type operands struct {
	n          int
	pos, vel   kernels.Vec3s[float32]
	scale, out kernels.Vec3s[float32]
	a, b, turn kernels.Quats[float32]
	matrix     kernels.Mat4s[float32]
	factor     float32
}

var opinions = []opinion{
	{
		name:   "Integrate",
		byHand: func(o *operands) { o.out.AddScaled(&o.pos, &o.vel, o.factor) },
		byCompiler: func(o *operands) {
			k := o.factor
			call(_integrate, o.n, &k, o.out.X, o.out.Y, o.out.Z, o.pos.X, o.pos.Y, o.pos.Z, o.vel.X, o.vel.Y, o.vel.Z)
		},
		result:     func(o *operands) [][]float32 { return [][]float32{o.out.X, o.out.Y, o.out.Z} },
		multipleOf: 1,
	},
	{
		name:   "QuatsMul",
		byHand: func(o *operands) { o.turn.Mul(&o.a, &o.b) },
		byCompiler: func(o *operands) {
			k := float32(0)
			call(_quatmul, o.n, &k, o.turn.X, o.turn.Y, o.turn.Z, o.turn.W, o.a.X, o.a.Y, o.a.Z, o.a.W, o.b.X, o.b.Y, o.b.Z, o.b.W)
		},
		result:     func(o *operands) [][]float32 { return [][]float32{o.turn.X, o.turn.Y, o.turn.Z, o.turn.W} },
		multipleOf: 1,
	},
	{
		name:   "Rotate",
		byHand: func(o *operands) { o.out.Rotate(&o.a, &o.pos) },
		byCompiler: func(o *operands) {
			k := float32(0)
			call(_rotate, o.n, &k, o.out.X, o.out.Y, o.out.Z, o.a.X, o.a.Y, o.a.Z, o.a.W, o.pos.X, o.pos.Y, o.pos.Z)
		},
		result:     func(o *operands) [][]float32 { return [][]float32{o.out.X, o.out.Y, o.out.Z} },
		multipleOf: 1,
	},
	{
		name:   "Compose",
		byHand: func(o *operands) { o.matrix.Compose(&o.pos, &o.a, &o.scale) },
		byCompiler: func(o *operands) {
			k := float32(1)
			call(_compose, o.n, &k, flat(o.matrix.M), o.pos.X, o.pos.Y, o.pos.Z, o.a.X, o.a.Y, o.a.Z, o.a.W, o.scale.X, o.scale.Y, o.scale.Z)
		},
		result:     func(o *operands) [][]float32 { return [][]float32{flat(o.matrix.M)} },
		multipleOf: 8,
	},
}

// call passes the addresses of the lanes to a compiled kernel.
func call(kernel func(c unsafe.Pointer, n uintptr, k unsafe.Pointer), n int, k *float32, lanes ...[]float32) {
	var c [12]unsafe.Pointer
	for i, lane := range lanes {
		c[i] = unsafe.Pointer(unsafe.SliceData(lane)) // SAFETY: the lane outlives the call and holds n rows.
	}
	kernel(unsafe.Pointer(&c), uintptr(n), unsafe.Pointer(k)) // SAFETY: c and k live until the call returns.
}

func flat(m [][16]float32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(m))), 16*len(m)) // SAFETY: the same memory, 16 floats a row.
}

func newOperands(n int, next func() float32) *operands {
	o := &operands{
		n: n, pos: soa.Make[kernels.Vec3s[float32]](n), vel: soa.Make[kernels.Vec3s[float32]](n),
		scale: soa.Make[kernels.Vec3s[float32]](n), out: soa.Make[kernels.Vec3s[float32]](n),
		a: soa.Make[kernels.Quats[float32]](n), b: soa.Make[kernels.Quats[float32]](n), turn: soa.Make[kernels.Quats[float32]](n),
		matrix: soa.Make[kernels.Mat4s[float32]](n), factor: next(),
	}
	for _, lane := range [][]float32{
		o.pos.X, o.pos.Y, o.pos.Z, o.vel.X, o.vel.Y, o.vel.Z, o.scale.X, o.scale.Y, o.scale.Z,
		o.a.X, o.a.Y, o.a.Z, o.a.W, o.b.X, o.b.Y, o.b.Z, o.b.W,
	} {
		for i := range lane {
			lane[i] = next()
		}
	}
	return o
}

// keepPath restores the path of the kernels when a test or benchmark ends.
func keepPath(tb testing.TB) {
	path := kernels.Path()
	tb.Cleanup(func() { use(tb, path) })
}

func use(tb testing.TB, path string) {
	if err := kernels.Use(path); err != nil {
		tb.Fatal(err)
	}
}

// FuzzSecondOpinion compares the results of both bodies bit by bit. The operands are floats with
// arbitrary bits. The handwritten body runs on every path.
func FuzzSecondOpinion(f *testing.F) {
	keepPath(f)
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 8, 9, 31, 64, 160} {
		seed := make([]byte, 4096)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(uint16(n), seed)
	}
	f.Fuzz(func(t *testing.T, n uint16, raw []byte) {
		if len(raw) < 4 {
			return
		}
		at := 0
		next := func() float32 {
			v := math.Float32frombits(binary.LittleEndian.Uint32(raw[at:]))
			if at += 4; at+4 > len(raw) {
				at = 0
			}
			return v
		}
		for _, op := range opinions {
			o := newOperands(int(n%257)/op.multipleOf*op.multipleOf, next)
			op.byCompiler(o)
			compiled := bitsOf(op.result(o))
			for _, path := range kernels.Paths() {
				use(t, path)
				for _, lane := range op.result(o) {
					clear(lane)
				}
				op.byHand(o)
				for i, want := range bitsOf(op.result(o)) {
					if compiled[i] != want {
						t.Fatalf("%s, n=%d: value %d is %08x compiled, %08x by hand on %s", op.name, o.n, i, compiled[i], want, path)
					}
				}
			}
		}
	})
}

// bitsOf lists the bits of the lanes, with one value for every NaN.
func bitsOf(lanes [][]float32) (all []uint32) {
	for _, lane := range lanes {
		for _, v := range lane {
			if v != v {
				v = float32(math.NaN())
			}
			all = append(all, math.Float32bits(v))
		}
	}
	return all
}

func BenchmarkSecondOpinion(b *testing.B) {
	keepPath(b)
	use(b, "avx2")
	for _, op := range opinions {
		o := newOperands(1024, rand.New(rand.NewPCG(3, 4)).Float32)
		for _, body := range []struct {
			name string
			run  func(*operands)
		}{{"hand", op.byHand}, {"compiled", op.byCompiler}} {
			b.Run("kernel="+op.name+"/body="+body.name+"/n=1024", func(b *testing.B) {
				for b.Loop() {
					body.run(o)
				}
			})
		}
	}
}
