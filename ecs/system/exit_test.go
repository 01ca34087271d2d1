package system

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

type leavingJob struct{}

func (leavingJob) Chunk(c *ecs.Chunk) {
	if c.Index() >= 1 {
		runtime.Goexit()
	}
}

// leaving schedules a job that ends its goroutine, one behind it and one that waits
// for it.
type leaving struct {
	q    *ecs.Query
	told error
}

func (s *leaving) Create(u *Setup) error { s.q = u.Query(ecs.Write[alpha]()); return nil }
func (s *leaving) Update(f *Frame) error {
	bad := f.ParallelFor(s.q, leavingJob{})
	f.Schedule(jobs.Func(func(t *jobs.Task) { s.told = t.Wait(bad) }), new(access.Access))
	f.ParallelFor(s.q, leavingJob{})
	return nil
}

// TestGoexitInAJob: a job that ends its goroutine, as a test that fails in it does, is an
// error of the frame, told once, with system and chunk. Jobs that wait for it and other
// systems go on, for any number of workers.
func TestGoexitInAJob(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[leaving](), Of[stepper]()), OnPool(pool))
		spawnAlphas(w, 10_000)
		for frame := range 3 {
			returned := false
			alone(func() {
				err := Update(w)
				returned = true
				var exited *jobs.ExitError
				if !errors.As(err, &exited) || exited.Index != 1 || !strings.Contains(exited.Job, "leaving") {
					t.Errorf("frame %d: %v", frame, err)
				} else if n := strings.Count(err.Error(), "Goexit"); n != 1 {
					t.Errorf("frame %d: it is told %d times: %v", frame, n, err)
				}
			})
			if !returned {
				t.Errorf("frame %d: the update has not returned", frame)
			}
			if told := Find[leaving](w).told; !errors.Is(told, jobs.ErrExited) {
				t.Errorf("frame %d: the job that waited was told %v", frame, told)
			}
		}
		if len(Find[stepper](w).seen) != 3 {
			t.Error("the other system did not run")
		}
	})
}
