package random_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/soa"
)

// The purposes of a program that draws.
const (
	wind = iota
	illness
	birth
	cards
)

func Example() {
	key := random.Key{Seed: 2026, Tick: 12, Stream: wind}

	gust := make([]float32, 6)
	random.Range(gust, key.Rows(0), -1, 1)
	fmt.Printf("%.3f\n", gust)

	// The same rows in two parts, as two jobs would draw them.
	random.Range(gust[:4], key.Rows(0), -1, 1)
	random.Range(gust[4:], key.Rows(4), -1, 1)
	fmt.Printf("%.3f\n", gust)
	// Output:
	// [0.464 0.653 0.063 -0.646 0.209 0.036]
	// [0.464 0.653 0.063 -0.646 0.209 0.036]
}

// A number drawn by id depends only on its own id: other ids may be added or removed.
func ExampleKey_IDs() {
	key := random.Key{Seed: 2026, Tick: 12, Stream: illness}
	dose := make([]float64, 4)

	random.Exponential(dose, key.IDs([]uint64{101, 102, 103, 104}), 2)
	fmt.Printf("%.3f\n", dose)

	random.Exponential(dose[:3], key.IDs([]uint64{104, 101, 103}), 2) // 102 has left, and the rows have moved
	fmt.Printf("%.3f\n", dose[:3])

	fmt.Printf("%.3f\n", random.ExponentialOf[float64](key.ID(103), 2)) // one of them, by itself
	// Output:
	// [0.077 1.784 0.150 3.719]
	// [3.719 0.077 0.150]
	// 0.150
}

// An id can be made from the index and the version of an entity. This type is similar to
// ecs.Entity.
func ExampleAppendIDs() {
	type Entity struct{ Index, Version int32 }
	entities := []Entity{{1, 1}, {2, 1}, {2, 2}}

	ids := random.AppendIDs(nil, entities)
	height := make([]float32, len(ids))
	random.Normal(height, random.Key{Seed: 7, Stream: birth}.IDs(ids), 1.7, 0.1)
	fmt.Printf("%.2f\n", height)
	// Output: [1.85 1.72 1.59]
}

// Each row falls ill with a probability of one in ten.
func ExampleBernoulli() {
	const people = 1000
	ill := make([]uint64, kernels.MaskLen(people))
	random.Bernoulli(ill, people, random.Key{Seed: 1, Stream: illness}.Rows(0), 0.1)

	rows := make([]int32, people)
	n := kernels.Indices(rows, ill)
	fmt.Println(n, rows[:5])
	// Output: 87 [1 10 13 43 50]
}

// Sparks fly in all directions, at speeds that vary by a tenth.
func ExampleDirections3() {
	velocity := soa.Make[kernels.Vec3s[float32]](5)
	random.Directions3(&velocity, random.Key{Seed: 1, Stream: birth}.Rows(0))
	fmt.Printf("%.2f %.2f %.2f\n", velocity.X, velocity.Y, velocity.Z)
	// Output: [0.92 0.37 -0.28 0.42 0.13] [0.16 -0.64 0.63 -0.74 0.43] [0.35 -0.67 0.72 -0.53 -0.89]
}

func ExampleBelow() {
	dice := make([]int32, 10)
	random.Below(dice, random.Key{Seed: 6}.Rows(0), 6)
	fmt.Println(dice)
	// Output: [1 3 4 1 2 2 4 2 0 2]
}

// Uniform4 draws four numbers for each id, and takes no longer than drawing one number.
func ExampleUniform4() {
	a, b, c, d := make([]float32, 2), make([]float32, 2), make([]float32, 2), make([]float32, 2)
	random.Uniform4(a, b, c, d, random.Key{Seed: 6}.IDs([]uint64{30, 31}))
	fmt.Printf("%.3f %.3f %.3f %.3f\n", a, b, c, d)
	// Output: [0.507 0.350] [0.294 0.971] [0.574 0.592] [0.317 0.331]
}

func ExamplePermutation() {
	deck := make([]int32, 8)
	random.Permutation(deck, random.Key{Seed: 4, Stream: cards})
	fmt.Println(deck)
	// Output: [2 0 6 5 4 1 3 7]
}

// Code that draws from a source of math/rand/v2 can draw for a single id.
func ExampleRow_Source() {
	r := rand.New(random.Key{Seed: 4, Stream: cards}.ID(7).Source())
	fmt.Println(r.IntN(100), r.IntN(100), r.Perm(5))
	// Output: 30 11 [0 3 2 1 4]
}

// A single Source is reset for each row, so that nothing is allocated.
func ExampleSource_Reset() {
	var s random.Source
	r := rand.New(&s)
	for id := range uint64(3) {
		s.Reset(random.Key{Seed: 4}.ID(id))
		fmt.Print(r.IntN(100), " ")
	}
	fmt.Println()
	// Output: 71 58 87
}

// A landscape consists of large hills with smaller hills on them.
func ExampleNoise2() {
	x, y := make([]float64, 5), make([]float64, 5)
	height, detail := make([]float64, 5), make([]float64, 5)
	for i := range x {
		x[i], y[i] = float64(i)*0.3, 0.5
	}
	random.Noise2(height, x, y, 1)
	kernels.Scale(x, x, 2)
	kernels.Scale(y, y, 2)
	random.Noise2(detail, x, y, 2)
	kernels.AddScaled(height, height, detail, 0.5)
	fmt.Printf("%.3f\n", height)
	// Output: [0.000 0.156 0.548 0.648 0.474]
}

// Wind changes with time, which is the third coordinate.
func ExampleNoise3Of() {
	for time := range 4 {
		fmt.Printf("%.3f ", random.Noise3Of(10.2, 3.4, float32(time)/4, 5))
	}
	fmt.Println()
	// Output: -0.077 0.041 -0.093 -0.422
}
