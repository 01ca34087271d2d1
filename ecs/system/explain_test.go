package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// The report is about three systems: plough and sow write different components, and the third reads
// both.
type (
	plough struct {
		_ In[LateSimulation]
		fieldWork
	}
	sow struct {
		_ In[LateSimulation]
		_ After[plough]
		fieldWork
	}
	harvest struct {
		_ In[LateSimulation]
		_ After[sow]
		fieldWork
	}
	market struct {
		CommandBuffers
		_ In[LateSimulation]
		_ After[harvest]
	}
	fair struct {
		Group
		_ Manual
	}
	village struct {
		Group
		_ In[Presentation]
	}
	byValue struct {
		Group
		_ In[Presentation]
	}
)

func (v *village) Update(f *Frame) error { return v.Group.Update(f) }
func (byValue) Update(*Frame) error      { return nil }

// fieldWork schedules jobs over a query of its system.
type fieldWork struct {
	q   *ecs.Query
	job ecs.ChunkJob
}

func (f *fieldWork) Update(u *Frame) error {
	u.ParallelFor(f.q, f.job)
	return nil
}

// rest is the time that the function slow sleeps. If a test does not see an expected wait, it increases
// rest and tries again.
var rest = time.Millisecond

func slow(*ecs.Chunk) { time.Sleep(rest) }

func (s *plough) Create(u *Setup) error {
	s.q, s.job = u.Query(ecs.Write[alpha]()), chunkFunc(slow)
	return nil
}

func (s *sow) Create(u *Setup) error {
	s.q, s.job = u.Query(ecs.Write[beta]()), chunkFunc(slow)
	return nil
}

func (s *harvest) Create(u *Setup) error {
	s.q, s.job = u.Query(ecs.Read[alpha](), ecs.Write[beta]()), chunkFunc(slow)
	return nil
}

func farm(t *testing.T, more ...*Type) *ecs.World {
	w := newWorld(t, Only(append(more, Of[plough](), Of[sow](), Of[harvest](), Of[market]())...))
	w.Spawn(alpha{}, beta{})
	return w
}

func TestExplain(t *testing.T) {
	w := farm(t)
	e := Explain(w)
	const path = "github.com/lanewise/lanewise/ecs/system."
	if want := []ReportWait{
		{System: path + "harvest", For: path + "sow", Component: path + "beta", Writes: true, ForItWrites: true},
		{System: path + "harvest", For: path + "plough", Component: path + "alpha", ForItWrites: true},
	}; !slices.Equal(e.Waits, want) {
		t.Errorf("waits %v, want %v", e.Waits, want)
	}
	if len(e.Parallel) != 1 || !slices.Equal(e.Parallel[0], []string{path + "plough", path + "sow"}) {
		t.Errorf("parallel %q", e.Parallel)
	}
	if e.Frames != 0 || e.Critical != nil || e.Syncs != nil {
		t.Errorf("times without a measurement: %+v", e)
	}
	at := slices.IndexFunc(e.Order, func(s ReportSystem) bool { return s.System == path+"harvest" })
	if s := e.Order[at]; s.Depth != 2 || s.Group || !slices.Equal(s.Reads, []string{path + "alpha"}) || !slices.Equal(s.Writes, []string{path + "beta"}) {
		t.Errorf("harvest is %+v", s)
	}
	for _, part := range []string{
		"\n    system.LateSimulation\n      system.plough\n      system.sow\n      system.harvest\n      system.market\n    system.EndSimulation\n",
		"\nwaits\n  system.harvest for system.sow: it writes system.beta, which that writes\n  system.harvest for system.plough: it reads system.alpha, which that writes\n",
		"\ncould run at once\n  system.plough, system.sow\n",
	} {
		if !strings.Contains(e.String(), part) {
			t.Errorf("the text lacks %q:\n%s", part, e)
		}
	}
	SetConservative(w, true)
	if e := Explain(w); len(e.Waits) != 2 {
		t.Errorf("conservative: %v", e.Waits)
	}
}

// Queries without common archetypes cause no wait.
func TestExplainApart(t *testing.T) {
	b := newBench(t)
	b.w.Spawn(alpha{}, beta{})
	b.w.Spawn(alpha{}, gamma{})
	g := GetOrCreate[Simulation](b.w)
	for _, require := range []func(*Setup){
		func(s *Setup) { s.Query(ecs.Write[alpha](), ecs.With[beta]()) },
		func(s *Setup) { s.Query(ecs.Write[alpha](), ecs.With[gamma]()) },
		func(s *Setup) { s.Access(ecs.Read[alpha]()) },
	} {
		p := &probe{log: &b.log, require: require}
		b.adopt(p)
		b.ok(g.Add(p))
	}
	var got []string
	for _, wait := range Explain(b.w).Waits {
		got = append(got, wait.String())
	}
	if want := []string{
		"system.probe#3 for system.probe: it reads system.alpha, which that writes",
		"system.probe#3 for system.probe#2: it reads system.alpha, which that writes",
	}; !slices.Equal(got, want) {
		t.Errorf("waits %q, want %q", got, want)
	}
}

func TestExplainMeasured(t *testing.T) {
	const frames = 3
	var e *Report
	var w *ecs.World
	inTime(t, func(d time.Duration) (string, bool) {
		defer func(was time.Duration) { rest = was }(rest)
		rest = d
		w = farm(t)
		Measure(w, true)
		for range frames {
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
		e = Explain(w)
		last := e.Syncs[len(e.Syncs)-1] // unless the owner was held up for longer than the work takes
		return fmt.Sprintf("end of the frame %+v", last), last.System == "" && last.Count == 1 && len(last.For) > 0
	})
	if e.Frames != frames || e.Frame < 2*time.Millisecond {
		t.Errorf("%d frames of %v", e.Frames, e.Frame)
	}
	for _, s := range e.Order {
		if working := slices.Contains([]string{"plough", "sow", "harvest"}, s.System[strings.LastIndex(s.System, ".")+1:]); working && (s.Updates != 1 || s.Jobs != 1 || s.Work < time.Millisecond || s.Span < time.Millisecond) {
			t.Errorf("%+v", s)
		}
	}
	for _, part := range []string{": 3 frames measured, ", "order ", " updates ", "\ncritical path, ", "\nsync points\n  end of the frame: "} {
		if !strings.Contains(e.String(), part) {
			t.Errorf("the text lacks %q:\n%s", part, e)
		}
	}
	Measure(w, true) // begins a new measurement
	if e := Explain(w); e.Frames != 0 {
		t.Errorf("%d frames after a new Measure", e.Frames)
	}
	Measure(w, false)
	if err := Update(w); err != nil || Explain(w).Frames != 0 {
		t.Errorf("measured without Measure: %v", err)
	}
}

// If two systems run at the same time, the longer one limits the frame, and the other is not on the
// critical path.
func TestExplainCritical(t *testing.T) {
	w := farm(t)
	Measure(w, true)
	attachmentOf(w).measure.frameCount = 2
	spans := map[*Type]time.Duration{Of[plough](): 10, Of[sow](): 14, Of[harvest](): 8}
	for _, in := range Instances(w) {
		in.timing().updates, in.timing().updateTime = 2, 2*time.Microsecond
		if span := spans[in.typ]; span > 0 {
			in.timing().jobCount, in.timing().jobSpan, in.timing().jobAccesses = 2, span*time.Millisecond, in.declaredAccesses()
		}
	}
	e := Explain(w)
	n := len(e.Critical)
	const path = "github.com/lanewise/lanewise/ecs/system."
	if want := []ReportPart{
		{System: path + "sow", Time: time.Microsecond},
		{System: path + "sow", Jobs: true, Time: 7 * time.Millisecond},
		{System: path + "harvest", Jobs: true, Time: 4 * time.Millisecond},
	}; n < 4 || !slices.Equal(e.Critical[n-3:], want) {
		t.Errorf("critical path %v, want it to end in %v", e.Critical, want)
	}
	const text = "\ncritical path, 11ms\n  jobs of system.sow: 7ms\n  jobs of system.harvest: 4ms\n  and shorter ones: "
	if !strings.Contains(e.String(), text) {
		t.Errorf("the text lacks %q:\n%s", text, e)
	}
	// A sync point comes after all jobs, and later updates come after it.
	market := InstanceOf(w, Find[market](w))
	market.timing().syncWaits.count = 2
	e = Explain(w)
	if last := e.Critical[len(e.Critical)-1]; last.Jobs || last.System != path+"EndPresentation" {
		t.Errorf("critical path %v", e.Critical)
	}
}

// Every kind of job and wait is measured, and jobs keep their names.
func TestMeasureAll(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
	spawnAlphas(b.w, 10)
	told := 0
	release := func() {}
	b.w.Hooks().OnSync(func() { told++ })
	b.w.Hooks().OnWait(func(*access.Access) func() { release(); return func() {} })
	Measure(b.w, true)
	var q *ecs.Query
	var a *access.Access
	p := &probe{log: &b.log, require: func(s *Setup) { q, a = s.Query(ecs.Write[alpha]()), s.Access(ecs.Write[beta]()) }}
	in := b.adopt(p)
	p.update = func(f *Frame) error {
		f.ParallelFor(q, chunkFunc(slow))
		f.Schedule(jobs.Func(func(*jobs.Task) { time.Sleep(time.Millisecond) }), a)
		f.ParallelRange(jobs.RangeFunc(func(*jobs.Task, int, int) {}), 10, 1, nil)
		hold := make(chan bool)
		f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) { <-hold }))
		release = func() { close(hold) }
		err := f.Run(q, chunkFunc(slow)) // waits for the job that holds the component
		release = func() {}
		f.Wait()
		f.ParallelFor(q, chunkFunc(slow))
		f.World().Spawn(gamma{}) // a sync point
		return err
	}
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	for range 2 {
		b.ok(Update(b.w))
	}
	e := Explain(b.w)
	s := e.Order[slices.IndexFunc(e.Order, func(s ReportSystem) bool { return s.System == in.uniqueName })]
	if s.Jobs != 5 || s.Work < 3*time.Millisecond || s.Own < time.Millisecond || in.timing().jobWaits.count != 2 {
		t.Errorf("%+v", s)
	}
	if i := slices.IndexFunc(e.Syncs, func(s ReportSync) bool { return s.System == in.uniqueName }); i < 0 || e.Syncs[i].Count != 1 {
		t.Errorf("sync points %+v", e.Syncs)
	}
	if told == 0 {
		t.Error("the hook before is not called any more")
	}
	q.ParallelFor(chunkFunc(func(*ecs.Chunk) {}))
	b.w.Spawn(gamma{})
	if e := Explain(b.w); !strings.Contains(e.String(), "between updates: 0.5 a frame") {
		t.Errorf("a sync point outside is not told:\n%s", e)
	}
	p.update = func(f *Frame) error {
		f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) { panic(errBroken) }))
		return nil
	}
	if err := Update(b.w); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), in.uniqueName+": system.chunkFunc") {
		t.Errorf("a failing job while measuring: %v", err)
	}
}

func TestAdvice(t *testing.T) {
	w := farm(t, Of[village](), Of[byValue](), Of[stepper]())
	hand, err := Create[fair](w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create[fair](w); err != nil {
		t.Fatal(err)
	}
	lost, err := Create[nothing](w)
	if err != nil {
		t.Fatal(err)
	}
	if err := GetOrCreate[Presentation](w).Add(hand); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(Explain(w).Advice, "\n")
	for _, part := range []string{
		"system.stepper names no group and stands in Simulation by default",
		"system.market plays back commands besides the default systems that do: one more sync point; ",
		"system.village overrides Update of its group: put its logic in a system before or after it",
		"system.byValue overrides Update of its group",
		"system.fair is Manual: it is updated by system.Presentation, into which",
		"system.fair#2 is Manual and no group updates it",
		fmt.Sprintf("%s stands in no group", shortName(InstanceOf(w, lost).uniqueName)),
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the advice lacks %q:\n%s", part, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 7 {
		t.Errorf("%d pieces of advice, want 7:\n%s", n, got)
	}
	if e := Explain(w); len(e.Ungrouped) != 2 || !strings.Contains(e.String(), "  in no group\n    system.fair#2\n    system.nothing\n") {
		t.Errorf("apart: %v", e.Ungrouped)
	}
	Measure(w, true)
	if err := Update(w); err != nil {
		t.Fatal(err)
	}
	// A sync point that takes less than one percent of a frame is not worth a change.
	attachmentOf(w).measure.frameTime = 10 * time.Millisecond
	waits := &InstanceOf(w, Find[market](w)).timing().syncWaits
	for bubble, want := range map[time.Duration]bool{100 * time.Microsecond: true, 99 * time.Microsecond: false} {
		waits.count, waits.total = 1, bubble
		if e := Explain(w).String(); strings.Contains(e, "one more sync point, bubble of "+bubble.String()) != want || strings.Contains(e, "one more sync point") != want {
			t.Errorf("a sync point of %v in a frame of 10 ms; advice wanted: %v\n%s", bubble, want, e)
		}
	}
}

// A report has advice about a cycle, and names systems of other worlds with their world.
func TestExplainOdd(t *testing.T) {
	b := newBench(t)
	g := GetOrCreate[Simulation](b.w)
	other := newBench(t)
	p, _ := other.add("")
	b.ok(g.Add(p))
	b.ok(Adopt(b.w, new(roundA)))
	b.ok(Adopt(b.w, new(roundB)))
	if e := Explain(b.w); e.Order[1].System != "github.com/lanewise/lanewise/ecs/system.probe of world "+other.w.Name() {
		t.Errorf("order %+v", e.Order)
	}
	b.ok(g.Add(Find[roundA](b.w), Find[roundB](b.w)))
	if e := Explain(b.w).String(); !strings.Contains(e, "in a circle:\n  - github.com") {
		t.Errorf("the circle is not told:\n%s", e)
	}
	b.ok(b.w.Close())
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ecs.ErrDisposed) {
			t.Errorf("Explain of a closed world: %v", err)
		}
	}()
	Explain(b.w)
}

type (
	roundA struct {
		nothing
		_ Before[roundB]
	}
	roundB struct {
		nothing
		_ Before[roundA]
	}
)
