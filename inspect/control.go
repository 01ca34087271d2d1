package inspect

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Controlled is the answer of /api/control.
type Controlled struct {
	Paused bool    `json:"paused"`
	Frame  uint64  `json:"frame"`
	Steps  int64   `json:"steps"` // steps that are left
	Pace   float64 `json:"pace"`
	Scale  float64 `json:"scale"`

	Catching bool    `json:"catching"`          // the world will pause when a system writes a new NaN or infinity
	Already  []Wrote `json:"already,omitempty"` // while Catching: the first value of each number that is not new, because it was NaN or infinite when the catch was set
}

// set pauses, steps or slows down a world, or checks the arguments of catch. It returns the new time scale of the
// world, or a negative number for no change.
func (p *pace) set(do, value string) (scale float64, err error) {
	number := func(least, most float64) (float64, error) {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= least && x <= most) {
			return 0, fmt.Errorf("inspect: %s: value is %q, want a number from %v to %v", clip(do, 20), clip(value, 60), least, most)
		}
		return x, nil
	}
	switch do {
	case "pause":
		p.paused.Store(true)
	case "resume":
		p.steps.Store(0)
		p.paused.Store(false)
	case "step":
		n := 1.0
		if value != "" {
			if n, err = number(1, 100_000); err != nil {
				return 0, err
			}
		}
		p.steps.Add(int64(n))
		p.paused.Store(true)
	case "pace":
		hz, err := number(0, 1000)
		if err != nil {
			return 0, err
		}
		if hz > 0 {
			p.minInterval.Store(int64(min(float64(time.Second)/hz, float64(10*time.Second))))
		} else {
			p.minInterval.Store(0)
		}
	case "scale":
		return number(0, 100)
	case "catch":
		if value != "true" && value != "false" {
			return 0, fmt.Errorf("inspect: catch: value is %q, want true or false", clip(value, 60))
		}
	default:
		return 0, fmt.Errorf("inspect: do is %q: there are pause, resume, step, pace, scale and catch", clip(do, 60))
	}
	return -1, nil
}

// control pauses, steps and slows a world.
func control(ctx context.Context, v *view, do, value string) (*Controlled, error) {
	scale, err := v.pace.set(do, value)
	if err != nil {
		return nil, err
	}
	v.inspector.wakeOwners()
	out := &Controlled{}
	_, err = v.runBetween(ctx, "control", func(*ownerSlice) (bool, error) {
		clock := system.ClockOf(v.world)
		if scale >= 0 {
			clock.SetScale(scale)
		}
		if do == "catch" {
			v.setCatch(value == "true")
		}
		out.Frame, out.Scale, out.Catching, out.Already = v.lastFrame.Load(), clock.Scale(), v.catch.waits(), v.catch.already
		return false, nil
	})
	out.Pace = v.pace.perSecond()
	out.Paused, out.Steps = v.pace.paused.Load(), v.pace.steps.Load()
	return out, err
}
