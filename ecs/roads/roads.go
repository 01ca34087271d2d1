package roads

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Subject is the program under test: a world, its systems, and the code that advances the world.
type Subject struct {
	// New makes the world with its systems and entities. The world runs its jobs on the pool. Every
	// call must make an equal world.
	New func(pool *jobs.Pool) (*ecs.World, error)

	// Tick advances the world by one tick. Its effect must depend only on the world. A nil Tick
	// advances the clock by [system.DefaultStep] and calls [system.Update]. Road twin calls Tick on two
	// goroutines at the same time, for two worlds.
	Tick func(w *ecs.World) error

	// Close closes the world, and releases everything else that New has made for it. A nil Close
	// calls [ecs.World.Close].
	Close func(w *ecs.World) error

	// Systems adds the systems of the program to a world that has its entities already, as
	// [system.AddSystems] does. With it the road fork continues with the fork itself. Without it,
	// the contents of the fork go on in another world of New.
	Systems func(w *ecs.World) error

	// Arm makes methods of the program's values, for example Equal, Hash and codecs, call f each
	// time, until disarm is called. Any goroutine may call f. Road panic lets f panic. A nil Arm
	// leaves these panics out.
	Arm func(f func()) (disarm func())

	Snapshot []snapshot.Option // options to save and load the world, for example a codec of a managed component
	Pack     []pack.Option     // options to pack and unpack its entities
}

// tick advances a world by one tick. A panic becomes an error.
func (s *Subject) tick(w *ecs.World) (err error) {
	defer recoverInto(&err)
	if s.Tick != nil {
		return s.Tick(w)
	}
	system.ClockOf(w).Advance(system.DefaultStep)
	return system.Update(w)
}

// close closes a world.
func (s *Subject) close(w *ecs.World) (err error) {
	defer recoverInto(&err)
	if s.Close != nil {
		return s.Close(w)
	}
	return w.Close()
}

// A Road is a way that a world can take between two ticks. For example, it is saved to a file and
// loaded into another world. The world at the end must continue as if it had not taken the road.
type Road struct {
	Name string // one word

	// Changes says that ids, the order of rows or change versions may be others at the end. Then the
	// run without roads takes this road too, on one worker, so that both runs must still be equal.
	// This comparison finds a road with another result each time, but it does not find a road that
	// always loses the same data. Therefore Run must itself check that the world still has its
	// entities and values, as the roads of this package do.
	Changes bool

	// Run sends the world of the trip down the road.
	Run func(t *Trip) error
}

// Options are the settings of Test. The zero Options is a short test.
type Options struct {
	Seed     uint64        // of the first drawn program
	Programs int           // number of drawn programs with two or three roads; 0 means 8, and a negative number none
	For      time.Duration // if it is not 0, programs are drawn until the time is over or the -timeout of go test is near, and Programs is ignored
	Ticks    int           // number of ticks after the last road; 0 means 20
	Program  string        // run only this program, which a failure has printed

	// If Pairs is not nil, it replaces the programs of one road and the random programs: Test runs
	// each pair of roads for which Pairs returns true once, in a random order. A program has up to
	// eight roads, of which each one and the next are a pair. If For is not 0, Test takes only the
	// pairs for which the time suffices.
	Pairs func(first, second string) bool

	// Refuses names the roads that the world refuses by nature, with a part of the text of the
	// error. For example, a world with references to blobs cannot be packed. Test checks that the
	// road returns no other error, and this error at least once, and that the world then continues
	// as if the program did not contain the road.
	Refuses map[string]string

	Roads []Road   // more roads, in addition to those of All
	Only  []string // the names of the roads to take; nil means all

	Passed func(p Program) // is called for each program that has passed
}

// Test sends the world down every road of [All], alone and in drawn pairs and triples. After each
// road it checks that the world continues like a world that took no road. It fails the test. The
// message has the shortest failing program that it finds, the first tick, system, entity and
// component that differ, and both values.
//
// The flags -roads.seed, -roads.for and -roads.program of the test binary replace the options of
// these names: for example, go test -run TestRoads -roads.for=1m. The flag -roads.pairs chooses all
// pairs, unless the options have a function Pairs. The flag -roads.shrink limits the time for a shorter
// program, and then the time for the cause, for example -roads.shrink=5m for a large world. With
// -roads.shrink=0, Test reports a failure as it is.
//
// Test sets GOMAXPROCS and the path of package kernels, and counts goroutines and open files.
// Therefore no other test may run at the same time.
func Test(t testing.TB, s Subject, o Options) {
	t.Helper()
	if s.New == nil {
		t.Fatal("roads: Test: the Subject has no New: set it to a function that makes the world")
	}
	if childMain(t, &s) {
		return
	}
	o.readFlags()
	r, err := newRunner(t, &s, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	programs, err := r.programs()
	if err != nil {
		t.Fatal(err)
	}
	for p := range programs {
		if err := r.run(p); err != nil {
			t.Fatal(r.explain(p, err))
		}
		if o.Passed != nil {
			o.Passed(p)
		}
	}
	if err := r.checkRefused(); err != nil {
		t.Fatal(err)
	}
	r.logIdle()
}

// The flags that replace options.
var (
	seedFlag    = flag.Uint64("roads.seed", 0, "roads.Options.Seed: of the first drawn program")
	forFlag     = flag.Duration("roads.for", 0, "roads.Options.For: draw programs for this time")
	shrinkFlag  = flag.Duration("roads.shrink", 20*time.Second, "time to look for a shorter program that fails too, and again for the cause; 0 means to report a failure as it is")
	pairsFlag   = flag.Bool("roads.pairs", false, "roads.Options.Pairs: take every pair of roads once")
	programFlag = flag.String("roads.program", "", "roads.Options.Program: run only this program")
)

// readFlags replaces options by flags that are set.
func (o *Options) readFlags() {
	if *seedFlag != 0 {
		o.Seed = *seedFlag
	}
	if *forFlag != 0 {
		o.For = *forFlag
	}
	if *pairsFlag && o.Pairs == nil {
		o.Pairs = func(string, string) bool { return true }
	}
	if *programFlag != "" {
		o.Program = *programFlag
	}
}

// All returns the roads of this package, in a new slice.
func All() []Road { return slices.Clone(all) }

// roadsOf returns the roads that the options choose.
func roadsOf(o *Options) ([]Road, error) {
	list := append(All(), o.Roads...)
	seen := map[string]bool{}
	for _, road := range list {
		if road.Run == nil || road.Name == "" || strings.ContainsAny(road.Name, " \t#:") || seen[road.Name] {
			return nil, fmt.Errorf("roads: Test: road %q: give each road a Run and its own Name of one word", road.Name)
		}
		seen[road.Name] = true
	}
	for _, names := range [][]string{o.Only, sortedKeys(o.Refuses)} {
		for _, name := range names {
			if !seen[name] {
				return nil, fmt.Errorf("roads: Test: there is no road %q: use a name of roads.All or of Options.Roads", name)
			}
		}
	}
	if o.Only == nil {
		return list, nil
	}
	if len(o.Only) == 0 {
		return nil, errors.New("roads: Test: Options.Only names no road: give it at least one name, or leave it nil for all roads")
	}
	return slices.DeleteFunc(list, func(r Road) bool { return !slices.Contains(o.Only, r.Name) }), nil
}
