package near

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// TestCopyRuns copies runs of many lengths, up to the end of the lane, on every path. A vector
// store may write past the requested rows, but not past the end of dst.
func TestCopyRuns(t *testing.T) {
	defer func(was string) {
		if err := kernels.Use(was); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		copiesRuns[float32](t, path)
		copiesRuns[float64](t, path)
	}
}

func copiesRuns[T kernels.Float](t *testing.T, path string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for try := range 400 {
		lane := make([]T, r.IntN(700))
		for i := range lane {
			lane[i] = T(i + 1)
		}
		var runs []Run
		var want []T
		for at := 0; at < len(lane); {
			lo := min(at+r.IntN(60), len(lane)-1)
			hi := min(lo+1+r.IntN(1+try%120), len(lane))
			runs, want, at = append(runs, Run{int32(lo), int32(hi)}), append(want, lane[lo:hi]...), hi+1
		}
		room := r.IntN(2 * copySlack)
		memory := make([]T, len(want)+room+copySlack)
		for i := range memory {
			memory[i] = -1
		}
		got := copyRuns(memory[:len(want)+room:len(want)+room], lane, runs)
		if !slices.Equal(got[:len(want)], want) {
			t.Fatalf("%s: %T: try %d: copied %v, want %v", path, lane, try, got[:len(want)], want)
		}
		for i, x := range memory[len(got):] {
			if x != -1 {
				t.Fatalf("%s: %T: try %d: element %d behind the memory was written", path, lane, try, i)
			}
		}
	}
}

// TestGatherKeeps checks that Gather does not change the memory after its result.
func TestGatherKeeps(t *testing.T) {
	lane := make([]float32, 500)
	tile := Tile[float32]{Runs: []Run{{3, 20}, {100, 130}}}
	memory := make([]float32, 200)
	memory[47] = 7
	if got := tile.Gather(memory, lane); len(got) != 47 || memory[47] != 7 {
		t.Errorf("%d rows, and behind them %v", len(got), memory[47])
	}
}

// TestExtremes compares the extremes with those of slices.Min and slices.Max.
func TestExtremes(t *testing.T) {
	extremesOf[float32](t)
	extremesOf[float64](t)
}

func extremesOf[T kernels.Float](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	special := []T{0, T(math.Copysign(0, -1)), -1, 1, T(math.Inf(1)), T(math.Inf(-1)), 1e-45, -1e-45}
	for try := range 1000 {
		lane := make([]T, 1+r.IntN(20))
		for i := range lane {
			if lane[i] = T(r.NormFloat64()); try%3 == 0 {
				lane[i] = special[r.IntN(len(special))]
			}
		}
		least, great := minMax(lane)
		if least != slices.Min(lane) || great != slices.Max(lane) {
			t.Fatalf("%v: from %v to %v", lane, least, great)
		}
	}
}

// TestGatherAnyRuns gathers runs that do not come from Tile.Runs. These runs may be in any order,
// empty, past the end of the lane, or at the end of memory. Every path must copy the same rows or
// panic with the same message.
func TestGatherAnyRuns(t *testing.T) {
	kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
		r := in.Draw()
		lane, dst := kerneltest.Slice[float32](in, 150+r.IntN(107)), kerneltest.Slice[float32](in, 256)
		var tile Tile[float32]
		n := 0
		for range r.IntN(6) {
			lo := r.IntN(len(lane))
			hi := min(lo+r.IntN(40), len(lane))
			n += hi - lo
			tile.Runs = append(tile.Runs, Run{int32(lo), int32(hi)})
		}
		if r.IntN(4) == 0 {
			wrong := []Run{{int32(len(lane)), int32(len(lane) + 3)}, {-1, 2}, {20, 10}, {-9, -5}, {1 << 30, 1<<30 + 2}}
			tile.Runs = append([]Run{wrong[r.IntN(len(wrong))]}, tile.Runs...)
		}
		gather := func() {
			if got := tile.Gather(dst[:0], lane); len(got) == n && n < 200 {
				clear(dst[n:]) // memory that may be overwritten
			} else {
				clear(dst)
			}
		}
		return gather, gather
	})
}
