//go:build linux || darwin

package datafile_test

import (
	"flag"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

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

// cpu reports how many bytes of lanes were moved per second of processor time. On a busy machine this number says more than
// the time on the clock.
func cpu(b *testing.B, before time.Duration) {
	b.ReportMetric(float64(24*int64(*rows)*int64(b.N))/(usedTime()-before).Seconds()/1e6, "MB/cpu-s")
}

// usedTime returns the processor time that this process has used.
func usedTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWrite measures how fast the system writes as many bytes, without any work of this package.
func BenchmarkWrite(b *testing.B) {
	at := *dir
	if at == "" {
		at = b.TempDir()
	}
	name := filepath.Join(at, "lanewise-bench")
	defer func() { _ = os.Remove(name) }()
	block := make([]byte, 24*10_000)
	b.SetBytes(24 * int64(*rows))
	defer cpu(b, usedTime())
	for b.Loop() {
		f, err := os.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		for range *rows / 10_000 {
			if _, err := f.Write(block); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave measures how many bytes of lanes are saved per second.
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
			defer cpu(b, usedTime())
			for b.Loop() {
				if err := datafile.Save(name, t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures how many bytes of lanes are loaded per second.
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
			defer cpu(b, usedTime())
			for b.Loop() {
				if _, err := datafile.Load(name, datafile.Options{Float32: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
