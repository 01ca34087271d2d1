package jobs

import (
	"fmt"
	"strings"
)

// One priority more needs its constant and its name here; where its jobs lie, in seat.offer (ready.go); what idle
// workers see of them, in loopTable.hasOpen (pool.go) and Pool.hasQueued (wake.go); and when a worker looks at
// them, in worker.serve (worker.go). Loops have a word for each in loopTable.open already. What
// may be run by some workers only has a phase of its own, as Background has: see slot.claim and anywhere.

// Priority is how early idle workers take a job. It orders nothing: only
// dependencies do. A goroutine that waits for a job runs it and what it needs at once,
// whatever their priority.
type Priority int8

const (
	// Background jobs are run when there is nothing else, by a quarter of the
	// workers at most.
	Background Priority = iota - 1
	// Normal is the priority of Pool.Schedule.
	Normal
	// High jobs are taken before all others.
	High

	priorities = iota // how many there are
)

var priorityNames = [priorities]string{"Background", "Normal", "High"} // by place

// place is that of the priority in arrays with one entry for each.
func (pr Priority) place() int { return int(pr - Background) }

// check panics if there is no such priority.
func (pr Priority) check(fn string) {
	if i := pr.place(); i < 0 || i >= priorities {
		panic(fmt.Sprintf("jobs: %s: priority is %d: there are %s", fn, pr, strings.Join(priorityNames[:], ", ")))
	}
}

// anywhere reports whether every worker may run jobs of the priority, with a permit or without.
func (pr Priority) anywhere() bool { return pr != Background }
