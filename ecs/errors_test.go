package ecs

import (
	"errors"
	"strings"
	"testing"
)

// TestNestedErrors checks that an outer error does not repeat the fields that its cause shares with
// it.
func TestNestedErrors(t *testing.T) {
	cause := errors.New("the cause")
	nested := func(outer, inner Error) *Error { outer.Err = &inner; return &outer }
	e := Entity{3, 1}
	for want, err := range map[string]*Error{
		`ecs: Set: world "x": text: the cause`: {Op: "Set", World: "x", Text: "text", Err: cause},
		`ecs: Playback: world "x": outside: inside`: nested(
			Error{Op: "Playback", World: "x", Text: "outside"}, Error{Op: "Playback", World: "x", Text: "inside"}),
		`ecs: Playback: world "x": system S: entity 3:1: component C: outside: inside`: nested(
			Error{Op: "Playback", World: "x", System: "S", Entity: e, Component: "C", Text: "outside"},
			Error{Op: "Playback", World: "x", System: "S", Entity: e, Component: "C", Text: "inside"}),
		`ecs: Playback: world "x": outside: Destroy: world "y": entity 3:1: inside`: nested(
			Error{Op: "Playback", World: "x", Text: "outside"}, Error{Op: "Destroy", World: "y", Entity: e, Text: "inside"}),
		`ecs: Playback: outside: world "y": system S: component C: inside`: nested(
			Error{Op: "Playback", Text: "outside"}, Error{Op: "Playback", World: "y", System: "S", Component: "C", Text: "inside"}),
		`ecs: Playback: world "x": buffer "b": outside: inside`: nested(
			Error{Op: "Playback", World: "x", Text: `buffer "b": outside`, bufferName: `buffer "b"`},
			Error{Op: "Playback", World: "x", Text: `buffer "b": inside`, bufferName: `buffer "b"`}),
		`ecs: A: world "x": one: B: two: three: the cause`: nested(
			Error{Op: "A", World: "x", Text: "one"}, *nested(Error{Op: "B", World: "x", Text: "two"}, Error{Op: "B", World: "x", Text: "three", Err: cause})),
	} {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}

	// No function that returns an error inside another error may repeat a field.
	w := newWorld(t, 1)
	defer w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("game.Move"))
	bare := w.Spawn()
	c := w.NewCommands()
	play := func(err error) error {
		must(t, err)
		defer c.Reset()
		return c.Playback(w)
	}
	late := w.NewCommands()
	x, err := late.Spawn()
	must(t, err)
	for name, err := range map[string]error{
		"a command":             play(AppendBuffer(c, bare, Elem{1})),
		"a command of a buffer": play(Add(c, bare, Ref{To: x})),
		"a command that is for": play(c.Destroy(x)),
		"a spawn":               play(func() error { _, err := c.Spawn(A{}, A{}); return err }()),
		"a group":               play(DestroyAll(c, Entities([]Entity{{77, 1}}))),
		"a component in one":    Add(w, bare, PerChunk[Obj]{}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		text := err.Error()
		for _, once := range []string{"ecs: ", `world "test"`, "system game.Move", `buffer "commands"`} {
			if n := strings.Count(text, once); n > 1 || once == "ecs: " && n != 1 {
				t.Errorf("%s: %q comes %d times in %s", name, once, n, text)
			}
		}
	}
}

// TestRenamed checks that withOp does not change the original error, but a copy of it.
func TestRenamed(t *testing.T) {
	first := error(fault(ErrState, "Get", "text"))
	second := withOp(first, "GetBuffer")
	if got, want := first.Error()+"; "+second.Error(), "ecs: Get: text; ecs: GetBuffer: text"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if cause := errors.New("the cause"); withOp(cause, "Get") != cause || withOp(nil, "Get") != nil {
		t.Error("what is no *Error is another one")
	}
}
