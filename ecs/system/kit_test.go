package system

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Helpers of several test files.

// stepper records the time of each update.
type stepper struct {
	seen []Time
	then func(*Frame) error
}

func (s *stepper) Update(f *Frame) error {
	s.seen = append(s.seen, Time{Elapsed: f.Elapsed(), Delta: f.Delta()})
	if s.then != nil {
		return s.then(f)
	}
	return nil
}

func newStepper(t *testing.T) (*ecs.World, *stepper) {
	t.Helper()
	w := newWorld(t, Only(Of[stepper]()))
	return w, Find[stepper](w)
}

func namedWorld(t *testing.T, name string, opts ...Option) *ecs.World {
	t.Helper()
	w, err := NewWorld(name, append(opts, Only(Of[stepper]()))...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// cleanRegister clears the registered types for a test.
func cleanRegister(t *testing.T) {
	t.Helper()
	clean := func() {
		registered.Lock()
		registered.types, registered.plugins = nil, nil
		registered.Unlock()
	}
	kept, sets := RegisteredTypes(), Plugins()
	clean()
	t.Cleanup(func() {
		clean()
		register(kept...)
		for _, s := range sets {
			s.Register()
		}
	})
}

// runFrames runs n frames of w with the given length in seconds.
func runFrames(w *ecs.World, n int, seconds float64) error {
	c := ClockOf(w)
	for range n {
		c.Advance(float64(seconds * c.Scale()))
		if err := Update(w); err != nil || attachmentOf(w).quit {
			return err
		}
	}
	return nil
}

// These are systems of a group: some are direct members, and others are in a group below.
type (
	serverGroup struct{ Group }
	serverInner struct {
		Group
		_ In[serverGroup]
	}
	serverSystem struct {
		stepper
		_ In[serverInner]
	}
)

// probe is a system that records its calls in a log.
type probe struct {
	name    string
	log     *[]string
	require func(*Setup)
	fail    map[string]error // by method
	panics  string           // name of the method that panics
	update  func(*Frame) error
}

func (p *probe) note(method string) error {
	*p.log = append(*p.log, strings.TrimSpace(p.name+" "+method))
	if p.panics == method {
		panic(method + " of " + p.name)
	}
	return p.fail[method]
}

func (p *probe) Create(s *Setup) error {
	if p.require != nil {
		p.require(s)
	}
	return p.note("create")
}
func (p *probe) StartRunning(*Frame) error { return p.note("start") }
func (p *probe) StopRunning(*Frame) error  { return p.note("stop") }
func (p *probe) Destroy(*Setup) error      { return p.note("destroy") }

func (p *probe) Update(f *Frame) error {
	err := p.note("update")
	if p.update != nil && err == nil {
		err = p.update(f)
	}
	return err
}

// bench is a world without the default groups, with a log.
type bench struct {
	*testing.T
	w   *ecs.World
	log []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{T: t, w: ecs.NewWorld(t.Name())}
}

// add adds a probe with the given name to the world.
func (b *bench) add(name string) (*probe, *Instance) {
	b.Helper()
	p := &probe{name: name, log: &b.log}
	return p, b.adopt(p)
}

func (b *bench) adopt(s System) *Instance {
	b.Helper()
	b.ok(Adopt(b.w, s))
	return InstanceOf(b.w, s)
}

// group adds a group with the given members to the world.
func (b *bench) group(members ...System) *plainGroup {
	b.Helper()
	g := new(plainGroup)
	b.adopt(g)
	b.ok(g.Add(members...))
	return g
}

type plainGroup struct{ Group }

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// want compares the log, whose entries are separated by commas, and clears it.
func (b *bench) want(log string) {
	b.Helper()
	if got := strings.Join(b.log, ", "); got != log {
		b.Errorf("log is %q, want %q", got, log)
	}
	b.log = nil
}
