package system

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transaction"
)

// lendingProbe lends the world before an update of a system.
type lendingProbe struct {
	of System
	t  *transaction.Transaction
}

func (p *lendingProbe) Before(in *Instance) {
	if in.system == p.of {
		p.t, _ = transaction.Begin(in.world)
	}
}

func (p *lendingProbe) After(*Instance, uint32, error) {}

// A probe that lends the world keeps a member of a group from its update, which would miss what the transaction does, and
// leaves nothing behind when the world is there again.
func TestProbeLends(t *testing.T) {
	w := newWorld(t, Only())
	w.Spawn(word{1})
	s := new(counting)
	must(t, Adopt(w, s))
	must(t, GetOrCreate[Simulation](w).Add(s))
	p := &lendingProbe{of: s}
	stop := watchUpdates(w, p)
	err := Update(w)
	t.Logf("%+v", err)
	if !errors.Is(err, ecs.ErrState) || s.seen != 0 {
		t.Errorf("it has seen %d; got error %v", s.seen, err)
	}
	stop()
	must(t, p.t.End())
	must(t, Update(w))
	if s.seen != 1 {
		t.Errorf("it has seen %d", s.seen)
	}
}

// A system that others update while the world is being changed has no turn, and the world can be updated afterwards.
func TestUpdateElsewhere(t *testing.T) {
	w := newWorld(t, Only())
	s := new(counting)
	must(t, Adopt(w, s))
	in := InstanceOf(w, s)
	x, err := transaction.Begin(w)
	must(t, err)
	func() {
		defer func() { recover() }()
		in.begin("Update")
		t.Error("it has begun")
	}()
	must(t, x.End())
	must(t, Update(w))
}

// A group of a closed world has nothing to update.
func TestGroupOfClosedWorld(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	s, g := new(counting), new(serverGroup)
	must(t, Adopt(w, s))
	must(t, Adopt(w, g))
	must(t, g.Add(s))
	must(t, g.Update(nil))
	must(t, w.Close())
	must(t, g.Update(nil))
}
