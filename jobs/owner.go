package jobs

import (
	"slices"
	"sync/atomic"
)

// ownedReady is how many ready jobs belong to one goroutine each, in all pools. Where it is 0 no list needs to be
// looked at; those of a goroutine that never waits stay in it.
var ownedReady atomic.Int32

// ownedAnywhere reports whether there are ready jobs, of any pool, that belong to the calling goroutine.
func ownedAnywhere() bool {
	if ownedReady.Load() == 0 {
		return false
	}
	for p := range allPools {
		if p.owners.has() {
			return true
		}
	}
	return false
}

// runOwned runs the ready jobs, of all pools, that belong to the goroutine on a seat.
func runOwned(s *seat) (ran int) {
	if ownedReady.Load() == 0 {
		return 0
	}
	for p := range allPools {
		ran += p.owners.run(s)
	}
	return ran
}

// has reports whether there are ready jobs that belong to the calling goroutine.
func (o *owners) has() bool {
	if o.size.Load() == 0 {
		return false
	}
	me, _ := apart.self()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, func(sl *slot) bool { return sl.owner == me })
}

// run runs the ready jobs that belong to the goroutine on a seat, in
// the order in which they became ready. The seat may be of another pool.
func (o *owners) run(s *seat) (ran int) {
	if o.size.Load() == 0 {
		return 0
	}
	me, by := apart.self()
	for {
		var mine *slot
		o.mu.Lock()
		for i, sl := range o.list {
			if sl.owner == me {
				mine = sl
				o.list = append(o.list[:i], o.list[i+1:]...)
				o.size.Store(int32(len(o.list)))
				break
			}
		}
		o.mu.Unlock()
		if mine == nil {
			return ran
		}
		ownedReady.Add(-1)
		worker{s}.passOn()
		if by == nil {
			s.runMine(mine)
		} else {
			by.call(s, mine)
		}
		ran++
	}
}

// runMine runs a job that belongs to the calling goroutine, on its seat in the pool of the job.
func (s *seat) runMine(sl *slot) {
	if p := sl.pool; p != s.pool {
		s = p.enterToRun()
		defer s.leave()
	}
	s.runOn(sl, nothingElse)
}

// call has a job run by the goroutine that makes the calls, which sits on the seats
// meanwhile.
func (x *proxy) call(s *seat, sl *slot) {
	over, back := make(chan struct{}), goroutineID()
	x.calls <- func() {
		me := goroutineID()
		defer close(over)
		defer s.handOver(me, back)
		s.handOver(back, me)
		s.runMine(sl)
	}
	<-over
}
