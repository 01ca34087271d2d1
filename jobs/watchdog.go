package jobs

import "time"

// keep is the life of the watchdog.
func (w *watch) keep(p *Pool) {
	p.goroutines.come(nil)
	defer p.goroutines.leave(false)
	tick := time.NewTicker(max(p.stuckAfter/watchLooks, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
		}
		p.live.mu.Lock()
		changes, live := p.live.changes, len(p.live.jobs)
		p.live.mu.Unlock()
		if w.look(changes, live) {
			p.stuck(p.Live())
		}
	}
}

// watchLooks is how often the watchdog looks within its limit.
const watchLooks = 4

// watch is what the watchdog remembers.
type watch struct {
	seen  uint64 // changes of the list
	still int    // looks since then
}

// look reports whether jobs are live and nothing has changed for as many looks as
// make the limit.
func (w *watch) look(changes uint64, live int) (stuck bool) {
	if changes != w.seen || live == 0 {
		w.seen, w.still = changes, 0
		return false
	}
	w.still++
	if w.still < watchLooks {
		return false
	}
	w.still = 0
	return true
}
