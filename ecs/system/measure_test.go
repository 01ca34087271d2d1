package system

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// If an update waits, this time is not counted as its own work. Instead, the critical path contains the
// jobs for which the update waited.
func TestMeasureWaits(t *testing.T) {
	const held = 20 * time.Millisecond // half of it may pass before the wait is seen
	for _, c := range []struct {
		name string
		use  func(f *Frame, q *ecs.Query, e ecs.Entity) error
	}{
		{"Chunks", func(_ *Frame, q *ecs.Query, _ ecs.Entity) error {
			for range q.Chunks() {
			}
			return nil
		}},
		{"Run", func(f *Frame, q *ecs.Query, _ ecs.Entity) error { return f.Run(q, chunkFunc(func(*ecs.Chunk) {})) }},
		{"Get", func(f *Frame, _ *ecs.Query, e ecs.Entity) error {
			_, err := ecs.Get[alpha](f.World(), e)
			return err
		}},
		{"Set", func(f *Frame, _ *ecs.Query, e ecs.Entity) error { return ecs.Set(f.World(), e, alpha{1}) }},
		{"NewWorldLookup", func(f *Frame, _ *ecs.Query, _ ecs.Entity) error {
			ecs.NewWorldLookup[alpha](f.World())
			return nil
		}},
		{"Spawn", func(f *Frame, _ *ecs.Query, _ ecs.Entity) error {
			f.World().Spawn(gamma{})
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
			e := b.w.Spawn(alpha{})
			// The job does nothing until the owner waits for it. From then on it works for a fixed
			// time.
			hold, waits := make(chan bool), 0
			release := sync.OnceFunc(func() { close(hold) })
			b.w.Hooks().OnSync(func() { release() })
			b.w.Hooks().OnWait(func(*access.Access) func() { release(); return func() { waits++ } })
			Measure(b.w, true)
			writer, reader := &probe{log: &b.log}, &probe{log: &b.log}
			var write, read *ecs.Query
			writer.require = func(s *Setup) { write = s.Query(ecs.Write[alpha]()) }
			writer.update = func(f *Frame) error {
				f.ParallelFor(write, chunkFunc(func(*ecs.Chunk) { <-hold; time.Sleep(held) }))
				return nil
			}
			reader.require = func(s *Setup) { read = s.Query(ecs.Read[alpha]()) }
			reader.update = func(f *Frame) error { return c.use(f, read, e) }
			first, second := b.adopt(writer), b.adopt(reader)
			b.ok(GetOrCreate[Simulation](b.w).Add(writer, reader))
			b.ok(Update(b.w))
			x := Explain(b.w)
			s := x.Order[slices.IndexFunc(x.Order, func(s ReportSystem) bool { return s.System == second.uniqueName })]
			if s.Waited < held/2 || s.Own+s.Waited > second.timing().updateTime {
				t.Errorf("own %v, waited %v of %v", s.Own, s.Waited, second.timing().updateTime)
			}
			busy := first.timing().updateTime > held // the machine gave the owner no time, so the path contains its update
			if !busy && !slices.ContainsFunc(x.Critical, func(l ReportPart) bool { return l.Jobs && l.System == first.uniqueName }) {
				t.Errorf("critical path %v", x.Critical)
			}
			Measure(b.w, false)
			again, before := make(chan bool), waits
			release = sync.OnceFunc(func() { close(again) })
			writer.update = func(f *Frame) error {
				f.ParallelFor(write, chunkFunc(func(*ecs.Chunk) { <-again }))
				return nil
			}
			b.ok(Update(b.w)) // because Measure has restored the hooks that it had found
			if before == 0 || waits != 2*before {
				t.Errorf("the hook before was called %d times while measuring, and then %d times", before, waits-before)
			}
		})
	}
}

// A wait for a job that no system has scheduled is counted. A wait between updates is counted too,
// but for no system.
func TestMeasureWaitsForStrangers(t *testing.T) {
	const held = 20 * time.Millisecond // half of it may pass before the wait is seen
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
	e := b.w.Spawn(alpha{})
	q := b.w.Query(ecs.Write[alpha]())
	release := func() {}
	b.w.Hooks().OnWait(func(*access.Access) func() { release(); return func() {} })
	Measure(b.w, true)
	strange := func() {
		hold := make(chan bool)
		release = sync.OnceFunc(func() { close(hold) })
		q.ParallelFor(chunkFunc(func(*ecs.Chunk) { <-hold; time.Sleep(held) }))
	}
	p := &probe{log: &b.log}
	p.update = func(f *Frame) error {
		strange()
		f.World().Spawn(beta{})
		return nil
	}
	in := b.adopt(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	b.ok(Update(b.w))
	if syncs := in.timing().syncWaits; syncs.count != 1 || syncs.total < held/2 {
		t.Errorf("waited %v at %d sync points", syncs.total, syncs.count)
	}
	strange()
	if _, err := ecs.Get[alpha](b.w, e); err != nil {
		t.Error(err)
	}
	if m := attachmentOf(b.w).measure; m.otherWaits.total < held/2 || in.timing().jobWaits.count != 0 {
		t.Errorf("waited %v between updates", m.otherWaits.total)
	}
}

// worker adds a probe whose jobs are over a query with the given terms.
func (b *bench) worker(terms ...ecs.Term) *probe {
	var q *ecs.Query
	p := &probe{log: &b.log, require: func(s *Setup) { q = s.Query(terms...) }}
	p.update = func(f *Frame) error {
		f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) {}))
		return nil
	}
	b.adopt(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	return p
}

// waitsOf returns the waits of a report as text.
func waitsOf(e *Report) []string {
	var all []string
	for _, w := range e.Waits {
		all = append(all, w.String())
	}
	return all
}

// Three things must not hide other systems from later ones: a system that has not updated, a system
// that had nothing to schedule, and a query without jobs.
func TestMeasuredGraph(t *testing.T) {
	b := newBench(t)
	b.w.Spawn(alpha{}, beta{})
	b.worker(ecs.Write[alpha]())                            // system.probe
	off := b.worker(ecs.Write[alpha](), ecs.Write[gamma]()) // #2
	b.worker(ecs.Write[alpha](), ecs.Without[beta]())       // #3: matches no entity
	both := &probe{log: &b.log}                             // #4 writes beta in jobs, and declares to write alpha
	var q *ecs.Query
	both.require = func(s *Setup) { q = s.Query(ecs.Write[beta]()); s.Query(ecs.Write[alpha]()) }
	both.update = func(f *Frame) error { f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) {})); return nil }
	b.adopt(both)
	b.ok(GetOrCreate[Simulation](b.w).Add(both))
	b.worker(ecs.Read[alpha]()) // #5
	InstanceOf(b.w, off).SetEnabled(false)
	Measure(b.w, true)
	b.ok(Update(b.w))
	e := Explain(b.w)
	if want := []string{
		"system.probe#3 for system.probe: it writes system.alpha, which that writes",
		"system.probe#4 for system.probe: it writes system.alpha, which that writes",
		"system.probe#5 for system.probe: it reads system.alpha, which that writes",
	}; !slices.Equal(waitsOf(e), want) {
		t.Errorf("waits %q, want %q", waitsOf(e), want)
	}
	const name = "github.com/lanewise/lanewise/ecs/system.probe"
	if len(e.Parallel) != 1 || !slices.Equal(e.Parallel[0], []string{name, name + "#4"}) {
		t.Errorf("parallel %q", e.Parallel)
	}
	if at := slices.IndexFunc(e.Order, func(s ReportSystem) bool { return s.System == name+"#3" }); e.Order[at].Updates != 1 || e.Order[at].Jobs != 0 {
		t.Errorf("a job of no chunk counts: %+v", e.Order[at])
	}
}

// An update that has waited for the jobs that write a component has not waited for the jobs that read
// it. So a later job that writes the component still waits for the readers.
func TestMeasuredReaders(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
	e := b.w.Spawn(alpha{})
	hold := make(chan bool)
	release := sync.OnceFunc(func() { close(hold) })
	b.w.Hooks().OnWait(func(*access.Access) func() { release(); return func() {} })
	var q *ecs.Query
	first, third := &probe{log: &b.log}, &probe{log: &b.log}
	first.require = func(s *Setup) { q = s.Query(ecs.Write[alpha]()) }
	first.update = func(f *Frame) error { f.ParallelFor(q, chunkFunc(func(*ecs.Chunk) { <-hold })); return nil }
	third.require = func(s *Setup) { s.Query(ecs.Write[alpha]()) }
	third.update = func(f *Frame) error { _, err := ecs.Get[alpha](f.World(), e); return err }
	b.adopt(first)
	b.ok(GetOrCreate[Simulation](b.w).Add(first))
	b.worker(ecs.Read[alpha]())
	b.adopt(third)
	b.ok(GetOrCreate[Simulation](b.w).Add(third))
	b.worker(ecs.Write[alpha]())
	Measure(b.w, true)
	b.ok(Update(b.w))
	if x, want := Explain(b.w), []string{
		"system.probe#2 for system.probe: it reads system.alpha, which that writes",
		"system.probe#3 for system.probe: it writes system.alpha, which that writes",
		"system.probe#3 for system.probe#2: it writes system.alpha, which that reads",
		"system.probe#4 for system.probe#2: it writes system.alpha, which that reads",
	}; !slices.Equal(waitsOf(x), want) {
		t.Errorf("waits %q, want %q", waitsOf(x), want)
	}
}

// A measured job counts for all components that it uses, even if its system does not declare them.
func TestMeasuredUndeclared(t *testing.T) {
	b := newBench(t)
	b.w.Spawn(alpha{})
	b.worker(ecs.Write[alpha]())
	var a access.Access
	b.ok(b.w.Scheduler().AddAccess(&a, ecs.Read[alpha]()))
	p := &probe{log: &b.log}
	p.update = func(f *Frame) error { f.Schedule(jobs.Func(func(*jobs.Task) {}), &a); return nil }
	b.adopt(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	if e := Explain(b.w); e.Waits != nil {
		t.Errorf("waits %q", waitsOf(e))
	}
	Measure(b.w, true)
	b.ok(Update(b.w))
	if e := Explain(b.w); !slices.Equal(waitsOf(e), []string{"system.probe#2 for system.probe: it reads system.alpha, which that writes"}) {
		t.Errorf("waits %q", waitsOf(e))
	}
}

// A system may create a new access for its job in each update. The report must not get a new entry each
// time.
func TestMeasuredAccessMadeAnew(t *testing.T) {
	b := newBench(t)
	p := &probe{log: &b.log}
	p.update = func(f *Frame) error {
		var a access.Access
		b.ok(f.World().Scheduler().AddAccess(&a, ecs.Read[alpha]()))
		f.Schedule(jobs.Func(func(*jobs.Task) {}), &a)
		return nil
	}
	in := b.adopt(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	Measure(b.w, true)
	for range 5 {
		b.ok(Update(b.w))
	}
	if n := len(in.timing().jobAccesses); n != 1 {
		t.Errorf("%d accesses of 5 that are the same are remembered", n)
	}
}

// If two systems both read and write a component, the report has one wait.
func TestExplainOnce(t *testing.T) {
	b := newBench(t)
	for range 2 {
		p := &probe{log: &b.log}
		p.require = func(s *Setup) { s.Query(ecs.Read[alpha]()); s.Query(ecs.Write[alpha]()) }
		b.adopt(p)
		b.ok(GetOrCreate[Simulation](b.w).Add(p))
	}
	e := Explain(b.w)
	if !slices.Equal(waitsOf(e), []string{"system.probe#2 for system.probe: it writes system.alpha, which that writes"}) {
		t.Errorf("waits %q", waitsOf(e))
	}
}

// looker reads a component on the owner, and so waits for jobs that write it.
type looker struct{ e ecs.Entity }

func (s *looker) Update(f *Frame) error {
	_, err := ecs.Get[alpha](f.World(), s.e)
	return err
}

// TestRecordedWaitAllocatesNothing checks that a recorded frame with waits for conflicting jobs allocates nothing
// after the first frames, because the memory of a graph is reused.
func TestRecordedWaitAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	w := newWorld(t, Only(Of[adder](), Of[looker]()), OnPool(newPool(t, 1))) // one worker: no job runs before the owner waits
	e := spawnAlphas(w, 1)[0]
	Find[looker](w).e = e
	again := &adder{}
	last := &looker{e}
	for _, s := range []System{again, last} {
		if err := Adopt(w, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := GetOrCreate[Simulation](w).Add(again, last); err != nil {
		t.Fatal(err)
	}
	Measure(w, true)
	eight := func() { // one of these frames is recorded
		for range 8 {
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 * keptGraphs {
		eight()
	}
	recorder := &attachmentOf(w).measure.graphs
	before := recorder.count
	n := testing.AllocsPerRun(10, eight)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(10, eight)
	}
	if n != 0 || recorder.count < before+10 {
		t.Errorf("%v allocations in 8 frames; %d frames are recorded", n, recorder.count-before)
	}
	alphas := w.Query(ecs.Read[alpha]()).Access()
	for k, g := range recorder.ring {
		waits := 0
		for i := range g.nodes {
			if a := g.nodes[i].access; g.nodes[i].wait == waitConflicting {
				if waits++; a == nil || !sameAccess(&a.Read, &alphas.Read) || !a.Write.Empty() {
					t.Errorf("graph %d: the wait is for %v", k, a)
				}
			}
		}
		if waits == 0 {
			t.Errorf("graph %d has no wait", k)
		}
	}
}
