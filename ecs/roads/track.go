package roads

import (
	"errors"
	"fmt"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// finding is the first place in which two worlds differ.
type finding struct {
	tick   int
	road   string // the road at whose end they differ; "" if they differ after a tick
	system string // the first system with another result; "" if unknown
	first  diff.Difference
	values string // where the two values are from
	cause  string // a sentence; "" if unknown
}

func (f *finding) String() string {
	place := fmt.Sprintf("tick %d", f.tick)
	if f.road != "" {
		place += ": the end of road " + f.road
	}
	if f.system != "" {
		place += ": " + f.system
	}
	return place + ": " + f.first.String()
}

const withoutAndWith = "without the roads, and with them"

// track has an image after each system of a tick.
type track struct {
	world  *ecs.World
	images []turn
	err    error
}

type turn struct {
	system string
	image  *ecs.Image
}

// Before takes an image too, so that writes between two systems are not attributed to the second.
func (t *track) Before(*system.Instance) { t.capture("") }

// After takes an image of the writes of the system.
func (t *track) After(in *system.Instance, _ uint32, _ error) { t.capture(in.Name()) }

// capture takes an image that shares with the image before it the chunks that nothing has written in between,
// because a tick of a large world has hundreds of images.
func (t *track) capture(name string) {
	var last *ecs.Image
	if n := len(t.images); n > 0 {
		last = t.images[n-1].image
	}
	t.add(name, last)
}

func (t *track) add(name string, last *ecs.Image) {
	m, err := ecs.Capture(t.world, last)
	if err != nil {
		t.err = errors.Join(t.err, err)
		return
	}
	t.images = append(t.images, turn{name, m})
}

func (t *track) at(i int) turn {
	if i < len(t.images) {
		return t.images[i]
	}
	return turn{}
}

// tickTracked is one tick of a trip, with an image after each system.
func tickTracked(trip *Trip) (*track, error) {
	t := &track{world: trip.World}
	stop := system.Watch(trip.World, t)
	err := trip.subject.tick(trip.World)
	stop()
	if err != nil {
		return t, fmt.Errorf("tick %d: %w", trip.Ticks+1, err)
	}
	trip.Ticks++
	t.add("", nil) // the whole world, because a system may have written without marking its writes
	return t, t.err
}

// contrastTracks returns the first system after which two tracks differ, or nil.
func contrastTracks(a, b *track, tick int) *finding {
	for i := range max(len(a.images), len(b.images)) {
		x, y := a.at(i), b.at(i)
		if x.image == nil || y.image == nil || x.system != y.system {
			f := &finding{tick: tick, system: x.system, values: withoutAndWith}
			if f.system == "" {
				f.system = y.system
			}
			f.first.A, f.first.B = fmt.Sprintf("turn %d of %q", i, x.system), fmt.Sprintf("turn %d of %q", i, y.system)
			return f
		}
		if first, differ := diff.First(diff.Images(x.image, y.image)); differ {
			return &finding{tick: tick, system: x.system, first: first, values: withoutAndWith}
		}
	}
	return nil
}

// tickTracked advances both worlds of the course by a tick, and compares them. In tick c.from it also finds
// the first system that makes them different. It does so in one tick only, because an image after each
// system of each tick would take minutes in a large world.
func (c *course) tickTracked() error {
	tick := c.trip.Ticks + 1
	if tick != c.from {
		if err := c.trip.Tick(1); err != nil {
			return err
		}
		if err := c.follow(); err != nil {
			return err
		}
		c.found = c.contrast("")
	} else {
		b, err := tickTracked(c.trip)
		if err != nil {
			return err
		}
		a, err := tickTracked(c.other)
		if err != nil {
			return err
		}
		c.found = contrastTracks(a, b, tick)
	}
	if c.found != nil {
		return &difference{"", tick, c.found.String()}
	}
	return nil
}

// narrowDown runs a course several times until it knows the system that makes the first difference. Each run
// looks at the systems of one tick, which is the tick in which the run before it has found a
// difference. It returns nil if no run finds any.
func narrowDown(from int, run func(from int) (*finding, error)) (found *finding, err error) {
	for range 3 {
		f, err := run(from)
		if f == nil {
			return found, err
		}
		if found = f; f.system != "" || f.road != "" || f.tick == from {
			break
		}
		from = f.tick
	}
	return found, nil
}

// The causes that findCause tells apart.
const (
	causeRandom   = "two runs without any road differ: the program depends on something other than its world, for example the time, a global random generator, the order of a map or the number of workers"
	causeUnmarked = "the system writes without marking the component as changed: use Column, not ReadColumn, and declare the write"
	causeOutside  = "the system keeps state outside of the world: a tick that runs again after a Restore has another result; move the state to a component, or make the system a system.Saver"
)

// findCause runs worlds without roads and looks for a mistake of the subject that explains a
// failure: a result that differs from run to run, a write without a change version, or state
// outside of the world. It returns nil if there is none in the given number of ticks, or errLate if it has
// not found any until the given time.
func (r *runner) findCause(p Program, ticks int, end time.Time) (*finding, error) {
	for _, look := range []func(Program, int, time.Time) (*finding, error){r.findRandom, r.findUnmarked, r.findOutside} {
		if f, err := look(p, ticks, end); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// errLate is the error of a search for the cause that has taken too long.
var errLate = errors.New("the search for the cause took too long")

// stopLate returns errLate after the given time.
func stopLate(end time.Time) error {
	if time.Now().After(end) {
		return errLate
	}
	return nil
}

// findRandom compares a run on the machine of the program with a run on one worker.
func (r *runner) findRandom(p Program, ticks int, end time.Time) (*finding, error) {
	restore, err := enter(p)
	if err != nil {
		return nil, err
	}
	defer restore()
	found, err := narrowDown(0, func(from int) (*finding, error) { return r.compareRuns(p, from, ticks, end) })
	if found != nil {
		found.cause, found.values = causeRandom, "with one worker, and in another run"
	}
	return found, err
}

// compareRuns does the work of one run of findRandom.
func (r *runner) compareRuns(p Program, from, ticks int, end time.Time) (found *finding, err error) {
	c := &course{runner: r, program: Program{Workers: p.Workers, Procs: p.Procs, Path: p.Path}, track: true, from: from}
	defer func() { err = errors.Join(err, c.close()) }()
	if c.trip, err = newTrip(r.subject, p.Workers, r.tempDir); err != nil {
		return nil, err
	}
	if err := c.split(); err != nil {
		return nil, err
	}
	_ = c.compare("") // the worlds of two calls of New
	for i := 0; i < ticks && c.found == nil; i++ {
		if err := stopLate(end); err != nil {
			return nil, err
		}
		if err := c.tickTracked(); err != nil && c.found == nil {
			return nil, err
		}
	}
	return c.found, nil
}

// findUnmarked looks for writes that leave no change version. It compares a whole image with one
// that shares the chunks that nothing has marked.
func (r *runner) findUnmarked(_ Program, ticks int, end time.Time) (*finding, error) {
	return narrowDown(0, func(from int) (*finding, error) { return r.lookForUnmarked(from, ticks, end) })
}

// lookForUnmarked does the work of one run of findUnmarked. It looks after each tick, and after each system of
// tick from.
func (r *runner) lookForUnmarked(from, ticks int, end time.Time) (found *finding, err error) {
	trip, err := newTrip(r.subject, 1, r.tempDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trip.close()) }()
	u := &unmarked{world: trip.World, from: from, tick: 1}
	u.look("")
	stop := system.Watch(trip.World, u)
	defer stop()
	for ; u.tick <= ticks && u.found == nil && u.err == nil; u.tick++ {
		if err := stopLate(end); err != nil {
			return nil, err
		}
		if err := trip.subject.tick(trip.World); err != nil {
			return nil, err
		}
		trip.Ticks++
		u.look("")
	}
	return u.found, u.err
}

// unmarked is the watcher of findUnmarked.
type unmarked struct {
	world *ecs.World
	last  *ecs.Image
	from  int // the tick in which it looks after each system
	tick  int // the tick that is running
	found *finding
	err   error
}

func (u *unmarked) Before(*system.Instance) {
	if u.tick == u.from {
		u.look("")
	}
}

func (u *unmarked) After(in *system.Instance, _ uint32, _ error) {
	if u.tick == u.from {
		u.look(in.Name())
	}
}

func (u *unmarked) look(name string) {
	if u.found != nil || u.err != nil {
		return
	}
	shared, err := ecs.Capture(u.world, u.last)
	if err != nil {
		u.err = err
		return
	}
	u.last = shared
	whole, err := ecs.Capture(u.world, nil)
	if err != nil {
		u.err = err
		return
	}
	if first, differ := diff.First(diff.Images(whole, shared)); differ {
		u.found = &finding{tick: u.tick, system: name, first: first, cause: causeUnmarked, values: "in the world, and in an image that shares the chunks that nothing has marked"}
	}
}

// findOutside looks for a system whose tick has another result after a Restore.
func (r *runner) findOutside(_ Program, ticks int, end time.Time) (found *finding, err error) {
	trip, err := newTrip(r.subject, 1, r.tempDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, trip.close()) }()
	step := func(uint64) error {
		if err := stopLate(end); err != nil {
			return err
		}
		return trip.subject.tick(trip.World)
	}
	d, err := replay.SyncTest(replay.Run{World: trip.World, Step: step}, uint64(ticks))
	if d == nil || err != nil {
		return nil, err
	}
	return &finding{tick: int(d.Tick), system: d.System, first: d.First, cause: causeOutside, values: "at the first time, and after a Restore"}, nil
}

// plainProgram returns the program on one worker and the generic path.
func plainProgram(p Program) Program {
	p.Workers, p.Procs, p.Path = 1, 1, kernels.Paths()[0]
	return p
}
