package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Conformance: 469.
func TestEdit(t *testing.T) {
	s := newStage(t, 10, Allow(Edit))
	hero := s.hero.String()
	s.stop()
	changed := s.w.Query(ecs.Read[Wide](), ecs.Changed[Wide]())
	changed.SetSince(s.w.Version())
	s.run()
	for _, c := range []struct {
		component, field, value string
		want                    any
	}{
		{"Health", "Points", "-7", -7.0}, {"Health", "Points", "0x10", 16.0}, {"transform.Translation", "Y", "2.5", 2.5}, {"Wide", "N", "-9007199254740993", "-9007199254740993"},
		{"Wide", "B", "false", false}, {"Wide", "U", "255", 255.0}, {"Wide", "F", "NaN", "NaN"}, {"Wide", "F", "1e-3", 0.001}, {"Asleep", "Since", "3", 3.0},
	} {
		out := post[Edited](s, "/api/set", "id", hero, "component", c.component, "field", c.field, "value", c.value)
		if v := fieldOf(t, out.Value, c.field); v != c.want || out.Frame == 0 || out.ID != hero {
			t.Errorf("%s.%s = %s: %v", c.component, c.field, c.value, v)
		}
		e := get[Entity](s, "/api/entity", "id", hero)
		i := slices.IndexFunc(e.Components, func(o Component) bool { return strings.HasSuffix(o.Name, strings.TrimPrefix(c.component, "transform")) })
		if v := fieldOf(t, e.Components[i].Value, c.field); v != c.want {
			t.Errorf("%s.%s = %s: then %v", c.component, c.field, c.value, v)
		}
	}
	post[Edited](s, "/api/set", "id", hero, "component", "LocalToWorld", "field", "M.12", "value", "9")
	s.stop()
	if n := changed.Count(); n != 1 {
		t.Errorf("%d are marked as changed", n)
	}
	before := get0(t, s, s.hero)
	s.run()
	for _, c := range []struct {
		code                          int
		want, component, field, value string
	}{
		{400, "is no int32", "Team", "Number", "x"}, {400, "as a whole", "Team", "", "x"}, {409, "it is managed", "Note", "Text", "x"}, {400, "has no element own", "ecs.Buffer[inspect.Item]", "own", "1"}, {400, "has no element 2", "ecs.Buffer[inspect.Item]", "2.N", "1"},
		{400, "is no entity", "ecs.Buffer[inspect.Item]", "0.From", "x"}, {404, "entity 9999:1 does not exist", "ecs.Buffer[inspect.Item]", "0.From", "9999:1"}, {409, "cleanup", "Grave", "At", "1"},
		{409, "it is a tag", "Mark", "", "1"}, {400, "no component", "Nowhere", "X", "1"}, {400, "no exported field Q", "Health", "Q", "1"}, {400, "is no float32", "transform.Translation", "X", "abc"},
		{400, "is no uint8", "Wide", "U", "256"}, {400, "is no int32", "Health", "Points", "1.5"}, {400, "is no bool", "Wide", "B", "maybe"}, {400, "as a whole", "Wide", "", "1"},
		{400, "has no element 16", "LocalToWorld", "M.16", "1"}, {400, "has no field X", "Health", "Points.X", "1"}, {400, "the entity has no such component", "Speed", "X", "1"},
	} {
		s.wantError(c.code, c.want, "POST", "/api/set", "id", hero, "component", c.component, "field", c.field, "value", c.value)
	}
	s.wantError(404, "does not exist", "POST", "/api/set", "id", "99999:1", "component", "Health", "field", "Points", "value", "1")
	for _, k := range []string{"-1", "16", "x"} {
		s.wantError(400, "has no element", "POST", "/api/set", "id", s.hero.String(), "component", "LocalToWorld", "field", "M."+k, "value", "1")
	}
	s.wantError(400, "is no entity", "POST", "/api/set", "id", "x", "component", "Health", "field", "Points", "value", "1")
	s.stop()
	if after := get0(t, s, s.hero); after != before {
		t.Errorf("what was refused has changed something: %s, %s", before, after)
	}
	s.run()
}

// get0 returns the values of an entity as text.
func get0(t *testing.T, s *stage, e ecs.Entity) string {
	t.Helper()
	var b strings.Builder
	for _, typ := range s.w.ArchetypeOf(e).Types() {
		v, err := s.w.Untyped().Get(e, typ)
		fmt.Fprintf(&b, "%v %v %v; ", typ, v, err)
	}
	return b.String()
}

// TestNameAndSwitch names entities and switches systems off and on.
func TestNameAndSwitch(t *testing.T) {
	s := newStage(t, 10, Allow(Edit))
	hero := s.hero.String()
	post[Edited](s, "/api/name", "id", hero, "name", "the <b>hero</b>")
	if e := get[Entity](s, "/api/entity", "id", hero); e.Name != "the <b>hero</b>" {
		t.Errorf("name %q", e.Name)
	}
	s.wantError(400, "is no entity", "POST", "/api/name", "id", "x", "name", "y")
	s.wantError(404, "does not exist", "POST", "/api/name", "id", "77777:1", "name", "y")
	find := func() System {
		f := get[Frame](s, "/api/frame")
		return f.Systems[slices.IndexFunc(f.Systems, func(x System) bool { return x.Name == "inspect.breeder" })]
	}
	for _, name := range []string{"inspect.breeder", "github.com/lanewise/lanewise/inspect.breeder"} {
		s.wantError(200, "", "POST", "/api/system", "name", name, "on", "false")
		s.awaitFrames(2)
		if x := find(); x.Enabled || x.Idle != "it is switched off" {
			t.Errorf("enabled %v, idle %q", x.Enabled, x.Idle)
		}
		s.wantError(200, "", "POST", "/api/system", "name", name, "on", "true")
		s.awaitFrames(2)
		if x := find(); !x.Enabled || x.Idle != "" || len(x.Spark) == 0 || x.Max.Own < x.Median.Own {
			t.Errorf("enabled %v, idle %q", x.Enabled, x.Idle)
		}
	}
	s.wantError(404, "there is no system", "POST", "/api/system", "name", "nobody", "on", "true")
	s.wantError(400, "write true or false", "POST", "/api/system", "name", "inspect.breeder", "on", "maybe")
	for _, x := range get[Frame](s, "/api/frame").Systems {
		if x.Name == "inspect.waiter" && !strings.Contains(x.Idle, "nothing matches what it requires") {
			return // the hero exists, so the system runs
		}
	}
}

// Conformance: 470. While the world is lent to a transaction, requests to edit it return an error
// and change nothing.
func TestLent(t *testing.T) {
	s := newStage(t, 10, Allow(Edit))
	s.awaitFrames(2)
	v := s.in.find(s.w)
	s.stop()
	x, err := ecs.BeginTransaction(s.w)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan bool)
	go func() { // systems cannot update, but frames still end
		defer close(over)
		for {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(time.Millisecond):
				v.lastFrameEnd.Store(int64(now()))
				v.asks.serve(v.sliceUntil(now() + time.Millisecond))
				v.recordFrame(&system.FrameEnd{World: s.w, Frame: v.lastFrame.Load() + 1})
			}
		}
	}()
	s.wantError(409, "lent to a transaction", "POST", "/api/set", "id", s.hero.String(), "component", "Health", "field", "Points", "value", "1")
	s.wantError(409, "lent to a transaction", "POST", "/api/name", "id", s.hero.String(), "name", "x")
	for _, c := range asking {
		code, body, _ := s.do("GET", c[0], values(c[1:]))
		if code != 200 && (code != 409 || !strings.Contains(body, "lent to a transaction")) {
			t.Errorf("%s: %d %s", c[0], code, body)
		}
	}
	if f := get[Frame](s, "/api/frame"); !f.Lent {
		t.Error("the page is not told")
	}
	t.Cleanup(func() {
		<-over
		if err := x.End(); err != nil {
			t.Error(err)
		}
		if p, err := ecs.Get[Health](s.w, s.hero); err != nil || p.Points != 100 {
			t.Errorf("%v %v", p, err)
		}
	})
}

// TestJournal checks that the journal reports each change by a system once, with the numbers of
// created and destroyed entities.
func TestJournal(t *testing.T) {
	s := newStage(t, 10)
	s.stop()
	s.breed.then = func(f *system.Frame) {
		for range 5 {
			f.World().Spawn(Mark{})
		}
	}
	s.run()
	s.awaitFrames(3)
	seen, next := map[uint64]int{}, uint64(0)
	for range 20 {
		j := get[Journal](s, "/api/journal", "since", fmt.Sprint(next))
		if j.Lost != 0 || j.Next < next {
			t.Errorf("lost %d, next %d", j.Lost, j.Next)
		}
		next = j.Next
		for _, c := range j.Changes {
			if c.System == "inspect.breeder" && c.Op == "Destroy" && (c.Fewer != 1 || c.More != 0) {
				t.Errorf("%+v", c)
			}
			if c.System == "inspect.breeder" && c.Op == "Spawn" {
				if seen[c.Frame]++; c.Times != 6 || c.More != 6 || c.Fewer != 0 {
					t.Errorf("%+v", c)
				}
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("%d frames", len(seen))
	}
	for frame, n := range seen {
		if n != 1 {
			t.Errorf("frame %d is told %d times", frame, n)
		}
	}
	var j journal
	for n := range uint64(keptChanges + 50) {
		j.frame = append(j.frame, Change{Op: fmt.Sprint(n)})
		j.flush(n, 0)
	}
	if first, list := j.appendSince(nil, 10); first != 50 || len(list) != keptChanges || list[0].Op != "50" || list[keptChanges-1].Op != fmt.Sprint(keptChanges+49) {
		t.Errorf("%d entries from %d", len(list), first)
	}
}

// TestWatches checks that a watch records each frame and that polling loses no value.
func TestWatches(t *testing.T) {
	s := newStage(t, 5000, Allow(Edit))
	hero := s.hero.String()
	specs := []string{"watch", "count Speed", "watch", "field " + hero + " Health", "watch", "sum Speed.X", "watch", "count Speed ~Asleep", "watch", "sum Speed.Y ~Asleep"}
	samples := map[string][]float64{}
	frames := map[string][]uint64{}
	since := uint64(0)
	poll := func() {
		w := get[Watches](s, "/api/watches", append(specs, "since", fmt.Sprint(since))...)
		since = w.Frame
		for _, x := range w.Watches {
			if x.Error != "" || len(x.Frames) != len(x.Values) {
				t.Fatalf("%+v", x)
			}
			for k, v := range x.Values {
				samples[x.Spec] = append(samples[x.Spec], v.(float64))
				frames[x.Spec] = append(frames[x.Spec], x.Frames[k])
			}
		}
	}
	poll()
	post[Edited](s, "/api/set", "id", hero, "component", "Health", "field", "Points", "value", "42")
	few := func() bool {
		for _, spec := range specs {
			if spec != "watch" && len(samples[spec]) < 3 {
				return true
			}
		}
		return false
	}
	for begin, k := time.Now(), 0; k < 10 || few() && time.Since(begin) < 30*time.Second; k++ {
		s.awaitFrames(5)
		poll()
	}
	for spec, want := range map[string]float64{"count Speed": 5000, "sum Speed.X": 5000, "field " + hero + " Health": 42, "count Speed ~Asleep": 1250} {
		list := samples[spec]
		if len(list) < 3 || list[len(list)-1] != want {
			t.Errorf("%s: %d samples, the last %v, want %v", spec, len(list), list[len(list)-1:], want)
		}
	}
	for spec, list := range frames {
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s: frames %v", spec, list)
		}
	}
	if list := frames["field "+hero+" Health"]; list[len(list)-1]-list[0] != uint64(len(list)-1) {
		t.Errorf("a field has %d samples of frames %d to %d", len(list), list[0], list[len(list)-1])
	}
	for spec, want := range map[string]string{
		"": "a watch is", "frobnicate X": "a watch is", "count Nowhere": "there is no component", "sum Nowhere.X": "there is no component", "sum Speed": "is several numbers",
		"field 1:1 Nowhere": "there is no component", "field x Health": "is no entity", "sum Health Nowhere": "there is no component",
	} {
		if w := get[Watches](s, "/api/watches", "watch", spec); !strings.Contains(w.Watches[0].Error, want) {
			t.Errorf("%q: %+v", spec, w.Watches)
		}
	}
	get[Watches](s, "/api/watches", "watch", "field 77777:1 Health")
	s.awaitFrames(2)
	if gone := get[Watches](s, "/api/watches", "watch", "field 77777:1 Health"); !strings.Contains(gone.Watches[0].Error, "does not exist") {
		t.Errorf("%+v", gone)
	}
	get[Watches](s, "/api/watches", "watch", "field "+hero+" Speed.X")
	s.awaitFrames(2)
	if w := get[Watches](s, "/api/watches", "watch", "field "+hero+" Speed.X"); !strings.Contains(w.Watches[0].Error, "has no inspect.Speed") {
		t.Errorf("%+v", w)
	}
	var many []string
	for k := range maxWatches + 1 {
		many = append(many, "watch", fmt.Sprintf("count Speed #%d", k))
	}
	s.wantError(400, "the limit is 16", "GET", "/api/watches", many...)
	full := get[Watches](s, "/api/watches", many[2:]...)
	if !slices.ContainsFunc(full.Watches, func(w Watch) bool { return strings.Contains(w.Error, "are asked for already") }) {
		t.Error("more watches than there is room for")
	}
	w := &watch{width: 1}
	for n := range uint64(keptValues + 7) {
		w.add(n, float64(n))
	}
	if len(w.values) != keptValues || w.values[0] != 7 || w.frames[keptValues-1] != keptValues+6 {
		t.Errorf("%d values from %v", len(w.values), w.values[0])
	}
}

// TestBlackBox checks that a slow frame is recorded as a timeline, and as a trace that contains the
// names of systems.
func TestBlackBox(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("go test -trace has the trace: there is one for a process")
	}
	s := newStage(t, 10, SlowFrames(50*time.Millisecond))
	if w := get[Worlds](s, "/api/worlds"); w.Box != "" {
		t.Errorf("no box: %s", w.Box)
	}
	second := New(SlowFrames(0), Only(s.w))
	if text := second.box.state(); !strings.Contains(text, "there is no trace") {
		t.Errorf("a second recorder: %q", text)
	}
	second.Close()
	s.awaitFrames(10)
	s.stop()
	s.breed.then = func(f *system.Frame) {
		if system.FrameNumber(f.World())%20 == 0 {
			time.Sleep(60 * time.Millisecond)
		}
	}
	s.run()
	// On a busy machine other frames may be captured too, or be the only frame of their second.
	var c Capture
	var line *Timeline
	for begin := time.Now(); line == nil; time.Sleep(5 * time.Millisecond) {
		box := get[Box](s, "/api/box")
		if !box.On || time.Since(begin) > generous {
			t.Fatalf("nothing is kept of the slow frames: %+v", box)
		}
		for _, c = range box.Captures {
			if kept := get[Timeline](s, "/api/box/timeline", "id", c.ID); c.Frame%20 == 0 && len(kept.Frames) >= 5 {
				line = kept
				break
			}
		}
	}
	if c.Took < 60_000 || c.Limit != 50_000 || !c.Trace || c.Bytes == 0 || c.World != s.w.Name() {
		t.Errorf("%+v", c)
	}
	n := len(line.Frames)
	if line.Frames[n-1].Frame != c.Frame || line.Frames[n-1].Length != c.Took || line.Frames[0].Start > line.Frames[n-1].Start {
		t.Errorf("%d frames", n)
	}
	if !slices.ContainsFunc(line.Frames[n-1].Spans, func(s Span) bool { return s.Name == "inspect.breeder" && s.B-s.A > 60_000 }) {
		t.Errorf("the system that was slow is not told: %+v", line.Frames[n-1].Spans)
	}
	code, body, h := s.do("GET", "/api/box/trace", values([]string{"id", c.ID}))
	if code != 200 || !strings.HasPrefix(body, "go 1.") || !strings.Contains(h.Get("Content-Disposition"), "frame-") || !bytes.Contains([]byte(body), []byte("inspect.breeder")) {
		t.Errorf("the trace: %d, %d bytes", code, len(body))
	}
	s.wantError(404, "there is no slow frame", "GET", "/api/box/trace", "id", "77")
	s.wantError(404, "there is no slow frame", "GET", "/api/box/timeline")
	off := newStageBox(t)
	if off.On || !strings.Contains(off.Why, "SlowFrames") {
		t.Errorf("%+v", off)
	}
}

func newStageBox(t *testing.T) *Box {
	t.Helper()
	i := New()
	defer i.Close()
	return boxPage(i.box)
}

// TestMedianBudget checks the limit for slow frames without a budget: three times the median of the
// last frames, as soon as there are enough frames.
func TestMedianBudget(t *testing.T) {
	var f frames
	b := system.FrameEnd{}
	for n := range 100 {
		b.Frame = uint64(n + 1)
		b.End = b.Start + time.Duration(n+1)*time.Microsecond
		m, ok := (&f).median(nil)
		if ok != (f.count >= 30) || ok && m < time.Duration(n/2-1)*time.Microsecond {
			t.Errorf("after %d frames: %v %v", n, m, ok)
		}
		f.add(&b)
	}
	var h heldTimes
	for n := range 3000 {
		h.add(time.Duration(n))
	}
	if last, p99, most := h.digest(); last != 2999 || most != 2999 || p99 < 2980 || p99 > 2990 {
		t.Errorf("%v %v %v", last, p99, most)
	}
	if first, list := f.appendLengths(nil, 97); first != 98 || len(list) != 3 {
		t.Errorf("%d lengths from %d", len(list), first)
	}
}

// TestRefuse checks the HTTP code of every error.
func TestRefuse(t *testing.T) {
	i := New(Token("t"))
	v := &view{inspector: &i.views, asks: asks{asked: make(chan *ask, 1)}}
	v.asks.asked <- &ask{}
	if _, err := v.runBetween(t.Context(), "more", nil); err == nil || !strings.Contains(err.Error(), "too many requests wait") {
		t.Error(err)
	}
	if more, err := (&ask{what: "this", step: func(*ownerSlice) (bool, error) { panic("that") }}).call(nil); more || err == nil || err.Error() != "inspect: this: that" {
		t.Error(err)
	}
	if _, err := json.Marshal(worldsPage(&i.views, false, false)); err != nil {
		t.Error(err)
	}
	if err := errors.Join(i.Close(), i.Close()); err != nil {
		t.Error(err)
	}
}

// TestDescribe checks that values that may hold Go pointers are shown as text. Their methods must not
// be called, because the methods are user code.
func TestDescribe(t *testing.T) {
	type inner struct {
		P *int
		S []string
		M map[string]int
		F func()
		A any
		E ecs.Entity
		_ int
	}
	n := 7
	for _, c := range []struct {
		v    any
		want string
	}{
		{inner{}, "{P: nil, S: nil, M: nil, F: func(), A: nil, E: →0:0}"},
		{inner{&n, []string{"a"}, map[string]int{"x": 1}, nil, 1.5, ecs.Entity{Index: 3, Version: 4}, 0}, `{P: &7, S: ["a"], M: map[string]int of 1, F: func(), A: 1.5, E: →3:4}`},
		{make([]int, 10), "[0 0 0 0 0 0 0 0 … 10 in all]"}, {[3]bool{true}, "[true false false]"}, {uint8(3), "3"}, {"x", `"x"`}, {complex(1, 2), "complex128"}, {badError{}, "{}"},
	} {
		if got := describe(reflect.ValueOf(c.v), 5); got != c.want {
			t.Errorf("%#v: %s, want %s", c.v, got, c.want)
		}
	}
	type ring struct{ Next *ring }
	loop := &ring{}
	loop.Next = loop
	if got := describe(reflect.ValueOf(loop), 5); len(got) > 100 || !strings.Contains(got, "…") {
		t.Error(got)
	}
	if got := describe(reflect.Value{}, 5); got != "nil" {
		t.Error(got)
	}
	type many struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q int }
	if got := describe(reflect.ValueOf(many{}), 5); !strings.HasSuffix(got, ", …}") {
		t.Error(got)
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{int8(-3), "-3"}, {uint16(4), "4"}, {int64(5), `"5"`}, {uint64(6), `"6"`}, {true, "true"}, {"text", `"text"`}, {complex64(1), `"(1+0i)"`}, {float32(0.1), "0.1"}, {[2]int32{1, 2}, "[1,2]"},
		{&n, `"*int"`}, {ecs.Entity{Index: 1, Version: 2}, `{"entity":"1:2","name":"e"}`},
	} {
		b, err := json.Marshal(show(reflect.ValueOf(c.v), map[ecs.Entity]string{{Index: 1, Version: 2}: "e"}))
		if err != nil || string(b) != c.want {
			t.Errorf("%#v: %s, want %s", c.v, b, c.want)
		}
	}
	if list := show(reflect.ValueOf(make([]int32, maxElements+5)), nil).([]any); len(list) != maxElements+1 || list[maxElements] != "… 5 more" {
		t.Errorf("%d elements", len(list))
	}
	if list := largest([]archetypeSize{{0, 5, 1}, {1, 9, 1}, {2, 5, 1}, {3, 7, 1}, {4, 9, 1}, {5, 8, 1}}, 1, 3); !slices.Equal(list, []archetypeSize{{4, 9, 1}, {5, 8, 1}, {3, 7, 1}}) {
		t.Errorf("the largest are %v", list)
	}
	if list := largest([]archetypeSize{{0, 5, 1}}, 1, 3); list != nil {
		t.Errorf("behind the end: %v", list)
	}
	if editRefusal(ecs.ComponentType{PerChunk: true}) == "" {
		t.Error("what belongs to the chunk is not locked")
	}
	if r := replyWith(math.NaN()); r.Status != 409 || !strings.Contains(string(r.Data), "none in JSON") {
		t.Errorf("NaN: %d %s", r.Status, r.Data)
	}
}

// TestManyQueries checks that the number of open queries stays within its limit and that every query
// is answered.
func TestManyQueries(t *testing.T) {
	s := newStage(t, 10)
	for k := range maxQueries + 10 {
		if n := get[Entities](s, "/api/entities", "q", "Speed :all"+strings.Repeat(" ", k)).Count; n != 10 {
			t.Errorf("query %d: %d", k, n)
		}
	}
	// The server must not wait for a cancelled request.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := s.in.find(s.w)
	if _, err := v.runBetween(ctx, "never", func(*ownerSlice) (bool, error) { return true, nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = s.in.Close()
	if _, err := v.runBetween(t.Context(), "late", func(*ownerSlice) (bool, error) { return true, nil }); err == nil {
		t.Error("an inspector that is closed answers")
	}
	s.wantError(503, "is closed", "GET", "/api/worlds")
}
