package access

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// runPools runs a test with several numbers of workers.
func runPools(t *testing.T, test func(t *testing.T, p *jobs.Pool)) {
	t.Helper()
	for _, workers := range []int{1, 2, 3, 8, 64} {
		t.Run("workers="+strconv.Itoa(workers), func(t *testing.T) {
			p := jobs.New(jobs.Workers(workers))
			test(t, p)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

type nothing struct{}

func (*nothing) Run(*jobs.Task) {}

type namedJob struct {
	jobs.Func
	name string
}

func (j *namedJob) JobName() string { return j.name }

// newHeldJob returns a job that runs until release is called.
func newHeldJob() (job jobs.Func, release func()) {
	gate := make(chan struct{})
	return func(*jobs.Task) { <-gate }, func() { close(gate) }
}

func access(read, write, where []int) *Access {
	a := new(Access)
	for _, id := range read {
		a.Read.Add(id)
	}
	for _, id := range write {
		a.Write.Add(id)
	}
	for _, id := range where {
		a.Where.Add(id)
	}
	return a
}

// dagJob is a job of a random graph. It checks that all jobs on which it depends are done.
type dagJob struct {
	t      *testing.T
	id     int
	before []*dagJob
	ran    atomic.Int32
}

func (j *dagJob) Run(*jobs.Task) {
	for _, b := range j.before {
		if b.ran.Load() != 1 {
			j.t.Errorf("job %d ran before job %d was done", j.id, b.id)
		}
	}
	j.ran.Add(1)
}
