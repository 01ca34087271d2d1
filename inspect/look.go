package inspect

import (
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// An ownerSlice is the time that the owner of a world spends on requests between
// two frames. It holds the data that a step may use during this time.
type ownerSlice struct {
	world  *ecs.World
	probes probes
	until  time.Duration
}

// isOver reports whether the time of the slice has passed. The step should
// then stop, and continue at the end of the next frame. A step must make
// progress before it calls isOver, so that an ask ends even if its slices
// have no time at all.
func (l *ownerSlice) isOver() bool { return now() >= l.until }

// checkNotLent returns an error while the world is lent to a transaction.
func (l *ownerSlice) checkNotLent() error {
	if !l.world.InTransaction() {
		return nil
	}
	return &stateError{"world " + l.world.Name() + " is lent to a transaction: its jobs have it now, ask again when that has ended"}
}

// maxQueries is the largest number of queries whose probes a view keeps.
const maxQueries = 32

// probes maps the text of a query to its probe, for one world. A view keeps its probes
// until the lease ends.
type probes map[string]*ecs.Probe

// probeFor returns the probe of a parsed query.
func (p probes) probeFor(w *ecs.World, c *parsedQuery) *ecs.Probe {
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
