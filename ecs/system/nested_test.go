package system

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestNestedErrors: prefix, world and system are said once, whatever is inside.
func TestNestedErrors(t *testing.T) {
	of := func(system string) *ecs.Error {
		return &ecs.Error{Category: ecs.ErrArgument, Op: "Set", World: "x", System: system, Text: "inside"}
	}
	two := errors.Join(of("game.Move"), of("game.Stop"))
	for want, err := range map[string]error{
		`system: game.Move: Update: ecs: Set: world "x": inside`:                   of("game.Move"),
		`system: game.Move: Update: ecs: Set: world "x": system game.Stop: inside`: of("game.Stop"),
		`system: game.Move: Update: panic: ecs: Set: world "x": inside`:            &PanicError{Value: of("game.Move")},
		`system: game.Move: Update: panic: why`:                                    &PanicError{Value: "why"},
		`system: game.Move: Update: game.Stop is not a system`:                     errors.New("system: game.Stop is not a system"),
		`system: game.Move: Update: the cause`:                                     errors.New("the cause"),
		fmt.Sprint("system: game.Move: Update: ", two):                             two,
	} {
		got := &nested{"game.Move: Update", "game.Move", err}
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got  %v\nwant %s", got, want)
		}
	}
}

// faulty fails in a way of its own.
type faulty struct{ how func(f *Frame) error }

func (s *faulty) Update(f *Frame) error { return s.how(f) }

// TestErrorsOfSystemsNest: the same, as it comes out of a world.
func TestErrorsOfSystemsNest(t *testing.T) {
	for name, how := range map[string]func(f *Frame) error{
		"an error": func(f *Frame) error { return f.World().Destroy(ecs.Entity{Index: 99, Version: 1}) },
		"a panic":  func(f *Frame) error { f.World().Spawn(1); return nil },
		"a buffer": func(f *Frame) error {
			c := f.World().Commands()
			if err := ecs.DestroyAll(c, ecs.List([]ecs.Entity{{Index: 99, Version: 1}})); err != nil {
				return err
			}
			return c.Playback(f.World())
		},
		"a system": func(f *Frame) error { _, err := Create[faulty](nil); return err },
	} {
		w := newWorld(t)
		s := &faulty{how}
		must(t, Adopt(w, s))
		must(t, GetOrCreate[Simulation](w).Add(s))
		text := fmt.Sprint(Update(w))
		for _, once := range []string{"system: ", "ecs: ", `world "`} {
			if n := strings.Count(text, once); n > 1 {
				t.Errorf("%s: %q comes %d times in %s", name, once, n, text)
			}
		}
		if strings.Contains(text, ": system ") || !strings.HasPrefix(text, "system: ") || !strings.Contains(text, "Update: ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
