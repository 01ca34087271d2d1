package zoo

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/jobs"
)

// subject returns a zoo for package roads.
func subject(o Options) roads.Subject {
	return roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			o := o
			o.Pool = pool
			return New(o)
		},
		Tick:     Tick,
		Systems:  func(w *ecs.World) error { return Equip(w, o) },
		Snapshot: SnapshotOptions(),
		Pack:     PackOptions(),
	}
}

// refusals are the features that a road cannot carry by nature. The road gets a zoo without them, and
// the other roads get a zoo with them.
var refusals = []struct {
	road, feature string
	refuses       string // a part of the text of the error; "" if the road changes what the feature sees
}{
	{"pack", "blobs", "refers to a blob"},
	{"move", "shared filter", "holds a shared value"},
	{"compact", "order filters", ""}, // Compact counts as a change of the order
}

// variants returns the roads that a whole zoo can take, and the features that a zoo lacks to take
// all roads.
func variants() (whole, lacks []string) {
	for _, r := range roads.All() {
		whole = append(whole, r.Name)
	}
	for _, r := range refusals {
		whole = slices.DeleteFunc(whole, func(name string) bool { return name == r.road })
		lacks = append(lacks, r.feature)
	}
	return whole, lacks
}

// TestRoads sends a zoo of each size down every road.
func TestRoads(t *testing.T) {
	whole, lacks := variants()
	for _, size := range Sizes {
		t.Run(size.String(), func(t *testing.T) {
			passed := func(p roads.Program) { t.Log(p) }
			t.Run("all features", func(t *testing.T) {
				roads.Test(t, subject(Options{Seed: 1, Size: size}), roads.Options{Seed: 1, Only: whole, Passed: passed})
			})
			t.Run("all roads", func(t *testing.T) {
				roads.Test(t, subject(Options{Seed: 2, Size: size, Without: lacks}), roads.Options{Seed: 2, Passed: passed})
			})
		})
	}
}
