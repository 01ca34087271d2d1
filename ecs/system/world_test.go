package system

import (
	"bytes"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// tree lists a group and all systems below it by short names, with a tab for each level.
func tree(g *Group, indent string) string {
	var b strings.Builder
	for _, m := range g.runOrder {
		b.WriteString(indent + m.typ.name[strings.LastIndexByte(m.typ.name, '.')+1:] + "\n")
		if m.group != nil {
			b.WriteString(tree(m.group, indent+"\t"))
		}
	}
	return b.String()
}

// worldTree is tree for all root groups of a world.
func worldTree(w *ecs.World) string {
	return "Initialization\n" + tree(&Find[Initialization](w).Group, "\t") +
		"Simulation\n" + tree(&Find[Simulation](w).Group, "\t") +
		"Presentation\n" + tree(&Find[Presentation](w).Group, "\t")
}

const defaultTree = `Initialization
	BeginInitialization
	EndInitialization
Simulation
	BeginSimulation
	FixedStep
		BeginFixedStep
		EndFixedStep
	VariableRate
		BeginVariableRate
		EndVariableRate
	LateSimulation
	EndSimulation
Presentation
	BeginPresentation
	EndPresentation
`

func newWorld(t *testing.T, opts ...Option) *ecs.World {
	t.Helper()
	w, err := NewWorld(t.Name(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestDefaultTree(t *testing.T) {
	w := newWorld(t, Only())
	if got := worldTree(w); got != defaultTree {
		t.Errorf("the default world is\n%swant\n%s", got, defaultTree)
	}
	if ws := Warnings(w); len(ws) > 0 {
		t.Errorf("warnings %q", ws)
	}
	if got := Find[FixedStep](w).rate; !reflect.DeepEqual(got, CatchUpRate(DefaultStep)) {
		t.Errorf("fixed step %v", got)
	}
	if got := Find[VariableRate](w).rate; !reflect.DeepEqual(got, IntervalRate(defaultInterval, nil)) {
		t.Errorf("variable rate %v", got)
	}
}

type (
	placeNowhere struct{ valueSystem } // in Simulation by default
	placeTwice   struct {
		valueSystem
		_ In[Initialization]
		_ Last[Presentation]
	}
	placeLate struct {
		valueSystem
		_ In[LateSimulation]
	}
	placeFirst struct {
		valueSystem
		_ First[FixedStep]
		_ After[BeginFixedStep]
	}
	placeManual struct {
		valueSystem
		_ Manual
	}
	placeEditor struct {
		valueSystem
		_ For[EditorWorld]
	}
	placeOwn   struct{ Group }
	placeInOwn struct {
		valueSystem
		_ In[placeOwn]
	}
	placeNoGroup struct {
		valueSystem
		_ In[placeNowhere]
	}
	placeNoSystem struct {
		valueSystem
		_ In[int]
	}
	placeBoth struct {
		valueSystem
		_ First[Simulation]
		_ Last[Simulation]
	}
)

func TestPlaces(t *testing.T) {
	w := newWorld(t, Only(Of[placeNowhere](), Of[placeTwice](), Of[placeLate](), Of[placeFirst](), Of[placeOwn](), Of[placeInOwn](), Of[placeOwn]()))
	const want = `Initialization
	BeginInitialization
	placeTwice
	EndInitialization
Simulation
	BeginSimulation
	FixedStep
		BeginFixedStep
		placeFirst
		EndFixedStep
	VariableRate
		BeginVariableRate
		EndVariableRate
	placeNowhere
	placeOwn
		placeInOwn
	LateSimulation
		placeLate
	EndSimulation
Presentation
	BeginPresentation
	EndPresentation
	placeTwice
`
	if got := worldTree(w); got != want {
		t.Errorf("the world is\n%swant\n%s", got, want)
	}
	if a, b := Find[Initialization](w).runOrder[1], Find[Presentation](w).runOrder[2]; a != b {
		t.Error("a system with two places is two systems")
	}
}

// Conformance: 250
func TestBadPlaces(t *testing.T) {
	for _, typ := range []*Type{Of[placeNoGroup](), Of[placeNoSystem](), Of[placeBoth]()} {
		w, err := NewWorld("", Only(Of[placeNowhere](), typ))
		if !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), typ.String()) {
			t.Errorf("%s: error %v", typ, err)
		}
		if w == nil || Find[placeNowhere](w) == nil {
			t.Errorf("%s: the rest of the world is not there", typ)
		}
	}
}

func TestMissingGroup(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	w := newWorld(t, Only(Of[placeInOwn]()), WithLogger(logger))
	ws := Warnings(w)
	if len(ws) != 1 || !strings.Contains(ws[0], "placeInOwn stands in") || !strings.Contains(ws[0], "placeOwn, which this world does not have") {
		t.Errorf("warnings %q", ws)
	}
	if !strings.Contains(log.String(), "placeOwn, which this world does not have") {
		t.Errorf("log %q", log.String())
	}
	if in := InstanceOf(w, Find[placeInOwn](w)); len(in.groups) != 0 {
		t.Error("the system stands in a group")
	}
}

func TestSelection(t *testing.T) {
	for _, typ := range []*Type{Of[placeNowhere](), Of[placeManual](), Of[placeEditor]()} {
		register(typ)
		t.Cleanup(func() { unregister(typ) })
	}
	tests := []struct {
		name string
		opts []Option
		want []bool // placeNowhere, placeManual, placeEditor
	}{
		{"default", nil, []bool{true, false, false}},
		{"game", []Option{WithKind[GameWorld]()}, []bool{true, false, false}},
		{"editor", []Option{WithKind[EditorWorld]()}, []bool{false, false, true}},
		{"only", []Option{Only(Of[placeManual]()), Only(Of[placeEditor]())}, []bool{false, true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := NewWorld("", tt.opts...) // other tests register types that cannot be placed
			got := []bool{Find[placeNowhere](w) != nil, Find[placeManual](w) != nil, Find[placeEditor](w) != nil}
			if !slices.Equal(got, tt.want) {
				t.Errorf("systems there: %v, want %v", got, tt.want)
			}
		})
	}
	if w := newWorld(t, Only(), WithKind[ServerWorld]()); !IsKind[ServerWorld](w) || IsKind[SimulationWorld](w) {
		t.Error("a server's world is none, or a simulation")
	}
}

func TestNewWorldOnPool(t *testing.T) {
	pool := newPool(t, 1)
	if w := newWorld(t, Only(), OnPool(pool)); w.Pool() != pool {
		t.Error("the world is on another pool")
	}
}

type (
	orderC struct {
		createLog
		_ CreateBefore[orderB]
	}
	orderB struct {
		createLog
		_ CreateAfter[orderC]
	}
	orderA struct {
		createLog
		_ CreateAfter[orderB]
		_ CreateAfter[orderA]       // names itself: ignored
		_ CreateAfter[placeNowhere] // not in this world: ignored
	}
	circleA struct {
		valueSystem
		_ CreateBefore[circleB]
	}
	circleB struct {
		valueSystem
		_ CreateBefore[circleA]
	}
)

// createLog is embedded by systems that record their creation and destruction.
type createLog struct{ valueSystem }

var createdLog []string

func (*createLog) note(s *Setup, what string) error {
	name := s.Instance().Type().String()
	createdLog = append(createdLog, what+" "+name[len(name)-1:])
	return nil
}
func (c *createLog) Create(s *Setup) error  { return c.note(s, "create") }
func (c *createLog) Destroy(s *Setup) error { return c.note(s, "destroy") }

// Conformance: 257
func TestCreationOrder(t *testing.T) {
	createdLog = nil
	w := newWorld(t, Only(Of[orderA](), Of[orderB](), Of[orderC]()))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(createdLog, ", "), "create C, create B, create A, destroy A, destroy B, destroy C"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	_, err := NewWorld("", Only(Of[circleA](), Of[circleB]()))
	var cycle *CycleError
	if !errors.As(err, &cycle) || !errors.Is(err, ecs.ErrState) || cycle.Group != "" {
		t.Fatalf("error %v, want a cycle", err)
	}
	const want = `system: order of creation: these systems are each to come before the next, in a circle:
- github.com/lanewise/lanewise/ecs/system.circleA
- github.com/lanewise/lanewise/ecs/system.circleB`
	if err.Error() != want {
		t.Errorf("error is\n%s\nwant\n%s", err, want)
	}
}

func TestClosePhases(t *testing.T) {
	b := newBench(t)
	p, pi := b.add("p")
	q, qi := b.add("q")
	_, _ = b.add("never ran")
	g := b.group(p, q)
	b.ok(g.instance().Update())
	q.fail = map[string]error{"stop": errBroken}
	p.panics = "destroy"
	p.update = nil
	b.log = nil
	err := b.w.Close()
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "Destroy: panic: destroy of p") {
		t.Errorf("error %v", err)
	}
	b.want("q stop, p stop, never ran destroy, q destroy, p destroy")
	if pi.Update() == nil || qi.Update() == nil || len(Instances(b.w)) != 0 {
		t.Error("systems outlive their world")
	}
}

// Conformance: 265
func TestClosed(t *testing.T) {
	w := newWorld(t, Only())
	if !slices.Contains(Worlds(), w) {
		t.Error("the world is not listed")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(Worlds(), w) {
		t.Error("the closed world is listed")
	}
	if err := w.Close(); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("second Close: %v", err)
	}
	for name, f := range map[string]func() error{
		"Create":  func() error { _, err := Create[valueSystem](w); return err },
		"Update":  func() error { return Update(w) },
		"Destroy": func() error { return Destroy(w, new(probe)) },
	} {
		if err := f(); err == nil {
			t.Errorf("%s in a closed world: no error", name)
		}
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("look-up in a closed world panics with %v", err)
		}
	}()
	Find[Simulation](w)
}

type lookUpOnDestroy struct {
	valueSystem
	stop, destroy any
}

func (s *lookUpOnDestroy) StopRunning(f *Frame) error {
	defer func() { s.stop = recover() }()
	Find[probe](f.World())
	return nil
}

func (s *lookUpOnDestroy) Destroy(u *Setup) error {
	defer func() { s.destroy = recover() }()
	Find[probe](u.World())
	return nil
}

func TestLookUpWhileClosing(t *testing.T) {
	b := newBench(t)
	s := new(lookUpOnDestroy)
	in := b.adopt(s)
	b.ok(in.Update())
	b.ok(b.w.Close())
	if s.stop != nil {
		t.Errorf("in StopRunning: %v", s.stop)
	}
	if err, _ := s.destroy.(error); !errors.Is(err, ecs.ErrArgument) {
		t.Errorf("in Destroy: %v", s.destroy)
	}
}

func TestWorldsInOrder(t *testing.T) {
	a, b, c := newWorld(t, Only()), newWorld(t, Only()), newWorld(t, Only())
	ws := Worlds()
	if i := slices.Index(ws, a); i < 0 || !slices.Equal(ws[i:i+3], []*ecs.World{a, b, c}) {
		t.Error("worlds are not listed in the order of their creation")
	}
	for _, w := range []*ecs.World{a, b, c} {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// If a group of one world updates a system of another world, its frame returns the errors of that
// system's jobs, and that system may quit the frame.
func TestForeignJobs(t *testing.T) {
	w, other := newWorld(t, Only(Of[stepper]())), ecs.NewWorld("guest")
	spawnAlphas(other, 5000)
	s := GetOrCreate[panicker](other)
	if err := GetOrCreate[Initialization](w).Add(s); err != nil {
		t.Fatal(err)
	}
	err := Update(w)
	var panicked *jobs.PanicError
	if !errors.As(err, &panicked) || !strings.Contains(panicked.Job, "panicker") || other.Sync() != nil {
		t.Errorf("error %v", err)
	}
	if err := Destroy(other, s); err != nil {
		t.Fatal(err)
	}
	quitter := GetOrCreate[stepper](other)
	quitter.then = func(f *Frame) error { f.Quit(); return nil }
	if err := GetOrCreate[Initialization](w).Add(quitter); err != nil {
		t.Fatal(err)
	}
	if err := runFrames(w, 3, 1); err != nil || len(quitter.seen) != 1 || len(Find[stepper](w).seen) != 1 {
		t.Errorf("a guest quits in the first frame: %v; guest %d updates, host %d, want 1 and 1", err, len(quitter.seen), len(Find[stepper](w).seen))
	}
}

// A group of one world may contain systems of another.
func TestForeignMember(t *testing.T) {
	b, other := newBench(t), newBench(t)
	p := &probe{name: "foreign", log: &b.log}
	other.ok(Adopt(other.w, p))
	g := b.group(p)
	b.log = nil
	b.ok(g.instance().Update())
	b.want("foreign start, foreign update")
	if InstanceOf(other.w, p).LastVersion() == 0 || InstanceOf(b.w, p) != nil {
		t.Error("the system belongs to the wrong world")
	}
	other.ok(other.w.Close())
	b.want("foreign stop, foreign destroy")
	b.ok(g.instance().Update())
	b.want("")
}

// If an option is nil, the text of the panic contains the index of the option.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "system: NewWorld: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = NewWorld(t.Name(), nil)
}
