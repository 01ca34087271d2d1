package replay

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
)

// FirstDifference returns the first difference of two runs, as [Compare] does, but it does not compare
// every tick. It first runs the given number of ticks of both histories, unless they have been run
// before. Then it uses bisection: it compares some checkpoints, and then some of the ticks after the
// last equal checkpoint. So it requires that two runs that differ after a tick also differ after all
// later ticks. If the runs are equal after the last tick, the result is nil. Otherwise FirstDifference
// leaves both worlds in the state after the first tick that differs.
//
// If the worlds are not equal at tick 0, the error is of category ErrStart. If both histories have the
// same world, the error is of category ecs.ErrArgument. FirstDifference also returns the errors of
// [History.Go]. If a step fails only when it is repeated, FirstDifference returns the error and also the difference,
// as far as it is known.
func FirstDifference(a, b *History, ticks uint64) (*Divergence, error) {
	const op = "FirstDifference"
	if err := errors.Join(a.check(op), b.check(op)); err != nil {
		return nil, err
	}
	if a.run.World == b.run.World {
		return nil, fmt.Errorf("replay: %s: both histories are of world %q: %w", op, a.run.World.Name(), ecs.ErrArgument)
	}
	x, y := a.checkpoints[0].image.Hash(), b.checkpoints[0].image.Hash()
	if x != y {
		return nil, fmt.Errorf("replay: %s: %w: the hashes are %016x and %016x", op, ErrStart, x, y)
	}
	s := &historySearch{op: op, a: a, b: b, hi: ticks}
	if equal, err := s.equalAt(ticks); equal || err != nil {
		return nil, err
	}
	var d *Divergence
	err := s.tryCheckpoints()
	if err == nil {
		d, err = s.locate()
	}
	if err != nil {
		a.dirty, b.dirty = true, true
	}
	if d == nil {
		d = &Divergence{Tick: s.hi, Skipped: s.hi - 1 - s.lo, A: s.sums[0], B: s.sums[1], recorded: bothRun}
	}
	return d, err
}

// historySearch is the state of a bisection over two histories. After tick lo their worlds are equal, and
// after tick hi they differ.
type historySearch struct {
	op     string
	a, b   *History
	lo, hi uint64
	sums   [2]uint64 // the hashes after tick hi
}

// equalAt reports whether the worlds are equal after a tick. If they differ, it stores their hashes.
func (s *historySearch) equalAt(tick uint64) (bool, error) {
	x, err := s.a.hashAt(s.op, tick)
	if err != nil {
		return false, err
	}
	y, err := s.b.hashAt(s.op, tick)
	if err != nil {
		return false, err
	}
	if x != y {
		s.sums = [2]uint64{x, y}
	}
	return x == y, nil
}

// tryCheckpoints compares the worlds after the ticks of checkpoints, and sets lo and hi to the nearest of these ticks.
func (s *historySearch) tryCheckpoints() error {
	for c := s.a.between(s.lo, s.hi); c != nil; c = s.a.between(s.lo, s.hi) {
		tick := c.tick
		equal, err := s.equalAt(tick)
		switch {
		case err != nil:
			return err
		case equal:
			s.lo = tick
		default:
			s.hi = tick
		}
	}
	return nil
}

// hashAt returns the hash of the world after a tick. It moves the history to the tick, unless there is a
// checkpoint at the tick.
func (h *History) hashAt(op string, tick uint64) (uint64, error) {
	if tick <= h.reached {
		if c := h.before(tick); c.tick == tick {
			return c.image.Hash(), nil
		}
	}
	if err := h.advance(op, tick, nil); err != nil {
		return 0, err
	}
	return h.run.World.Hash(), nil
}

// locate finds the tick after lo that differs first, and its system. With an error, it returns nil, or the difference as far as it is known. It compares the worlds in the
// middle between lo and hi, again and again. It keeps images of both worlds at lo, so that the
// whole search runs only about as many steps as there are ticks from lo to hi.
func (s *historySearch) locate() (*Divergence, error) {
	for _, h := range []*History{s.a, s.b} {
		if err := h.advance(s.op, s.lo, nil); err != nil {
			return nil, err
		}
		h.dirty = true // until the end of the search
	}
	c := &comparison{op: s.op, runs: [2]Run{s.a.run, s.b.run}}
	defer c.releaseImages()
	if err := c.captureBoth(); err != nil {
		return nil, err
	}
	at := s.lo
	goTo := func(tick uint64) error {
		if at != s.lo {
			if err := c.restoreBoth(); err != nil {
				return err
			}
		}
		for at = s.lo; at < tick; at++ {
			if err := c.stepBoth(at + 1); err != nil {
				return err
			}
		}
		return nil
	}
	for s.hi-s.lo > 1 {
		mid := s.lo + (s.hi-s.lo)/2
		if err := goTo(mid); err != nil {
			return nil, err
		}
		if x, y := s.a.run.World.Hash(), s.b.run.World.Hash(); x != y {
			s.hi, s.sums = mid, [2]uint64{x, y}
			continue
		}
		if err := c.captureBoth(); err != nil {
			return nil, err
		}
		s.lo = mid
	}
	if err := goTo(s.hi); err != nil {
		return nil, err
	}
	c.equalTick = s.lo
	d, err := c.locate(&Divergence{Tick: s.hi, A: s.sums[0], B: s.sums[1], recorded: bothRun})
	if err != nil {
		return d, err
	}
	if d.A == d.B { // the difference did not happen again, because a system keeps state outside of its world
		d.A, d.B = s.sums[0], s.sums[1]
	}
	for _, h := range []*History{s.a, s.b} {
		h.tick, h.reached, h.dirty, h.stepTime = s.hi, max(h.reached, s.hi), false, 0
	}
	return d, nil
}
