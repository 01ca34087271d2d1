//go:build !race

package access

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		p := jobs.New(jobs.Workers(workers))
		job := &nothing{}
		var tracker Tracker
		var write, read Access
		write.Write.Add(3)
		write.Where.Add(300)
		read.Read.Add(3)
		var buf [8]jobs.Handle
		for name, f := range map[string]func(){
			"writers": func() {
				for range 40 {
					tracker.Add(&write, p.Schedule(job, tracker.Before(&write, buf[:0])...))
				}
				_ = tracker.WaitAll()
			},
			"readers": func() {
				for range 40 {
					tracker.Add(&read, p.Schedule(job, tracker.Before(&read, buf[:0])...))
				}
				_ = tracker.WaitFor(&write)
				_ = tracker.WaitAll()
			},
		} {
			for range 50 {
				f()
			}
			if n := testing.AllocsPerRun(200, f); n != 0 {
				t.Errorf("workers %d: %s allocate %v times a run", workers, name, n)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
