package model

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
)

// TestSpread divides a flock among several worlds, and checks that it flies as in a
// single world.
func TestSpread(t *testing.T) {
	fly := func(spread bool) (x, y []float32) {
		m := &Flock{Birds: 900, Size: 12, View: 1, Pace: 0.1, Noise: 0.4}
		w, err := m.Make("spread", nil, 3)
		if err != nil {
			t.Fatal(err)
		}
		if spread {
			m.Spread(w, &exampletest.Ranks{Rows: m.Birds})
		}
		for tick := range 5 {
			if err := m.Tick(tick); err != nil {
				t.Fatal(err)
			}
		}
		for c := range m.birds.Chunks() {
			place := ecs.ReadColumn[Place](c)
			x, y = append(x, place.X...), append(y, place.Y...)
		}
		return x, y
	}
	x, y := fly(false)
	gotX, gotY := fly(true)
	if !slices.Equal(gotX, x) || !slices.Equal(gotY, y) || len(x) != 900 {
		t.Error("birds of one rank fly another way than those of none")
	}
}
