package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/lanewise/lanewise/jobs"
)

func ExamplePool_Range() {
	pool := jobs.New()
	defer pool.Close()

	roots := make([]float64, 1_000_000)
	err := pool.Range(len(roots), 4096, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			roots[i] = math.Sqrt(float64(i))
		}
	})
	fmt.Println(roots[144], err)
	// Output: 12 <nil>
}

func ExampleReduce() {
	pool := jobs.New()
	defer pool.Close()

	sum, err := jobs.Reduce(pool, 1_000_000,
		func(lo, hi int) (part float64) {
			for i := lo; i < hi; i++ {
				part += 1 / float64(i+1)
			}
			return part
		},
		func(a, b float64) float64 { return a + b })
	fmt.Println(sum, err) // the same bits with 1 and with 64 workers
	// Output: 14.392726722865715 <nil>
}

// Blur blurs an image horizontally: it reads the rows of one image and writes
// those of another.
type Blur struct {
	from, to []float32
	width    int
}

// RunRange blurs the rows [lo, hi).
func (b *Blur) RunRange(_ *jobs.Task, lo, hi int) {
	for y := lo; y < hi; y++ {
		from, to := b.from[y*b.width:(y+1)*b.width], b.to[y*b.width:(y+1)*b.width]
		for x := range to {
			left, right := from[max(x-1, 0)], from[min(x+1, b.width-1)]
			to[x] = (left + 2*from[x] + right) / 4
		}
	}
}

func ExamplePool_ParallelFor() {
	pool := jobs.New()
	defer pool.Close()

	const width, height = 640, 480
	a, b := make([]float32, width*height), make([]float32, width*height)
	a[100*width+100] = 16

	there, back := &Blur{a, b, width}, &Blur{b, a, width}
	first := pool.ParallelFor(there, height, 8)
	second := pool.ParallelFor(back, height, 8, first) // after the first
	if err := second.Wait(); err != nil {              // this goroutine works too
		fmt.Println(err)
	}
	fmt.Println(a[100*width+98 : 100*width+103])
	// Output: [1 4 6 4 1]
}

func ExampleScope() {
	pool := jobs.New()
	defer pool.Close()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	frame := pool.Scope(ctx)
	for i := range 3 {
		if i > 0 {
			frame.Begin(ctx)
		}
		update := frame.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) {
			// move the particles [lo, hi)
		}), 10_000, 0)
		frame.Schedule(jobs.Func(func(*jobs.Task) {
			if i == 1 {
				cancel() // jobs that have not begun will not run
			}
		}), update)
		fmt.Println(i, frame.End())
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 2 context canceled
}

func ExamplePool_Sit() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()

	histogram := func(t *jobs.Task, words []string) (longest int) {
		count := t.Scratch(16)
		clear(count)
		for _, w := range words {
			if n := len(w); n < len(count) {
				count[n]++
				longest = max(longest, n)
			}
		}
		return longest
	}
	t := pool.Sit() // lets this goroutine call functions that need a Task
	fmt.Println(t.Worker(), histogram(t, strings.Fields("a task for a goroutine without one")))
	t.NextBlock(1) // the scratch is free again
	fmt.Println(t.Lo(), histogram(t, nil))
	t.Rise()
	// Output:
	// 0 9
	// 1 0
}

func ExampleTask_Cancelled() {
	pool := jobs.New()
	defer pool.Close()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps := pool.Scope(ctx)
	h := steps.ParallelFor(jobs.RangeFunc(func(t *jobs.Task, lo, hi int) {
		if t.Cancelled() {
			return // only the body can stop a loop that has begun
		}
		cancel() // in the first block that runs
	}), 1000, 1)
	fmt.Println(h.Wait(), ctx.Err()) // the loop returned no error: ask the context too
	late := steps.Schedule(jobs.Func(func(*jobs.Task) { fmt.Println("never") }))
	fmt.Println(late.Wait(), steps.End())
	// Output:
	// <nil> context canceled
	// context canceled context canceled
}

func ExamplePanicError() {
	pool := jobs.New(jobs.Workers(4))
	defer pool.Close()

	weights := []float64{1, 2, 0, 4, 5, 0, 7, 8}
	err := pool.Range(len(weights), 1, func(lo, _ int) {
		if weights[lo] == 0 {
			panic("no weight")
		}
	})
	var failed *jobs.PanicError
	fmt.Println(errors.As(err, &failed), failed.Index, failed.Value) // always the lowest index
	// Output: true 2 no weight
}

// Tree sums a binary tree. Each node is a job, and a child of its parent's job.
type Tree struct {
	Value       int
	Left, Right *Tree
	sum         int
}

// Run schedules both branches, waits for them and adds their sums.
func (n *Tree) Run(t *jobs.Task) {
	n.sum = n.Value
	var branches [2]jobs.Handle
	for i, branch := range []*Tree{n.Left, n.Right} {
		if branch != nil {
			branches[i] = t.Schedule(branch)
		}
	}
	for i, branch := range []*Tree{n.Left, n.Right} {
		if branch != nil && t.Wait(branches[i]) == nil {
			n.sum += branch.sum
		}
	}
}

func ExampleTask_Schedule() {
	pool := jobs.New()
	defer pool.Close()

	root := &Tree{Value: 1, Left: &Tree{Value: 2, Left: &Tree{Value: 3}}, Right: &Tree{Value: 4}}
	err := pool.Schedule(root).Wait()
	fmt.Println(root.sum, err)
	// Output: 10 <nil>
}
