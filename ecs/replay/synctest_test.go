package replay

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// hoard counts how often it has seen each entity. The counts are in a map, which
// images do not include.
type hoard struct {
	hidden bool // the map changes its writes
	seen   map[ecs.Entity]int
	list   []ecs.Entity
}

func (h *hoard) Update(f *system.Frame) error {
	if h.seen == nil {
		h.seen = map[ecs.Entity]int{}
	}
	for _, e := range h.list {
		if h.seen[e]++; h.hidden && h.seen[e] == 19 {
			p, err := ecs.Get[position](f.World(), e)
			if err != nil {
				return err
			}
			p.Y = -1
			if err := ecs.Set(f.World(), e, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// ledger counts in a field, which images include because ledger is a Saver, and
// writes the count to entities.
type ledger struct {
	n    uint64
	lost bool // it does not save the field
	to   ecs.Entity
}

func (l *ledger) Update(f *system.Frame) error {
	if l.to.IsZero() {
		return nil
	}
	l.n++
	return ecs.Set(f.World(), l.to, velocity{X: float32(l.n)})
}

func (l *ledger) AppendState(out []byte) []byte { return binary.LittleEndian.AppendUint64(out, l.n) }

func (l *ledger) LoadState(b []byte) error {
	if len(b) != 8 {
		return errors.New("a ledger has eight bytes")
	}
	if !l.lost {
		l.n = binary.LittleEndian.Uint64(b)
	}
	return nil
}

// Conformance: 361
func TestSyncTest(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		run, _, list := newRun(t, 3000, workers, system.Of[hoard](), system.Of[ledger]())
		own := system.Find[hoard](run.World)
		own.list = list[:3]
		system.Find[ledger](run.World).to = list[5]
		if d, err := SyncTest(run, 30); d != nil || err != nil {
			t.Errorf("%d workers: a map that has no effect, and a Saver: %v, %v", workers, d, err)
		}
		own.hidden, own.seen = true, nil
		d, err := SyncTest(run, 30)
		if err != nil || d == nil || d.Tick != 10 || !strings.HasSuffix(d.System, ".hoard") || !d.Exact || d.First.Entity != list[0] || d.First.Lane != "Y" || d.A == d.B {
			t.Errorf("%d workers: %v, %v", workers, d, err)
		}
		own.hidden = false
		system.Find[ledger](run.World).lost = true
		if d, err = SyncTest(run, 30); err != nil || d == nil || d.Tick != 1 || !strings.HasSuffix(d.System, ".ledger") {
			t.Errorf("%d workers: %v, %v", workers, d, err)
		}
	}
}

// An error of a step is returned, and the world can be used afterwards.
func TestSyncTestFails(t *testing.T) {
	run, _, _ := newRun(t, 100, 1)
	bad := errors.New("bad tick")
	step, calls := run.Step, 0
	run.Step = func(tick uint64) error {
		if calls++; calls == 6 {
			return bad
		}
		return step(tick)
	}
	if d, err := SyncTest(run, 30); d != nil || !errors.Is(err, bad) || !strings.Contains(err.Error(), "tick 3, time 2") {
		t.Errorf("%v, %v", d, err)
	}
	if d, err := SyncTest(run, 3); d != nil || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	w := ecs.NewWorld("closed")
	ok(t, w.Close())
	if _, err := SyncTest(Run{World: w, Step: step}, 3); !errors.Is(err, ecs.ErrDisposed) {
		t.Error(err)
	}
}
