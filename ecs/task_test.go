package ecs

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// checkTask checks that a chunk's task gives scratch memory, and a worker index that no other
// running chunk has.
func checkTask(t *testing.T, c *Chunk, busy []atomic.Int32) {
	task := c.Task()
	if task == nil || task != c.Task() || task.Lo() != c.Index() || task.Cancelled() {
		t.Errorf("chunk %d: task %p, then %p, from %d", c.Index(), task, c.Task(), task.Lo())
		return
	}
	if at := &busy[task.Worker()]; at.Add(1) != 1 {
		t.Errorf("worker %d does two chunks at a time", task.Worker())
	} else {
		defer at.Add(-1)
	}
	first, second := task.Scratch(100), task.Scratch(5000)
	fill(first, byte(c.Index()))
	fill(second, byte(c.Index()+1))
	if bytes.IndexByte(first, byte(c.Index()+1)) >= 0 || bytes.IndexByte(second, byte(c.Index())) >= 0 {
		t.Errorf("chunk %d: two pieces of scratch are one", c.Index())
	}
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// A chunk must have a task in jobs, in loops of the owner, and in loops over newly created rows. The
// chunks are of several archetypes.
func TestChunkTask(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			w := newWorld(t, workers)
			busy := make([]atomic.Int32, workers+2)
			rows := 0
			for c := range w.Create(w.Archetype(With[A]()), 5000).Chunks() {
				checkTask(t, c, busy)
				rows += c.Len()
			}
			for c := range w.CreateChunks(w.Archetype(With[A](), With[B]()), 1).Chunks() {
				checkTask(t, c, busy)
				rows += c.Len()
			}
			q := w.Query(Read[A]())
			if n := q.ChunkCount(); n < 3 || rows != 5001 {
				t.Fatalf("%d chunks, %d rows", n, rows)
			}
			var chunks atomic.Int32
			job := chunkFunc(func(c *Chunk) { chunks.Add(1); checkTask(t, c, busy) })
			must(t, q.Run(job))
			for c := range q.Chunks() {
				job(c)
			}
			must(t, q.ParallelFor(job).Wait())
			must(t, w.Sync())
			one := w.Query(Read[B]())
			must(t, one.ParallelFor(job).Wait()) // over a single chunk
			if want := int32(3*q.ChunkCount() + 1); chunks.Load() != want {
				t.Errorf("%d chunks were done, want %d", chunks.Load(), want)
			}
		})
	}
}

// Nested loops must have separate scratch memory. After each chunk, its scratch memory is free for
// the next chunk.
func TestChunkTaskNested(t *testing.T) {
	w := newWorld(t, 2)
	must(t, w.CreateInto(w.Archetype(With[A]()), make([]Entity, 9000)))
	q := w.Query(Read[A]())
	var kept *Chunk
	for c := range q.Chunks() {
		kept = c
		outer := c.Task().Scratch(64)
		fill(outer, 1)
		for inner := range q.Chunks() {
			fill(inner.Task().Scratch(64), 2)
		}
		if bytes.IndexByte(outer, 2) >= 0 {
			t.Fatal("the inner loop has the outer one's scratch")
		}
	}
	wantPanic(t, ErrDisposed, func() { kept.Task() })
	before := &make([]byte, 1)[0]
	again := 0
	for c := range q.Chunks() {
		b := c.Task().Scratch(64)
		if &b[0] == before {
			again++
		}
		before = &b[0]
	}
	if again == 0 {
		t.Error("no chunk has the scratch that the one before has given back")
	}
	func() { // a body that panics gives its worker context back
		defer func() { _ = recover() }()
		for c := range q.Chunks() {
			c.Task()
			panic("body")
		}
	}()
	if worker := w.Pool().Sit(); worker.Worker() != 0 {
		t.Errorf("worker %d: a seat was not given back", worker.Worker())
	} else {
		worker.Rise()
	}
}

// Jobs that are scheduled through the task of a job's chunk are children of the job. In a loop of the
// owner, they are ordinary jobs.
func TestChunkTaskSchedules(t *testing.T) {
	w := newWorld(t, 2)
	must(t, w.CreateInto(w.Archetype(With[A]()), make([]Entity, 5000)))
	q := w.Query(Read[A]())
	var ran atomic.Int32
	child := jobs.Func(func(*jobs.Task) { ran.Add(1) })
	block := jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { ran.Add(int32(hi - lo)) })
	job := chunkFunc(func(c *Chunk) {
		task := c.Task()
		h := task.Schedule(child)
		if err := task.Wait(task.ParallelFor(block, 10, 3, h)); err != nil {
			t.Error(err)
		}
	})
	must(t, q.ParallelFor(job).Wait())
	must(t, q.Run(job))
	must(t, w.Sync())
	if want := int32(2 * 11 * q.ChunkCount()); ran.Load() != want {
		t.Errorf("%d, want %d", ran.Load(), want)
	}
}
