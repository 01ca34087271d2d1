package jobs

import "time"

// Names for package jobs_test, whose tests use the exported API.

// RaceEnabled says that the race detector is on.
const RaceEnabled = raceEnabled

// Nothing is a job and a loop that do nothing.
type Nothing = nothing

// These are documented where they are declared.
var (
	Counts   = counts
	FailedAt = failedAt
	Held     = held
	Limit    = limit
	Pools    = pools
	RunHere  = runHere
	Seeded   = seeded
	Soon     = soon
)

// Observed reports whether a tool records the jobs of a pool.
func Observed(p *Pool) bool { return p.observed() }

// Awake returns how long an idle worker stays awake, of a limit for an idle machine.
func Awake(p *Pool, limit time.Duration) time.Duration { return p.machine.AwakeTime(limit) }
