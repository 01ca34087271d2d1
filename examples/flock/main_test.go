package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/study"
)

// TestDraw checks that the picture of a flock has birds in several colours.
func TestDraw(t *testing.T) {
	name := filepath.Join(t.TempDir(), "flock.png")
	if err := draw(name, "birds=200", "ticks=2"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
		t.Error("no picture", err)
	}
	if err := draw(name, "birds=none"); err == nil {
		t.Error("drawn without birds")
	}
	colours := map[[3]byte]int{}
	model.AtEnd = func(m *model.Flock) {
		p, err := picture(m, 300)
		if err != nil {
			t.Error(err)
			return
		}
		for i := 0; i < len(p.Pix); i += 4 {
			colours[[3]byte(p.Pix[i:i+3])]++
		}
	}
	defer func() { model.AtEnd = nil }()
	if _, err := study.Once[*model.Flock](nil, "birds=200", "ticks=2"); err != nil || len(colours) < 8 {
		t.Errorf("%d colours, %v", len(colours), err)
	}
}
