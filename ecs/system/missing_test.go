package system

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

type (
	failsToCreate struct{}
	absentGroup   struct{ Group }
	inAbsentGroup struct{ _ In[absentGroup] }
	notManual     struct{}
	lateComer     struct{}
)

func (*failsToCreate) Create(*Setup) error { return errors.New("no seed") }
func (*failsToCreate) Update(*Frame) error { return nil }
func (*inAbsentGroup) Update(*Frame) error { return nil }
func (*notManual) Update(*Frame) error     { return nil }
func (*lateComer) Update(*Frame) error     { return nil }

// missingLines returns the missing types of a world as lines "type: why".
func missingLines(w *ecs.World) (lines []string) {
	for _, m := range Explain(w).NotCreated {
		lines = append(lines, m.String())
	}
	return lines
}

// Each type that a world might have is created, or is in the list with the reason and the remedy. A
// world that was made without systems has no list.
func TestNotCreated(t *testing.T) {
	cleanRegister(t)
	Register[stepper]()
	Register[placeManual]()
	Register[placeEditor]()
	Register[notManual]()
	Register[failsToCreate]()
	s := orchards()
	s.Register()
	const (
		manual = "system.placeManual: Manual: make it by system.Create, or name it in system.Only"
		editor = "system.placeEditor: For system.EditorWorld, and the world is system.SimulationWorld: make the world WithKind[system.EditorWorld], or the type For[system.SimulationWorld]"
		failed = "system.failsToCreate: failed: Create: no seed"
		only   = ": not named in system.Only: name it there, or leave out Only"
	)
	made := func(opts ...Option) *ecs.World {
		w, err := NewWorld("missing", opts...)
		if (err != nil) != (Find[failsToCreate](w) == nil && slices.Contains(missingLines(w), failed)) {
			t.Errorf("error %v, and the list is %q", err, missingLines(w))
		}
		t.Cleanup(func() { w.Close() })
		return w
	}
	check := func(name string, w *ecs.World, ofSet int, want ...string) {
		t.Helper()
		got := missingLines(w)
		inSet := 0
		for _, m := range Explain(w).NotCreated {
			if m.Plugin == "orchards" {
				inSet++
				got = slices.DeleteFunc(got, func(l string) bool { return l == m.String() })
			} else if m.Plugin != "" {
				t.Errorf("%s: %s is of the plugin %q", name, m.System, m.Plugin)
			}
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) || inSet != ofSet {
			t.Errorf("%s: got %q and %d of the plugin, want %q and %d", name, got, inSet, want, ofSet)
		}
		if w.Name() == "missing" {
			for _, typ := range RegisteredTypes() { // each type is either created or listed
				listed := slices.ContainsFunc(Explain(w).NotCreated, func(m ReportMissing) bool { return m.System == typ.String() })
				if created := attachmentOf(w).findType(typ) != nil; created == listed {
					t.Errorf("%s: %s is created: %v, and listed: %v", name, typ, created, listed)
				}
			}
		}
	}
	all := made()
	check("all", all, 2, manual, editor, failed)
	check("Only", made(Only()), 6, "system.stepper"+only, manual, editor, "system.notManual"+only, "system.failsToCreate"+only)
	check("Only and With", made(Only(Of[stepper](), Of[placeManual](), Of[placeEditor]()), WithPlugins(s)), 2, "system.notManual"+only, "system.failsToCreate"+only)
	check("Editor", made(WithKind[EditorWorld]()), 5, "system.stepper: for games, simulations, servers and clients, because it has no For, and the world is system.EditorWorld: mark it For[system.EditorWorld]",
		manual, "system.notManual: for games, simulations, servers and clients, because it has no For, and the world is system.EditorWorld: mark it For[system.EditorWorld]",
		"system.failsToCreate: for games, simulations, servers and clients, because it has no For, and the world is system.EditorWorld: mark it For[system.EditorWorld]")
	group := made(Only(Of[inAbsentGroup]()), WithPlugins(s))
	check("a group", group, 2, "system.stepper"+only, manual, editor, "system.notManual"+only, "system.failsToCreate"+only,
		"system.absentGroup: not registered, and system.inAbsentGroup stands in it: register the group, or name it beside the system")
	hand := ecs.NewWorld("by hand")
	check("by hand", hand, 0)
	if got := Explain(hand).Advice; len(got) != 1 || !strings.Contains(got[0], "has no systems") || !strings.Contains(got[0], "system.AddSystems") {
		t.Errorf("the advice for a world without systems is %q", got)
	}

	text := Explain(made(Only())).String()
	for _, want := range []string{"\nnot created\n", "  system.stepper" + only + "\n", " systems of the plugin orchards: not named in system.Only: give its plugin to the world by system.WithPlugins, or leave out Only\n"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the text has %q %d times:\n%s", want, strings.Count(text, want), text)
		}
	}

	Register[lateComer]()
	late := "system.lateComer: registered after the world was made: register it in func init, or give it to the world by system.AddSystems"
	check("late", all, 2, manual, editor, failed, late)
	if err := errors.Join(AddSystems(all, Of[lateComer](), Of[placeManual]()), Destroy(all, Find[stepper](all))); err != nil {
		t.Fatal(err)
	}
	check("populated", all, 2, "system.stepper: created, and destroyed since", editor, failed)

	p := newPlan("test", SimulationWorld{})
	strapped := p.Empty("missing")
	defer strapped.Close()
	basic, own := p.Types()
	if err := AddSystems(strapped, append(basic, slices.DeleteFunc(own, func(t *Type) bool { return t == Of[notManual]() || t == Of[failsToCreate]() })...)...); err != nil {
		t.Fatal(err)
	}
	const strap = ": left out by the code that populated the world, such as a bootstrap: give it to the world by system.AddSystems"
	check("bootstrap", strapped, 2, manual, editor, "system.notManual"+strap, "system.failsToCreate"+strap)
}

// At level Debug a new world logs once which systems were created and which were not. At Info it
// logs nothing.
func TestCreatedLog(t *testing.T) {
	cleanRegister(t)
	Register[stepper]()
	Register[placeManual]()
	for level, want := range map[slog.Level]int{slog.LevelDebug: 1, slog.LevelInfo: 0} {
		var b bytes.Buffer
		w, err := NewWorld("logged", WithLogger(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: level}))))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for _, part := range []string{"system: systems created", "world=logged", "system.stepper", "system.placeManual: Manual"} {
			if got := strings.Count(b.String(), part); got != want {
				t.Errorf("level %v: %q is there %d times, want %d:\n%s", level, part, got, want, &b)
			}
		}
	}
}
