package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/cloth/model"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of a sheet of 30 by 30 knots after a twentieth of a second. It is the same on
// every machine and path, with any number of workers.
const golden = 0x16701ed0c975d5e6

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		w, _, err := run(30, 0.05, system.OnPool(pool))
		if err != nil {
			return 0, err
		}
		defer w.Close()
		return w.Hash(), nil
	})
}

// TestDrape checks that a sheet hangs over the ball. All knots must be outside of the ball, the
// middle on its top, the corners lower, and the sheet hardly stretched.
func TestDrape(t *testing.T) {
	w, s, err := run(24, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var p [][3]float32
	top, low := float32(-9), float32(9)
	for c := range s.Knots.Chunks() {
		pos := ecs.ReadColumn[transform.Translation](c)
		for i := range pos.X {
			x, y, z := pos.X[i], pos.Y[i], pos.Z[i]
			if r := math.Sqrt(float64(x*x + y*y + z*z)); !(r > model.Radius-1e-5 && r < 2) {
				t.Fatalf("a knot is %v away from the middle of the ball", r)
			}
			top, low = max(top, y), min(low, y)
			p = append(p, [3]float32{x, y, z})
		}
	}
	if top < model.Radius-0.01 || top > model.Radius+0.02 || low > -0.2 {
		t.Errorf("the sheet hangs from %v to %v", top, low)
	}
	apart := float64(model.Wide) / float64(s.Side-1)
	for k := range p {
		if k%s.Side == 0 {
			continue
		}
		d := vec(p[k]).sub(vec(p[k-1]))
		if l := math.Sqrt(float64(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])); l > 1.3*apart {
			t.Errorf("knots %d and %d are %v apart, at rest %v", k-1, k, l, apart)
		}
	}
}

// TestPicture checks that the picture of a sheet has both colours.
func TestPicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cloth.png")
	if err := show(12, 0.1, name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
		t.Error("no picture", err)
	}
	w, s, err := run(12, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := picture(w, s, 200, 160)
	if err != nil {
		t.Fatal(err)
	}
	red, white := 0, 0
	for i := 0; i < len(p.Pix); i += 4 {
		switch r, g, b := int(p.Pix[i]), int(p.Pix[i+1]), int(p.Pix[i+2]); {
		case r > 2*g:
			red++
		case r > b+30:
			white++
		}
	}
	if red < 500 || white < 500 {
		t.Errorf("%d pixels are red, %d white", red, white)
	}
	if err := show(2, 0.1, ""); err == nil {
		t.Error("a sheet of two knots is shown")
	}
}
