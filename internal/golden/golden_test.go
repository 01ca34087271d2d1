package golden

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

const file = "testdata/golden.txt"

var update = flag.Bool("lanewise.update", false, "write "+file+" anew, from the generic path")

// table lists the packages, lowest first. A new package needs one line in this table, and a function
// in a separate file that uses a little of each of its features. The flag -lanewise.update adds its
// hash to the file.
var table = []struct {
	pkg string
	run func(t *testing.T, pool *jobs.Pool) uint64
}{
	{"soa", soaRow},
	{"chunk", chunkRow},
	{"kernels", kernelsRow},
	{"kernels/ints", intsRow},
	{"kernels/forces", forcesRow},
	{"random", randomRow},
	{"grid", gridRow},
	{"integrate", integrateRow},
	{"jobs", jobsRow},
	{"order", orderRow},
	{"near", nearRow},
	{"internal/raster", rasterRow},
	{"ecs/blob", blobRow},
	{"ecs", ecsRow},
	{"ecs/pack", packRow},
	{"ecs/scene", sceneRow},
	{"ecs/system", systemRow},
	{"ecs/transform", transformRow},
	{"ecs/host", hostRow},
	{"ecs/rollback", rollbackRow},
	{"ecs/snapshot", snapshotRow},
	{"ecs/snapshot/untyped", untypedRow},
	{"ecs/diff", diffRow},
	{"ecs/check", checkRow},
	{"ecs/replay", replayRow},
	{"ecs/render", renderRow},
	{"ecs/render/views", viewsRow},
}

// TestGolden runs each row on every path of the kernels and for several numbers of workers. All runs
// must give the same hash, which is also the hash on every other machine.
func TestGolden(t *testing.T) {
	defer use(t, kernels.Path())
	if *update {
		use(t, "generic")
		var lines strings.Builder
		for _, row := range table {
			fmt.Fprintf(&lines, "%s %016x\n", row.pkg, onPool(t, 1, row.run))
		}
		if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		pkg, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[pkg] = hash
	}
	if len(want) != len(table) {
		t.Errorf("%s has %d lines, there are %d rows", file, len(want), len(table))
	}
	counts := []int{1, 2, 3, 8}
	if testing.Short() {
		counts = []int{1, 3}
	}
	for _, row := range table {
		for _, path := range kernels.Paths() {
			for _, workers := range counts {
				t.Run(fmt.Sprintf("%s/path=%s/workers=%d", row.pkg, path, workers), func(t *testing.T) {
					use(t, path)
					if got := fmt.Sprintf("%016x", onPool(t, workers, row.run)); got != want[row.pkg] {
						t.Errorf("hash is %s, want %s", got, want[row.pkg])
					}
				})
			}
		}
	}
}

func use(t *testing.T, path string) {
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

func onPool(t *testing.T, workers int, run func(*testing.T, *jobs.Pool) uint64) uint64 {
	pool := jobs.New(jobs.Workers(workers))
	defer func() { ok(t, pool.Close()) }()
	return run(t, pool)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A sum hashes numbers in their order. The hash does not depend on the byte order of the machine.
type sum struct{ hash.Hash64 }

func newSum() sum { return sum{fnv.New64a()} }

func (s sum) add(numbers ...uint64) {
	for _, n := range numbers {
		s.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
}

// addFloats adds the bits of each lane.
func addFloats[T kernels.Float](s sum, lanes ...[]T) {
	for _, lane := range lanes {
		for _, x := range lane {
			if x32, is := any(x).(float32); is {
				s.add(uint64(math.Float32bits(x32)))
			} else {
				s.add(math.Float64bits(float64(x)))
			}
		}
	}
}

// A draw returns the same random numbers on every machine. It is the linear congruential generator
// modulo 2⁶⁴ of Knuth's MMIX, of which it uses only the upper half of each number.
type draw uint64

func (d *draw) next() uint32 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return uint32(*d >> 32)
}

// intBelow returns a number from 0 to n-1.
func (d *draw) intBelow(n int) int { return int(uint64(d.next()) * uint64(n) >> 32) }

// number returns a number from -4 to 4 that every float type represents exactly.
func number[T kernels.Float](d *draw) T { return T(int32(d.next())>>8) / (1 << 21) }

// lane returns n numbers.
func lane[T kernels.Float](d *draw, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = number[T](d)
	}
	return x
}
