package design

import (
	"hash/fnv"
	"io"
	"strconv"
	"testing"
)

// TestGolden checks that the values and seeds of all runs are the same text on every CPU.
//
// Conformance: 521
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		d    Design
		axes []string
		want uint64
	}{
		{Design{Kind: Grid, Seed: 1}, []string{"beta=0.1:0.9:0.1", "side=1:30:7", "kind"}, 0x8256335efde96469},
		{Design{Kind: Random, Points: 1000, Seed: 7}, []string{"beta", "half=0.5..2.5", "side", "count=0..255", "on=false,true", "kind"}, 0x210027988de9011},
		{Design{Kind: Latin, Points: 999, Seed: 1 << 63}, []string{"beta=0.3..0.7", "half", "side=3..99", "kind=b,c"}, 0xf3cac21d3cf587a9},
	} {
		c.d.Replicates = 2
		d := newDesign(t, c.d, c.axes...)
		h := fnv.New64a()
		for i := range d.Runs() {
			values, seed := d.At(nil, i)
			for _, v := range values {
				_, _ = io.WriteString(h, v+" ")
			}
			_, _ = io.WriteString(h, strconv.FormatUint(seed, 16)+" "+strconv.Itoa(d.Order(i))+"\n")
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s: the hash of all runs is %#x, want %#x", c.d.Kind, got, c.want)
		}
	}
}

// TestCommonSeeds checks that replicate j has the same seed at every point and a different seed from
// replicate k. So points are compared under the same random numbers.
func TestCommonSeeds(t *testing.T) {
	d := newDesign(t, Design{Kind: Grid, Replicates: 3, Seed: 5}, "beta=0.1:0.4:0.1")
	seen := map[uint64]int{}
	for i := range d.Runs() {
		values, seed := d.At(nil, i)
		if want, ok := seen[seed]; ok && want != i%3 {
			t.Errorf("run %d has the seed of replicate %d", i, want)
		}
		seen[seed] = i % 3
		if want := []string{"0.1", "0.2", "0.3", "0.4"}[i/3]; values[0] != want {
			t.Errorf("run %d has beta %s, want %s", i, values[0], want)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d seeds for 3 replicates", len(seen))
	}
}
