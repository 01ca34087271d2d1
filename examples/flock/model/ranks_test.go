package model

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// alone is all ranks at once: a bird's row is its ID.
type alone map[ecs.Entity]int32

func (alone) Exchange() error  { return nil }
func (r alone) Len() int       { return len(r) }
func (alone) Ghost(int32) bool { return false }
func (r alone) AppendRows(rows []int32, entities []ecs.Entity) []int32 {
	for _, e := range entities {
		rows = append(rows, r[e])
	}
	return rows
}

// A flock that is spread flies as it does in one world.
func TestSpread(t *testing.T) {
	fly := func(spread bool) (x, y []float32) {
		m := &Flock{Birds: 900, Size: 12, View: 1, Pace: 0.1, Noise: 0.4}
		w, err := m.Make("spread", nil, 3)
		if err != nil {
			t.Fatal(err)
		}
		rows := alone{}
		for c := range m.birds.Chunks() {
			ids := *ecs.Peek[ID](c)
			for i, e := range c.Entities() {
				rows[e] = int32(ids[i])
			}
		}
		if spread {
			m.Spread(w, rows)
		}
		for tick := range 5 {
			if err := m.Tick(tick); err != nil {
				t.Fatal(err)
			}
		}
		for c := range m.birds.Chunks() {
			place := ecs.Peek[Place](c)
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
