package kernels

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("lanewise.update", false, "write testdata/golden.txt anew, from the generic path")

const goldenFile = "testdata/golden.txt"

// TestGolden compares the bits of every kernel, on every path, with testdata. All CPUs use the same
// golden file, so if a result depends on the CPU, the test fails on some CPU.
func TestGolden(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	want := readGolden(t)
	eachPath(t, func(t *testing.T) {
		seen := 0
		for _, g := range goldens() {
			if want[g.name] == "" {
				t.Errorf("%s is not in %s: run the test with -lanewise.update", g.name, goldenFile)
			} else if got := g.hash(); got != want[g.name] {
				t.Errorf("%s: hash is %s, want %s", g.name, got, want[g.name])
			}
			seen++
		}
		if seen != len(want) {
			t.Errorf("%s has %d kernels, the table %d", goldenFile, len(want), seen)
		}
	})
}

// A golden consists of the name of a kernel and a function that hashes its results.
type golden struct {
	name string
	hash func() string
}

func goldens() (all []golden) {
	for _, k := range table[float32]() {
		all = append(all, golden{k.name + "/type=f32", func() string { return hashOf(&k) }})
	}
	for _, k := range table[float64]() {
		all = append(all, golden{k.name + "/type=f64", func() string { return hashOf(&k) }})
	}
	return all
}

// hashOf hashes the results for ordinary and for raw inputs. hashOf treats all NaNs as equal.
func hashOf[T Float](k *kernel[T]) string {
	h := fnv.New64a()
	for seed, n := range []int{257, 1000, 257, 1000} {
		in := newInputs(k, n, seed >= 2, uint64(100+seed))
		a := args[T]{n: n, src: in.src, dst: in.dst, scalar: in.scalar}
		k.run(&a)
		for i := range a.dst {
			for _, x := range castLane[T](a.dst[i]) {
				word := bitsOf(x)
				if x != x {
					word = 1<<64 - 1
				}
				binary.Write(h, binary.LittleEndian, word)
			}
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func readGolden(t *testing.T) map[string]string {
	f, err := os.Open(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, hash, ok := strings.Cut(lines.Text(), " "); ok {
			want[name] = hash
		}
	}
	return want
}

func writeGolden(t *testing.T) {
	defer use(Path())
	use("generic")
	var b strings.Builder
	for _, g := range goldens() {
		fmt.Fprintf(&b, "%s %s\n", g.name, g.hash())
	}
	if err := os.WriteFile(goldenFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
