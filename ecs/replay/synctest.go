package replay

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/monitor"
)

// SyncTest does ticks of a run, each of them twice: after the first time it puts the world back, as a rollback does, and the
// second time has to come out the same. It returns the first difference, or nil: the tick, the system whose result was
// another one, and the entity, lane and both values. Such a system keeps something in a field, a map, a variable of
// the package that an image does not have: it belongs into a component, or the system is a [system.Saver]. The world is left behind that tick.
//
// A difference shows when what was kept first has an effect, which may be later than the tick that kept it. It costs two ticks and
// an image a system, so that it is for tests. The error is that of a step or of a restore.
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
		if d, err := twice(r, before, tick); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// twice does a tick, puts the world back, and does it again.
func twice(r Run, before *ecs.Image, tick uint64) (*Divergence, error) {
	var tracks [2]*track
	for i := range tracks {
		if i > 0 {
			if err := system.Restore(r.World, before); err != nil {
				return nil, fmt.Errorf("replay: SyncTest: tick %d: %w", tick, err)
			}
		}
		t := &track{world: r.World, last: before}
		tracks[i] = t
		defer t.release()
		if err := t.run(r.Step, tick); err != nil {
			return nil, fmt.Errorf("replay: SyncTest: tick %d, time %d: %w", tick, i+1, err)
		}
	}
	d := &Divergence{Tick: tick, A: tracks[0].hash(), B: tracks[1].hash()}
	if d.A == d.B && tracks[0].sameTurns(tracks[1]) {
		return nil, nil
	}
	d.parted(tracks[0], tracks[1])
	return d, nil
}

// run does a tick, and takes the world behind it too.
func (t *track) run(step func(tick uint64) error, tick uint64) error {
	stop := monitor.Watch(t.world, t)
	defer stop()
	if err := step(tick); err != nil {
		return err
	}
	t.take("")
	return nil
}

// hash is that of the world behind all.
func (t *track) hash() uint64 { return t.last.Hash() }

// sameTurns reports whether the same systems had their turns.
func (t *track) sameTurns(with *track) bool {
	for i := range max(len(t.steps), len(with.steps)) {
		if t.at(i).system != with.at(i).system {
			return false
		}
	}
	return true
}
