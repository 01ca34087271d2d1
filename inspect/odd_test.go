package inspect

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
)

// TestOddWatch checks a watch of values that are NaN or infinite. The watch reports the number of
// such values, the frame and entity of the first such value, and the systems that may have written
// it. When all values are finite again, the report stays, and says since when.
func TestOddWatch(t *testing.T) {
	s := newStage(t, 3000, Allow(Edit))
	const spec = "odd Wide.F"
	moved := "odd transform.Translation.Y Speed"
	look := func() (first, second Watch) {
		w := get[Watches](s, "/api/watches", "watch", spec, "watch", moved, "watch", "odd Health Mark").Watches
		if w[2].First != nil || w[2].Error != "" {
			t.Errorf("integers are odd: %+v", w[2])
		}
		return w[0], w[1]
	}
	last := func(w Watch) any {
		if len(w.Values) == 0 {
			return nil
		}
		return w.Values[len(w.Values)-1]
	}
	until := func(what string, ok func(a, b Watch) bool) (a, b Watch) {
		t.Helper()
		for begin := time.Now(); ; time.Sleep(time.Millisecond) {
			if a, b = look(); ok(a, b) {
				return a, b
			}
			if time.Since(begin) > generous {
				t.Fatalf("%s: %+v, %+v", what, a, b)
			}
		}
	}
	until("nothing", func(a, b Watch) bool { return last(a) == 0.0 && last(b) == 0.0 && a.First == nil && b.First == nil })
	hero := s.hero.String()
	before := post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "NaN").Frame
	a, _ := until("the hero", func(a, _ Watch) bool { return last(a) == 1.0 })
	if f := a.First; f == nil || f.Entity != hero || f.Name != "hero" || f.Value != "NaN" || f.Frame <= before || len(f.Writers) != 0 {
		t.Errorf("%+v of frame %d", a.First, before)
	} else if f.Since == 0 || f.Since > before || f.Since >= f.Frame {
		t.Errorf("all were finite in frame %d, the first one is of frame %d, and the edit was after frame %d", f.Since, f.Frame, before)
	}
	late := "odd Wide.F Wide" // a watch that begins after the hero has the NaN
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		if f := get[Watches](s, "/api/watches", "watch", late).Watches[0].First; f != nil {
			if f.Since != 0 || f.Entity != hero || f.Frame < a.First.Frame {
				t.Errorf("a watch that began later has %+v, want that the NaN is older", f)
			}
			break
		}
		if time.Since(begin) > generous {
			t.Fatal("the later watch finds nothing")
		}
	}
	list := get[Entities](s, "/api/entities", "q", "Speed", "from", "1700", "limit", "2").Rows
	for k, value := range []string{"+Inf", "NaN"} {
		post[Edited](s, "/api/set", "id", list[k].ID, "component", "transform.Translation", "field", "Y", "value", value)
	}
	_, b := until("two that move", func(_, b Watch) bool { return last(b) == 2.0 })
	if f := b.First; f == nil || f.Entity != list[0].ID || f.Value != "+Inf" || !slices.Equal(f.Writers, []string{"inspect.mover"}) {
		t.Errorf("%+v, want %s", b.First, list[0].ID)
	}
	post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "1")
	was := *a.First
	a, b = until("the hero is well", func(a, b Watch) bool { return last(a) == 0.0 && a.First != nil && a.First.Finite > 0 })
	if f := a.First; f.Entity != hero || f.Frame != was.Frame || f.Finite <= f.Frame {
		t.Errorf("%+v after all are finite again, want %+v", f, was)
	}
	if b.First == nil || b.First.Finite != 0 || b.First.Wrote != nil {
		t.Errorf("writers without a check, or no number any more: %+v", b.First)
	}
	post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "-Inf")
	until("the next number", func(a, _ Watch) bool {
		return a.First.Value == "-Inf" && a.First.Frame > was.Frame && a.First.Finite == 0
	})
	for wrong, want := range map[string]string{"odd": "missing", "odd Nothing.X": "no component", "odd Wide.G": "Wide"} {
		if w := get[Watches](s, "/api/watches", "watch", wrong).Watches[0]; !strings.Contains(w.Error, want) {
			t.Errorf("%q: %q", wrong, w.Error)
		}
	}
}

// TestCheckedWatch checks a program that observes the writes of its systems with package check. A
// watch must then name the system that wrote the first NaN.
func TestCheckedWatch(t *testing.T) {
	s := newStage(t, 300)
	s.stop()
	defer check.Finite(s.w).Stop()
	var sick ecs.Entity
	for c := range s.w.Query(ecs.Read[Speed]()).Chunks() {
		sick = c.Entities()[c.Len()/2]
	}
	if err := ecs.Set(s.w, sick, Speed{Y: float32(math.Inf(-1))}); err != nil {
		t.Fatal(err)
	}
	s.run()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		w := get[Watches](s, "/api/watches", "watch", "odd transform.Translation.Y", "watch", "odd transform.Translation.X").Watches
		if w[1].First != nil {
			t.Fatalf("X is odd: %+v", w[1].First)
		}
		if f := w[0].First; f != nil {
			if f.Wrote == nil || f.Wrote.System != "inspect.mover" || f.Wrote.Entity != sick.String() || f.Wrote.Value != "-Inf" || f.Wrote.Frame > f.Frame {
				t.Fatalf("%+v", f)
			}
			break
		}
		if time.Since(begin) > generous {
			t.Fatal("nothing is odd")
		}
	}
	s.stop()
}

// TestCatch checks that the world pauses at the end of the frame in which a system writes a NaN, and that the answer names the
// system, the entity and the number. After this, and after the catch is taken back, a NaN pauses nothing.
func TestCatch(t *testing.T) {
	s := newStage(t, 300, Allow(Control|Edit))
	s.awaitFrames(2)
	sick := get[Entities](s, "/api/entities", "q", "Speed", "from", "70", "limit", "3").Rows
	spoil := func(k int, field, value string) {
		post[Edited](s, "/api/set", "id", sick[k].ID, "component", "Speed", "field", field, "value", value)
	}
	if c := post[Controlled](s, "/api/control", "do", "catch", "value", "true"); !c.Catching || c.Paused || len(c.Already) > 0 {
		t.Fatalf("%+v", c)
	}
	s.awaitFrames(3)
	if w := get[Watches](s, "/api/watches"); !w.Catching || w.Caught != nil {
		t.Errorf("before a fault: %+v", w)
	}
	spoil(1, "Y", "NaN")
	w := &Watches{}
	for begin := time.Now(); w.Caught == nil; w = get[Watches](s, "/api/watches") {
		if time.Since(begin) > generous {
			t.Fatal("nothing is caught")
		}
	}
	c, f := w.Caught, get[Frame](s, "/api/frame")
	if c.System != "inspect.mover" || c.Entity != sick[1].ID || c.Number != "transform.Translation.Y" || c.Value != "NaN" || w.Catching {
		t.Errorf("%+v, %v", *c, w.Catching)
	}
	if f.Catching || f.Caught == nil || *f.Caught != *c {
		t.Errorf("the frame has %+v, want the fault %+v", f.Caught, *c)
	}
	if !f.Paused || f.Frame != c.Frame {
		t.Errorf("the world is in frame %d, paused: %v; the fault was in frame %d", f.Frame, f.Paused, c.Frame)
	}
	if out := post[Controlled](s, "/api/control", "do", "catch", "value", "false"); !out.Paused || out.Catching {
		t.Errorf("%+v", out)
	}
	if w := get[Watches](s, "/api/watches"); w.Caught == nil || *w.Caught != *c {
		t.Errorf("the world is still paused, but the fault is %+v, want %+v", w.Caught, *c)
	}
	post[Controlled](s, "/api/control", "do", "resume")
	spoil(2, "X", "+Inf")
	s.awaitFrames(3)
	old := post[Controlled](s, "/api/control", "do", "catch", "value", "true")
	if !old.Catching || old.Paused || len(old.Already) != 2 {
		t.Errorf("%+v, want that X and Y were odd already", old)
	}
	for k, number := range []string{"X", "Y"} {
		if k < len(old.Already) && (old.Already[k].Number != "transform.Translation."+number || old.Already[k].Entity != sick[2-k].ID) {
			t.Errorf("%s: %+v was odd already, want that of entity %s", number, old.Already[k], sick[2-k].ID)
		}
	}
	if f := get[Frame](s, "/api/frame"); !slices.Equal(f.Already, old.Already) {
		t.Errorf("the frame has %+v, want %+v", f.Already, old.Already)
	}
	s.awaitFrames(5)
	if w := get[Watches](s, "/api/watches"); !w.Catching || w.Caught != nil {
		t.Errorf("the NaN and the infinity are old: %+v", w)
	}
	for begin := time.Now(); !get[Order](s, "/api/order").Watched; time.Sleep(time.Millisecond) {
		if time.Since(begin) > generous {
			t.Fatal("the order of systems does not say that a tool made them wait")
		}
	}
	if c := post[Controlled](s, "/api/control", "do", "catch", "value", "false"); c.Catching || len(c.Already) > 0 {
		t.Errorf("%+v", c)
	}
	spoil(0, "Z", "NaN")
	s.awaitFrames(3)
	if w := get[Watches](s, "/api/watches"); w.Catching || w.Caught != nil {
		t.Errorf("after the catch was taken back: %+v", w)
	}
	s.wantError(400, "want true or false", "POST", "/api/control", "do", "catch", "value", "perhaps")
}

// TestCatchUnattended checks that a catch stays set when no request comes for longer than the lease, and that then the world pauses
// at a NaN. After the catch is taken back, the lease ends as usual.
func TestCatchUnattended(t *testing.T) {
	s := newStage(t, 300, Allow(Control))
	post[Controlled](s, "/api/control", "do", "catch", "value", "true")
	v := s.in.find(s.w)
	expire := func() { s.in.lastRequest.Store(int64(now() - 2*lease)) }
	until := func(what string, ok func() bool) {
		t.Helper()
		for begin := time.Now(); !ok(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > generous {
				t.Fatal(what)
			}
		}
	}
	expire()
	at := v.lastFrame.Load()
	until("the view does not record", func() bool { return v.lastFrame.Load() > at+3 })
	s.stop()
	var sick ecs.Entity
	for c := range s.w.Query(ecs.Read[Speed]()).Chunks() {
		sick = c.Entities()[c.Len()/2]
	}
	if err := ecs.Set(s.w, sick, Speed{Y: float32(math.NaN())}); err != nil {
		t.Fatal(err)
	}
	expire()
	s.run()
	until("nothing pauses the world", v.pace.paused.Load)
	if w := get[Watches](s, "/api/watches"); w.Caught == nil || w.Caught.Entity != sick.String() {
		t.Errorf("%+v, want a fault of %v", w, sick)
	}
	for _, on := range []string{"true", "false"} {
		post[Controlled](s, "/api/control", "do", "catch", "value", on)
	}
	post[Controlled](s, "/api/control", "do", "resume")
	until("the lease does not end", func() bool { expire(); return s.in.find(s.w) == nil })
}

// TestCatchAfterRestore catches a NaN, restores the frame before it, and catches a NaN again. The answer must name the frame that the
// second frame repeats.
func TestCatchAfterRestore(t *testing.T) {
	s := newStage(t, 30, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(2)
	post[Controlled](s, "/api/control", "do", "pause")
	id := get[Entities](s, "/api/entities", "q", "Speed", "limit", "1").Rows[0].ID
	catch := func() *Wrote {
		t.Helper()
		post[Edited](s, "/api/set", "id", id, "component", "Speed", "field", "Y", "value", "NaN")
		post[Controlled](s, "/api/control", "do", "catch", "value", "true")
		post[Controlled](s, "/api/control", "do", "resume")
		for begin := time.Now(); ; time.Sleep(time.Millisecond) {
			if w := get[Watches](s, "/api/watches"); !w.Catching && w.Caught != nil {
				return w.Caught
			}
			if time.Since(begin) > generous {
				t.Fatal("nothing is caught")
			}
		}
	}
	first := catch()
	if first.Again != 0 || first.Entity != id {
		t.Errorf("%+v, want entity %s, and a frame that repeats none", first, id)
	}
	post[Restored](s, "/api/restore", "frame", fmt.Sprint(first.Frame-1))
	if second := catch(); second.Again != first.Frame || second.Frame != first.Frame+1 {
		t.Errorf("%+v, want frame %d, which is frame %d again", second, first.Frame+1, first.Frame)
	}
}

// TestCatchBesideCheck checks that the check of the program continues after a catch of the inspector.
func TestCatchBesideCheck(t *testing.T) {
	s := newStage(t, 30, Allow(Control))
	s.stop()
	own := check.Finite(s.w)
	s.run()
	for _, on := range []string{"true", "false"} {
		post[Controlled](s, "/api/control", "do", "catch", "value", on)
	}
	s.stop()
	if check.Of(s.w) != own {
		t.Error("the world has another check than the one of the program")
	}
	own.Stop()
	if check.Of(s.w) != nil {
		t.Error("the world still has a check")
	}
}

// TestAlready checks the values that are NaN when a catch is set: conditions accept the name of each number, and a restore forgets them.
func TestAlready(t *testing.T) {
	s := newStage(t, 30, History(1, 64<<20), Allow(Control|Edit))
	s.awaitFrames(3)
	post[Controlled](s, "/api/control", "do", "pause")
	hero, clean := s.hero.String(), get[Frame](s, "/api/frame").Past.Last
	for _, field := range []string{"M.0", "M.7"} {
		post[Edited](s, "/api/set", "id", hero, "component", "transform.LocalToWorld", "field", field, "value", "NaN")
		list := post[Controlled](s, "/api/control", "do", "catch", "value", "true").Already
		if len(list) != 1 || list[0].Entity != hero || list[0].Number != "transform.LocalToWorld."+field {
			t.Fatalf("%s: the values before the catch are %+v", field, list)
		}
		get[Found](s, "/api/find", "when", list[0].Number+" == NaN", "id", hero)
		post[Restored](s, "/api/restore", "frame", fmt.Sprint(clean))
		if list := get[Frame](s, "/api/frame").Already; len(list) > 0 {
			t.Errorf("%s: after the restore, the values before the catch are %+v", field, list)
		}
	}
}

// TestRepeats checks which earlier frame a frame repeats after the world has continued from a kept frame.
func TestRepeats(t *testing.T) {
	c := &Continued{Frame: 90, At: 100}
	for frame, want := range map[uint64]uint64{100: 0, 101: 91, 110: 100, 111: 0, 130: 0} { //lanewise:inexact each frame is independent
		if got := c.repeats(frame); got != want {
			t.Errorf("frame %d repeats %d, want %d", frame, got, want)
		}
	}
}
