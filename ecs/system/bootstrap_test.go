package system

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/trace"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// cleanBoot gives a test a process that has not begun anything.
func cleanBoot(t *testing.T) {
	t.Helper()
	clean := func() {
		if err := Shutdown(); err != nil {
			t.Error(err)
		}
		SetCurrentLoop(nil)
		boot.Lock()
		boot.strap, boot.hooks = nil, nil
		boot.Unlock()
		registered.Lock()
		registered.types, registered.sets = nil, nil
		registered.Unlock()
	}
	kept, sets := Types(), Sets()
	clean()
	t.Cleanup(func() {
		clean()
		register(kept...)
		for _, s := range sets {
			s.Register()
		}
	})
	if noRuntimeWorld || noEditorWorld {
		t.Skip("this build leaves out default worlds by a tag lanewise_no…world")
	}
}

// playWith makes the default world with a bootstrap of one's own.
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
	Register[stepper]()
	Register[placeManual]()
	Register[placeEditor]()
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
	if Find[stepper](w) == nil || Find[placeManual](w) != nil || Find[placeEditor](w) != nil {
		t.Error("the default world has the wrong systems")
	}
	if err := RunCurrent(t.Context(), Frames(2), Step(1)); err != nil || len(Find[stepper](w).seen) != 2 {
		t.Errorf("the current loop does not run the default world: %v", err)
	}
	again, err := Play("again")
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(Update(w), ecs.ErrDisposed) || Default() != again || CurrentLoop().Has(w) {
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

// The default world is a game's, whoever else has registered what.
func TestPlayIsGame(t *testing.T) {
	cleanBoot(t)
	Register[stepper]()
	Register[forGames]()
	Register[forSimulations]()
	for _, tt := range []struct {
		opts               []Option
		games, simulations bool
	}{
		{nil, true, false},
		{[]Option{As[Simulating]()}, false, true},
		{[]Option{As[Game](), As[Simulating]()}, true, true},
	} {
		w, err := Play("game", tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if Is[Game](w) != tt.games || Is[Simulating](w) != tt.simulations || Is[Editor](w) || Find[stepper](w) == nil || (Find[forGames](w) != nil) != tt.games || (Find[forSimulations](w) != nil) != tt.simulations {
			t.Errorf("%d options: a game %v, a simulation %v; systems %v, %v", len(tt.opts), Is[Game](w), Is[Simulating](w), Find[forGames](w), Find[forSimulations](w))
		}
	}
	if w := namedWorld(t, "other"); !Is[Simulating](w) || Is[Game](w) {
		t.Error("a world of NewWorld is no simulation")
	}
}

type (
	forGames struct {
		nothing
		_ For[Game]
	}
	forSimulations struct {
		nothing
		_ For[Simulating]
	}
)

// A trace shows how long the default world took to make.
func TestPlayIsRegion(t *testing.T) {
	cleanBoot(t)
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skipf("somebody else traces this run: %v", err)
	}
	_, err := Play("game", Only())
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

// A hook that fails keeps no later one from being called, and each is told of.
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
	Register[stepper]()
	Register[placeEditor]()
	if w, err := EditorWorld(NoEditorWorld()); w != nil || err != nil {
		t.Errorf("NoEditorWorld: %v, %v", w, err)
	}
	w, err := EditorWorld()
	if err != nil {
		t.Fatal(err)
	}
	if w.Name() != "Editor World" || !Is[Editor](w) || Is[Simulating](w) || Default() != nil {
		t.Errorf("world %q, an editor %v, default %v", w.Name(), Is[Editor](w), Default())
	}
	if Find[placeEditor](w) == nil || Find[stepper](w) != nil {
		t.Error("the editor world has the wrong systems")
	}
	if again, _ := EditorWorld(); again != w {
		t.Error("a second editor world")
	}
	game, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(Update(w), ecs.ErrDisposed) {
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
	w := newWorld(t, Only())
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
	var keep []*ecs.World // or they may be gone before they are closed
	for _, name := range []string{"a", "b", "c"} {
		w := namedWorld(t, name)
		w.OnClose(func() error { closed = append(closed, name); return nil })
		keep = append(keep, w)
	}
	if err := CloseAll(); err != nil || len(Worlds()) != 0 {
		t.Errorf("%v, %d worlds left", err, len(Worlds()))
	}
	if !slices.Equal(closed, []string{"a", "b", "c"}) {
		t.Errorf("closed %q", closed)
	}
	runtime.KeepAlive(keep)
}

func TestSequence(t *testing.T) {
	a := newWorld(t, Only())
	first := Sequence(a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b, c := newWorld(t, Only()), newWorld(t, Only())
	if Sequence(b) != first+1 || Sequence(c) != first+2 {
		t.Errorf("sequence numbers %d, %d, %d", first, Sequence(b), Sequence(c))
	}
}

// A run that its context ends takes the default world with it.
func TestRunShutsDown(t *testing.T) {
	cleanBoot(t)
	Register[stepper]()
	w, err := Play("game")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	Find[stepper](w).then = func(*Frame) error { cancel(errBroken); return nil }
	if err := RunCurrent(ctx, Step(1)); !errors.Is(err, errBroken) || Default() != nil {
		t.Errorf("error %v, default world %v", err, Default())
	}
}
