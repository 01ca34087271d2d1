package jobs

import (
	"context"
	"testing"
)

type nothing struct{}

func (*nothing) Run(*Task)                {}
func (*nothing) RunRange(*Task, int, int) {}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	limit(t)
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, workers := range []int{1, 2, 8} {
		p, other := New(Workers(workers)), New(Workers(workers))
		job, sum, length := &nothing{}, 0, 40
		body := func(lo, hi int) {}
		sc := p.Scope(ctx)
		sc.End()
		handles := make([]Handle, 100)
		leaf := func(lo, hi int) int { return hi - lo }
		join := func(a, b int) int { return a + b }
		parent := Func(func(t *Task) {
			_ = t.Scratch(100)
			t.Schedule(job)
			_ = t.Wait(t.ParallelFor(job, 10, 1))
		})
		for name, f := range map[string]func(){
			"schedule":  func() { p.Schedule(job).Wait() },
			"loop":      func() { p.ParallelFor(job, 64, 1).Wait() },
			"range":     func() { p.Range(1024, 1, body) },
			"reduce":    func() { sum, _ = Reduce(p, 1000, leaf, join) },
			"children":  func() { p.Schedule(parent).Wait() },
			"scheduled": func() { p.Schedule(job, p.Schedule(job), p.ParallelFor(job, 10, 3)).Wait() },
			"scope": func() {
				sc.Begin(ctx)
				for range 100 {
					sc.Schedule(job)
				}
				sc.End()
			},
			"diamond": func() {
				root := p.Schedule(job)
				for i := range handles {
					handles[i] = p.Schedule(job, root)
				}
				Combine(handles...).Wait()
			},
			"priorities": func() {
				WaitAll(p.ScheduleAt(High, job), p.ParallelForAt(Background, job, 64, 1))
			},
			"here": func() {
				if goroutine() != 0 { // else their numbers are read from stacks
					p.Schedule(job, p.ScheduleHere(job)).Wait()
				}
			},
			"another pool": func() {
				h := p.Schedule(job, other.Schedule(job, p.ParallelFor(job, 10, 3)), other.ScheduleAt(Background, job))
				other.Schedule(job, h).Wait()
			},
			"later": func() { p.ParallelForLater(job, &length, 1, p.Schedule(job)).Wait() },
		} {
			for range 50 {
				f()
			}
			if n := testing.AllocsPerRun(200, f); n != 0 {
				t.Errorf("workers %d: %s allocates %v times a run", workers, name, n)
			}
		}
		if sum != 1000 {
			t.Errorf("sum is %d", sum)
		}
		p.Close()
		other.Close()
	}
}
