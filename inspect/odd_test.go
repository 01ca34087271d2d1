package inspect

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOddWatch: a watch of what is no number says how many there are, in which frame the first one came, of
// which entity, and who may have written it; when all are numbers again it says nothing.
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
	hero := entityText(s.hero)
	before := post[Edited](s, "/api/set", "id", hero, "component", "Wide", "field", "F", "value", "NaN").Frame
	a, _ := until("the hero", func(a, _ Watch) bool { return last(a) == 1.0 })
	if f := a.First; f == nil || f.Entity != hero || f.Name != "hero" || f.Value != "NaN" || f.Frame <= before || len(f.Writers) != 0 {
		t.Errorf("%+v of frame %d", a.First, before)
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
	until("the hero is well", func(a, b Watch) bool { return last(a) == 0.0 && a.First == nil && b.First != nil })
	for wrong, want := range map[string]string{"odd": "missing", "odd Nothing.X": "no component", "odd Wide.G": "Wide"} {
		if w := get[Watches](s, "/api/watches", "watch", wrong).Watches[0]; !strings.Contains(w.Error, want) {
			t.Errorf("%q: %q", wrong, w.Error)
		}
	}
}
