package datafile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"
)

// TestGolden compares the bytes of files with hashes that are the same on every machine.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bits := func() uint64 { return r.Uint64() }
	table := &Table{
		Lattice: &Lattice{Vectors: [3][3]float64{{10}, {0, 10}, {0, 0, 10}}, Periodic: [3]bool{true, true, false}},
		Info:    []Info{{"Time", "0.5"}, {"note", "a \"b\""}},
	}
	const n = 40_000 // more than a block of the widest format has
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	mass, id, level, flag := make([]float64, n), make([]int64, n), make([]int32, n), make([]uint8, n)
	for i := range n {
		x[i], y[i], z[i] = math.Float32frombits(uint32(bits())), float32(i), float32(bits()%1000)/8
		mass[i], id[i], level[i], flag[i] = math.Float64frombits(bits()), int64(bits()), int32(bits()), uint8(bits()%2)
	}
	table.Columns = []Column{Lanes("pos", x, y, z), Categorical("species", flag, "Ar", "Kr"), Lanes("mass", mass), Lanes("id", id), Lanes("level", level)}
	for _, c := range []struct {
		name  string
		write func(io.Writer, *Table) error
		want  string
	}{
		{"npy", WriteNPY, "796e77b0fc3a32cf"},
		{"npz", WriteNPZ, "42174b999630719b"},
		{"csv", WriteCSV, "406a77c7135b26cc"},
		{"extxyz", WriteExtXYZ, "954cf341ffc18afd"},
		{"vtp", WriteVTP, "4475703f9d1d090a"},
	} {
		var b bytes.Buffer
		must(t, c.write(&b, table))
		if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))[:16]; got != c.want {
			t.Errorf("%s: %d bytes with the hash %s, want %s", c.name, b.Len(), got, c.want)
		}
	}
}
