package roads_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// newRefusing is a world that cannot be saved or packed, because its notes have no codec.
func newRefusing() (s roads.Subject, refuses map[string]string) {
	s = estate(20)
	s.Snapshot, s.Pack = nil, nil
	const write = "no way to write it"
	return s, map[string]string{"save": write, "child": write, "delta": write, "pack": "no way to pack it"}
}

// TestRefuses checks two rules for a road that a world refuses: the road must return the error that
// is named for it, and the world must continue afterwards.
func TestRefuses(t *testing.T) {
	s, refuses := newRefusing()
	roads.Test(t, s, roads.Options{Seed: 2, Programs: 4, Refuses: refuses})

	refuses["pack"] = "another text"
	wantTexts(t, report(t, s, roads.Options{Only: []string{"pack"}, Refuses: refuses}), "road pack: the error is", "no way to pack it", `wants "another text"`)
	wantTexts(t, report(t, s, roads.Options{Only: []string{"save"}}), "no way to write it", "Note", "give a Codec")
	wantTexts(t, report(t, herd(20), roads.Options{Only: []string{"save"}, Refuses: refuses}), "says that the world refuses road save, and it never does")
}

// TestOptions checks the errors of options that are wrong.
func TestOptions(t *testing.T) {
	own := roads.Road{Name: "own", Run: func(*roads.Trip) error { return nil }}
	for _, c := range []struct {
		options roads.Options
		want    string
	}{
		{roads.Options{Only: []string{"sea"}}, `there is no road "sea"`},
		{roads.Options{Only: []string{}}, "Options.Only names no road"},
		{roads.Options{Refuses: map[string]string{"sea": ""}}, `there is no road "sea"`},
		{roads.Options{Pairs: func(string, string) bool { return false }}, "Options.Pairs returns false for every pair"},
		{roads.Options{Roads: []roads.Road{own, own}}, `road "own": give each road`},
		{roads.Options{Roads: []roads.Road{{Name: "own"}}}, `road "own": give each road`},
		{roads.Options{Roads: []roads.Road{{Name: "my own", Run: own.Run}}}, `road "my own": give each road`},
		{roads.Options{Program: "workers=1 procs=1 path=generic: 3 sea#1"}, `there is no road "sea"`},
		{roads.Options{Program: "workers=1 procs=1 path=generic: 3"}, "copy it from the message"},
		{roads.Options{Program: "workers=1 procs=1 path=generic: x nothing#1"}, "no number of ticks"},
		{roads.Options{Program: "workers=1 procs=1 path=generic: 3 nothing"}, "copy it from the message"},
		{roads.Options{Program: "workers=0 procs=1 path=generic:"}, "copy it from the message"},
		{roads.Options{Program: "nothing"}, "copy it from the message"},
		{roads.Options{Program: "workers=1 procs=1 path=gpu: 3 nothing#1"}, "gpu"},
	} {
		wantTexts(t, report(t, herd(5), c.options), c.want)
	}
	wantTexts(t, report(t, roads.Subject{}, roads.Options{}), "the Subject has no New")
	wantTexts(t, report(t, roads.Subject{New: func(*jobs.Pool) (*ecs.World, error) { return nil, errors.New("no game") }}, roads.Options{}), "Subject.New: no game")
	wantTexts(t, report(t, roads.Subject{New: func(*jobs.Pool) (*ecs.World, error) { panic("no game") }}, roads.Options{}), "Subject.New: panic: no game")
}

// TestProgram runs one program with a road of the test, on the machine that the program names.
func TestProgram(t *testing.T) {
	text := fmt.Sprintf("workers=3 procs=2 path=%s: 2 own#a 0 defragment#b 1 own#c", kernels.Paths()[0])
	var ticks []int
	own := roads.Road{Name: "own", Run: func(trip *roads.Trip) error {
		ticks = append(ticks, trip.Ticks)
		if n := trip.Pool().Workers(); n != 3 || kernels.Path() != kernels.Paths()[0] {
			return fmt.Errorf("%d workers, path %s", n, kernels.Path())
		}
		m, err := trip.Mark()
		if err != nil {
			return err
		}
		if err := trip.Tick(4); err != nil {
			return err
		}
		return trip.Back(m)
	}}
	passed := ""
	roads.Test(t, herd(50), roads.Options{Roads: []roads.Road{own}, Program: text, Passed: func(p roads.Program) { passed += p.String() }})
	if passed != text || fmt.Sprint(ticks) != "[2 3]" {
		t.Errorf("passed is %q, want %q; the road was taken at ticks %v", passed, text, ticks)
	}

	// A road that changes the world is found, and so is a road that leaves the world at another
	// tick.
	for name, run := range map[string]func(*roads.Trip) error{
		"write": func(trip *roads.Trip) error {
			for e := range trip.World.Entities() {
				return ecs.Set(trip.World, e, Size{77})
			}
			return nil
		},
		"touch": func(trip *roads.Trip) error { // changes a version only
			for e := range trip.World.Entities() {
				size, err := ecs.Get[Size](trip.World, e)
				return errors.Join(err, ecs.Set(trip.World, e, size))
			}
			return nil
		},
		"count": func(trip *roads.Trip) error {
			trip.Ticks++
			return nil
		},
		"back": func(trip *roads.Trip) error {
			trip.Ticks--
			return nil
		},
		"fail":  func(*roads.Trip) error { return errors.New("no way") },
		"panic": func(*roads.Trip) error { panic("no way") },
	} {
		name = "bad-" + name
		message := report(t, herd(50), roads.Options{Roads: []roads.Road{{Name: name, Run: run}}, Only: []string{name, "restore"}, Programs: 2})
		wantTexts(t, message, "then road "+name)
		switch name {
		case "bad-write":
			wantTexts(t, message, "a world with roads differs", "the end of road bad-write", "Size.Kg is", "and 77")
		case "bad-touch":
			wantTexts(t, message, "a program with roads fails", "the end of road bad-touch", "Changed of roads_test.Size shows the chunk of entity", "one of the systems is")
		case "bad-back":
			wantTexts(t, message, "a program with roads fails", "road bad-back ends at tick -1, and began at tick 0")
		}
		if strings.Contains(message, "then road restore") {
			t.Errorf("the program is not the shortest:\n%s", message)
		}
	}
}

// TestPairs checks that a test with Options.Pairs takes the chosen pairs, each of them once, in programs of up to eight
// roads.
func TestPairs(t *testing.T) {
	only := []string{"nothing", "restore", "compact", "copy", "fork", "defragment", "transaction"}
	var taken, want []string
	pairs := func(first, second string) bool { return first != "restore" || second == "compact" }
	for _, first := range only {
		for _, second := range only {
			if pairs(first, second) {
				want = append(want, first+" "+second)
			}
		}
	}
	changes := func(road string) bool { return road == "compact" || road == "defragment" }
	programs, longest := 0, 0
	roads.Test(t, herd(5), roads.Options{Only: only, Ticks: 1, Pairs: pairs, Passed: func(p roads.Program) {
		of := map[bool]bool{}
		for i := 1; i < len(p.Steps); i++ {
			first, second := p.Steps[i-1].Road, p.Steps[i].Road
			taken = append(taken, first+" "+second)
			of[changes(first) || changes(second)] = true
		}
		if programs, longest = programs+1, max(longest, len(p.Steps)); len(of) != 1 {
			t.Errorf("a program has pairs with roads that change ids or rows, and pairs without them: %v", p)
		}
	}})
	slices.Sort(taken)
	slices.Sort(want)
	if !slices.Equal(taken, want) {
		t.Errorf("the pairs are %q, want %q", taken, want)
	}
	if longest != 8 || programs > len(want)/3 {
		t.Errorf("%d programs of up to %d roads have %d pairs; want fewer programs with up to 8 roads", programs, longest, len(want))
	}

	taken = nil
	roads.Test(t, herd(5), roads.Options{Only: []string{"nothing", "restore"}, Ticks: 1, For: 1,
		Pairs:  func(string, string) bool { return true },
		Passed: func(p roads.Program) { taken = append(taken, p.String()) }})
	if len(taken) != 1 {
		t.Errorf("a nanosecond suffices for the programs %q, want the first one only", taken)
	}
}

// TestSeedsDiffer checks that seeds which follow each other draw different programs.
func TestSeedsDiffer(t *testing.T) {
	drawn := map[string]uint64{}
	for seed := uint64(7); seed < 9; seed++ {
		roads.Test(t, herd(5), roads.Options{Seed: seed, Only: []string{"nothing", "transaction"}, Programs: 20, Ticks: 1, Passed: func(p roads.Program) {
			text := p.String()
			if other, ok := drawn[text]; ok && other != seed {
				t.Errorf("the seeds %d and %d draw the program %s", other, seed, text)
			}
			drawn[text] = seed
		}})
	}
}
