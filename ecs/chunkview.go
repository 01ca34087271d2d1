package ecs

import (
	"iter"

	"github.com/lanewise/lanewise/ecs/internal/table"
	"github.com/lanewise/lanewise/jobs"
)

// Chunk is a chunk as a query shows it: a run of rows of one archetype, and the
// columns that the query asked for. It is good until the loop or the job goes
// on to the next one, and not after a structural change. One that is kept until the
// loop or the job is over refuses everything: it panics with an *Error of category
// ErrDisposed.
type Chunk struct {
	cursor
	index  int
	worker int32      // that runs the job, or -1 for the owner
	order  uint32     // of the job among all jobs of the world
	task   *jobs.Task // that runs the job; of the owner: once it was asked for
	tasked int        // of the owner's task: the chunk that it is for
	mask   []uint64   // rows that match, as bits; nil: all
	bits   []uint64   // room for the mask
	inner  *Chunk     // of the same worker, for jobs that run while one that is shown c waits
	guardChunk
}

// Len returns the number of rows.
func (c *Chunk) Len() int {
	if c.n < 0 {
		c.stale("Chunk.Len")
	}
	return c.n
}

// Index returns the place of the chunk among all chunks of the archetypes that
// the query matches, those that filters have left out included. It grows along
// a loop, and is the same for any number of workers.
func (c *Chunk) Index() int {
	if c.n < 0 {
		c.stale("Chunk.Index")
	}
	return c.index
}

// Entities returns the ids of the rows. They must not be written.
func (c *Chunk) Entities() []Entity {
	c.check("Chunk.Entities")
	return span{c.rec, c.first, c.n}.ids() // those of a run lie side by side
}

// Task returns the task that does the chunk: its Worker tells chunks apart that are
// done at the same time, its Scratch is memory until the chunk is done, and what a
// job schedules through it are its children. In a loop of the owner it is a task of
// the calling goroutine, see [jobs.Pool.Sit], so that a job does the same in Run as in
// ParallelFor. It is good until the chunk is done, and does not allocate.
func (c *Chunk) Task() *jobs.Task {
	c.check("Chunk.Task")
	if c.worker < 0 {
		c.sit()
	}
	return c.task
}

// sit sees to it that a loop of the owner has a task for the chunk.
func (c *Chunk) sit() {
	if c.task == nil {
		c.task, c.tasked = c.world.workers().Sit(), -1
	}
	if c.tasked != c.index {
		c.task.NextBlock(c.index)
		c.tasked = c.index
	}
}

// rise ends the task of a loop of the owner, if it was asked for.
func (c *Chunk) rise() {
	if c.task != nil {
		c.task.Rise()
		c.task = nil
	}
}

// Archetype returns the archetype of the rows.
func (c *Chunk) Archetype() Archetype {
	c.check("Chunk.Archetype")
	return Archetype{c.rec.arch}
}

// AllMatch reports whether every row matches the query, so that kernels may run over
// whole columns. If not, some rows have components that are off.
func (c *Chunk) AllMatch() bool {
	if c.n < 0 {
		c.stale("Chunk.AllMatch")
	}
	return c.mask == nil
}

// Rows yields the rows that match.
func (c *Chunk) Rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		if c.mask != nil {
			c.maskedRows(yield)
			return
		}
		if c.n < 0 {
			c.stale("Chunk.Rows")
		}
		for i := range c.n {
			if !yield(i) {
				return
			}
		}
	}
}

// Runs yields the longest runs [lo, hi) of rows that match, for kernels on parts
// of columns.
func (c *Chunk) Runs() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if c.mask != nil {
			c.maskedRuns(yield)
			return
		}
		if c.n > 0 {
			yield(0, c.n)
		} else if c.n < 0 {
			c.stale("Chunk.Runs")
		}
	}
}

// HasColumn reports whether the rows have T, for components that the query asks for
// with AnyOf, Optional or not at all.
func HasColumn[T any](c *Chunk) bool {
	c.check("HasColumn")
	return c.rec.arch.find(keyOf[T]()) >= 0
}

// ChangedSince reports whether write access to T in the chunk was given after the
// version since, as World.Version and the end of an update give it; 0 is before
// everything. It is false if the rows have no T.
func ChangedSince[T any](c *Chunk, since uint32) bool {
	c.check("ChangedSince")
	i := c.rec.arch.find(keyOf[T]())
	if i < 0 {
		return false
	}
	for _, l := range c.more {
		if changedSince(l.rec.changedAt(i), since) {
			return true
		}
	}
	return changedSince(c.rec.changedAt(i), since)
}

// OrderChangedSince reports whether rows of the chunk came or went since the given
// version.
func (c *Chunk) OrderChangedSince(since uint32) bool {
	c.check("Chunk.OrderChangedSince")
	for _, l := range c.more {
		if changedSince(l.rec.order, since) {
			return true
		}
	}
	return changedSince(c.rec.order, since)
}

// end makes c one that is shown no more. What it had stays in it, to be filled again.
func (c *Chunk) end() {
	c.world, c.binds, c.mask, c.task, c.more, c.n = nil, nil, nil, nil, nil, -1
}

// show makes c show rows of an archetype that the query matches.
func (c *Chunk) show(m *match, s span, index int) {
	c.binds = m.binds
	c.point(s, index)
}

// point makes c show other rows of the same archetype.
func (c *Chunk) point(s span, index int) {
	c.rec, c.base, c.versions = s.rec, s.rec.Base, s.rec.versions
	c.first, c.n, c.index = s.first, s.n, index
}

// forget lets go of what c has shown, unless it is being shown.
func (c *Chunk) forget() {
	if c.n < 0 {
		clear(c.views)
		c.rec, c.base, c.versions = nil, table.Base{}, nil
	}
}
