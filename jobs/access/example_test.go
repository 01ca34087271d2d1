package access_test

import (
	"fmt"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

func ExampleTracker() {
	pool := jobs.New()
	defer pool.Close()

	const position, velocity, health = 0, 1, 2
	var tracker access.Tracker
	schedule := func(name string, reads, writes int) {
		var touches access.Access
		touches.Read.Add(reads)
		touches.Write.Add(writes)
		before := tracker.Before(&touches, nil)
		fmt.Println(name, "waits for", len(before))
		tracker.Add(&touches, pool.Schedule(jobs.Func(func(*jobs.Task) {
			// touch the data
		}), before...))
	}
	schedule("steer", position, velocity)
	schedule("heal", position, health) // both only read position, so they run at the same time
	if err := tracker.WaitAll(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// steer waits for 0
	// heal waits for 0
}

// Steer reads positions and writes velocities.
type Steer struct{}

// JobName returns the name for errors, traces and profiles.
func (*Steer) JobName() string { return "steer" }

// Run would do the work.
func (*Steer) Run(*jobs.Task) {}

func ExampleTracker_AddOrdered() {
	pool := jobs.New()
	defer pool.Close()

	var tracker access.Tracker
	var touches access.Access
	touches.Read.Add(0)
	touches.Write.Add(1)
	window := pool.ScheduleHere(jobs.Func(func(*jobs.Task) {})) // runs when this goroutine waits
	first := pool.Schedule(&Steer{}, window)
	second := pool.Schedule(&Steer{}, window) // it does not wait for the first
	fmt.Println(tracker.AddOrdered(&touches, first))
	fmt.Println(tracker.AddOrdered(&touches, second))
	if err := tracker.WaitAll(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// access: Tracker.AddOrdered: steer and steer both touch component 1 and nothing orders them: schedule one after the other
}

// A set of numbers says which data a job touches. Numbers up to 255 need no memory.
func ExampleSet() {
	var reads, writes access.Set
	reads.Add(3)
	reads.Add(70)
	writes.Add(70)
	fmt.Println(reads.Meets(&writes), reads.Covers(&writes), writes.Covers(&reads), reads.Len())
	for i := range reads.All() {
		fmt.Print(i, " ")
	}
	fmt.Println()
	// Output:
	// true true false 2
	// 3 70
}
