package system

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestExplainer creates a report on another goroutine while the world continues. The report must equal
// the report of Explain at the moment of the copy.
func TestExplainer(t *testing.T) {
	for _, measured := range []bool{false, true} {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
		b.w.Spawn(alpha{}, beta{})
		b.worker(ecs.Write[alpha]())
		b.worker(ecs.Read[alpha](), ecs.Write[beta]())
		b.worker(ecs.Read[alpha]())
		p, _ := b.add("p")
		p.update = func(f *Frame) error { f.World().Spawn(gamma{}); return nil }
		b.ok(GetOrCreate[Simulation](b.w).Add(p))
		b.add("apart")
		Measure(b.w, measured)
		for range 3 {
			b.ok(Update(b.w))
		}
		want := fmt.Sprintf("%+v", *Explain(b.w))
		s := explainNow("Explain", b.w)
		var got string
		var wg sync.WaitGroup
		wg.Go(func() { got = fmt.Sprintf("%+v", *s.Report()) })
		for range 20 {
			b.ok(Update(b.w))
			b.worker(ecs.Write[gamma]())
			b.w.Spawn(gamma{}, delta{})
		}
		wg.Wait()
		if got != want {
			t.Errorf("measured %v: explained elsewhere\n%s\nwant\n%s", measured, got, want)
		}
	}
}

// TestExplainTooEarly checks that while Measure is on and no frame has run, the report has no
// systems that could run at the same time.
func TestExplainTooEarly(t *testing.T) {
	b := newBench(t)
	b.worker(ecs.Read[alpha]())
	b.worker(ecs.Read[alpha]())
	if x := Explain(b.w); len(x.Parallel) != 1 || strings.Contains(x.String(), "no frame has been measured") {
		t.Errorf("not measured: %v, %q", x.Parallel, x.Advice)
	}
	Measure(b.w, true)
	if x := Explain(b.w); len(x.Parallel) != 0 || !strings.Contains(x.String(), "no frame has been measured yet") {
		t.Errorf("too early: %v, %q", x.Parallel, x.Advice)
	}
	b.ok(Update(b.w))
	if x := Explain(b.w); x.Frames != 1 || strings.Contains(x.String(), "no frame has been measured") {
		t.Errorf("measured: %d, %q", x.Frames, x.Advice)
	}
}

// TestExplainerInPieces copies a world during several frames. If nothing changes during these
// frames, the report must be the same as after a copy within one frame. The report divides
// each system's times by the number of frames in which that system was measured, and the copy
// begins again when a system is created.
func TestExplainerInPieces(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 2)))
	b.w.Spawn(alpha{}, beta{})
	b.worker(ecs.Write[alpha]())
	b.worker(ecs.Read[alpha](), ecs.Write[beta]())
	b.worker(ecs.Read[alpha]())
	Measure(b.w, true)
	for range 3 {
		b.ok(Update(b.w))
	}
	now := func() bool { return true }
	want := fmt.Sprintf("%+v", *Explain(b.w))
	s := NewExplainer(b.w)
	pieces := 1
	for !s.Continue(now) {
		pieces++
	}
	if got := fmt.Sprintf("%+v", *s.Report()); got != want || pieces != len(Instances(b.w))+3+len(advisingPlugins(attachmentOf(b.w))) { // three recorded frames
		t.Errorf("%d pieces of %d systems:\n%s\nwant\n%s", pieces, len(Instances(b.w)), got, want)
	}

	s, pieces = NewExplainer(b.w), 1
	for !s.Continue(now) {
		if pieces++; pieces == 3 {
			b.worker(ecs.Write[gamma]())
		}
		b.ok(Update(b.w))
	}
	x := s.Report()
	if len(x.Order)+len(x.Ungrouped) < len(Instances(b.w)) || pieces != len(Instances(b.w))+3+keptGraphs+len(advisingPlugins(attachmentOf(b.w))) {
		t.Errorf("%d systems in %d pieces, want %d", len(x.Order)+len(x.Ungrouped), pieces, len(Instances(b.w)))
	}
	for _, e := range x.Order {
		if e.Updates > 1 { // one update in each frame, in any number of frames
			t.Errorf("%s updates %v times a frame", e.System, e.Updates)
		}
	}

	s = NewExplainer(b.w)
	s.Continue(now)
	Measure(b.w, false)
	for !s.Continue(now) {
	}
	if x := s.Report(); x.Frames != 0 {
		t.Errorf("%d frames of a measurement that is over", x.Frames)
	}
	s = NewExplainer(b.w)
	s.Continue(now)
	Measure(b.w, true)
	b.ok(Update(b.w))
	for !s.Continue(now) {
	}
	if x := s.Report(); x.Frames != 1 {
		t.Errorf("%d frames of a measurement that has begun", x.Frames)
	}
}

// TestExplainerWithoutEnd checks that a report has no frame without an end. For example, a panic may end a
// frame while an explainer copies. This frame has already overwritten part of an older recorded frame that
// was not copied yet.
func TestExplainerWithoutEnd(t *testing.T) {
	for copied := range keptGraphs {
		b := newBench(t)
		b.w.Spawn(alpha{}, beta{})
		b.worker(ecs.Write[alpha]())
		Measure(b.w, true)
		for range keptGraphs {
			b.ok(Update(b.w))
		}
		s := NewExplainer(b.w)
		for len(s.uncopied) > 0 || len(s.graphs) > keptGraphs-copied {
			s.Continue(func() bool { return true })
		}
		m := attachmentOf(b.w).measure
		m.graphs.begin(m, now())
		for !s.Continue(func() bool { return true }) {
		}
		want := keptGraphs
		if copied == 0 {
			want--
		}
		for _, g := range s.builder.measure.graphCopies {
			if g.length == 0 {
				t.Errorf("%d copies: a copied frame has no end", copied)
			}
		}
		if n := len(s.builder.measure.graphCopies); n != want {
			t.Errorf("%d copies: %d frames, want %d", copied, n, want)
		}
		if r := s.Report(); len(r.Predicted) == 0 || r.Predicted[0].Time == 0 {
			t.Errorf("%d copies: predicted %v", copied, r.Predicted)
		}
	}
}
