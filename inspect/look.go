package inspect

import (
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// look is the time that the owner of a world spends on a request between two frames, and what it is shown then.
type look struct {
	world  *ecs.World
	probes probes
	until  time.Duration
}

// over reports whether the time is up: the ask should continue at the end of the next frame. A step asks
// when it has done something, so that there is an end even if there is no time.
func (l *look) over() bool { return now() >= l.until }

// unlent is an error while the world is not there.
func (l *look) unlent() error {
	if !l.world.InTransaction() {
		return nil
	}
	return &stateError{"world " + l.world.Name() + " is lent to a transaction: its jobs have it now, ask again when that has ended"}
}

// maxQueries is how many are kept.
const maxQueries = 32

// probes is the queries of a world by their texts: they are kept as long as somebody looks.
type probes map[string]*ecs.Probe

// of returns the probe of a choice.
func (p probes) of(w *ecs.World, c *choice) *ecs.Probe {
	if q := p[c.text]; q != nil {
		return q
	}
	if len(p) >= maxQueries {
		clear(p)
	}
	q := ecs.NewProbe(w, c.terms...)
	p[c.text] = q
	return q
}
