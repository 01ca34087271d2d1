package roads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/kernels"
)

// state has the facts of a world that are compared after each tick.
type state struct {
	hash             uint64
	entities, chunks int
	marks            marks // only of the run without roads
}

func stateOf(w *ecs.World) state {
	return state{hash: w.Hash(), entities: w.Len(), chunks: w.Stats().Chunks}
}

// runner runs the programs of one test.
type runner struct {
	t       testing.TB
	subject *Subject
	options *Options
	roads   map[string]Road
	names   []string // of the roads, in the order of All
	ticks   int      // after the last road

	plain  *Trip // the run without roads
	states []state
	idle   map[string]string
	// refused has the roads that the world has refused.
	refused map[string]bool
	dir     string
	call    int // number of this call of Test in the test
}

func newRunner(t testing.TB, s *Subject, o *Options) (*runner, error) {
	list, err := roadsOf(o)
	if err != nil {
		return nil, err
	}
	r := &runner{t: t, subject: s, options: o, roads: map[string]Road{}, ticks: o.Ticks, idle: map[string]string{}, refused: map[string]bool{}, call: nextCall(t)}
	if r.ticks == 0 {
		r.ticks = 20
	}
	for _, road := range list {
		r.roads[road.Name] = road
		r.names = append(r.names, road.Name)
	}
	if err := openOnce(); err != nil {
		return nil, fmt.Errorf("roads: Test: %w", err)
	}
	if r.plain, err = newTrip(s, 1, r.tempDir); err != nil {
		return nil, fmt.Errorf("roads: Test: %w", err)
	}
	return r, r.addState()
}

// addState adds the state of the run without roads.
func (r *runner) addState() error {
	s := stateOf(r.plain.World)
	var err error
	if s.marks, err = marksOf(r.plain.World); err != nil {
		return fmt.Errorf("the run without roads: %w", err)
	}
	r.states = append(r.states, s)
	return nil
}

// tempDir returns the folder of the test, which is made at the first call.
func (r *runner) tempDir() string {
	if r.dir == "" {
		r.dir = r.t.TempDir()
	}
	return r.dir
}

func (r *runner) close() {
	if err := r.plain.close(); err != nil {
		r.t.Errorf("roads: Test: %v", err)
	}
}

// logIdle logs the roads that had nothing to do.
func (r *runner) logIdle() {
	for _, name := range sortedKeys(r.idle) {
		r.t.Logf("roads: Test: road %s has nothing to do: %s", name, r.idle[name])
	}
}

// checkRefused returns an error if the world has not refused a road that it should refuse.
func (r *runner) checkRefused() error {
	if r.options.Program != "" {
		return nil
	}
	for _, name := range sortedKeys(r.options.Refuses) {
		if _, taken := r.roads[name]; taken && !r.refused[name] {
			return fmt.Errorf("roads: Test: Options.Refuses says that the world refuses road %s, and it never does: remove the entry", name)
		}
	}
	return nil
}

// stateAt returns the state of the run without roads after the given number of ticks.
func (r *runner) stateAt(ticks int) (state, error) {
	for len(r.states) <= ticks {
		if err := r.plain.Tick(1); err != nil {
			return state{}, fmt.Errorf("the run without roads: %w", err)
		}
		if err := r.addState(); err != nil {
			return state{}, err
		}
	}
	return r.states[ticks], nil
}

// difference is the error of a world that differs from the run to compare it with.
type difference struct {
	where string // the road, or "" for a tick
	tick  int
	text  string
}

func (d *difference) Error() string {
	if d.where != "" {
		return fmt.Sprintf("at the end of road %s (tick %d): %s", d.where, d.tick, d.text)
	}
	return fmt.Sprintf("after tick %d: %s", d.tick, d.text)
}

// compare returns the difference of two states as an error.
func (want state) compare(got state, where string, tick int) error {
	switch {
	case want.hash != got.hash:
		return &difference{where, tick, fmt.Sprintf("the hash is %016x, and %016x without the road", got.hash, want.hash)}
	case want.entities != got.entities:
		return &difference{where, tick, fmt.Sprintf("the world has %d entities, and %d without the road", got.entities, want.entities)}
	case want.chunks != got.chunks:
		return &difference{where, tick, fmt.Sprintf("the world has %d chunks, and %d without the road", got.chunks, want.chunks)}
	}
	return nil
}

// run runs a program and compares it with the run without roads.
func (r *runner) run(p Program) error {
	for {
		if _, err := r.stateAt(p.ticks() + r.ticks); err != nil { // now, so that the counts below are those of the program alone
			return err
		}
		before, ahead := count(), len(r.states)
		if err := r.runOnce(p); err != nil {
			return err
		}
		// If the program has taken more ticks than that, the counts also contain the new states, so the
		// program runs again.
		if left := before.checkLeaks(); left == nil || len(r.states) == ahead {
			return left
		}
	}
}

// runOnce does the work of run without counting.
func (r *runner) runOnce(p Program) error {
	restore, err := enter(p)
	if err != nil {
		return err
	}
	defer restore()
	c := &course{runner: r, program: p}
	err = c.run()
	return errors.Join(err, c.close())
}

// enter sets GOMAXPROCS and the path of a program.
func enter(p Program) (restore func(), err error) {
	procs, path := runtime.GOMAXPROCS(p.Procs), kernels.Path()
	if err := kernels.Use(p.Path); err != nil {
		runtime.GOMAXPROCS(procs)
		return nil, fmt.Errorf("roads: Test: %w", err)
	}
	return func() {
		runtime.GOMAXPROCS(procs)
		_ = kernels.Use(path)
	}, nil
}

// course is the run of one program.
type course struct {
	runner  *runner
	program Program
	trip    *Trip
	other   *Trip // the run to compare with, once a road has changed ids or rows
	track   bool  // find the first difference
	from    int   // the tick in which to find the system that makes it
	found   *finding
}

func (c *course) close() error {
	var errs []error
	for _, t := range []*Trip{c.trip, c.other} {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}

func (c *course) run() (err error) {
	r := c.runner
	if c.trip, err = newTrip(r.subject, c.program.Workers, r.tempDir); err != nil {
		return err
	}
	c.trip.child = r.child
	if c.track {
		if err := c.split(); err != nil {
			return err
		}
	} else if c.program.comparesMarks() {
		c.trip.check = r.checkMarks
	} else {
		c.trip.check = r.check
	}
	if err := c.compare(""); err != nil {
		return err
	}
	for _, s := range c.program.Steps {
		if err := c.tick(s.Ticks); err != nil {
			return err
		}
		if err := c.take(s); err != nil {
			return err
		}
	}
	if err := c.tick(r.ticks); err != nil {
		return err
	}
	if err := c.compareMarks(); err != nil {
		return fmt.Errorf("after tick %d: %w", c.trip.Ticks, err)
	}
	return c.checkWorld()
}

// comparesMarks reports whether the marks are compared after each tick, and not only at the ends of roads. A comparison captures the
// world, and this may hide a fault. Therefore half of the programs run their ticks without it.
func (p *Program) comparesMarks() bool { return len(p.Steps) == 0 || p.Steps[0].Seed%2 == 0 }

// check compares a world with the run without roads.
func (r *runner) check(ticks int, w *ecs.World) error {
	want, err := r.stateAt(ticks)
	if err != nil {
		return err
	}
	return want.compare(stateOf(w), "", ticks)
}

// checkMarks does the same as check, and then compares the marks.
func (r *runner) checkMarks(ticks int, w *ecs.World) error {
	if err := r.check(ticks, w); err != nil {
		return err
	}
	want, err := r.stateAt(ticks)
	if err != nil {
		return err
	}
	if err := want.marks.compare(w); err != nil {
		return fmt.Errorf("after tick %d: %w", ticks, err)
	}
	return nil
}

// split makes a second world that takes only the roads that change ids or rows.
func (c *course) split() (err error) {
	if c.other != nil {
		return nil
	}
	c.trip.check = nil
	if c.other, err = newTrip(c.runner.subject, 1, c.runner.tempDir); err != nil {
		return err
	}
	c.other.child = c.runner.child
	return c.follow()
}

// follow advances the other world to the tick of the trip.
func (c *course) follow() error {
	if n := c.other.Ticks - c.trip.Ticks; n > 0 {
		return fmt.Errorf("the world is at tick %d, and the run without other roads is already at tick %d: a road with Changes must take the same ticks each time", c.trip.Ticks, c.other.Ticks)
	}
	if err := c.other.Tick(c.trip.Ticks - c.other.Ticks); err != nil {
		return fmt.Errorf("the run without roads: %w", err)
	}
	return nil
}

// tick advances both worlds, and compares them after each tick.
func (c *course) tick(n int) error {
	if c.other == nil {
		return c.trip.Tick(n) // which compares
	}
	for range n {
		if c.track {
			if err := c.tickTracked(); err != nil {
				return err
			}
			continue
		}
		if err := c.trip.Tick(1); err != nil {
			return err
		}
		if err := c.follow(); err != nil {
			return err
		}
		if err := c.compare(""); err != nil {
			return err
		}
		if !c.program.comparesMarks() {
			continue
		}
		if err := c.compareMarks(); err != nil {
			return fmt.Errorf("after tick %d: %w", c.trip.Ticks, err)
		}
	}
	return nil
}

// take sends the world down the road of a step. The other world takes it too if the road changes
// ids or rows.
func (c *course) take(s Step) error {
	road := c.runner.roads[s.Road]
	if road.Changes {
		if err := c.split(); err != nil {
			return err
		}
	}
	start := c.trip.Ticks
	err := c.walk(c.trip, road, s)
	text, refuses := c.runner.options.Refuses[s.Road]
	switch {
	case err != nil && !refuses:
		return fmt.Errorf("road %s: %w", s.Road, err)
	case err != nil && !strings.Contains(err.Error(), text):
		return fmt.Errorf("road %s: the error is %q, and Options.Refuses wants %q in it", s.Road, err, text)
	case err != nil:
		c.runner.refused[s.Road] = true
	case road.Changes:
		if err := c.walk(c.other, road, s); err != nil {
			return fmt.Errorf("road %s of the run without other roads: %w", s.Road, err)
		}
	}
	if end := c.trip.Ticks; end < start {
		return fmt.Errorf("road %s ends at tick %d, and began at tick %d: run ticks until the world is there again", s.Road, end, start)
	}
	if c.other != nil {
		if err := c.follow(); err != nil {
			return fmt.Errorf("road %s: %w", s.Road, err)
		}
	}
	if err := c.compare(s.Road); err != nil {
		return err
	}
	if err := c.compareMarks(); err != nil {
		return fmt.Errorf("at the end of road %s (tick %d): %w", s.Road, c.trip.Ticks, err)
	}
	return nil
}

// walk sends a world down a road.
func (c *course) walk(t *Trip, road Road, s Step) (err error) {
	defer recoverInto(&err)
	t.Rand = rand.New(rand.NewPCG(uint64(s.Seed), 2))
	t.idle = ""
	err = road.Run(t)
	if t.idle != "" {
		c.runner.idle[road.Name] = t.idle
	}
	return err
}

// compare compares the world of the trip with the run without roads.
func (c *course) compare(where string) error {
	got, ticks := stateOf(c.trip.World), c.trip.Ticks
	want := state{}
	if c.other != nil {
		want = stateOf(c.other.World)
	} else {
		var err error
		if want, err = c.runner.stateAt(ticks); err != nil {
			return err
		}
	}
	err := want.compare(got, where, ticks)
	if err != nil && c.track {
		c.found = c.contrast(where)
	}
	return err
}

// compareMarks compares the marks of the world with those of the run without roads.
func (c *course) compareMarks() error {
	if c.other == nil {
		want, err := c.runner.stateAt(c.trip.Ticks)
		if err != nil {
			return err
		}
		return want.marks.compare(c.trip.World)
	}
	want, err := marksOf(c.other.World)
	if err != nil {
		return err
	}
	return want.compare(c.trip.World)
}

// contrast returns the first difference of the two worlds.
func (c *course) contrast(where string) *finding {
	a, errA := ecs.Capture(c.other.World, nil)
	b, errB := ecs.Capture(c.trip.World, nil)
	if errA != nil || errB != nil {
		return nil
	}
	d, ok := diff.First(diff.Images(a, b))
	if !ok {
		return nil
	}
	return &finding{tick: c.trip.Ticks, road: where, first: d, values: withoutAndWith}
}
