package app

import (
	"github.com/lanewise/lanewise/ecs/system"

	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// cleanBoot clears the state of the process for a test.
func cleanBoot(t *testing.T) {
	t.Helper()
	clean := func() {
		if err := Shutdown(); err != nil {
			t.Error(err)
		}
		SetCurrentLoop(nil)
		bootState.Lock()
		bootState.strap, bootState.hooks = nil, nil
		bootState.Unlock()
		(&system.Plugin{Types: system.RegisteredTypes()}).Unregister() // only this package's tests register some
	}
	clean()
	t.Cleanup(clean)
	if noRuntimeWorld || noEditorWorld {
		t.Skip("this build leaves out default worlds by a tag lanewise_no…world")
	}
}

// playWith creates the default world with the given bootstrap.
func playWith(t *testing.T, b Bootstrap) *ecs.World {
	t.Helper()
	if err := SetBootstrap(b); err != nil {
		t.Fatal(err)
	}
	w, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPlay(t *testing.T) {
	cleanBoot(t)
	system.Register[stepper]()
	system.Register[placeManual]()
	system.Register[placeEditor]()
	var told []string
	for _, name := range []string{"first", "second"} {
		OnInitialized(func(w *ecs.World) {
			if !CurrentLoop().Has(w) || Default() != w {
				t.Error("the world is not in its place when the hooks are called")
			}
			told = append(told, name)
		})
	}
	w, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	if Default() != w || w.Name() != "game" || !slices.Equal(told, []string{"first", "second"}) {
		t.Errorf("default world %v, told %q", Default(), told)
	}
	if system.Find[stepper](w) == nil || system.Find[placeManual](w) != nil || system.Find[placeEditor](w) != nil {
		t.Error("the default world has the wrong systems")
	}
	if err := RunCurrent(t.Context(), Frames(2), Step(1)); err != nil || len(system.Find[stepper](w).seen) != 2 {
		t.Errorf("the current loop does not run the default world: %v", err)
	}
	again, err := Play("again")
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(system.Update(w), ecs.ErrDisposed) || Default() != again || CurrentLoop().Has(w) {
		t.Error("the default world before is still there")
	}
	if err := Stop(); err != nil || Default() != nil || CurrentLoop().Has(again) {
		t.Errorf("Stop: %v, default world %v", err, Default())
	}
	if err := Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	if w, err := Play("none", NoDefaultWorld()); w != nil || err != nil || Default() != nil {
		t.Errorf("NoDefaultWorld: %v, %v", w, err)
	}
}

// The default world must be a GameWorld, unless WithKind sets other kinds.
func TestPlayIsGame(t *testing.T) {
	cleanBoot(t)
	system.Register[stepper]()
	system.Register[forGames]()
	system.Register[forSimulations]()
	for _, tt := range []struct {
		opts               []system.Option
		games, simulations bool
	}{
		{nil, true, false},
		{[]system.Option{system.WithKind[system.SimulationWorld]()}, false, true},
		{[]system.Option{system.WithKind[system.GameWorld](), system.WithKind[system.SimulationWorld]()}, true, true},
	} {
		w, err := Play("game", tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if system.IsKind[system.GameWorld](w) != tt.games || system.IsKind[system.SimulationWorld](w) != tt.simulations || system.IsKind[system.EditorWorld](w) || system.Find[stepper](w) == nil || (system.Find[forGames](w) != nil) != tt.games || (system.Find[forSimulations](w) != nil) != tt.simulations {
			t.Errorf("%d options: a game %v, a simulation %v; systems %v, %v", len(tt.opts), system.IsKind[system.GameWorld](w), system.IsKind[system.SimulationWorld](w), system.Find[forGames](w), system.Find[forSimulations](w))
		}
	}
	if w := namedWorld(t, "other"); !system.IsKind[system.SimulationWorld](w) || system.IsKind[system.GameWorld](w) {
		t.Error("a world of NewWorld is no simulation")
	}
}

type (
	forGames struct {
		nothing
		_ system.For[system.GameWorld]
	}
	forSimulations struct {
		nothing
		_ system.For[system.SimulationWorld]
	}
)

// An execution trace must show the time that Play takes to create the default
// world.
func TestPlayIsRegion(t *testing.T) {
	cleanBoot(t)
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skipf("this run is traced already: %v", err)
	}
	_, err := Play("game", system.Only())
	trace.Stop()
	if err != nil || !bytes.Contains(out.Bytes(), []byte("Create World & Systems")) {
		t.Errorf("%d bytes of trace without the region (%v)", out.Len(), err)
	}
}

func TestInitializedPanics(t *testing.T) {
	cleanBoot(t)
	OnInitialized(func(*ecs.World) { panic(errBroken) })
	w, err := Play("game")
	if !errors.Is(err, errBroken) || w == nil {
		t.Errorf("world %v, error %v", w, err)
	}
}

// If a hook fails, Play must still call the later hooks, and must return all errors.
func TestInitializedGoesOn(t *testing.T) {
	cleanBoot(t)
	errFirst, errThird := errors.New("first"), errors.New("third")
	var called []int
	for i, fails := range []error{errFirst, nil, errThird, nil} {
		OnInitialized(func(*ecs.World) {
			if called = append(called, i); fails != nil {
				panic(fails)
			}
		})
	}
	w, err := Play("game")
	if !slices.Equal(called, []int{0, 1, 2, 3}) || w == nil || Default() != w {
		t.Errorf("hooks %v were called, want all four; world %v", called, w)
	}
	if !errors.Is(err, errFirst) || !errors.Is(err, errThird) {
		t.Errorf("error %v, want those of two hooks", err)
	}
}

func TestEditorWorld(t *testing.T) {
	cleanBoot(t)
	system.Register[stepper]()
	system.Register[placeEditor]()
	if w, err := EditorWorld(NoEditorWorld()); w != nil || err != nil {
		t.Errorf("NoEditorWorld: %v, %v", w, err)
	}
	w, err := EditorWorld()
	if err != nil {
		t.Fatal(err)
	}
	if w.Name() != "Editor World" || !system.IsKind[system.EditorWorld](w) || system.IsKind[system.SimulationWorld](w) || Default() != nil {
		t.Errorf("world %q, an editor %v, default %v", w.Name(), system.IsKind[system.EditorWorld](w), Default())
	}
	if system.Find[placeEditor](w) == nil || system.Find[stepper](w) != nil {
		t.Error("the editor world has the wrong systems")
	}
	if again, _ := EditorWorld(); again != w {
		t.Error("a second editor world")
	}
	game, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(system.Update(w), ecs.ErrDisposed) {
		t.Error("Play leaves the editor world")
	}
	if again, _ := EditorWorld(); again != game {
		t.Error("while there is a default world it is the editor's")
	}
	if err := Stop(); err != nil {
		t.Fatal(err)
	}
	if again, _ := EditorWorld(); again == nil || again == w || again == game {
		t.Error("no new editor world after Stop")
	}
	if err := Shutdown(); err != nil || Default() != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// Conformance: 265
func TestDefaultEndsWithItsWorld(t *testing.T) {
	cleanBoot(t)
	w := newWorld(t, system.Only())
	SetDefault(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if Default() != nil {
		t.Error("the default world is closed, and still the default")
	}
}

// Conformance: 269
func TestCloseAll(t *testing.T) {
	cleanBoot(t)
	var closed []string
	var keep []*ecs.World // keeps the worlds alive until they are closed
	for _, name := range []string{"a", "b", "c"} {
		w := namedWorld(t, name)
		w.Hooks().OnClose(func() error { closed = append(closed, name); return nil })
		keep = append(keep, w)
	}
	if err := CloseAll(); err != nil || len(system.Worlds()) != 0 {
		t.Errorf("%v, %d worlds left", err, len(system.Worlds()))
	}
	if !slices.Equal(closed, []string{"a", "b", "c"}) {
		t.Errorf("closed %q", closed)
	}
	runtime.KeepAlive(keep)
}

// When the context of a run ends, the run must close the default world.
func TestRunShutsDown(t *testing.T) {
	cleanBoot(t)
	system.Register[stepper]()
	w, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	system.Find[stepper](w).then = func(*system.Frame) error { cancel(errBroken); return nil }
	if err := RunCurrent(ctx, Step(1)); !errors.Is(err, errBroken) || Default() != nil {
		t.Errorf("error %v, default world %v", err, Default())
	}
}

// The default world must contain a plugin that is passed to Play.
func TestPlayWithAPlugin(t *testing.T) {
	cleanBoot(t)
	w, err := Play("game", system.Only(), system.WithPlugins(&system.Plugin{Types: []*system.Type{system.Of[stepper]()}}))
	if err != nil || system.Find[stepper](w) == nil {
		t.Errorf("Play with a plugin: %v\n%s", err, worldTree(w))
	}
}

// Run must return an error if the world is nil. A loop must ignore a nil world.
func TestNoWorld(t *testing.T) {
	if err := Run(t.Context(), nil); !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "app: Run: the world is nil") {
		t.Errorf("Run without a world: %v", err)
	}
	l := NewLoop()
	l.Remove(nil)
	if err := l.Append(nil); err != nil || l.Has(nil) {
		t.Errorf("a loop with no world: %v", err)
	}
}

type (
	panickingBoot  struct{}
	panickingWorld struct{}
	ownPointer     struct{ *ownPointer } // embeds itself
	ownPointerBoot struct {
		ownPointer
		panickingWorld
	}
)

func (panickingBoot) Initialize([]*system.Type) ([]*system.Type, error) { panic(errBroken) }

func (panickingWorld) InitializeWorld(string) (bool, error) { panic(errBroken) }

// If a bootstrap panics, there must be no default world, and the next Play must
// work.
func TestBootstrapPanics(t *testing.T) {
	for _, b := range []any{panickingBoot{}, panickingWorld{}} {
		cleanBoot(t)
		must(t, SetBootstrap(b))
		w, err := Play("game")
		var panicked *system.PanicError
		if !errors.Is(err, errBroken) || !errors.As(err, &panicked) || w != nil || Default() != nil {
			t.Errorf("%T: world %v, default %v, error %v", b, w, Default(), err)
		}
		must(t, SetBootstrap(nil))
		if w, err := Play("again"); err != nil || w == nil || Default() != w {
			t.Errorf("after %T: world %v, default %v, error %v", b, w, Default(), err)
		}
	}
}

// SetBootstrap must return even if a type embeds a pointer to itself.
func TestBootstrapEmbedsItself(t *testing.T) {
	cleanBoot(t)
	must(t, SetBootstrap(panickingBoot{}))
	if err := SetBootstrap(&ownPointerBoot{ownPointer: ownPointer{}}); !errors.Is(err, ecs.ErrState) {
		t.Errorf("neither embeds the other: %v", err)
	}
}
