package jobs

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

// Spreads returns what is known of the loops of a job, by its name, those after a
// pause last, else the short ones first; nil if none was tried. Pools with the same number of workers know the same.
func (p *Pool) Spreads(job string) (list []Spread) {
	p.made("Pool.Spreads")
	for _, k := range kindsNamed(job) {
		for t := k.trials.Load(); t != nil; t = t.next {
			if t.workers != p.workers {
				continue
			}
			for _, pause := range []bool{false, true} {
				list = t.appendSpreads(list, job, pause)
			}
		}
	}
	return list
}

// appendSpreads appends what is known of loops that come after a pause or not.
func (t *trials) appendSpreads(list []Spread, job string, pause bool) []Spread {
	for i := range t.classes(pause) {
		if s := t.classes(pause)[i].spread(); s.One != 0 || s.All != 0 {
			s.Job, s.From, s.To, s.Pause = job, smallLoop<<i, smallLoop<<(i+1), pause
			list = append(list, s)
		}
	}
	return list
}

// kindsNamed are the kinds with a name: as a rule one.
func kindsNamed(name string) (list []*kind) {
	list = appendNamed(list, &kindsByName, name)
	list = appendNamed(list, &kindsByCode, name)
	return appendNamed(list, &kindsByType, name)
}

func appendNamed[K comparable](list []*kind, m *kindMap[K], name string) []*kind {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range []map[K]*kind{m.settled(), m.fresh} {
		for _, k := range known {
			if k.name == name {
				list = append(list, k)
			}
		}
	}
	return list
}

// spread is what the trial has found.
func (t *trial) spread() Spread {
	for !t.busy.CompareAndSwap(false, true) {
		pause(1) // another adds up a few numbers
	}
	defer t.busy.Store(false)
	return Spread{
		Alone: choice(t.way.Load()) == inSerial, Trying: t.trying,
		One: float64(t.mean[inSerial].Load()) / 256, All: float64(t.mean[inParallel].Load()) / 256,
	}
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
