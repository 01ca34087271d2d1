package system

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// These are the systems of a plugin: a group, its members, a member of a group inside of that
// group, a manual system and a system for editors.
type (
	orchard struct {
		Group
		_ In[Simulation]
	}
	grove struct {
		Group
		_ In[orchard]
	}
	bloom struct {
		stepper
		_ In[grove]
	}
	ripen struct {
		stepper
		_ In[orchard]
		_ After[bloom]
	}
	graft struct {
		nothing
		_ Manual
	}
	prune struct {
		nothing
		_ For[EditorWorld]
	}
)

func orchards() *Plugin {
	return &Plugin{Name: "orchards", Types: []*Type{Of[ripen](), Of[bloom](), Of[graft](), Of[grove](), Of[prune](), Of[orchard]()}}
}

// From the registration of a plugin until its removal, every new world has the plugin and its systems.
func TestSetRegister(t *testing.T) {
	cleanRegister(t)
	Register[stepper]()
	s, other := orchards(), &Plugin{Name: "others", Types: []*Type{Of[ripen](), Of[sow]()}}
	s.Register()
	other.Register()
	s.Register()
	if got := Plugins(); !slices.Equal(got, []*Plugin{s, other}) {
		t.Errorf("registered plugins %v", got)
	}
	if got, want := RegisteredTypes(), append(append([]*Type{Of[stepper]()}, s.Types...), Of[sow]()); !slices.Equal(got, want) {
		t.Errorf("registered %v, want %v", got, want)
	}
	w, err := NewWorld("")
	if err != nil || Find[bloom](w) == nil || Find[ripen](w) == nil || Find[graft](w) != nil || Find[prune](w) != nil {
		t.Errorf("the world of a registered plugin is\n%s(%v)", worldTree(w), err)
	}
	Unregister[bloom]()
	Unregister[stepper]()
	Unregister[stepper]()
	if w, err := NewWorld(""); err != nil || Find[bloom](w) != nil || Find[stepper](w) != nil || Find[ripen](w) == nil {
		t.Errorf("after Unregister the world is\n%s(%v)", worldTree(w), err)
	}
	s.Unregister()
	if !slices.Equal(Plugins(), []*Plugin{other}) || !slices.Equal(RegisteredTypes(), []*Type{Of[sow]()}) {
		t.Errorf("after its end: plugins %v, types %v", Plugins(), RegisteredTypes())
	}
	if Find[ripen](w) == nil {
		t.Error("a world that there was has lost a system")
	}
}

// A plugin of WithPlugins can be combined with the registered types, with the types of Only, and with
// another plugin. The plugin adds systems and does not change the order of the other systems.
func TestWith(t *testing.T) {
	cleanRegister(t)
	Register[stepper]()
	w := newWorld(t)
	alone := worldTree(w)
	s := orchards()
	with := newWorld(t, WithPlugins(s))
	if got := worldTree(with); !strings.Contains(got, "orchard\n\t\tgrove\n\t\t\tbloom\n\t\tripen\n") || !strings.Contains(got, "stepper") || Find[graft](with) != nil || Find[prune](with) != nil {
		t.Errorf("with the set the world is\n%s", got)
	}
	if again := worldTree(newWorld(t)); again != alone {
		t.Errorf("With has changed other worlds: \n%s", again)
	}
	if with.Hash() != w.Hash() {
		t.Error("the hash of a world depends on its systems")
	}
	s.Register()
	if got := worldTree(newWorld(t, WithPlugins(s, s))); got != worldTree(with) {
		t.Errorf("registered and given, the world is\n%s", got)
	}
	only := newWorld(t, Only(Of[sow]()), WithPlugins(&Plugin{Types: []*Type{Of[harvest]()}}), WithPlugins(s))
	if Find[sow](only) == nil || Find[harvest](only) == nil || Find[bloom](only) == nil || Find[stepper](only) != nil {
		t.Errorf("with Only and With the world is\n%s", worldTree(only))
	}
	if tools := newWorld(t, WithKind[EditorWorld](), WithPlugins(s)); Find[prune](tools) == nil || Find[bloom](tools) != nil {
		t.Errorf("the world of tools is\n%s", worldTree(tools))
	}
	defer func() {
		if recover() == nil {
			t.Error("WithPlugins takes a nil plugin")
		}
	}()
	WithPlugins(s, nil)
}

// TestAddSystems checks that one call creates groups, groups inside of groups, and their members, and that
// the order of the list does not matter. The world has no systems before the call, or some systems, or the
// systems of NewWorld.
func TestAddSystems(t *testing.T) {
	list := []*Type{Of[serverGroup](), Of[serverInner](), Of[serverSystem](), Of[sow](), Of[LateSimulation]()}
	for i := range 24 {
		w := ecs.NewWorld(t.Name())
		ts := slices.Clone(list[:4])
		for n, k := i, 4; k > 1; n, k = n/k, k-1 { // all orders
			ts[n%k], ts[k-1] = ts[k-1], ts[n%k]
		}
		if i%2 == 1 {
			GetOrCreate[serverInner](w) // exists already, in no group
		}
		if err := AddSystems(w, append(ts, list[4])...); err != nil {
			t.Fatal(err)
		}
		top := InstanceOf(w, Find[serverGroup](w))
		if got, want := tree(top.group, ""), "serverInner\n\tserverSystem\n"; got != want {
			t.Fatalf("%v: the world is\n%s, want\n%s", ts, got, want)
		}
		if got := tree(&Find[LateSimulation](w).Group, ""); got != "sow\n" {
			t.Fatalf("%v: LateSimulation is\n%s", ts, got)
		}
		if len(Instances(w)) != 5 {
			t.Fatalf("%d systems", len(Instances(w)))
		}
		if err := errors.Join(top.Update(), top.Update(), w.Sync()); err != nil || len(Find[serverSystem](w).seen) != 2 {
			t.Fatalf("updates: %v, %d", err, len(Find[serverSystem](w).seen))
		}
		if ws := Warnings(w); len(ws) != 2 || !strings.Contains(ws[0], "LateSimulation stands in") || !strings.Contains(ws[1], "sow after") {
			t.Fatalf("warnings %q", ws)
		}
		if err := AddSystems(w, ts...); err != nil || len(Instances(w)) != 5 {
			t.Fatalf("again: %v, %d systems", err, len(Instances(w)))
		}
	}
	w := newWorld(t, Only())
	if err := AddSystems(w, Of[placeManual](), Of[prune](), Of[serverGroup]()); err != nil {
		t.Fatal(err)
	}
	if got := worldTree(w); strings.Count(got, "serverGroup") != 1 || !strings.Contains(got, "prune") || Find[placeManual](w) == nil {
		t.Errorf("in a world of NewWorld:\n%s", got)
	}
}

// AddSystems returns an error for each type that cannot be created, and creates the others.
func TestAddSystemsFails(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	err := AddSystems(w, nil, typeFor[alpha](), Of[failing](), Of[roundA](), Of[serverGroup]())
	for _, part := range []string{"a system type of the list is nil", "alpha is not a system", errBroken.Error()} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	if Find[serverGroup](w) == nil || Find[failing](w) != nil || Find[roundA](w) == nil {
		t.Errorf("the world has %v", Instances(w))
	}
	b := newBench(t)
	b.ok(b.w.Close())
	if err := AddSystems(b.w, Of[serverGroup]()); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("a closed world is populated: %v", err)
	}
}

type failing struct{ nothing }

func (*failing) Create(*Setup) error { return errBroken }

// If its world is nil, each function returns an error if it can, and otherwise panics with one.
func TestNoWorld(t *testing.T) {
	p := new(probe)
	for name, err := range map[string]error{
		"Create":     errorOrPanic(func() error { _, err := Create[stepper](nil); return err }),
		"Adopt":      errorOrPanic(func() error { return Adopt(nil, p) }),
		"Destroy":    errorOrPanic(func() error { return Destroy(nil, p) }),
		"AddSystems": errorOrPanic(func() error { return AddSystems(nil, Of[stepper]()) }),
		"Update":     errorOrPanic(func() error { return Update(nil) }),
	} {
		wantNoWorld(t, name, err)
	}
	for name, call := range map[string]func(){
		"Find":            func() { Find[stepper](nil) },
		"FindAs":          func() { FindAs[*stepper](nil) },
		"GetOrCreate":     func() { GetOrCreate[stepper](nil) },
		"InstanceOf":      func() { InstanceOf(nil, p) },
		"Instances":       func() { Instances(nil) },
		"SystemsVersion":  func() { SystemsVersion(nil) },
		"WorldID":         func() { WorldID(nil) },
		"IsKind":          func() { IsKind[GameWorld](nil) },
		"ClockOf":         func() { ClockOf(nil) },
		"SetConservative": func() { SetConservative(nil, true) },
		"Measure":         func() { Measure(nil, true) },
		"Explain":         func() { Explain(nil) },
		"Warnings":        func() { Warnings(nil) },
	} {
		wantNoWorld(t, name, panicOf(call))
	}
	if err := AddSystems(newWorld(t, Only()), nil, Of[stepper]()); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("AddSystems with a nil type: %v", err)
	}
}

// errorOrPanic returns the error of a call. If the call panics, it returns the panic as an error.
func errorOrPanic(f func() error) (err error) {
	if p := panicOf(func() { err = f() }); p != nil {
		return errors.New("a panic: " + p.Error())
	}
	return err
}

// panicOf returns the error with which a call panics.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

func wantNoWorld(t *testing.T, name string, err error) {
	t.Helper()
	if !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "system: "+name+": the world is nil") {
		t.Errorf("%s without a world: %v", name, err)
	}
}
