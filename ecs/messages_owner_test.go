package ecs

import (
	"errors"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// misuseOwners calls operations of the owner when they are refused.
func (c *collector) misuseOwners() {
	w := newWorld(c.t, 1)
	var a access.Access
	must(c.t, w.Scheduler().AddAccess(&a, Write[A]()))
	gate := make(chan struct{})
	held := w.Pool().Schedule(jobs.Func(func(*jobs.Task) { <-gate }))
	for range 2 {
		if err := w.Scheduler().TrackOrdered(&a, w.Pool().Schedule(jobs.Func(func(*jobs.Task) {}), held)); err != nil {
			c.err(err)
		}
	}
	close(gate)
	must(c.t, w.Sync())

	outer := w.Scheduler().BeginUpdate("demo.Move")
	runApart(func() {
		c.collectPanic(func() { w.Spawn() })
		c.err(w.Close())
	})
	w.Scheduler().EndUpdate(outer)
	c.err(w.gate.concurrentUseError("Spawn")) // TestCrowded and TestTwoGoroutines lead to it

	meddle.in, meddle.f = "Hash", func() { c.collectPanic(func() { w.Spawn() }) }
	w.Spawn(meddler{N: 1})
	meddle.f = nil

	w.Scheduler().Before(&a, nil)
	var untracked *Error
	if errors.As(w.Close(), &untracked) {
		c.err(untracked)
	}
}
