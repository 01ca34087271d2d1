package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/jobs"
)

// Steer reads positions and writes velocities.
type Steer struct{}

// JobName names it in errors, traces and profiles.
func (*Steer) JobName() string { return "steer" }

// Run would do the work.
func (*Steer) Run(*jobs.Task) {}

func ExampleLiveJobs() {
	pool := jobs.New(jobs.Safety(jobs.Panic)) // or with a Watchdog
	defer pool.Close()

	steer := &Steer{}
	window := pool.ScheduleHere(jobs.Func(func(*jobs.Task) {})) // runs when this goroutine waits
	h := pool.Schedule(steer, window)
	live := pool.Live()
	fmt.Println(len(live), live[1].Name, live[1].After[0] == live[0].ID)
	live[1].Site = "" // where it was scheduled
	if err := live[1:].WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	if err := h.Wait(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 steer true
	// job 2 steer: waiting for [1]
}

func ExamplePool_ParallelForLater() {
	pool := jobs.New()
	defer pool.Close()

	var words []string
	var numbers []int
	n := 0
	read := pool.External(context.Background(), func(context.Context) error { // it may block, because it has a separate goroutine
		words = strings.Fields("3 1 4 1 5")
		n = len(words)
		numbers = make([]int, n)
		return nil
	})
	parse := jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) {
		for i := lo; i < hi; i++ {
			numbers[i], _ = strconv.Atoi(words[i])
		}
	})
	err := pool.ParallelForLater(parse, &n, 2, read).Wait() // reads n after the job read is done
	fmt.Println(numbers, err)
	// Output: [3 1 4 1 5] <nil>
}

// If a job ends its goroutine, as a failing test does, only that job fails.
func ExampleExitError() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()

	loop := pool.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, _ int) {
		if lo >= 3 {
			runtime.Goexit() // as t.FailNow does
		}
	}), 8, 1)
	careful := pool.Schedule(jobs.Func(func(t *jobs.Task) {
		fmt.Println(errors.Is(t.Wait(loop), jobs.ErrExited)) // this job continues
	}))
	fmt.Println(careful.Wait())
	var exited *jobs.ExitError
	fmt.Println(errors.As(loop.Err(), &exited), exited.Index)
	// Output:
	// true
	// <nil>
	// true 3
}
