package inspect

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
)

// catch pauses the world at the end of the first frame in which a system writes a NaN or an infinity. It uses package check,
// which looks at the written chunks after each update. Only the owner uses it, between two frames and, in the report of the
// check, inside of a frame.
type catch struct {
	check  *check.Check // nil while nothing is to be caught
	caught *Wrote       // the first fault since the catch was set
}

// set begins to wait for a fault, or ends it.
func (c *catch) set(w *ecs.World, p *pace, on bool) {
	c.end()
	if c.caught = nil; !on {
		return
	}
	c.check = check.Finite(w, check.Report(func(f check.Fault) {
		if c.caught == nil {
			c.caught = newWrote(f)
			p.paused.Store(true)
		}
	}))
}

// endFrame ends the check after a fault, so that it costs nothing when the world continues.
func (c *catch) endFrame() {
	if c.check != nil && c.caught != nil {
		c.end()
	}
}

// end ends the check.
func (c *catch) end() {
	if c.check != nil {
		c.check.Stop()
		c.check = nil
	}
}

// newWrote returns a fault as an answer contains it.
func newWrote(f check.Fault) *Wrote {
	number := shortName(f.Component)
	if f.Lane != "" {
		number += "." + f.Lane
	}
	if f.Index > 0 {
		number += fmt.Sprintf(".%d", f.Index)
	}
	return &Wrote{System: shortName(f.System), Frame: f.Frame, Entity: entityText(f.Entity), Number: strings.TrimSuffix(number, "."), Value: fmt.Sprint(f.Value)}
}
