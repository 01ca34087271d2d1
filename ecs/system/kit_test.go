package system

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// What the tests of several files need.

// stepper notes the time of each update.
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

// cleanRegister gives a test a process that has registered nothing.
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

// runFrames runs n frames of w, each of so many seconds.
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

// Systems of a group of their own, one level and another.
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

// probe is a system that notes in a log what is called.
type probe struct {
	name    string
	log     *[]string
	require func(*Setup)
	fail    map[string]error // by method
	panics  string           // the method that panics
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

// bench is a bare world, without the default groups, and a log.
type bench struct {
	*testing.T
	w   *ecs.World
	log []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{T: t, w: ecs.NewWorld(t.Name())}
}

// add makes a probe of the given name part of the world.
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

// group makes a group of the world with the given members.
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

// want checks the log, a comma between entries, and empties it.
func (b *bench) want(log string) {
	b.Helper()
	if got := strings.Join(b.log, ", "); got != log {
		b.Errorf("log is %q, want %q", got, log)
	}
	b.log = nil
}
