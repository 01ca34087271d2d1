package arrow_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/internal/zoo"
	"github.com/lanewise/lanewise/jobs"
)

var full = flag.Bool("lanewise.full", false, "every pair of roads with arrow at each size")

// allTerms returns the terms of a query of all entities with all components of a world.
func allTerms(w *ecs.World) []ecs.Term {
	kinds := map[reflect.Type]ecs.ComponentType{}
	for _, c := range ecs.ComponentTypes() {
		kinds[c.Type] = c
	}
	var types []reflect.Type
	for a := range w.Archetypes() {
		if a.Len() > 0 && !slices.Contains(a.Types(), reflect.TypeFor[ecs.ChunkHeader]()) {
			types = append(types, a.Types()...)
		}
	}
	slices.SortFunc(types, func(a, b reflect.Type) int { return bytes.Compare([]byte(kinds[a].Name), []byte(kinds[b].Name)) })
	var terms []ecs.Term
	for _, typ := range slices.Compact(types) {
		term := ecs.Read[struct{}]()
		if k := kinds[typ]; k.Shared || k.Tag || k.PerChunk {
			term = ecs.With[struct{}]()
		}
		terms = append(terms, term.OfType(typ))
	}
	return []ecs.Term{ecs.AnyOf(terms...), ecs.IncludeHidden(), ecs.IgnoreEnabled()}
}

// copyTo exports all entities of a world as a stream. It imports the stream into another world, or
// into the same world after its entities were destroyed. All entities must have the same components
// as before.
func copyTo(to, from *ecs.World, before *roads.Census) error {
	terms := allTerms(from)
	s, err := arrow.New(from, terms...)
	if err != nil {
		return err
	}
	var stream bytes.Buffer
	if err := errors.Join(s.WriteStream(&stream), s.Query().Close()); err != nil {
		return err
	}
	if to == from {
		q := from.Query(ecs.IncludeHidden(), ecs.IgnoreEnabled())
		if err := errors.Join(ecs.DestroyAll(from, ecs.Matching(q)), q.Close()); err != nil {
			return err
		}
	}
	ids, err := arrow.Read(to, &stream, terms...)
	if err != nil {
		return err
	}
	after, err := roads.CensusOf(to)
	if err != nil {
		return err
	}
	if a, b := len(before.Entities()), len(after.Entities()); a != b {
		return fmt.Errorf("%d entities are %d after an export and an import", a, b)
	}
	all := map[ecs.Entity]ecs.Entity{}
	for _, e := range before.Entities() {
		all[e] = e
	}
	maps.Copy(all, ids) // which need not have the ids that were kept
	rename := func(e ecs.Entity) (ecs.Entity, bool) {
		n, ok := all[e]
		return n, ok
	}
	return before.Compare(before.Entities(), after, rename, func(reflect.Type) bool { return false })
}

// throughArrow copies the world to another world through a stream, and then replaces its entities by
// those of a second stream.
func throughArrow(t *roads.Trip) error {
	before, err := roads.CensusOf(t.World)
	if err != nil {
		return err
	}
	away := ecs.NewWorld("away", ecs.OnPool(t.NewPool(1)))
	t.Keep(away)
	if err := copyTo(away, t.World, before); err != nil {
		return fmt.Errorf("in the other world: %w", err)
	}
	return copyTo(t.World, t.World, before)
}

// subject returns a zoo world as the program that package roads tests.
func subject(o zoo.Options) roads.Subject {
	return roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			o := o
			o.Pool = pool
			return zoo.New(o)
		},
		Tick:     zoo.Tick,
		Close:    zoo.Close,
		Systems:  func(w *ecs.World) error { return zoo.Equip(w, o) },
		Arm:      zoo.Arm,
		Snapshot: zoo.SnapshotOptions(),
		Pack:     zoo.PackOptions(),
	}
}

var arrowRoad = roads.Road{Name: "arrow", Changes: true, Run: throughArrow}

// TestRoads sends a zoo world of each size through Arrow: alone, and before and after other features
// that package roads tests.
func TestRoads(t *testing.T) {
	without := slices.Concat(zoo.Refused("arrow"), zoo.Refused("pack"), zoo.Refused("move"))
	for _, size := range zoo.Sizes {
		t.Run(size.String(), func(t *testing.T) {
			o := roads.Options{Seed: 1, Ticks: 20, Roads: []roads.Road{arrowRoad}, Only: []string{"arrow"}, Programs: -1}
			s := subject(zoo.Options{Seed: 1, Size: size, Without: without})
			if size == zoo.Small || *full {
				o.Only = nil
				o.Pairs = func(first, second string) bool { return first == "arrow" || second == "arrow" && *full }
			}
			roads.Test(t, s, o)
		})
	}
}

// TestRefusals checks, for each feature of a world that Arrow cannot store, that the export returns
// an error with the name of the feature. Some buffers appear only after some ticks, so the test
// draws several programs.
func TestRefusals(t *testing.T) {
	for _, r := range zoo.Refusals {
		if r.Road != "arrow" {
			continue
		}
		t.Run(r.Feature, func(t *testing.T) {
			others := slices.DeleteFunc(zoo.Refused("arrow"), func(f string) bool { return f == r.Feature })
			roads.Test(t, subject(zoo.Options{Seed: 1, Without: others}), roads.Options{Seed: 1, Ticks: 4,
				Roads: []roads.Road{arrowRoad}, Only: []string{"arrow"}, Programs: 4, Refuses: map[string]string{"arrow": r.Error}})
		})
	}
}
