package datafile_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/datafile"
	"github.com/lanewise/lanewise/random"
)

var (
	rows = flag.Int("datafile.rows", 100_000, "rows of the benchmarks")
	dir  = flag.String("datafile.dir", "", "where the benchmarks write; a temporary directory by default")
)

// particles returns rows with positions and velocities of float32.
func particles(n int) *datafile.Table {
	lanes := make([][]float32, 6)
	for i := range lanes {
		lanes[i] = make([]float32, n)
		random.Uniform(lanes[i], random.Key{Seed: 1, Stream: uint32(i)}.Rows(0))
	}
	return &datafile.Table{Columns: []datafile.Column{datafile.Lanes("pos", lanes[:3]...), datafile.Lanes("vel", lanes[3:]...)}}
}

// BenchmarkSave measures the bytes of the lanes that are saved in a second.
func BenchmarkSave(b *testing.B) {
	t := particles(*rows)
	at := *dir
	if at == "" {
		at = b.TempDir()
	}
	for _, end := range []string{".npy", ".npz", ".vtp", ".csv", ".xyz"} {
		name := filepath.Join(at, "lanewise-bench"+end)
		b.Run(end[1:], func(b *testing.B) {
			defer func() { _ = os.Remove(name) }()
			b.SetBytes(24 * int64(*rows))
			for b.Loop() {
				if err := datafile.Save(name, t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures the bytes of the lanes that are loaded in a second.
func BenchmarkLoad(b *testing.B) {
	t := particles(*rows)
	at := *dir
	if at == "" {
		at = b.TempDir()
	}
	for _, end := range []string{".npy", ".npz", ".csv", ".xyz"} {
		name := filepath.Join(at, "lanewise-bench"+end)
		b.Run(end[1:], func(b *testing.B) {
			defer func() { _ = os.Remove(name) }()
			if err := datafile.Save(name, t); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(24 * int64(*rows))
			for b.Loop() {
				if _, err := datafile.Load(name, datafile.Options{Float32: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
