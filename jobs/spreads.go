package jobs

import "github.com/lanewise/lanewise/jobs/profile"

// appendSpreads appends what is known of loops that come after a pause or not.
func (t *trials) appendSpreads(list []profile.Spread, job string, pause bool) []profile.Spread {
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
	for _, known := range []map[K]*kind{m.published(), m.fresh} {
		for _, k := range known { //lanewise:inexact measured times, which differ in each run
			if k.name == name {
				list = append(list, k)
			}
		}
	}
	return list
}

// spread is what the trial has found.
func (t *trial) spread() profile.Spread {
	for !t.busy.CompareAndSwap(false, true) {
		pause(1) // another adds up a few numbers
	}
	defer t.busy.Store(false)
	return profile.Spread{
		Alone: runMode(t.way.Load()) == inSerial, Trying: t.trying,
		One: float64(t.mean[inSerial].Load()) / 256, All: float64(t.mean[inParallel].Load()) / 256,
	}
}
