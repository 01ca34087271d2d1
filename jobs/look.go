package jobs

import (
	"runtime/trace"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Stats counts what the workers of a pool have done since it was made.
type Stats struct {
	Jobs    uint64        // single jobs that were run, and parts of loops
	Loops   uint64        // loops that were opened to several workers
	Inline  uint64        // loops that one worker ran alone, because they were small or it had no others
	Joined  uint64        // times that a worker joined a loop which another had opened
	Steals  uint64        // times that a worker took jobs or blocks of another
	Wakes   uint64        // workers that were woken
	Sleeps  uint64        // times that a worker or a waiting goroutine went to sleep
	Spins   uint64        // times that a worker stayed awake for nothing
	SpunFor time.Duration // how long workers have stayed awake with nothing to do
}

// Stats adds up the counters of all workers. Of Jobs and Inline, the last 63 jobs of
// each worker and waiting goroutine may be missing as long as it is busy, and some
// microseconds longer.
func (p *Pool) Stats() Stats {
	p.made("Pool.Stats")
	var sum Stats
	for _, s := range *p.seats.Load() {
		s.flush()
		c := &s.counters
		sum.Jobs += c.jobs.Load()
		sum.Loops += c.loops.Load()
		sum.Inline += c.inline.Load()
		sum.Joined += c.joined.Load()
		sum.Steals += c.steals.Load()
		sum.Sleeps += c.sleeps.Load()
		sum.Spins += c.spins.Load()
		sum.SpunFor += time.Duration(c.spun.Load())
	}
	sum.Wakes = p.lot.Wakes()
	return sum
}

// Live lists the jobs that are not done. Only a pool with a watchdog, or at
// level Panic, keeps the list that this needs; for others the list is empty.
func (p *Pool) Live() LiveJobs {
	if p.live == nil {
		return nil
	}
	return p.live.list()
}

// Profile is what tools ask for the jobs that the workers have run and the time that these took.
func (p *Pool) Profile() profile.Recorder {
	p.made("Pool.Profile")
	return p.profile.Recorder()
}

// observed reports whether anybody looks.
func (p *Pool) observed() bool { return p.profile.Watched() || trace.IsEnabled() }

// Spreads returns what is known of the loops of a job, by its name, those after a
// pause last, else the short ones first; nil if none was tried. Pools with the same number of workers know the same.
func (p *Pool) Spreads(job string) (list []profile.Spread) {
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
