package jobs_test

import (
	"runtime"

	"github.com/lanewise/lanewise/jobs"
)

const raceEnabled = jobs.RaceEnabled

type nothing = jobs.Nothing

// These helpers are defined in the tests of package jobs.
var (
	counts   = jobs.Counts
	failedAt = jobs.FailedAt
	held     = jobs.Held
	limit    = jobs.Limit
	pools    = jobs.Pools
	runHere  = jobs.RunHere
	seeded   = jobs.Seeded
	soon     = jobs.Soon
)

// namedJob is a function with a name.
type namedJob struct {
	jobs.Func
	name string
}

func (j *namedJob) JobName() string { return j.name }

// named is a job that has a name and may have a function to run.
type named struct {
	name string
	run  func(*jobs.Task)
}

func (j *named) JobName() string { return j.name }

func (j *named) Run(t *jobs.Task) {
	if j.run != nil {
		j.run(t)
	}
}

func exit() { runtime.Goexit() }
