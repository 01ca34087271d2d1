package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

var errBroken = errors.New("broken")

// Conformance: 210
func TestStartStop(t *testing.T) {
	b := newBench(t)
	_, in := b.add("")
	b.want("create")
	b.ok(in.Update())
	b.want("start, update")
	b.ok(in.Update())
	b.want("update")
	in.SetEnabled(false)
	b.ok(in.Update())
	b.want("stop")
	b.ok(in.Update())
	b.want("")
	in.SetEnabled(true)
	b.ok(in.Update())
	b.want("start, update")
	if !in.Enabled() || !in.Running() {
		t.Errorf("enabled %v, running %v", in.Enabled(), in.Running())
	}
}

// Conformance: 211
func TestDisabledFromTheStart(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	in.SetEnabled(false)
	b.ok(in.Update())
	b.ok(Destroy(b.w, p))
	b.want("create, destroy")
}

// Conformance: 212
func TestDestroyRunning(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	b.ok(in.Update())
	b.ok(Destroy(b.w, p))
	b.want("create, start, update, stop, destroy")
}

// Conformance: 218
func TestCreateFails(t *testing.T) {
	for _, p := range []*probe{{fail: map[string]error{"create": errBroken}}, {panics: "create"}} {
		b := newBench(t)
		p.log = &b.log
		err := Adopt(b.w, p)
		if err == nil || !strings.Contains(err.Error(), "system.probe: Create: ") {
			t.Errorf("error %v", err)
		}
		var panicked *PanicError
		if p.panics != "" && (!errors.As(err, &panicked) || !strings.Contains(string(panicked.Stack), "kit_test.go")) {
			t.Errorf("error %v has no stack", err)
		}
		if p.panics == "" && !errors.Is(err, errBroken) {
			t.Errorf("error %v, want %v", err, errBroken)
		}
		if InstanceOf(b.w, p) != nil || Find[probe](b.w) != nil || len(Instances(b.w)) != 0 {
			t.Error("the system is part of the world")
		}
		b.want("create")
	}
}

type (
	batchA struct{ made bool }
	batchB struct{}
	batchC struct{ foundA, foundB bool }
)

func (*batchA) Update(*Frame) error   { return nil }
func (a *batchA) Create(*Setup) error { a.made = true; return nil }
func (*batchB) Update(*Frame) error   { return nil }
func (*batchB) Create(*Setup) error   { return errBroken }
func (*batchC) Update(*Frame) error   { return nil }
func (c *batchC) Create(s *Setup) error {
	a := Find[batchA](s.World())
	c.foundA, c.foundB = a != nil && a.made, Find[batchB](s.World()) != nil
	return nil
}

// Conformance: 218
func TestCreateMany(t *testing.T) {
	w := ecs.NewWorld("")
	err := AddSystems(w, Of[batchA](), Of[batchB](), Of[batchC](), typeFor[int]())
	if !errors.Is(err, errBroken) || !errors.Is(err, ecs.ErrArgument) || len(Instances(w)) != 2 {
		t.Errorf("there are %d systems, error %v", len(Instances(w)), err)
	}
	if c := Find[batchC](w); !c.foundA || c.foundB {
		t.Errorf("in Create of the third: first there and created %v, failed one there %v", c.foundA, c.foundB)
	}
}

// Conformance: 219
func TestFoundDuringCreate(t *testing.T) {
	b := newBench(t)
	p := &probe{log: &b.log}
	found := false
	p.require = func(s *Setup) {
		found = Find[probe](s.World()) == p && s.Instance() == InstanceOf(b.w, p)
	}
	b.ok(Adopt(b.w, p))
	if !found {
		t.Error("the system does not find itself in Create")
	}
}

// Conformance: 221
func TestDestroyFails(t *testing.T) {
	for _, panics := range []bool{false, true} {
		b := newBench(t)
		p, in := b.add("")
		if panics {
			p.panics = "destroy"
		} else {
			p.fail = map[string]error{"destroy": errBroken}
		}
		if err := Destroy(b.w, p); err == nil || !strings.Contains(err.Error(), "Destroy") {
			t.Errorf("Destroy: %v", err)
		}
		if Find[probe](b.w) != nil {
			t.Error("the system is still there")
		}
		if err := in.Update(); !errors.Is(err, ecs.ErrState) {
			t.Errorf("Update of a destroyed system: %v", err)
		}
		if err := Destroy(b.w, p); !errors.Is(err, ecs.ErrArgument) {
			t.Errorf("second Destroy: %v", err)
		}
	}
}

// Conformance: 222
func TestTwoInstances(t *testing.T) {
	for _, first := range []bool{true, false} {
		b := newBench(t)
		p, _ := b.add("p")
		q, _ := b.add("q")
		if Find[probe](b.w) != p {
			t.Error("look-up does not give the first created")
		}
		gone, left := q, p
		if first {
			gone, left = p, q
		}
		b.ok(Destroy(b.w, gone))
		if Find[probe](b.w) != left {
			t.Error("look-up does not give the one that is left")
		}
	}
}

func TestDestroyWhileUpdating(t *testing.T) {
	b := newBench(t)
	p, in := b.add("p")
	q, _ := b.add("q")
	var err error
	p.update = func(*Frame) error { err = Destroy(b.w, q); return nil }
	b.ok(in.Update())
	if !errors.Is(err, ecs.ErrArgument) || Find[probe](b.w) != p {
		t.Errorf("Destroy in an update: %v", err)
	}
}

func TestAdopt(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("")
	tests := []struct {
		name string
		s    System
		want string
	}{
		{"nil", nil, "nil"},
		{"nil pointer", (*probe)(nil), "nil"},
		{"value", valueSystem{}, "not a pointer"},
		{"twice", p, "part of world"},
		{"wrong hook", new(wrongHook), "would never be called; declare it StartRunning(*system.Frame) error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Adopt(b.w, tt.s); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
	if _, err := Create[valueSystem](b.w); err != nil { // value receivers are allowed
		t.Error(err)
	}
	if err := Adopt(ecs.NewWorld("other"), p); err != nil {
		t.Errorf("a second world: %v", err)
	}
}

type valueSystem struct{}

func (valueSystem) Update(*Frame) error { return nil }

type wrongHook struct{}

func (*wrongHook) Update(*Frame) error { return nil }
func (*wrongHook) StartRunning(*Setup) {}

// Systems without fields have different addresses.
func TestEmptySystems(t *testing.T) {
	w, v := ecs.NewWorld("w"), ecs.NewWorld("v")
	a, err := Create[valueSystem](w)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Create[valueSystem](w)
	if err != nil {
		t.Fatal(err)
	}
	c := GetOrCreate[valueSystem](v)
	if InstanceOf(w, a) == InstanceOf(w, b) || InstanceOf(v, c) == nil || InstanceOf(w, c) != nil {
		t.Error("systems without fields are mixed up")
	}
}

func TestLookUp(t *testing.T) {
	b := newBench(t)
	if Find[batchA](b.w) != nil {
		t.Error("found what is not there")
	}
	a := GetOrCreate[batchA](b.w)
	if a == nil || GetOrCreate[batchA](b.w) != a || Find[batchA](b.w) != a {
		t.Error("GetOrCreate does not make one system and keep to it")
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, errBroken) {
			t.Errorf("GetOrCreate of a system that cannot be created panics with %v", err)
		}
	}()
	GetOrCreate[batchB](b.w)
}

type shaper interface{ shape() string }

type square struct{ valueSystem }
type circle struct{ valueSystem }

func (*square) shape() string { return "square" }
func (*circle) shape() string { return "circle" }

func TestFindAs(t *testing.T) {
	w := ecs.NewWorld("")
	if _, ok := FindAs[shaper](w); ok {
		t.Error("found a shaper in an empty world")
	}
	c, s := GetOrCreate[circle](w), GetOrCreate[square](w)
	if got, ok := FindAs[shaper](w); !ok || got != shaper(c) {
		t.Errorf("found %v, want the first created", got)
	}
	if err := Destroy(w, c); err != nil {
		t.Fatal(err)
	}
	if got, ok := FindAs[shaper](w); !ok || got != shaper(s) {
		t.Errorf("found %v, want the one that is left", got)
	}
}

// Conformance: 270
func TestChanges(t *testing.T) {
	b := newBench(t)
	for i := range uint64(3) {
		p, _ := b.add("")
		if got := attachmentOf(b.w).changes; got != 2*i+1 {
			t.Errorf("%d changes, want %d", got, 2*i+1)
		}
		b.ok(Destroy(b.w, p))
		if got := attachmentOf(b.w).changes; got != 2*i+2 {
			t.Errorf("%d changes, want %d", got, 2*i+2)
		}
	}
}

func TestUpdateFails(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	p.fail = map[string]error{"update": errBroken}
	err := in.Update()
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "system.probe: Update: broken") {
		t.Errorf("error %v", err)
	}
	p.fail, p.panics = nil, "update"
	err = in.Update()
	var panicked *PanicError
	if !errors.As(err, &panicked) || panicked.Value != "update of " || panicked.Method != "Update" || !strings.Contains(string(panicked.Stack), "kit_test.go") {
		t.Errorf("error %v", err)
	}
	p.panics, p.fail = "", map[string]error{"stop": errBroken}
	in.SetEnabled(false)
	if err := in.Update(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "StopRunning") {
		t.Errorf("error %v", err)
	}
	b.log = nil
	p.fail = map[string]error{"start": errBroken}
	in.SetEnabled(true)
	if err := in.Update(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "StartRunning") {
		t.Errorf("error %v", err)
	}
	b.want("start")
}

func TestUpdateInsideUpdate(t *testing.T) {
	b := newBench(t)
	p, in := b.add("p")
	q, qi := b.add("q")
	p.update = func(*Frame) error { return errors.Join(qi.Update(), in.Update()) }
	b.log = nil
	if err := in.Update(); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "does not update itself") {
		t.Errorf("error %v", err)
	}
	b.want("p start, p update, q start, q update")
	p.update = nil
	q.update = nil
	b.ok(in.Update())
}

func TestPanicError(t *testing.T) {
	if err := (&PanicError{Value: errBroken}); !errors.Is(err, errBroken) || err.Error() != "panic: broken" {
		t.Errorf("%v", err)
	}
	if err := (&PanicError{Value: 7}); err.Unwrap() != nil || err.Error() != "panic: 7" {
		t.Errorf("%v", err)
	}
}

// Conformance: 63
func TestVersions(t *testing.T) {
	b := newBench(t)
	var during []uint32
	p := &probe{log: &b.log}
	p.require = func(s *Setup) { during = append(during, s.World().Version()) }
	p.update = func(f *Frame) error { during = append(during, f.World().Version()); return nil }
	b.ok(Adopt(b.w, p))
	in := InstanceOf(b.w, p)
	if in.LastVersion() != 0 {
		t.Errorf("last version %d before the first update", in.LastVersion())
	}
	for range 2 {
		b.ok(in.Update())
		if got, want := in.LastVersion(), during[len(during)-1]; got != want {
			t.Errorf("last version %d, the update was in %d", got, want)
		}
	}
	p.fail = map[string]error{"update": errBroken}
	before := in.LastVersion()
	if in.Update() == nil || in.LastVersion() != before+2 || b.w.Version() != before+3 {
		t.Errorf("after a failed update: last version %d, world %d, before %d", in.LastVersion(), b.w.Version(), before)
	}
	for i, want := range []uint32{2, 4, 6} { // the world begins at version 1, and each call increments it before and after
		if during[i] != want {
			t.Errorf("call %d was in version %d, want %d", i, during[i], want)
		}
	}
}
