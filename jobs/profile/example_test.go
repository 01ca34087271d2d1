package profile_test

import (
	"fmt"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Steer reads positions and writes velocities.
type Steer struct{}

// JobName returns the name for errors, traces and profiles.
func (*Steer) JobName() string { return "steer" }

// Run would do the work.
func (*Steer) Run(*jobs.Task) {}

func ExampleRecorder() {
	pool := jobs.New()
	defer pool.Close()

	pool.Profile().Record(10_000) // keeps the last events of each worker
	if err := pool.Schedule(&Steer{}).Wait(); err != nil {
		fmt.Println(err)
	}
	for _, event := range pool.Profile().AppendEvents(nil, 0) {
		if event.Name != "" { // an event without a name is a sleep
			fmt.Println(event.Name, event.End > event.Start)
		}
	}
	// Output: steer true
}

// A tool that draws the work of workers reads the times of their events.
func ExampleEvent() {
	pool := jobs.New(jobs.Workers(1))
	pool.Profile().Record(100)
	before := profile.Clock()
	done := pool.Schedule(&Steer{}).Wait()
	after := profile.Clock()
	var events []profile.Event
	for _, e := range pool.Profile().AppendEvents(events, before) {
		if e.Name == "steer" {
			fmt.Println(before <= e.Start, e.Start <= e.End, e.End <= after, e.Blocks)
		}
	}
	fmt.Println(done, jobs.Closed(pool))
	pool.Close()
	fmt.Println(jobs.Closed(pool)) // scheduling on it would panic
	// Output:
	// true true true 0
	// <nil> false
	// true
}

// A Source lets tools show work that does not run in package jobs.
func ExampleSource() {
	var source profile.Source
	source.Init(1)
	source.Recorder().Record(10)
	worker := source.NewWorker(0, true) // a profile.Worker
	piece := worker.Begin(nil)          // a profile.Piece, without a meter
	piece.End("work", 0)
	for _, e := range source.Recorder().AppendEvents(nil, 0) {
		fmt.Println(e.Name, e.Worker, e.Caller)
	}
	// Output: work 0 true
}
