package replay

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/system"
)

// Run is a world together with a function that advances it by one tick.
type Run struct {
	World *ecs.World
	Step  func(tick uint64) error // ticks count from 1; Step may be called again for a tick after the world was restored
}

// Compare runs two worlds side by side and returns their first difference. The result contains the
// tick, the system, the entity, the lane and both values. The result is nil if there is no
// difference. The worlds must be equal at the beginning. Compare compares hashes after each tick.
// If every is given, it compares them only after every that many ticks. If the hashes differ,
// Compare restores both worlds to the last equal tick and finds the first tick that differs. It
// then runs this tick once more to find the system. After that, the worlds are in the state after
// this tick. If the worlds are not equal at the beginning, the error is of category ErrStart. If a
// world is nil, the error is of category ecs.ErrArgument. If a world is closed, the error is of
// category ecs.ErrDisposed. Any other error is the error of a step. If a step fails only when Compare repeats
// it, Compare returns the error and also the difference, as far as it is known.
func Compare(a, b Run, ticks uint64, every ...int) (*Divergence, error) {
	c := &comparison{op: "Compare", runs: [2]Run{a, b}}
	defer c.releaseImages()
	for i, r := range c.runs {
		if r.World == nil || r.Step == nil {
			return nil, fmt.Errorf("replay: Compare: run %d has no World, or no Step: %w", i+1, ecs.ErrArgument)
		}
		if err := checkOpen("Compare", r.World); err != nil {
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
	if err := c.captureBoth(); err != nil {
		return nil, err
	}
	for tick := uint64(1); tick <= ticks; tick++ {
		if err := c.stepBoth(tick); err != nil {
			return nil, err
		}
		if tick%cadence != 0 && tick != ticks {
			continue
		}
		if x, y := a.World.Hash(), b.World.Hash(); x != y {
			return c.locate(&Divergence{Tick: tick, A: x, B: y, recorded: bothRun})
		}
		if err := c.captureBoth(); err != nil {
			return nil, err
		}
		c.equalTick = tick
	}
	return nil, nil
}

// comparison compares two runs.
type comparison struct {
	op        string // the function that the program called, for errors
	runs      [2]Run
	images    [2]*ecs.Image // images of both worlds after equalTick, the last tick that is known to be equal
	equalTick uint64
}

// stepBoth runs one tick in both worlds.
func (c *comparison) stepBoth(tick uint64) error {
	for i := range c.runs {
		if err := c.runs[i].Step(tick); err != nil {
			return fmt.Errorf("replay: %s: tick %d of run %d: %w", c.op, tick, i+1, err)
		}
		if err := checkOpen(c.op, c.runs[i].World); err != nil { // the step may have closed the world
			return err
		}
	}
	return nil
}

// captureBoth replaces the images by images of the current worlds.
func (c *comparison) captureBoth() error {
	for i := range c.runs {
		m, err := ecs.Capture(c.runs[i].World, c.images[i])
		if err != nil {
			return fmt.Errorf("replay: %s: %w", c.op, err)
		}
		if c.images[i] != nil {
			_ = c.images[i].Release()
		}
		c.images[i] = m
	}
	return nil
}

// releaseImages releases the images.
func (c *comparison) releaseImages() {
	for _, m := range c.images {
		if m != nil {
			_ = m.Release()
		}
	}
}

// restoreBoth restores both worlds from the images.
func (c *comparison) restoreBoth() error {
	for i := range c.runs {
		if err := system.Restore(c.runs[i].World, c.images[i]); err != nil {
			return fmt.Errorf("replay: %s: %w", c.op, err)
		}
	}
	return nil
}

// locate finds the tick, the system and the value that differ first. It searches the ticks after
// equalTick. The last of these is the tick of d, whose hashes are known. locate completes d, and returns it also with an error,
// as far as it is known.
func (c *comparison) locate(d *Divergence) (*Divergence, error) {
	err := c.findDifference(d)
	if err == nil && d.Tick > c.equalTick+1 {
		err = c.findTick(d)
	}
	if err != nil {
		d.Skipped = d.Tick - 1 - c.equalTick
		return d, err
	}
	if d.Tick != c.equalTick+1 { // the difference was not found again when the ticks were repeated, so no system can be found
		return d, nil
	}
	return d, c.findSystem(d)
}

// findTick restores the worlds after equalTick, and repeats the following ticks up to that of d, until the worlds
// differ.
func (c *comparison) findTick(d *Divergence) error {
	if err := c.restoreBoth(); err != nil {
		return err
	}
	for tick := c.equalTick + 1; tick <= d.Tick; tick++ {
		if err := c.stepBoth(tick); err != nil {
			return err
		}
		if c.runs[0].World.Hash() != c.runs[1].World.Hash() {
			d.Tick = tick
			return c.findDifference(d)
		}
		if err := c.captureBoth(); err != nil {
			return err
		}
		c.equalTick = tick
	}
	return nil
}

// findDifference finds the first difference of the current worlds.
func (c *comparison) findDifference(d *Divergence) error {
	var images [2]*ecs.Image
	for i := range c.runs {
		m, err := ecs.Capture(c.runs[i].World, c.images[i])
		if err != nil {
			return fmt.Errorf("replay: %s: %w", c.op, err)
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

// findSystem repeats the tick, and finds the first system after which the worlds differ.
func (c *comparison) findSystem(d *Divergence) error {
	if err := c.restoreBoth(); err != nil {
		return err
	}
	var tracks [2]*imageTrack
	for i := range c.runs {
		tracks[i] = &imageTrack{world: c.runs[i].World, lastImage: c.images[i]}
		defer tracks[i].releaseImages()
		if err := c.watchStep(i, d.Tick, tracks[i]); err != nil {
			return fmt.Errorf("replay: %s: tick %d of run %d: %w", c.op, d.Tick, i+1, err)
		}
	}
	d.findInTracks(tracks[0], tracks[1])
	return nil
}

// watchStep runs a tick of one run, while a track watches its systems.
func (c *comparison) watchStep(run int, tick uint64, t *imageTrack) error {
	defer system.Watch(c.runs[run].World, t)()
	return c.runs[run].Step(tick)
}

// findInTracks finds the first system after which the images of two tracks differ.
func (d *Divergence) findInTracks(a, b *imageTrack) {
	for i := range max(len(a.steps), len(b.steps)) {
		x, y := a.stepAt(i), b.stepAt(i)
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

// imageTrack is a watcher that takes an image of the world after each system.
type imageTrack struct {
	world     *ecs.World
	lastImage *ecs.Image
	steps     []trackStep
}

type trackStep struct {
	system string
	image  *ecs.Image
}

func (t *imageTrack) stepAt(i int) trackStep {
	if i < len(t.steps) {
		return t.steps[i]
	}
	return trackStep{}
}

// Before also takes an image, so that a write between two systems is not attributed to the second
// of them.
func (t *imageTrack) Before(*system.Instance) { t.capture("") }

// After takes an image that contains the writes of the system.
func (t *imageTrack) After(in *system.Instance, _ uint32, _ error) { t.capture(in.Name()) }

func (t *imageTrack) capture(name string) {
	m, err := ecs.Capture(t.world, t.lastImage)
	if err != nil {
		return // the world is in use by a transaction
	}
	t.lastImage = m
	t.steps = append(t.steps, trackStep{name, m})
}

func (t *imageTrack) releaseImages() {
	for _, s := range t.steps {
		_ = s.image.Release()
	}
}

// SyncTest runs each tick twice and compares the results. Between the two runs it restores the
// world, as a rollback does. It returns the first difference, or nil if there is none. The
// difference contains the tick, the system whose results differ, the entity, the lane and both
// values. A system with different results keeps state outside of the world, for example in a
// field, a map or a package variable. A Restore does not restore this state. Move the state to a
// component, or make the system a [system.Saver]. If there is a difference, the world is left in
// the state after that tick.
//
// SyncTest finds a difference only in a tick in which the hidden state has an effect. Such a
// tick may be later than the tick that changed the hidden state. For each tick, SyncTest runs
// two ticks, and takes an image for each system. So it is for tests. If a step or a restore
// fails, SyncTest returns its error.
func SyncTest(r Run, ticks uint64) (*Divergence, error) {
	if r.World == nil || r.Step == nil {
		return nil, fmt.Errorf("replay: SyncTest: the run has no World, or no Step: %w", ecs.ErrArgument)
	}
	var before *ecs.Image
	defer func() {
		if before != nil {
			_ = before.Release()
		}
	}()
	for tick := uint64(1); tick <= ticks; tick++ {
		m, err := ecs.Capture(r.World, before)
		if err != nil {
			return nil, fmt.Errorf("replay: SyncTest: %w", err)
		}
		if before != nil {
			_ = before.Release()
		}
		before = m
		if d, err := stepTwice(r, before, tick); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// stepTwice runs a tick, restores the world, and repeats the tick.
func stepTwice(r Run, before *ecs.Image, tick uint64) (*Divergence, error) {
	var tracks [2]*imageTrack
	for i := range tracks {
		if i > 0 {
			if err := system.Restore(r.World, before); err != nil {
				return nil, fmt.Errorf("replay: SyncTest: tick %d: %w", tick, err)
			}
		}
		t := &imageTrack{world: r.World, lastImage: before}
		tracks[i] = t
		defer t.releaseImages()
		if err := t.runTick(r.Step, tick); err != nil {
			return nil, fmt.Errorf("replay: SyncTest: tick %d, time %d: %w", tick, i+1, err)
		}
	}
	d := &Divergence{Tick: tick, A: tracks[0].hash(), B: tracks[1].hash(), recorded: bothRun}
	if d.A == d.B && tracks[0].sameSystems(tracks[1]) {
		return nil, nil
	}
	d.findInTracks(tracks[0], tracks[1])
	return d, nil
}

// runTick runs a tick while the track watches, and takes an image after the tick.
func (t *imageTrack) runTick(step func(tick uint64) error, tick uint64) error {
	stop := system.Watch(t.world, t)
	defer stop()
	if err := step(tick); err != nil {
		return err
	}
	t.capture("")
	return nil
}

// hash returns the hash of the last image.
func (t *imageTrack) hash() uint64 { return t.lastImage.Hash() }

// sameSystems reports whether the same systems ran in both tracks.
func (t *imageTrack) sameSystems(with *imageTrack) bool {
	for i := range max(len(t.steps), len(with.steps)) {
		if t.stepAt(i).system != with.stepAt(i).system {
			return false
		}
	}
	return true
}
