package check

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// scanned has three lanes of float32.
type scanned struct{ X, Y, Z float32 }

func (scanned) Column() (c struct{ X, Y, Z []float32 }) { return }

// BenchmarkScan measures only the scan: a million rows, 12 MB.
func BenchmarkScan(b *testing.B) {
	const rows = 1_000_000
	w, err := system.NewWorld("b")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.Close() })
	w.Create(w.Archetype(ecs.With[scanned]()), rows)
	c := Finite(w)
	own := c.columnOf("github.com/lanewise/lanewise/ecs/check.scanned")
	b.SetBytes(12 * rows)
	b.ReportAllocs()
	for b.Loop() {
		own.scanWritten(c, 0, "")
	}
	if len(c.Faults()) > 0 {
		b.Fatal(c)
	}
}
