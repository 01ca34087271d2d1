package jobs_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// Count is a job that increments a counter. No other code may use its fields until it is done.
type Count struct{ n int }

// Run increments the counter once.
func (c *Count) Run(*jobs.Task) { c.n++ }

// JobName returns the name for errors and traces, so Count is a jobs.Named.
func (*Count) JobName() string { return "count" }

var (
	_ jobs.Job      = (*Count)(nil)
	_ jobs.Named    = (*Count)(nil)
	_ jobs.RangeJob = (*Blur)(nil)
)

// A priority says how early idle workers take a job. The order of jobs depends only on their
// dependencies.
func ExamplePool_ScheduleAt() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()

	const first, late jobs.Priority = jobs.High, jobs.Background
	count, sum := &Count{}, 0
	urgent := pool.ScheduleAt(first, count)
	loop := pool.ParallelForAt(late, jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { sum += hi - lo }), 10, 10, urgent)
	last := pool.ScheduleAt(late, count, loop)
	fmt.Println(last.Wait(), count.n, sum)
	// Output: <nil> 2 10
}

// Tests run at level Panic and programs at level Check. Level Off is for measurements.
func ExampleSafety() {
	for _, level := range []jobs.Level{jobs.Check, jobs.Off, jobs.Panic} {
		pool := jobs.New(jobs.Workers(1), jobs.Safety(level))
		count := &Count{}
		fmt.Println(pool.Schedule(count).Wait(), count.n)
		pool.Close()
	}
	// Output:
	// <nil> 1
	// <nil> 1
	// <nil> 1
}

// Data that belongs to one goroutine, or to the job that the goroutine runs, can store its owner as a
// Caller. The number of a goroutine is 0 in builds that cannot read it.
func ExampleCaller() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	owner := pool.Caller()
	fmt.Println("I am the owner:", owner == pool.Caller())
	_ = pool.Schedule(jobs.Func(func(t *jobs.Task) {
		fmt.Println("so is my job:", owner == pool.Caller(), pool.Caller().Task() == t)
	})).Wait()

	other, goroutine := make(chan jobs.Caller), make(chan uintptr)
	go func() { other <- pool.Caller(); goroutine <- jobs.Goroutine() }()
	fmt.Println("it is:", owner == <-other)
	mine, its := jobs.Goroutine(), <-goroutine
	fmt.Println("told apart:", mine != its || mine == 0)
	// Output:
	// I am the owner: true
	// so is my job: false true
	// it is: false
	// told apart: true
}

// A pool with a watchdog lists its jobs, and for each of them the jobs for which it waits.
func ExampleLiveJob() {
	pool := jobs.New(jobs.Workers(1), jobs.Watchdog(time.Minute, func(stuck jobs.LiveJobs) { log.Println(stuck) }))
	defer pool.Close()
	letter := make(chan string, 1)
	post := pool.External(context.Background(), func(context.Context) error { <-letter; return nil })
	read := pool.Schedule(&Count{}, post)
	for _, j := range pool.Live() { // each is a jobs.LiveJob
		if j.Name == "count" {
			fmt.Println(j.Name, j.Running, len(j.After))
		}
	}
	letter <- "hello"
	fmt.Println(read.Wait())
	// Output:
	// count false 1
	// <nil>
}

// A waiting goroutine runs each job that it needs, including jobs of other pools.
func ExampleHandle_Wait_severalPools() {
	reading, drawing := jobs.New(jobs.Workers(1)), jobs.New(jobs.Workers(4))
	sky := reading.Schedule(jobs.Func(func(*jobs.Task) { fmt.Println("the sky is read") }))
	picture := drawing.Schedule(jobs.Func(func(*jobs.Task) { fmt.Println("the picture is drawn") }), sky)
	fmt.Println(picture.Wait()) // this goroutine runs the job of the other pool, which has no worker goroutine
	fmt.Println(drawing.Close(), reading.Close())
	// Output:
	// the sky is read
	// the picture is drawn
	// <nil>
	// <nil> <nil>
}
