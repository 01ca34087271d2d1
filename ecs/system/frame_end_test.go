package system

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/listing"
)

// TestOnFrameEnd: functions are called between two frames, in order. The functions can be removed in
// any order, also by themselves.
func TestOnFrameEnd(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	var order []string
	watch := func(name string) func() {
		return OnFrameEnd(b.w, func(x *FrameEnd) {
			if x.World != b.w || x.By != nil || x.End < x.Start || x.Start <= 0 || len(x.Turns) != 0 {
				t.Errorf("the end of a frame: %+v", x)
			}
			b.w.Spawn() // no job runs any more, so a structural change is allowed
			order = append(order, fmt.Sprint(name, x.Frame))
		})
	}
	one := watch("a")
	two := watch("b")
	var own func()
	own = OnFrameEnd(b.w, func(*FrameEnd) { order = append(order, "own"); own() })
	b.ok(Update(b.w))
	one()
	one()
	b.ok(Update(b.w))
	two()
	b.ok(Update(b.w))
	if want := []string{"a1", "b1", "own", "b2"}; !slices.Equal(order, want) {
		t.Errorf("called %v, want %v", order, want)
	}
	OnFrameEnd(b.w, func(*FrameEnd) { panic("seen too much") })
	p.fail = map[string]error{"update": errors.New("the system's")}
	err := Update(b.w)
	if err == nil || !strings.Contains(err.Error(), "seen too much") || !strings.Contains(err.Error(), "the system's") {
		t.Errorf("error %v", err)
	}
	var panicked *PanicError
	if !errors.As(err, &panicked) {
		t.Error("no PanicError")
	}
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, ecs.ErrArgument) {
				t.Errorf("nil is taken: %v", err)
			}
		}()
		OnFrameEnd(b.w, nil)
	}()
}

// TestFrameEndSeesErrors: functions see the errors of the frame.
func TestFrameEndSeesErrors(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	p.panics = "update"
	var seen []error
	OnFrameEnd(b.w, func(x *FrameEnd) { seen = append(seen, x.Errs...) })
	if err := Update(b.w); err == nil || len(seen) != 1 || !strings.Contains(seen[0].Error(), "update of p") {
		t.Errorf("seen %v, returned %v", seen, err)
	}
}

// TestRecord checks that a recording keeps the latest frames of every system in a ring, and that
// nothing is recorded before RecordTimes is called.
func TestRecord(t *testing.T) {
	b := newBench(t)
	p, in := b.add("p")
	q, other := b.add("q")
	b.ok(GetOrCreate[Simulation](b.w).Add(p, q))
	p.update = func(*Frame) error { time.Sleep(50 * time.Microsecond); return nil }
	var turns []Turn
	OnFrameEnd(b.w, func(x *FrameEnd) { turns = append(turns[:0], x.Turns...) })
	b.ok(Update(b.w))
	if len(turns) != 0 || len(in.AppendSamples(nil, 0)) != 0 {
		t.Error("something is recorded")
	}
	stop := RecordTimes(b.w, 1)
	again := RecordTimes(b.w, 1)
	for range HistoryLen + 10 {
		b.ok(Update(b.w))
	}
	list := in.AppendSamples(nil, 0)
	if len(list) != HistoryLen || list[0].Frame != 12 || list[HistoryLen-1].Frame != HistoryLen+11 {
		t.Errorf("%d samples, from frame %d", len(list), list[0].Frame)
	}
	for _, s := range list {
		if s.Updates != 1 || s.Own < 50*time.Microsecond {
			t.Fatalf("sample %+v", s)
		}
	}
	if some := in.AppendSamples(nil, HistoryLen+9); len(some) != 2 {
		t.Errorf("%d samples since", len(some))
	}
	if len(turns) != 3 || turns[0].Instance.Group() == nil || turns[1].Instance != in || turns[2].Instance != other || turns[1].Depth != 1 {
		t.Fatalf("turns %+v", turns)
	}
	if d := turns[1].End - turns[1].Start; d < 50*time.Microsecond || turns[0].Start > turns[1].Start || turns[0].End < turns[2].End {
		t.Errorf("turns %+v", turns)
	}
	other.SetEnabled(false)
	b.ok(Update(b.w))
	if last := other.AppendSamples(nil, HistoryLen+11); len(last) != 1 || last[0].Updates != 0 || len(turns) != 2 {
		t.Errorf("samples %+v, %d turns", last, len(turns))
	}
	// Measure and a recording do not disturb each other.
	Measure(b.w, true)
	b.ok(Update(b.w))
	if x := Explain(b.w); x.Frames != 1 || len(in.AppendSamples(nil, 0)) != HistoryLen {
		t.Errorf("%d frames, %d samples", x.Frames, len(in.AppendSamples(nil, 0)))
	}
	stop()
	stop()
	if b.ok(Update(b.w)); len(turns) != 2 {
		t.Error("the other recorder is stopped too")
	}
	again()
	if b.ok(Update(b.w)); len(turns) != 0 || len(in.AppendSamples(nil, 0)) != 0 {
		t.Error("something is recorded after the end")
	}
	if x := Explain(b.w); x.Frames != 3 {
		t.Errorf("what was asked for by Measure is lost: %d frames", x.Frames)
	}
	Measure(b.w, false)
	stop = RecordTimes(b.w, 1)
	b.ok(Update(b.w))
	Measure(b.w, false) // does not end the recording
	if b.ok(Update(b.w)); len(in.AppendSamples(nil, 0)) != 2 {
		t.Errorf("%d samples", len(in.AppendSamples(nil, 0)))
	}
	stop()
	if attachmentOf(b.w).measure != nil {
		t.Error("times are taken that are not asked for")
	}
	p.update = func(f *Frame) error {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, ecs.ErrState) {
				t.Errorf("in a frame: %v", err)
			}
		}()
		RecordTimes(f.World(), 1)
		return nil
	}
	b.ok(Update(b.w))
}

// TestRecordedSystemsComeAndGo: a system that is created later has samples from then on.
func TestRecordedSystemsComeAndGo(t *testing.T) {
	b := newBench(t)
	p, _ := b.add("p")
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	defer RecordTimes(b.w, 1)()
	b.ok(Update(b.w))
	q, in := b.add("q")
	b.ok(GetOrCreate[Simulation](b.w).Add(q))
	b.ok(Update(b.w))
	if list := in.AppendSamples(nil, 0); len(list) != 1 || list[0].Frame != 2 || list[0].Updates != 1 {
		t.Errorf("samples %+v", list)
	}
	b.ok(Destroy(b.w, q))
	b.ok(Update(b.w))
	if in.IdleReason() != "it is destroyed" {
		t.Errorf("idle: %q", in.IdleReason())
	}
}

// TestIdle checks the reasons why a system did not update.
func TestIdle(t *testing.T) {
	b := newBench(t)
	want := func(in *Instance, text string) {
		t.Helper()
		if got := in.IdleReason(); text == "" && got != "" || !strings.Contains(got, text) {
			t.Errorf("%q, want %q", got, text)
		}
	}
	p, in := b.add("p")
	want(in, "in no group")
	g := b.group(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(g))
	want(in, "its group system.plainGroup did not update")
	b.ok(Update(b.w))
	want(in, "")
	in.SetEnabled(false)
	b.ok(Update(b.w))
	want(in, "switched off")
	in.SetEnabled(true)
	want(in, "not had its turn")
	InstanceOf(b.w, g).SetEnabled(false)
	b.ok(Update(b.w))
	want(in, "its group")
	want(InstanceOf(b.w, g), "switched off")
	picky := &probe{log: &b.log, require: func(s *Setup) { s.Require(s.Query(ecs.With[alpha]())) }}
	choosy := b.adopt(picky)
	b.ok(GetOrCreate[Simulation](b.w).Add(picky))
	b.ok(Update(b.w))
	want(choosy, "nothing matches what it requires: Query(With[system.alpha]())")
	b.w.Spawn(alpha{})
	b.ok(Update(b.w))
	want(choosy, "")
	want(InstanceOf(b.w, GetOrCreate[Simulation](b.w)), "")
	if r, w := choosy.Components(); len(r) != 0 || len(w) != 0 || len(choosy.queries) != 1 || choosy.Group() != nil || len(choosy.groups) != 1 || choosy.Name() != choosy.uniqueName {
		t.Errorf("touches %v and %v", r, w)
	}
	lone, alone := b.add("lone")
	list, apart := Roots(b.w)
	if len(list) != 1 || list[0].Type() != typeFor[Simulation]() || !slices.Equal(apart, []*Instance{alone}) {
		t.Errorf("roots %v, apart %v, of %v", list, apart, lone)
	}
}

// TestUnwatchedFrames: a frame that no function watches allocates nothing.
func TestUnwatchedFrames(t *testing.T) {
	b := newBench(t)
	calm := new(quiet)
	b.adopt(calm)
	b.ok(GetOrCreate[Simulation](b.w).Add(calm))
	b.ok(Update(b.w))
	OnFrameEnd(b.w, func(*FrameEnd) {})()
	if n := testing.AllocsPerRun(100, func() { _ = Update(b.w) }); n > 0 && !raceEnabled && !guard {
		t.Errorf("%v allocations a frame", n)
	}
	RecordTimes(b.w, 1)()
	if n := testing.AllocsPerRun(100, func() { _ = Update(b.w) }); n > 0 && !raceEnabled && !guard {
		t.Errorf("%v allocations a frame after it was looked at", n)
	}
	defer RecordTimes(b.w, 1)()
	OnFrameEnd(b.w, func(*FrameEnd) {})
	for range 10 {
		b.ok(Update(b.w))
	}
	if n := testing.AllocsPerRun(100, func() { _ = Update(b.w) }); n > 0 && !raceEnabled && !guard {
		t.Errorf("%v allocations a frame while it is looked at", n)
	}
}

// quiet is a system without effects.
type quiet struct{ updates int }

func (q *quiet) Update(*Frame) error { q.updates++; return nil }

// TestOnEveryFrameEnd checks that the function is called at the ends of frames of all worlds,
// including later worlds, and each time on the goroutine of the world's owner.
func TestOnEveryFrameEnd(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	remove := OnEveryFrameEnd(func(b *FrameEnd) {
		mu.Lock()
		defer mu.Unlock()
		seen[b.World.Name()]++
	})
	other := OnEveryFrameEnd(func(*FrameEnd) {})
	var wg sync.WaitGroup
	for k := range 3 {
		wg.Go(func() {
			w := ecs.NewWorld(fmt.Sprint("frame end ", k))
			for range 5 {
				if err := Update(w); err != nil {
					t.Error(err)
				}
				OnEveryFrameEnd(func(*FrameEnd) {})()
				if WorldID(w) == 0 {
					t.Error("no number")
				}
			}
		})
	}
	wg.Wait()
	other()
	remove()
	remove()
	w := ecs.NewWorld("frame end 0")
	if err := Update(w); err != nil {
		t.Error(err)
	}
	for k := range 3 {
		if n := seen[fmt.Sprint("frame end ", k)]; n != 5 {
			t.Errorf("%d ends of frames of world %d", n, k)
		}
	}
	if everyFrameEnd.list.Load() != nil {
		t.Error("a function still watches")
	}
	defer func() {
		if v := recover(); v != "system: OnEveryFrameEnd: the function is nil" {
			t.Errorf("nil: %v", v)
		}
	}()
	OnEveryFrameEnd(nil)
}

// TestUnseenIsOneLoad reads the output of the compiler. If no function watches all worlds,
// OnEveryFrameEnd must cost one atomic load at the end of each frame. Systems, jobs and chunks
// must not become slower.
func TestUnseenIsOneLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package again, and the output is the same in every build")
	}
	text, err := listing.Of([]string{"GOARCH=amd64"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	begins, uses := regexp.MustCompile(`^\S*/system\.(\S+) STEXT`), regexp.MustCompile(`\t(\S+)\t.*/system\.everyFrameEnd(\+\d+)?\(SB\)`)
	function, loads := "", 0
	for line := range strings.Lines(text) {
		if m := begins.FindStringSubmatch(line); m != nil {
			function = m[1]
		}
		m := uses.FindStringSubmatch(line)
		switch {
		case m == nil || strings.HasPrefix(function, "OnEveryFrameEnd"):
		case function == "(*attachment).callFrameEndWatchers" && m[1] == "MOVQ":
			loads++
		default:
			t.Errorf("%s looks at what watches all worlds: %s", function, line)
		}
	}
	if loads != 1 {
		t.Errorf("the end of a frame looks %d times at what watches all worlds, want once", loads)
	}
}
