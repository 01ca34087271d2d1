package transform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// drifting is a system that moves everything in jobs. A later sync point waits for these jobs.
type drifting struct {
	_ system.In[system.Simulation]
	_ system.Before[transform.Group]
	q *ecs.Query
}

func (d *drifting) Create(s *system.Setup) error {
	d.q = s.Query(ecs.Write[transform.Translation]())
	return nil
}

func (d *drifting) Update(f *system.Frame) error {
	f.ParallelFor(d.q, d)
	return nil
}

func (*drifting) Chunk(c *ecs.Chunk) { ecs.Column[transform.Translation](c) }

// There is no advice about the systems of this package, because a program cannot change them. There is
// no advice even though the linking of children is a sync point.
func TestNoAdvice(t *testing.T) {
	b := newBench(t)
	d := new(drifting)
	b.ok(system.Adopt(b.w, d))
	b.ok(system.Find[system.Simulation](b.w).Add(d))
	system.Measure(b.w, true)
	b.child(b.root(transform.Translation{X: 1}), transform.Translation{})
	b.ok(system.Update(b.w))
	e := system.Explain(b.w)
	if !slices.ContainsFunc(e.Syncs, func(s system.ReportSync) bool { return s.System == system.Of[transform.Parents]().String() }) {
		t.Fatalf("sync points %v", e.Syncs)
	}
	for _, a := range e.Advice {
		if strings.Contains(a, "transform.") {
			t.Errorf("advice: %s", a)
		}
	}
}
