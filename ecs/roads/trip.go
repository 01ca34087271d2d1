package roads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Trip is a world on a road. A Road uses it to advance the world, to make other worlds, and to go
// on with one of them. At the end of the program the trip closes all of its worlds and pools.
type Trip struct {
	World *ecs.World // goes on at the end of the road
	Rand  *rand.Rand // drawn for the step; a road must not use other random numbers
	Ticks int        // number of ticks that lead to the present state of World

	subject *Subject
	dir     func() string
	check   func(ticks int, w *ecs.World) error // of a tick; nil if the run to compare with is not known yet
	child   func(t *Trip, from, to string, ticks int) error
	pool    *jobs.Pool
	pools   []*jobs.Pool
	worlds  []*ecs.World // of Subject.New
	kept    []*ecs.World // of the roads
	blobs   []blob.Any
	idle    string
}

// newTrip makes a pool and the world of the subject.
func newTrip(s *Subject, workers int, dir func() string) (t *Trip, err error) {
	t = &Trip{subject: s, dir: dir}
	t.pool = t.NewPool(workers)
	if t.World, err = t.NewWorld(t.pool); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// Pool returns the pool of the world that the program has begun with.
func (t *Trip) Pool() *jobs.Pool { return t.pool }

// NewPool makes another pool. The trip closes it.
func (t *Trip) NewPool(workers int) *jobs.Pool {
	p := jobs.New(jobs.Workers(workers))
	t.pools = append(t.pools, p)
	return p
}

// NewWorld makes another world of the subject, as it is before the first tick. The trip closes it.
func (t *Trip) NewWorld(pool *jobs.Pool) (w *ecs.World, err error) {
	err = recoverError(func() (err error) {
		w, err = t.subject.New(pool)
		return err
	})
	if w != nil {
		t.worlds = append(t.worlds, w)
	}
	if err == nil && w == nil {
		err = errors.New("the world is nil")
	}
	if err != nil {
		return nil, fmt.Errorf("Subject.New: %w", err)
	}
	return w, nil
}

// Keep makes the trip close a world that the road has made.
func (t *Trip) Keep(w *ecs.World) { t.kept = append(t.kept, w) }

// Continue makes w the world of the trip, and closes the former world. Its contents must be those
// of the former world.
func (t *Trip) Continue(w *ecs.World) error {
	before := t.World
	t.World = w
	return t.drop(before)
}

// drop closes a world before the end of the trip.
func (t *Trip) drop(w *ecs.World) error {
	if i := slices.Index(t.kept, w); i >= 0 {
		t.kept = slices.Delete(t.kept, i, i+1)
		return closing(w.Close())
	}
	t.worlds = slices.DeleteFunc(t.worlds, func(o *ecs.World) bool { return o == w })
	return closing(t.subject.close(w))
}

func closing(err error) error {
	if err != nil {
		return fmt.Errorf("close the world: %w", err)
	}
	return nil
}

// Tick advances the world by n ticks, and checks the state after each of them.
func (t *Trip) Tick(n int) error {
	for range n {
		if err := t.subject.tick(t.World); err != nil {
			return fmt.Errorf("tick %d: %w", t.Ticks+1, err)
		}
		t.Ticks++
		if t.check == nil {
			continue
		}
		if err := t.check(t.Ticks, t.World); err != nil {
			return err
		}
	}
	return nil
}

// Mark is a state of a world to which Trip.Back returns.
type Mark struct {
	image *ecs.Image
	ticks int
}

// Mark remembers the state of the world.
func (t *Trip) Mark() (*Mark, error) {
	m, err := ecs.Capture(t.World, nil)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	return &Mark{m, t.Ticks}, nil
}

// Back restores the world to a mark. The world may differ from the world of the mark.
func (t *Trip) Back(m *Mark) error {
	if err := system.Restore(t.World, m.image); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	t.Ticks = m.ticks
	return nil
}

// Image returns the image of the mark.
func (m *Mark) Image() *ecs.Image { return m.image }

// Path returns the name of a new file for the road in a folder of the test.
func (t *Trip) Path(name string) string {
	return fmt.Sprintf("%s/%08x-%s", t.dir(), t.Rand.Uint32(), name)
}

// Idle says why the world gives the road nothing to do. For example, the world has no scenes to
// close. Test logs the reason.
func (t *Trip) Idle(reason string) { t.idle = reason }

// ownBlobs takes the blobs that an image has brought from a file. The trip disposes them after its
// worlds, because these refer to them.
func (t *Trip) ownBlobs(m *ecs.Image) { t.blobs = append(t.blobs, snapshot.Blobs(m)...) }

// close closes all worlds and pools, and disposes the blobs.
func (t *Trip) close() (err error) {
	defer recoverInto(&err)
	var errs []error
	for _, w := range t.kept {
		errs = append(errs, closing(w.Close()))
	}
	for _, w := range slices.Backward(t.worlds) {
		errs = append(errs, closing(t.subject.close(w)))
	}
	for _, p := range t.pools {
		if e := p.Close(); e != nil {
			errs = append(errs, fmt.Errorf("close the pool: %w", e))
		}
	}
	for _, b := range t.blobs {
		if e := b.Dispose(); e != nil {
			errs = append(errs, fmt.Errorf("dispose a blob: %w", e))
		}
	}
	return errors.Join(errs...)
}

// A crash is a panic of a road, a tick or another function of the subject, as an error.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprintf("panic: %v\n%s", c.value, c.stack) }

// Unwrap returns the value of the panic if it is an error.
func (c *crash) Unwrap() error {
	err, _ := c.value.(error)
	return err
}

// recoverInto turns a panic of the caller into its error.
func recoverInto(err *error) {
	if v := recover(); v != nil {
		*err = &crash{v, debug.Stack()}
	}
}
