package system

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// counting is a system that counts the rows that changed since its last update.
type counting struct {
	changed *ecs.Query
	seen    int
	stopped int
}

func (c *counting) Create(s *Setup) error {
	c.changed = s.Query(ecs.Read[word](), ecs.Changed[word]())
	return nil
}

func (c *counting) Update(*Frame) error {
	c.seen = c.changed.Count()
	return nil
}

func (c *counting) StopRunning(*Frame) error { c.stopped++; return nil }

// While the world is lent to a transaction its systems have no turn. The next update misses nothing,
// because the changes of the transaction are new to it.
func TestSystemsOfLentWorld(t *testing.T) {
	w := newWorld(t, Only())
	e := w.Spawn(word{1})
	s := new(counting)
	must(t, Adopt(w, s))
	must(t, GetOrCreate[Simulation](w).Add(s))
	in := InstanceOf(w, s)
	for range 2 {
		must(t, Update(w))
	}
	if s.seen != 0 {
		t.Fatalf("%d are changed before the transaction", s.seen)
	}
	last, version, changes := in.LastVersion(), w.Version(), attachmentOf(w).changes
	x, err := ecs.BeginTransaction(w)
	must(t, err)
	must(t, x.Schedule(ecs.TransactionFunc(func(in *ecs.World) error { return ecs.Set(in, e, word{2}) })).Wait())
	_, create := Create[counting](w)
	in.SetEnabled(false) // the system would stop
	stop := in.Update()
	in.SetEnabled(true)
	for what, err := range map[string]error{"Update of the world": Update(w), "Update": in.Update(), "StopRunning": stop, "Create": create, "Destroy": Destroy(w, s)} {
		if !errors.Is(err, ecs.ErrState) {
			t.Errorf("%s: got error %v, want ErrState", what, err)
		}
	}
	if in.LastVersion() != last || w.Version() != version || attachmentOf(w).changes != changes+2 || s.stopped != 0 || !in.Running() {
		t.Errorf("versions %d and %d, want %d and %d; %d changes; %d stops", in.LastVersion(), w.Version(), last, version, attachmentOf(w).changes-changes, s.stopped)
	}
	must(t, x.End())
	must(t, Update(w))
	if s.seen != 1 {
		t.Errorf("%d are changed after the transaction, want 1", s.seen)
	}
	must(t, Destroy(w, s))
	if s.stopped != 1 {
		t.Errorf("%d stops, want 1", s.stopped)
	}
}

// After a system has begun a transaction on its own world, the systems after it have no turn until
// the transaction has ended.
func TestSystemLendsItsWorld(t *testing.T) {
	b := newBench(t)
	var x *ecs.Transaction
	first, in := b.add("first")
	first.update = func(f *Frame) (err error) {
		x, err = ecs.BeginTransaction(f.World())
		if err == nil {
			x.Schedule(ecs.TransactionFunc(func(in *ecs.World) error { in.Spawn(word{1}); return nil }))
		}
		return err
	}
	second := new(counting)
	behind := b.adopt(second)
	b.ok(behind.Update())
	b.ok(in.Update())
	for _, in := range []*Instance{in, behind} {
		if err := in.Update(); !errors.Is(err, ecs.ErrState) {
			t.Errorf("%v: got error %v, want ErrState", in.Type(), err)
		}
	}
	b.ok(x.End())
	b.ok(behind.Update())
	if second.seen != 1 {
		t.Errorf("%d are changed after the transaction, want 1", second.seen)
	}
}

// lendingProbe is a watcher that lends the world to a transaction before an update of a given system.
type lendingProbe struct {
	of System
	t  *ecs.Transaction
}

func (p *lendingProbe) Before(in *Instance) {
	if in.system == p.of {
		p.t, _ = ecs.BeginTransaction(in.world)
	}
}

func (p *lendingProbe) After(*Instance, uint32, error) {}

// If a watcher lends the world to a transaction, the next member of a group does not update, because
// its update would miss the changes of the transaction. When the world is back, updates continue as
// before.
func TestProbeLends(t *testing.T) {
	w := newWorld(t, Only())
	w.Spawn(word{1})
	s := new(counting)
	must(t, Adopt(w, s))
	must(t, GetOrCreate[Simulation](w).Add(s))
	p := &lendingProbe{of: s}
	stop := Watch(w, p)
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

// A system cannot be updated while a transaction uses its world. After the transaction the world can be
// updated again.
func TestUpdateElsewhere(t *testing.T) {
	w := newWorld(t, Only())
	s := new(counting)
	must(t, Adopt(w, s))
	in := InstanceOf(w, s)
	x, err := ecs.BeginTransaction(w)
	must(t, err)
	func() {
		defer func() { recover() }()
		(&methodCall{instance: in, method: "Update"}).begin()
		t.Error("it has begun")
	}()
	must(t, x.End())
	must(t, Update(w))
}

// A group of a closed world has no members to update.
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
