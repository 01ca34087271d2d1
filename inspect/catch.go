package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
)

// catch pauses the world at the end of the first frame in which a system writes a new NaN or infinity. It uses package check,
// which looks at the written chunks after each update. Numbers that were NaN or infinite when the catch was set are not new.
// Only the owner uses it: between two frames, and inside of a frame in the report of the check.
type catch struct {
	check   *check.Check // nil while nothing is to be caught
	fired   bool         // a fault has come since the catch was set
	caught  *Wrote       // the last fault; nil after the catch was set or ended, unless the world is still paused by the fault
	already []Wrote      // values that were NaN or infinite when the catch was set; nil while nothing is to be caught
}

// maxAlready is the largest number of values that were odd before a catch in an answer.
const maxAlready = 20

// setCatch begins to wait for a new fault after the last frame, or ends it.
func (v *view) setCatch(on bool) {
	c := &v.catch
	c.end()
	c.fired = false
	if c.caught != nil && !(v.pace.paused.Load() && c.caught.Frame == v.lastFrame.Load()) {
		c.caught = nil
	}
	if !on {
		return
	}
	c.check = check.Finite(v.world, check.OnlyNew(), check.Report(func(f check.Fault) {
		if !c.fired {
			c.fired, c.caught = true, v.newWrote(f)
			v.pace.paused.Store(true)
		}
	}))
	for _, f := range c.check.Skipped() {
		if len(c.already) < maxAlready {
			c.already = append(c.already, *v.newWrote(f))
		}
	}
}

// waits reports whether a fault is to be caught and none has come yet.
func (c *catch) waits() bool { return c.check != nil && !c.fired }

// endFrame ends the check after a fault, so that it costs nothing when the world continues.
func (c *catch) endFrame() {
	if c.check != nil && c.fired {
		c.end()
	}
}

// end ends the check.
func (c *catch) end() {
	if c.check != nil {
		c.check.Stop()
		c.check, c.already = nil, nil
	}
}

// newWrote returns a fault as an answer contains it.
func (v *view) newWrote(f check.Fault) *Wrote {
	number := shortName(f.Component)
	if f.Lane != "" {
		number += "." + f.Lane
	}
	if f.Index > 0 || isArray(f.Component, number) {
		number += fmt.Sprintf(".%d", f.Index)
	}
	return &Wrote{System: shortName(f.System), Frame: f.Frame, Again: v.past.continued.repeats(f.Frame), Entity: f.Entity.String(), Number: strings.TrimSuffix(number, "."), Value: fmt.Sprint(f.Value)}
}

// isArray reports whether a number of an answer is an array of numbers, so that the name of its first element ends in .0.
func isArray(component, number string) bool {
	for _, t := range ecs.ComponentTypes() {
		if t.Name == component {
			return slices.Contains(appendNumbers(nil, typeName(t.Type), t.Type, maxFloats), number+".0")
		}
	}
	return false
}
