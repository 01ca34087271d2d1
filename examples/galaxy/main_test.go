package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of 600 stars after 10 steps. It is the same on every machine and path, with any
// number of workers.
const golden = 0x6acacc1ac9122d39

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		w, err := run(600, 10, system.OnPool(pool))
		if err != nil {
			return 0, err
		}
		defer w.Close()
		return w.Hash(), nil
	})
}

// TestPicture checks that a picture has both colours.
func TestPicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "galaxy.png")
	if err := show(300, 2, name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
		t.Error("no picture", err)
	}
	w, err := run(300, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := picture(w, 1200, 800)
	if err != nil {
		t.Fatal(err)
	}
	warm, blue := 0, 0
	for i := 0; i < len(p.Pix); i += 4 {
		if r, b := p.Pix[i], p.Pix[i+2]; r > b+20 {
			warm++
		} else if b > r+40 {
			blue++
		}
	}
	if warm < 20 || blue < 20 {
		t.Errorf("%d pixels of one galaxy, %d of the other", warm, blue)
	}
}

// BenchmarkStep measures a step of 20,000 stars, with kernels and in plain Go.
func BenchmarkStep(b *testing.B) {
	const n = 20_000
	night := func(b *testing.B, workers int) *stars {
		pool := jobs.New(jobs.Workers(workers))
		b.Cleanup(func() { _ = pool.Close() })
		w, err := system.NewWorld("galaxy", system.Only(), system.OnPool(pool))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = w.Close() })
		return light(w, n)
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/n, "ns/pair")
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("path=%s/workers=%d", kernels.Path(), workers), func(b *testing.B) {
			s := night(b, workers)
			for b.Loop() {
				if err := s.step(); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
	}
	b.Run("plain", func(b *testing.B) {
		p := newPlain(night(b, 1))
		for b.Loop() {
			plainStep(p)
		}
		report(b)
	})
}
