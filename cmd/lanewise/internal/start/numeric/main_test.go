package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestHash checks that the hash does not depend on the number of workers. After a change of the model, write its new hash here.
func TestHash(t *testing.T) {
	const want = 0xbbd4f3f659c2f8a9
	for _, workers := range []int{1, 2, 5} {
		pool := jobs.New(jobs.Workers(workers))
		p := newPond(pool, 50)
		for range 100 {
			if err := p.step(); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.hash(); got != want {
			t.Errorf("%d workers: the hash is %#016x, want %#016x", workers, got, uint64(want))
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWater checks that no water gets lost.
func TestWater(t *testing.T) {
	p := newPond(nil, 50)
	before := water(p)
	for range 200 {
		if err := p.step(); err != nil {
			t.Fatal(err)
		}
	}
	if after := water(p); after < before-1e-3 || after > before+1e-3 {
		t.Errorf("the pond has %v of water after 200 steps, want %v", after, before)
	}
}

// water returns the sum of the heights.
func water(p *pond) (sum float64) {
	for y := range p.now.Shape().Y {
		for _, height := range p.now.Row(y, 0) {
			sum += float64(height)
		}
	}
	return sum
}

func TestDraw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pond.png")
	if err := newPond(nil, 50).draw(name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() == 0 {
		t.Errorf("the picture: %v, %v", info, err)
	}
}
