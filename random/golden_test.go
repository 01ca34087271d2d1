package random

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

var update = flag.Bool("lanewise.update", false, "write testdata anew")

// TestGolden compares the bits of every number with testdata. The file has one hash for each
// function, width and kind of rows. A hash covers draws at several lengths.
func TestGolden(t *testing.T) {
	const file = "testdata/golden.txt"
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(golden()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	eachPath(t, func(t *testing.T) {
		want := strings.Split(string(text), "\n")
		for i, got := range strings.Split(golden(), "\n") {
			if i >= len(want) || got != want[i] {
				t.Errorf("line %d is %q, want that of %s", i+1, got, file)
			}
		}
	})
}

// golden returns the text of the golden file for the current results.
func golden() string {
	var lines strings.Builder
	line := func(name string, lanes ...[]uint64) {
		h := fnv.New64a()
		for _, lane := range lanes {
			for _, b := range lane {
				h.Write(binary.LittleEndian.AppendUint64(nil, b))
			}
		}
		fmt.Fprintf(&lines, "%s %016x\n", name, h.Sum64())
	}
	for _, d := range allDraws() {
		for _, by := range []string{"index", "id"} {
			var lanes [][]uint64
			for _, n := range []int{1, 7, 500} {
				r := key.Rows(uint64(n))
				if by == "id" {
					r = key.IDs(spread(n))
				}
				lanes = append(lanes, d.lanes(n, r)...)
			}
			line(d.name+"/"+by, lanes...)
		}
	}
	p := make([]int32, 1000)
	Permutation(p, key)
	var places []uint64
	for _, i := range p {
		places = append(places, uint64(i))
	}
	line("Permutation", places)
	s := key.ID(99).Source()
	var numbers []uint64
	for range 600 {
		numbers = append(numbers, s.Uint64())
	}
	line("Source", numbers)
	line("Noise/f32", noises[float32]()...)
	line("Noise/f64", noises[float64]()...)
	return lines.String()
}

// noises returns the noise at points near the origin and far from it.
func noises[T kernels.Float]() [][]uint64 {
	const n = 500
	x, y, z, flat, deep := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	Range(x, key.Rows(0), -1000, 1000)
	Range(y, key.Rows(n), -3, 3)
	Range(z, key.Rows(2*n), 0, 1<<30)
	Noise2(flat, x, y, 7)
	Noise3(deep, x, y, z, 8)
	return [][]uint64{toBits(flat...), toBits(deep...)}
}
