package profile

import (
	"fmt"
	"time"
)

// Spread says how a pool runs the loops of one job that take about as long as each
// other, and why: what such loops were seen to take in both ways. Loops of less than
// 2.5 µs are run by one worker and those of more than 10 ms opened to all, untried.
type Spread struct {
	Job      string
	From, To time.Duration // what one worker takes for such a loop
	Pause    bool          // they come after a pause in which the workers have fallen asleep
	Alone    bool          // one worker runs it; else it is opened to all
	Trying   bool          // that is being tried, and not known to be best
	One, All float64       // nanoseconds an index, waking and waiting included; 0 where it was not tried
}

// String says how the loops are run, and why.
func (s Spread) String() string {
	way, took, other := "all workers", s.All, s.One
	if s.Alone {
		way, took, other = "one worker", s.One, s.All
	}
	if s.Trying {
		way += ", on trial"
	}
	text := fmt.Sprintf("loops of %v to %v", s.From, s.To)
	if s.Pause {
		text += " after a pause"
	}
	text += ": " + way
	switch {
	case took == 0:
		return text
	case other != 0:
		other := map[bool]string{false: "one takes ", true: "all take "}[s.Alone] + nanoseconds(other)
		return fmt.Sprintf("%s, %s an index; %s", text, nanoseconds(took), other)
	case s.Trying:
		return fmt.Sprintf("%s, %s an index", text, nanoseconds(took))
	}
	return fmt.Sprintf("%s, %s an index; one was not tried, since that is plainly less", text, nanoseconds(took))
}

// nanoseconds is a time with three digits.
func nanoseconds(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.3gns", ns)
	}
	d, unit := time.Duration(ns), time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
