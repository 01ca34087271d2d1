package system

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 217
func TestRequirements(t *testing.T) {
	type setup = func(*Setup)
	qa := func(s *Setup) *ecs.Query { return s.Query(ecs.Read[alpha]()) }
	qc := func(s *Setup) *ecs.Query { return s.Query(ecs.Read[gamma]()) }
	tests := []struct {
		name    string
		require setup
		runs    [3]bool // in an empty world, with alphas, with alphas and a gamma
	}{
		{"none", func(*Setup) {}, [3]bool{true, true, true}},
		{"queries alone", func(s *Setup) { qa(s); qc(s) }, [3]bool{true, true, true}},
		{"one", func(s *Setup) { s.Require(qa(s)) }, [3]bool{false, true, true}},
		{"both", func(s *Setup) { s.Require(qa(s), qc(s)) }, [3]bool{false, false, true}},
		{"both, in two calls", func(s *Setup) { s.Require(qa(s)); s.Require(qc(s)) }, [3]bool{false, false, true}},
		{"any", func(s *Setup) { s.RequireAny(qc(s), qa(s)) }, [3]bool{false, true, true}},
		{"any and one", func(s *Setup) { s.RequireAny(qc(s), qa(s)); s.Require(qc(s)) }, [3]bool{false, false, true}},
		{"filtered", func(s *Setup) { s.Require(s.Query(ecs.Read[alpha](), ecs.Changed[alpha]())) }, [3]bool{false, true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			p := &probe{log: &b.log, require: tt.require}
			in := b.adopt(p)
			for i, want := range tt.runs {
				b.log = nil
				switch i {
				case 1:
					spawnAlphas(b.w, 10)
				case 2:
					b.w.Spawn(gamma{1})
				}
				for range 2 { // twice, because earlier changes are not new the second time
					b.ok(in.Update())
				}
				if got := slices.Contains(b.log, "update"); got != want {
					t.Errorf("step %d: runs %v, want %v", i, got, want)
				}
			}
		})
	}
}

type matcher struct {
	probe
	_ MatchingOnly
}

// Conformance: 217, 213
func TestMatchingOnly(t *testing.T) {
	b := newBench(t)
	m := &matcher{probe: probe{log: &b.log, require: func(s *Setup) {
		s.Query(ecs.Read[alpha]())
		s.Query(ecs.Read[gamma]())
	}}}
	in := b.adopt(m)
	b.ok(in.Update())
	b.want("create")
	ids := spawnAlphas(b.w, 2)
	b.ok(in.Update())
	b.want("start, update")
	b.ok(ecs.DestroyAll(b.w, ecs.Entities(ids)))
	b.ok(in.Update())
	b.want("stop")
	in.SetEnabled(false)
	b.ok(in.Update())
	b.want("")
}

// Conformance: 61
func TestChangedSinceUpdate(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	var saw bool
	p.update = func(f *Frame) error {
		saw = !f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()).Empty()
		return nil
	}
	e := b.w.Spawn(alpha{1})
	for i, want := range []bool{true, false, false, true, false, false} {
		if i == 3 {
			b.ok(ecs.Set(b.w, e, alpha{2}))
		}
		b.ok(in.Update())
		if saw != want {
			t.Errorf("update %d: changed %v, want %v", i, saw, want)
		}
	}
	// A system does not see its own writes as changes.
	p.update = func(f *Frame) error {
		saw = !f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()).Empty()
		f.ParallelFor(f.Query(ecs.Write[alpha]()), chunkFunc(func(c *ecs.Chunk) { ecs.Column[alpha](c) }))
		return nil
	}
	for range 3 {
		b.ok(in.Update())
		if saw {
			t.Error("the system sees its own change")
		}
	}
}

// In a later update, a system creates a new query. The query sees the changes since the system's
// previous update, and not all rows.
func TestChangedOfLateQuery(t *testing.T) {
	b := newBench(t)
	p, in := b.add("")
	old := spawnAlphas(b.w, 5000)
	lone := b.w.Spawn(alpha{1})
	b.ok(in.Update())
	b.ok(ecs.Set(b.w, lone, alpha{2}))
	var changed, other, all int
	p.update = func(f *Frame) error {
		changed = f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()).Count()
		all = f.Query(ecs.Read[alpha]()).Count()
		return nil
	}
	b.ok(in.Update())
	if changed != 1 || all != len(old)+1 {
		t.Errorf("a query made in the second update sees %d changed of %d, want 1 of %d", changed, all, len(old)+1)
	}
	p.update = func(f *Frame) error {
		other = f.Query(ecs.Read[beta](), ecs.Changed[beta]()).Count()
		return nil
	}
	b.ok(in.Update())
	if other != 0 {
		t.Errorf("a query made in the third update sees %d changed, want none", other)
	}
}

// Changes that an update has missed because a job failed are new in the next update.
func TestFailedJobDoesNotCount(t *testing.T) {
	for _, wait := range []bool{false, true} {
		b := newBench(t)
		p, in := b.add("")
		e := b.w.Spawn(alpha{1})
		fails, saw := false, 0
		p.update = func(f *Frame) error {
			f.ParallelFor(f.Query(ecs.Read[alpha](), ecs.Changed[alpha]()), chunkFunc(func(c *ecs.Chunk) {
				if saw++; fails {
					panic("missed")
				}
			}))
			if wait {
				f.Wait()
			}
			return nil
		}
		for i, want := range []int{1, 1, 2, 3, 4, 4} {
			fails = i == 2 || i == 3
			if i == 2 {
				b.ok(ecs.Set(b.w, e, alpha{2}))
			}
			b.ok(in.Update())
			if err := b.w.Sync(); (err != nil) != fails {
				t.Errorf("update %d: %v", i, err)
			}
			if saw != want {
				t.Errorf("wait %v: after update %d the chunk was seen %d times, want %d", wait, i, saw, want)
			}
		}
	}
}

// The queries of two systems of one type are independent.
func TestQueriesOfTwoInstances(t *testing.T) {
	b := newBench(t)
	b.w.Spawn(alpha{1})
	var q []*ecs.Query
	for range 2 {
		p := &probe{log: &b.log, require: func(s *Setup) {
			q = append(q, s.Query(ecs.Read[alpha]()))
			if s.Query(ecs.Read[alpha]()) != q[len(q)-1] {
				t.Error("the same terms give another query")
			}
		}}
		b.adopt(p)
	}
	if q[0] == q[1] {
		t.Error("two systems share a query")
	}
}
