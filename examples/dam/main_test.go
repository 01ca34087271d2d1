package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 600 drops after a twentieth of a second. It is the same on every machine and
// path, with any number of workers.
const golden = 0x9196368a18b417ff

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		w, err := run(600, 0.05, system.OnPool(pool))
		if err != nil {
			return 0, err
		}
		defer w.Close()
		return w.Hash(), nil
	})
}

// TestFlow checks that the water flows away from its first place, and stays together and in the
// tank.
func TestFlow(t *testing.T) {
	w, err := run(800, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	front, top := float32(0), float32(0)
	for c := range w.Query(ecs.Read[transform.Translation]()).Chunks() {
		pos := ecs.Column[transform.Translation](c)
		for i, x := range pos.X {
			if y, z := pos.Y[i], pos.Z[i]; !(x >= 0 && x <= model.Width && y >= 0 && y <= model.Height && z >= 0 && z <= model.Depth) {
				t.Fatalf("a drop is at %v, %v, %v", x, y, z)
			}
			front, top = max(front, x), max(top, pos.Y[i])
		}
	}
	if front < 1.3 || front > 3 || top < 1 || top > 2.1 {
		t.Errorf("the front is at %v, the top at %v", front, top)
	}
}

// TestPicture checks that the picture has water in the lower left and no water on the right.
func TestPicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "dam.png")
	if err := show(300, 0.01, name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
		t.Error("no picture", err)
	}
	w, err := run(300, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := picture(w, 160)
	if err != nil {
		t.Fatal(err)
	}
	if in, out := p.RGBAAt(20, 80), p.RGBAAt(120, 80); in.B < in.R+40 || out.R < out.B {
		t.Errorf("water is %v, air %v", in, out)
	}
}

// TestFew checks that a single drop is accepted and that zero drops are refused.
func TestFew(t *testing.T) {
	for n := 1; n < 4; n++ {
		w, err := run(n, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	if err := show(0, 0.1, ""); err == nil {
		t.Error("no drops are shown")
	}
}
