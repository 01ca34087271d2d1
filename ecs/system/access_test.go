package system

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 234
//
// A job cannot look up the same buffers for reading and for writing.
func TestLookUpsOfOneJob(t *testing.T) {
	type words = ecs.Buffer[word]
	tests := []struct {
		name  string
		terms []ecs.Term
		bad   bool
	}{
		{"reads two ways", []ecs.Term{ecs.Anywhere(ecs.Read[words]()), ecs.Anywhere(ecs.Read[words]())}, false},
		{"reads and writes", []ecs.Term{ecs.Anywhere(ecs.Read[words]()), ecs.Anywhere(ecs.Write[words]())}, true},
		{"writes and reads", []ecs.Term{ecs.Anywhere(ecs.Write[words](), ecs.Read[words]())}, true},
		{"reads by chunk and by look-up", []ecs.Term{ecs.Read[words](), ecs.Anywhere(ecs.Read[words]())}, false},
		{"writes by chunk, reads by look-up", []ecs.Term{ecs.Write[words](), ecs.Anywhere(ecs.Read[words]())}, true},
		{"reads by chunk, writes by look-up", []ecs.Term{ecs.Read[words](), ecs.Anywhere(ecs.Write[words]())}, true},
	}
	for _, tt := range tests {
		b := newBench(t)
		p := &probe{log: &b.log, require: func(s *Setup) { s.Query(tt.terms...) }}
		if err := Adopt(b.w, p); errors.Is(err, ecs.ErrState) != tt.bad || (err != nil) != tt.bad {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestErrorsNameTheCall checks that if a call of a system returns an error, the error names the
// function that the system called.
func TestErrorsNameTheCall(t *testing.T) {
	b := newBench(t)
	for name, ask := range map[string]func(s *Setup){
		"system.Setup.Query":  func(s *Setup) { s.Query(ecs.Read[word](), ecs.Write[word]()) },
		"system.Setup.Access": func(s *Setup) { s.Access(ecs.With[word]()) },
	} {
		err := Adopt(b.w, &probe{log: &b.log, require: ask})
		if of := (*ecs.Error)(nil); !errors.As(err, &of) || of.Op != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := ecs.Capture(b.w, nil)
	b.ok(err)
	b.ok(m.Release())
	if err := panicOf(func() { AttachState(m, &WorldState{}) }); err == nil || !strings.HasPrefix(err.Error(), "system: AttachState: ") {
		t.Errorf("system.AttachState of an image that is released: %v", err)
	}
}

type word struct{ Value int32 }

// lit is an enableable tag.
type lit struct{ ecs.Enableable }

// Conformance: 239
//
// The enabled bits of a tag are data: counting the enabled rows waits for the job that changes
// them.
func TestSwitchesAreTracked(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(pool))
		const n = 2000
		b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[alpha](), ecs.With[lit]()), make([]ecs.Entity, n)))
		off, _ := b.add("off")
		off.update = func(f *Frame) error {
			f.ParallelFor(f.Query(ecs.Write[lit]()), chunkFunc(func(c *ecs.Chunk) {
				for row := range c.Len() {
					if row%2 == 0 {
						ecs.SetEnabledAt[lit](c, row, false)
					}
				}
			}))
			return nil
		}
		count, _ := b.add("count")
		left := 0
		count.update = func(f *Frame) error { left = f.Query(ecs.With[lit]()).Count(); return nil }
		b.ok(GetOrCreate[Simulation](b.w).Add(off, count))
		b.ok(Update(b.w))
		if left == 0 || left >= n*3/4 {
			t.Errorf("%d of %d are on", left, n)
		}
		was := left
		off.update = func(*Frame) error { return nil }
		b.ok(Update(b.w))
		if left != was {
			t.Errorf("%d are on after the jobs are done, %d were counted before", left, was)
		}
	})
}
