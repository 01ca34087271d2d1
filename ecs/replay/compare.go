package replay

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/monitor"
)

// Run is a world, and what makes it go on by one tick.
type Run struct {
	World *ecs.World
	Step  func(tick uint64) error // ticks count from 1; it may be asked for one again, after the world was put back
}

// Compare does ticks of two runs that begin alike, and returns the first difference, or nil: the tick, the
// entity, the lane and both values. Hashes are compared every so many ticks, 1 if every is not given, and if they differ the
// worlds are put back to where they were equal, to find the tick, and the system by doing that tick once more. The worlds are left at that tick. The error is
// of category ErrStart if the worlds are not equal before, of ecs.ErrArgument if one is missing, of ecs.ErrDisposed if one is closed; or it is that of a step.
func Compare(a, b Run, ticks uint64, every ...int) (*Divergence, error) {
	c := &comparison{runs: [2]Run{a, b}}
	for i, r := range c.runs {
		if r.World == nil || r.Step == nil {
			return nil, fmt.Errorf("replay: Compare: run %d has no World, or no Step: %w", i+1, ecs.ErrArgument)
		}
		if err := open("Compare", r.World); err != nil {
			return nil, err
		}
	}
	cadence := uint64(1)
	if len(every) > 0 {
		cadence = uint64(max(every[0], 1))
	}
	if x, y := a.World.Hash(), b.World.Hash(); x != y {
		return nil, fmt.Errorf("replay: Compare: %w: the hashes are %016x and %016x", ErrStart, x, y)
	}
	if err := c.keep(); err != nil {
		return nil, err
	}
	for tick := uint64(1); tick <= ticks; tick++ {
		if err := c.step(tick); err != nil {
			return nil, err
		}
		if tick%cadence != 0 && tick != ticks {
			continue
		}
		if a.World.Hash() != b.World.Hash() {
			return c.find(tick)
		}
		if err := c.keep(); err != nil {
			return nil, err
		}
		c.equal = tick
	}
	return nil, nil
}

// comparison is two runs that are compared.
type comparison struct {
	runs  [2]Run
	kept  [2]*ecs.Image // of the tick that is known to be equal
	equal uint64
}

// step does a tick of both.
func (c *comparison) step(tick uint64) error {
	for i := range c.runs {
		if err := c.runs[i].Step(tick); err != nil {
			return fmt.Errorf("replay: Compare: tick %d of run %d: %w", tick, i+1, err)
		}
		if err := open("Compare", c.runs[i].World); err != nil { // the step has closed it
			return err
		}
	}
	return nil
}

// keep takes images of both worlds in place of the old ones.
func (c *comparison) keep() error {
	for i := range c.runs {
		m, err := ecs.Capture(c.runs[i].World, c.kept[i])
		if err != nil {
			return fmt.Errorf("replay: Compare: %w", err)
		}
		if c.kept[i] != nil {
			_ = c.kept[i].Release()
		}
		c.kept[i] = m
	}
	return nil
}

// back puts both worlds back to the images.
func (c *comparison) back() error {
	for i := range c.runs {
		if err := system.Restore(c.runs[i].World, c.kept[i]); err != nil {
			return fmt.Errorf("replay: Compare: %w", err)
		}
	}
	return nil
}

// find names the place: it is between the tick that is equal and the one that is known to differ.
func (c *comparison) find(differs uint64) (*Divergence, error) {
	d := &Divergence{Tick: differs}
	if err := c.first(d); err != nil {
		return nil, err
	}
	if differs > c.equal+1 {
		if err := c.narrow(d, differs); err != nil {
			return nil, err
		}
		if c.equal+1 != d.Tick { // it went well this time: no system is to be found
			return d, nil
		}
	}
	return d, c.system(d)
}

// narrow goes back to the tick that is equal and on from there, to the first tick that differs.
func (c *comparison) narrow(d *Divergence, differs uint64) error {
	if err := c.back(); err != nil {
		return err
	}
	for tick := c.equal + 1; tick <= differs; tick++ {
		if err := c.step(tick); err != nil {
			return err
		}
		if c.runs[0].World.Hash() != c.runs[1].World.Hash() {
			d.Tick = tick
			return c.first(d)
		}
		if err := c.keep(); err != nil {
			return err
		}
		c.equal = tick
	}
	return nil
}

// first takes the first difference of the worlds as they are.
func (c *comparison) first(d *Divergence) error {
	var images [2]*ecs.Image
	for i := range c.runs {
		m, err := ecs.Capture(c.runs[i].World, c.kept[i])
		if err != nil {
			return fmt.Errorf("replay: Compare: %w", err)
		}
		defer func() { _ = m.Release() }()
		images[i] = m
	}
	d.A, d.B = images[0].Hash(), images[1].Hash()
	if first, differ := diff.First(diff.Images(images[0], images[1])); differ {
		d.First, d.Component, d.Exact = first, first.Component, true
	}
	return nil
}

// system does the tick again, and looks after which system the worlds differ.
func (c *comparison) system(d *Divergence) error {
	if err := c.back(); err != nil {
		return err
	}
	var tracks [2]*track
	for i := range c.runs {
		tracks[i] = &track{world: c.runs[i].World, last: c.kept[i]}
		stop := monitor.Watch(c.runs[i].World, tracks[i])
		err := c.runs[i].Step(d.Tick)
		stop()
		defer tracks[i].release()
		if err != nil {
			return fmt.Errorf("replay: Compare: tick %d of run %d: %w", d.Tick, i+1, err)
		}
	}
	d.parted(tracks[0], tracks[1])
	return nil
}

// parted finds the first system behind which two tracks differ.
func (d *Divergence) parted(a, b *track) {
	for i := range max(len(a.steps), len(b.steps)) {
		x, y := a.at(i), b.at(i)
		if x.system != y.system {
			if d.System = x.system; d.System == "" {
				d.System = y.system
			}
			return
		}
		if first, differ := diff.First(diff.Images(x.image, y.image)); differ {
			d.First, d.Component, d.Exact = first, first.Component, true
			d.System = x.system
			return
		}
	}
}

// track keeps an image behind each system.
type track struct {
	world *ecs.World
	last  *ecs.Image
	steps []trackStep
}

type trackStep struct {
	system string
	image  *ecs.Image
}

func (t *track) at(i int) trackStep {
	if i < len(t.steps) {
		return t.steps[i]
	}
	return trackStep{}
}

// Before keeps what was written between systems apart from what the next one writes.
func (t *track) Before(*system.Instance) { t.take("") }

// After keeps what the system has written.
func (t *track) After(in *system.Instance, _ uint32, _ error) { t.take(in.Name()) }

func (t *track) take(name string) {
	m, err := ecs.Capture(t.world, t.last)
	if err != nil {
		return // lent to a transaction
	}
	t.last = m
	t.steps = append(t.steps, trackStep{name, m})
}

func (t *track) release() {
	for _, s := range t.steps {
		_ = s.image.Release()
	}
}
