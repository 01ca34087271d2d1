package random

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// A draw describes one function of the package by its two versions. One version draws for a lane
// of n rows and may have several results per row; the other draws for a single row.
type draw struct {
	name  string
	lanes func(n int, r Rows) [][]uint64
	one   func(r Row) []uint64
}

// toBits returns the bits of numbers.
func toBits[T kernels.Float](x ...T) []uint64 {
	b := make([]uint64, len(x))
	for i, v := range x {
		if v32, is := any(v).(float32); is {
			b[i] = uint64(math.Float32bits(v32))
		} else {
			b[i] = math.Float64bits(float64(v))
		}
	}
	return b
}

// drawsOf returns the functions of the package for one width of numbers, 32 or 64 bits.
func drawsOf[T kernels.Float](width string) []draw {
	simple := func(name string, lane func(dst []T, r Rows), one func(r Row) T) draw {
		return draw{name + "/" + width, func(n int, r Rows) [][]uint64 {
			dst := make([]T, n)
			lane(dst, r)
			return [][]uint64{toBits(dst...)}
		}, func(r Row) []uint64 { return toBits(one(r)) }}
	}
	return []draw{
		simple("Uniform", func(dst []T, r Rows) { Uniform(dst, r) }, UniformOf[T]),
		simple("Range", func(dst []T, r Rows) { Range(dst, r, -3, 7.5) }, func(r Row) T { return RangeOf[T](r, -3, 7.5) }),
		simple("Normal", func(dst []T, r Rows) { Normal(dst, r, 10, 0.3) }, func(r Row) T { return NormalOf[T](r, 10, 0.3) }),
		simple("Exponential", func(dst []T, r Rows) { Exponential(dst, r, 3) }, func(r Row) T { return ExponentialOf[T](r, 3) }),
		{"Uniform4/" + width, func(n int, r Rows) [][]uint64 {
			a, b, c, d := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
			Uniform4(a, b, c, d, r)
			return [][]uint64{toBits(a...), toBits(b...), toBits(c...), toBits(d...)}
		}, func(r Row) []uint64 { x := Uniform4Of[T](r); return toBits(x[:]...) }},
		{"Directions2/" + width, func(n int, r Rows) [][]uint64 {
			v := kernels.Vec2s[T]{X: make([]T, n), Y: make([]T, n)}
			Directions2(&v, r)
			return [][]uint64{toBits(v.X...), toBits(v.Y...)}
		}, func(r Row) []uint64 { x, y := Direction2Of[T](r); return toBits(x, y) }},
		{"Directions3/" + width, func(n int, r Rows) [][]uint64 {
			v := kernels.Vec3s[T]{X: make([]T, n), Y: make([]T, n), Z: make([]T, n)}
			Directions3(&v, r)
			return [][]uint64{toBits(v.X...), toBits(v.Y...), toBits(v.Z...)}
		}, func(r Row) []uint64 { x, y, z := Direction3Of[T](r); return toBits(x, y, z) }},
	}
}

func integers[I Integer](n I) draw {
	return draw{fmt.Sprintf("Below/%T/%d", n, n), func(rows int, r Rows) [][]uint64 {
		dst, b := make([]I, rows), make([]uint64, rows)
		Below(dst, r, n)
		for i, v := range dst {
			b[i] = uint64(v)
		}
		return [][]uint64{b}
	}, func(r Row) []uint64 { return []uint64{uint64(BelowOf(r, n))} }}
}

func chosen(p float64) draw {
	return draw{fmt.Sprintf("Bernoulli/%v", p), func(n int, r Rows) [][]uint64 {
		mask := make([]uint64, kernels.MaskLen(n))
		for i := range mask {
			mask[i] = math.MaxUint64
		}
		Bernoulli(mask, n, r, p)
		b := make([]uint64, 64*len(mask))
		for i := range b {
			b[i] = mask[i/64] >> (i % 64) & 1
		}
		if slices.Contains(b[n:], 1) {
			panic("bits beyond the last row")
		}
		return [][]uint64{b[:n]}
	}, func(r Row) []uint64 {
		if BernoulliOf(r, p) {
			return []uint64{1}
		}
		return []uint64{0}
	}}
}

// allDraws returns every function that draws rows.
func allDraws() []draw {
	d := append(drawsOf[float32]("f32"), drawsOf[float64]("f64")...)
	return append(d, integers[int32](6), integers[uint32](1<<31+1), integers[int64](1e18), integers[uint64](1<<63+1), integers[int](52),
		chosen(0.25), chosen(1e-3), chosen(1))
}

// spread returns ids that are far apart and unsorted.
func spread(n int) []uint64 {
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = splitMix64(uint64(i))
	}
	return ids
}

var key = Key{Seed: 0x0123456789abcdef, Tick: 77, Stream: 5}

// eachPath runs a test on every path of package kernels, because some functions that draw use
// kernels.
func eachPath(t *testing.T, body func(t *testing.T)) {
	defer func(path string) {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		t.Run(path, body)
	}
}

// lengths returns all lengths up to slightly more than one piece, and a few lengths up to three
// pieces.
func lengths() (n []int) {
	for k := 0; k <= 3*batchRows+2; k++ {
		if k <= 9 || !testing.Short() && k <= batchRows+2 || k%37 == 0 || k%batchRows < 2 {
			n = append(n, k)
		}
	}
	return n
}

// TestScalars compares functions on lanes with their versions for one row. It uses many lengths and
// first rows, and draws by index and by id.
func TestScalars(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, d := range allDraws() {
			for _, n := range lengths() {
				ids := spread(n)
				for _, first := range []uint64{uint64(n % 9), 1<<40 + 3, 1<<34 - 70} {
					for k, lane := range d.lanes(n, key.Rows(first)) {
						if len(lane) != n {
							t.Fatalf("%s: lane %d has %d rows, not %d", d.name, k, len(lane), n)
						}
						for i, got := range lane {
							if want := d.one(key.Row(first + uint64(i)))[k]; got != want {
								t.Fatalf("%s: n %d, first %d: lane %d, row %d: %x, by itself %x", d.name, n, first, k, i, got, want)
							}
						}
					}
				}
				for k, lane := range d.lanes(n, key.IDs(ids)) {
					for i, got := range lane {
						if want := d.one(key.ID(ids[i]))[k]; got != want {
							t.Fatalf("%s: n %d: lane %d, id %x: %x, by itself %x", d.name, n, k, ids[i], got, want)
						}
					}
				}
			}
		}
	})
}

// TestLastRow draws lanes that continue past the last index. The rows must then start again at 0.
func TestLastRow(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, d := range allDraws() {
			for _, before := range []uint64{4, 35, 128} {
				for k, lane := range d.lanes(200, key.Rows(-before)) {
					for i, got := range lane {
						if want := d.one(key.Row(uint64(i) - before))[k]; got != want {
							t.Fatalf("%s: row %d of lane %d, from 2^64-%d on: %x, by itself %x", d.name, i, k, before, got, want)
						}
					}
				}
			}
		}
	})
}

// TestIndependent adds ids, removes ids, and cuts lanes into parts. The numbers of the other ids must not
// change.
func TestIndependent(t *testing.T) {
	for _, d := range allDraws() {
		ids := spread(301)
		whole := d.lanes(301, key.IDs(ids))
		fewer := d.lanes(300, key.IDs(slices.Delete(slices.Clone(ids), 7, 8)))
		byIndex := d.lanes(301, key.Rows(5))
		for k := range whole {
			if !slices.Equal(slices.Delete(slices.Clone(whole[k]), 7, 8), fewer[k]) {
				t.Errorf("%s: without id 7 the others have other numbers", d.name)
			}
			for _, cut := range []int{1, 2, 63, 64, 65, 150, 300} {
				parts := slices.Concat(d.lanes(cut, key.Rows(5))[k], d.lanes(301-cut, key.Rows(5+uint64(cut)))[k])
				if !slices.Equal(parts, byIndex[k]) {
					t.Errorf("%s: lane %d, cut at %d, has other numbers", d.name, k, cut)
				}
			}
		}
	}
}

// TestKeysDiffer changes each part of a key by one bit. All numbers must change, and no number drawn
// by index may equal one drawn by id.
func TestKeysDiffer(t *testing.T) {
	seen := map[uint32]string{}
	add := func(what string, r Row) {
		for n := range uint64(8) {
			w := r.word(n)
			if other, is := seen[w]; is {
				t.Errorf("word %d of %s is that of %s", n, what, other)
			}
			seen[w] = what
		}
	}
	for _, k := range []Key{{}, {Seed: 1}, {Seed: 1 << 63}, {Seed: 1 << 32}, {Tick: 1}, {Tick: 1 << 31}, {Stream: 1}, {Stream: 1 << 23}, {Stream: MaxStream}} {
		for _, id := range []uint64{0, 1, 4, 1 << 32, 1 << 63} {
			add(fmt.Sprintf("%+v, id %x", k, id), k.ID(id))
			add(fmt.Sprintf("%+v, row %x", k, id), k.Row(id))
		}
	}
}

// TestSource compares a Source with the words of a row. It reads so many words that the seed of the
// Source is replaced several times. Reset must start it again.
func TestSource(t *testing.T) {
	for _, r := range []Row{key.ID(12), key.Row(13)} {
		s, seen := r.Source(), map[uint64]bool{}
		for n := range uint64(1100) {
			got := s.Uint64()
			if want := uint64(r.word(2*n)) | uint64(r.word(2*n+1))<<32; got != want {
				t.Fatalf("%+v: number %d is %x, want %x", r, n, got, want)
			}
			if seen[got] {
				t.Fatalf("%+v: number %d has been there before", r, n)
			}
			seen[got] = true
		}
		s.Reset(r)
		if got := unit64(s.Uint64()); got != UniformOf[float64](r) {
			t.Errorf("%+v: the first number is %v, UniformOf %v", r, got, UniformOf[float64](r))
		}
	}
	if a, b := key.seedOf(1), (Key{Seed: key.Seed}).seedOf(1); a != b || a == key.seedOf(2) || key.seedOf(0) != key.Seed {
		t.Error("new seeds are made of the seed and the generation alone, and differ")
	}
}

// TestEntityIDs checks the positions of index and version in an id, because a change would change all
// drawn numbers.
func TestEntityIDs(t *testing.T) {
	type entity struct{ Index, Version int32 }
	got := AppendIDs([]uint64{1}, []entity{{2, 3}, {-1, 1 << 30}})
	if want := []uint64{1, 3<<32 | 2, 1<<62 | 0xffffffff}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// TestPolite checks that no function writes past its lane, no matter where the lane begins.
func TestPolite(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		ids := spread(2*batchRows + 8)
		for n := range 2*batchRows + 2 {
			for offset := range 4 {
				dst := make([]float32, n+16)
				for i := range dst {
					dst[i] = 5
				}
				for _, r := range []Rows{key.Rows(uint64(offset)), key.IDs(ids[offset : offset+n])} {
					Uniform(dst[offset:offset+n], r)
				}
				for i, v := range dst {
					if inside := i >= offset && i < offset+n; inside != (v < 1) {
						t.Fatalf("%d rows from %d on: row %d is %v", n, offset, i, v)
					}
				}
			}
		}
	})
}
