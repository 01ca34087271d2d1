package system_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Fuel is a component for which systems wait, and Oil is a second such component.
type (
	Fuel struct{ Litres int32 }
	Oil  struct{ Litres int32 }
)

// The jobs of these systems, and the update of Loner, take a certain time.
type (
	Hog struct {
		q *ecs.Query
		_ system.In[system.Simulation]
	}
	Reader struct {
		q *ecs.Query
		_ system.In[system.Simulation]
		_ system.After[Hog]
	}
	Loner struct {
		_ system.In[system.Simulation]
	}
	// Pump writes Fuel and Oil. Gauge reads both.
	Pump struct {
		q *ecs.Query
		_ system.In[system.Simulation]
	}
	Gauge struct {
		q *ecs.Query
		_ system.In[system.Simulation]
		_ system.After[Pump]
	}
)

func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

func (s *Hog) Create(u *system.Setup) error    { s.q = u.Query(ecs.Write[Fuel]()); return nil }
func (s *Hog) Update(f *system.Frame) error    { f.ParallelFor(s.q, s); return nil }
func (s *Hog) Chunk(*ecs.Chunk)                { spin(3 * time.Millisecond) }
func (s *Reader) Create(u *system.Setup) error { s.q = u.Query(ecs.Read[Fuel]()); return nil }
func (s *Reader) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *Reader) Chunk(*ecs.Chunk)             { spin(2 * time.Millisecond) }

func (s *Pump) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[Fuel](), ecs.Write[Oil]())
	return nil
}
func (s *Pump) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *Pump) Chunk(*ecs.Chunk)             { spin(2 * time.Millisecond) }
func (s *Gauge) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Read[Fuel](), ecs.Read[Oil]())
	return nil
}
func (s *Gauge) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *Gauge) Chunk(*ecs.Chunk)             { spin(2 * time.Millisecond) }

// Update works on the owner's goroutine.
func (*Loner) Update(*system.Frame) error { spin(2 * time.Millisecond); return nil }

// measureFrames runs frames of a world with these systems on two workers, and returns the report.
func measureFrames(t *testing.T, types ...*system.Type) *system.Report {
	t.Helper()
	pool := jobs.New(jobs.Workers(2))
	w, err := system.NewWorld(t.Name(), system.OnPool(pool), system.Only(types...))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = w.Close()
		_ = pool.Close()
	}()
	w.Spawn(Fuel{}, Oil{})
	system.Measure(w, true)
	runFrames(w, 9)
	e := system.Explain(w)
	system.Measure(w, false)
	if e := system.Explain(w); len(e.Predicted)+len(e.Savings) > 0 {
		t.Errorf("predictions without measured frames: %v, %v", e.Predicted, e.Savings)
	}
	return e
}

// measuredUntil repeats the measurement until the report is as expected, at most ten times. On a busy
// machine, the owner may schedule a job only after the jobs before it have ended, and then nothing waits.
func measuredUntil(t *testing.T, wanted func(e *system.Report) bool, types ...*system.Type) (e *system.Report) {
	t.Helper()
	for range 10 {
		if e = measureFrames(t, types...); wanted(e) {
			break
		}
	}
	return e
}

// TestSavings measures a world in which a reader waits for a hog. The report must name the system
// Reader that waits and the system Hog for which it waits, give the reason, and predict the length of a
// frame.
func TestSavings(t *testing.T) {
	waits := func(e *system.Report) bool {
		return slices.ContainsFunc(e.Savings, func(s system.ReportSaving) bool { return strings.Contains(s.System, "Reader") })
	}
	e := measuredUntil(t, waits, system.Of[Hog](), system.Of[Reader]())
	if e.Workers != 2 || len(e.Predicted) != 5 {
		t.Fatalf("%d workers, predictions %v", e.Workers, e.Predicted)
	}
	if e.Recorded < 1 || e.RecordedFrame < e.Span/2 || e.RecordedFrame > 100*e.Work {
		t.Errorf("%d recorded frames of %v; the span is %v, the work %v", e.Recorded, e.RecordedFrame, e.Span, e.Work)
	}
	if e.Work < 5*time.Millisecond || e.Span < 5*time.Millisecond || e.Span > e.Work {
		t.Errorf("work %v, span %v, want at least 5 ms each", e.Work, e.Span)
	}
	for k, p := range e.Predicted[1:] {
		if p.Time > e.Predicted[k].Time+e.Predicted[k].Time/50 {
			t.Errorf("more workers take longer: %v", e.Predicted)
		}
	}
	var texts []string
	for k, s := range e.Savings {
		texts = append(texts, s.String())
		if s.Saves <= 0 || k > 0 && s.Saves > e.Savings[k-1].Saves {
			t.Errorf("the savings are not in order: %v", e.Savings)
		}
	}
	const want = " a frame for system_test.Hog, because system_test.Reader reads system_test.Fuel, which system_test.Hog writes: let system_test.Reader read a copy of system_test.Fuel; this saves "
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "system_test.Reader's jobs wait ") || !strings.Contains(all, want) {
		t.Errorf("no saving says %q:\n%s", want, all)
	}
	text := e.String()
	for _, want := range []string{"predicted length of a frame: work ", "any number: ", "2 workers: ", "system_test.Hog: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// TestSavingOfTwoComponents measures a reader of two components that another system writes. A copy of one of
// them would save nothing, so the advice must name both.
func TestSavingOfTwoComponents(t *testing.T) {
	e := measuredUntil(t, func(e *system.Report) bool {
		return slices.ContainsFunc(e.Savings, func(s system.ReportSaving) bool { return s.For != "" })
	}, system.Of[Pump](), system.Of[Gauge]())
	for _, s := range e.Savings {
		if s.For == "" {
			continue
		}
		fuel, oil := strings.Contains(s.Component, "Fuel"), strings.Contains(s.Component, "Oil")
		if copied := strings.SplitAfter(s.Advice, "read a copy of "); !fuel || !oil || len(copied) != 2 || !strings.Contains(copied[1], "Fuel") || !strings.Contains(copied[1], "Oil") {
			t.Errorf("components %q, advice %q: want both components", s.Component, s.Advice)
		}
		return
	}
	t.Errorf("no saving names a wait: %v", e.Savings)
}

// TestSavingOfTheOwner measures a system that works on the owner's goroutine while the workers have
// nothing to do.
func TestSavingOfTheOwner(t *testing.T) {
	e := measuredUntil(t, func(e *system.Report) bool { return len(e.Savings) == 1 }, system.Of[Loner]())
	if len(e.Savings) != 1 || e.Savings[0].System == "" || !strings.Contains(e.Savings[0].String(), "Loner works ") || e.Savings[0].Saves < 500*time.Microsecond {
		t.Errorf("%v", e.Savings)
	}
}
