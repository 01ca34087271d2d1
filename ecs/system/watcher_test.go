package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// loggingProbe records its calls.
type loggingProbe struct {
	name  string
	b     *bench
	after func(in *Instance, since uint32)
}

func (n *loggingProbe) Before(*Instance) { n.b.log = append(n.b.log, n.name+" before") }

func (n *loggingProbe) After(in *Instance, since uint32, err error) {
	n.b.log = append(n.b.log, fmt.Sprint(n.name, " after ", err))
	if n.after != nil {
		n.after(in, since)
	}
}

// The watchers are called before each update and after its jobs have finished, in the order in which
// they were attached.
func TestWatch(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 3)))
	spawnAlphas(b.w, 5000)
	p, in := b.add("p")
	q, _ := b.add("q")
	var ran atomic.Int32
	p.update = func(f *Frame) error {
		f.ParallelFor(f.Query(ecs.Write[alpha]()), chunkFunc(func(c *ecs.Chunk) { ecs.Column[alpha](c); ran.Add(1) }))
		return nil
	}
	sad := errors.New("sad")
	q.fail = map[string]error{"update": sad}
	g := GetOrCreate[Simulation](b.w)
	b.ok(g.Add(p))
	b.ok(g.Add(q))
	one, two := &loggingProbe{name: "one", b: b}, &loggingProbe{name: "two", b: b}
	one.after = func(of *Instance, since uint32) {
		if of != in {
			return
		}
		if ran.Load() == 0 {
			t.Error("the job is under way")
		}
		if _, writes := of.Components(); len(writes) != 1 {
			t.Errorf("it writes %v", writes)
		}
		changed := b.w.Query(ecs.Read[alpha](), ecs.Changed[alpha]())
		if changed.SetSince(since); changed.Count() != 5000 {
			t.Errorf("%d rows are newer than %d", changed.Count(), since)
		}
		if changed.SetSince(b.w.Version()); changed.Count() != 0 {
			t.Errorf("%d rows are newer than the world", changed.Count())
		}
		if _, err := ecs.Capture(b.w, nil); err != nil {
			t.Error(err)
		}
	}
	stopOne, stopTwo := Watch(b.w, one), Watch(b.w, two)
	b.log = nil
	if err := Update(b.w); !errors.Is(err, sad) {
		t.Error(err)
	}
	want := []string{
		"one before", "two before", "p start", "p update", "one after <nil>", "two after <nil>",
		"one before", "two before", "q start", "q update", "one after system: github.com/lanewise/lanewise/ecs/system.probe: Update: sad", "two after system: github.com/lanewise/lanewise/ecs/system.probe: Update: sad",
	}
	got := slices.DeleteFunc(slices.Clone(b.log), func(s string) bool { return s == "" })
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	stopOne()
	stopOne() // has no effect
	b.log = nil
	_ = Update(b.w)
	if slices.Contains(b.log, "one before") || !slices.Contains(b.log, "two before") {
		t.Errorf("one has stopped: %q", b.log)
	}
	stopTwo()
	if attachmentOf(b.w).watchers != nil {
		t.Error("nothing watches, and something is left of it")
	}
	b.log = nil
	_ = Update(b.w)
	if !slices.Equal(b.log, []string{"p update", "q update"}) {
		t.Errorf("nothing watches: %q", b.log)
	}
	for _, call := range []func(){
		func() { Watch(b.w, nil) },
		func() { Watch(nil, one) },
		func() { b.ok(b.w.Close()); Watch(b.w, one) },
	} {
		if mustPanic(call) == "" {
			t.Error("no panic")
		}
	}
}

func mustPanic(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// lateWatcher adds up the time from the end of the update of patient to its own end.
type lateWatcher struct {
	p    *patient
	took time.Duration
}

func (*lateWatcher) Before(*Instance) {}

func (l *lateWatcher) After(in *Instance, _ uint32, _ error) {
	if in.system == System(l.p) {
		time.Sleep(5 * time.Millisecond)
		l.took += now() - l.p.returned
	}
}

// patient is a system with a job that takes some time.
type patient struct {
	_        In[Simulation]
	q        *ecs.Query
	returned time.Duration // when the last update returned
}

func (p *patient) Create(u *Setup) error { p.q = u.Query(ecs.Write[alpha]()); return nil }
func (p *patient) Update(f *Frame) error { f.ParallelFor(p.q, p); p.returned = now(); return nil }
func (p *patient) Chunk(*ecs.Chunk)      { time.Sleep(5 * time.Millisecond) }

// TestWatchedTimes checks that the time of a watcher, and of the waits that it causes, is no work of a system or a group, neither in the
// means nor in a recorded frame. The watcher's own time and the times of all updates must not exceed the length of the frames.
func TestWatchedTimes(t *testing.T) {
	w := newWorld(t, OnPool(newPool(t, 2)), Only(Of[patient]()))
	spawnAlphas(w, 3)
	Measure(w, true)
	check := func(what string, frames int, watched bool) *Report {
		t.Helper()
		r := Explain(w)
		if r.Frames != frames || r.Watched != watched || r.Recorded != frames {
			t.Errorf("%s: %d frames, %d recorded, watched %v, want %d, %[5]d and %v", what, r.Frames, r.Recorded, r.Watched, frames, watched)
		}
		if strings.Contains(r.String(), "while a watcher") != watched {
			t.Errorf("%s: the text is\n%s", what, r)
		}
		return r
	}
	if err := runFrames(w, 2, 0.01); err != nil {
		t.Fatal(err)
	}
	check("before", 2, false)
	l := &lateWatcher{p: Find[patient](w)}
	stop := Watch(w, l)
	const n = 3
	if err := runFrames(w, n, 0.01); err != nil {
		t.Fatal(err)
	}
	r, own := check("watched", n, true), time.Duration(0)
	for _, s := range r.Order {
		own += s.Own + s.Waited
	}
	if own+l.took/n > r.Frame+time.Millisecond { // the update and the watcher both have the time from the return of Update to the end of the update
		t.Errorf("updates of %v and the watcher's %v are longer than the frame of %v", own, l.took/n, r.Frame)
	}
	for k, g := range attachmentOf(w).measure.graphs.ring {
		pieces := time.Duration(0)
		for _, node := range g.nodes {
			if !node.job {
				pieces += node.work
			}
		}
		if pieces > g.length-4*time.Millisecond {
			t.Errorf("recorded frame %d of %v: the owner works %v, and the watcher sleeps 5ms", k, g.length, pieces)
		}
	}
	waited := false
	defer RecordTimes(w, 1)()
	OnFrameEnd(w, func(b *FrameEnd) {
		for _, turn := range b.Turns {
			waited = waited || turn.Wait && turn.Instance.system == System(l.p)
		}
	})
	frames := n
	for ; !waited && frames < 100; frames++ { // if the owner is held up, the job may end before the wait
		if err := runFrames(w, 1, 0.01); err != nil {
			t.Fatal(err)
		}
	}
	if !waited {
		t.Error("the turns of the frames have no wait because of the watcher")
	}
	stop()
	if r := Explain(w); !r.Watched || r.Frames != frames {
		t.Errorf("stopped, without a later frame: %d frames, watched %v, want %d", r.Frames, r.Watched, frames)
	}
	if err := runFrames(w, 1, 0.01); err != nil {
		t.Fatal(err)
	}
	check("after", 1, false)
}
