package jobs

import "time"

// These names are for package jobs_test, whose tests use the exported API.

// RaceEnabled reports whether the race detector is on.
const RaceEnabled = raceEnabled

// Nothing is a job and a loop that do nothing.
type Nothing = nothing

// These names are documented at their declarations.
var (
	Counts   = counts
	FailedAt = failedAt
	Held     = newHeldJob
	Limit    = limit
	Pools    = runPools
	RunHere  = runHere
	Seeded   = seeded
	Soon     = waitUntil
)

// Observed reports whether a tool records the jobs of a pool.
func Observed(p *Pool) bool { return p.isObserved() }

// Awake returns how long an idle worker stays awake. Parameter limit is the time on an idle machine.
func Awake(p *Pool, limit time.Duration) time.Duration { return p.machine.AwakeTime(limit) }
