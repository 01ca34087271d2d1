package zoo

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var (
	full  = flag.Bool("lanewise.full", false, "every road at each size, with 20 ticks after it")
	pairs = flag.Bool("zoo.pairs", false, "every pair of roads of the test (-lanewise.full: all), in a random order, for -roads.for at each size")
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
		Arm:      Arm,
		Snapshot: SnapshotOptions(),
		Pack:     PackOptions(),
	}
}

// refusals lists, for each road, the features that the road cannot support in principle. That road
// gets a zoo without these features, and all other roads get a zoo with them. docs/roads.md contains
// this table.
var refusals = []struct {
	road, feature string
	error         string // a part of the text of the error
}{
	{"pack", "blobs", "refers to a blob"},
	{"move", "shared filter", "holds a shared value"},
}

// A herd is a zoo and the set of roads on which it is tested.
type herd struct {
	name    string
	without []string
	roads   []string
}

// allRoads returns the roads of package roads, and those that only a zoo can take.
func allRoads() []roads.Road {
	return append(roads.All(), roads.Road{Name: "edit", Changes: true, Run: edit})
}

// edit changes the texts of scenes while the world runs, and changes them back. Loaded scenes get the
// edited values and then those of the text again, and an entity is created and destroyed. Scenes that
// are being loaded do not notice an edit that is taken back before the next tick.
func edit(t *roads.Trip) error {
	texts := TextsOf(t.World)
	if texts == nil {
		t.Idle("the zoo has no scenes")
		return nil
	}
	// After a load from a file, the first check of a text only says which text the scene has.
	if err := scene.Refresh(t.World); err != nil {
		return err
	}
	for _, change := range [][2]string{
		{`"Height": 0.25`, `"Height": 9`},
		{`"tree/7":`, `"tree/new": {"Tree": {"Height": 1, "Next": "@tree/2"}}, "tree/7":`},
		{`"Herd": {"Number": 1}`, `"Herd": {"Number": 2}, "Dreams": {"Count": 5}`},
	} {
		undo := texts.Edit(change[0], change[1])
		if err := scene.Refresh(t.World); err != nil {
			return err
		}
		undo()
		if err := scene.Refresh(t.World); err != nil {
			return err
		}
	}
	return nil
}

// herds returns a zoo with all features, and one that can take all roads.
func herds() []herd {
	whole, all := herd{name: "all features"}, herd{name: "all roads"}
	for _, r := range allRoads() {
		whole.roads, all.roads = append(whole.roads, r.Name), append(all.roads, r.Name)
	}
	for _, r := range refusals {
		whole.roads = slices.DeleteFunc(whole.roads, func(name string) bool { return name == r.road })
		all.without = append(all.without, r.feature)
	}
	return []herd{whole, all}
}

// takes reports whether the zoo can take all roads of a program in text form.
func (h *herd) takes(program string) bool {
	for _, r := range refusals {
		if strings.Contains(program, " "+r.road+"#") && !slices.Contains(h.roads, r.road) {
			return false
		}
	}
	return true
}

// counter counts roads and pairs of roads that a zoo has passed.
type counter struct{ programs, roads int }

func (c *counter) passed(p roads.Program) {
	c.programs++
	c.roads += len(p.Steps)
}

// TestRoads sends a zoo of each size down roads: each road alone, and drawn pairs and triples. By
// default the large zoo takes a few of them, because each takes a tenth of a second.
func TestRoads(t *testing.T) {
	for _, size := range Sizes {
		t.Run(size.String(), func(t *testing.T) {
			for i, h := range herds() {
				child := flagValue("roads.child") != "" // takes what its parent takes
				if !h.takes(flagValue("roads.program")) || size == Large && i == 1 && !*full && !child {
					continue
				}
				t.Run(h.name, func(t *testing.T) {
					var c counter
					o := roads.Options{Seed: uint64(i + 1), Roads: allRoads()[len(roads.All()):], Only: h.roads, Passed: c.passed}
					if !*full {
						shorten(&o, size, i)
					}
					start := time.Now()
					s := subject(Options{Seed: uint64(i + 1), Size: size, Without: h.without})
					for child { // until the call of the parent, which ends the test
						roads.Test(t, s, o)
					}
					if *pairs && flagValue("roads.program") == "" {
						testPairs(t, s, o)
					} else {
						roads.Test(t, s, o)
					}
					t.Logf("%d programs with %d roads in %.1f s", c.programs, c.roads, time.Since(start).Seconds())
				})
			}
		})
	}
}

// shorten limits a test to a third of a second. The small zoo with all features takes every
// road, and each of the other zoos takes some roads.
func shorten(o *roads.Options, size Size, herd int) {
	part := func(from, step int) (list []string) {
		for i := from; i < len(o.Only); i += step {
			list = append(list, o.Only[i])
		}
		return list
	}
	o.Ticks, o.Programs = 5, -1
	switch {
	case size == Large:
		o.Only, o.Ticks = []string{"restore"}, 1
	case size == Medium:
		o.Only = part(herd, 4)
	case herd == 1:
		o.Only, o.Programs = []string{"pack", "move"}, 2
	default:
		o.Programs = 2
	}
}

// flagValue returns the value of a flag of package roads.
func flagValue(name string) string { return flag.Lookup(name).Value.String() }

// testPairs sends a zoo down every pair of roads, in a random order, until the time is over.
func testPairs(t *testing.T, s roads.Subject, o roads.Options) {
	var seed uint64
	if _, err := fmt.Sscan(flagValue("roads.seed"), &seed); err != nil {
		t.Fatal(err)
	}
	limit, err := time.ParseDuration(flagValue("roads.for"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	rng := rand.New(rand.NewPCG(seed, 3))
	for _, a := range o.Only {
		for _, b := range o.Only {
			path := kernels.Paths()[rng.IntN(len(kernels.Paths()))]
			list = append(list, fmt.Sprintf("workers=%d procs=%d path=%s: %d %s#%x %d %s#%x", []int{1, 2, 3, 8}[rng.IntN(4)], 1+rng.IntN(2), path,
				rng.IntN(4), a, rng.Uint32(), rng.IntN(3), b, rng.Uint32()))
		}
	}
	rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	done, start := 0, time.Now()
	for _, program := range list {
		if time.Since(start) > limit {
			break
		}
		o.Program = program
		roads.Test(t, s, o)
		done++
	}
	if done == 0 {
		t.Fatal("-zoo.pairs has run no pair: set -roads.for, for example -roads.for=10m, and -timeout 0")
	}
	t.Logf("%d of %d pairs", done, len(list))
}

// TestRefusals checks that a road that does not support a feature returns an error with the feature's name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		t.Run(r.road, func(t *testing.T) {
			roads.Test(t, subject(Options{Seed: 1}), roads.Options{Seed: 1, Only: []string{r.road}, Programs: -1, Ticks: 4, Refuses: map[string]string{r.road: r.error}})
		})
	}
	for _, h := range herds() {
		if h.name == "all features" && len(h.roads)+len(refusals) != len(allRoads()) {
			t.Errorf("a whole zoo takes the roads %s: a road of refusals has no such name", strings.Join(h.roads, ", "))
		}
	}
}
