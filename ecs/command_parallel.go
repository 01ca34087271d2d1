package ecs

import "github.com/lanewise/lanewise/jobs"

// ParallelCommands lets parallel jobs record into a Commands buffer, like the ParallelWriter of
// Unity's EntityCommandBuffer. Playback plays the commands in the order of the chunks for which
// they were recorded, or in the order of the sort keys that the job passes. So the result does not
// depend on the number of workers. Playback plays them before the commands that the buffer recorded
// itself.
type ParallelCommands struct {
	writerSet  *writerSet
	resetEpoch uint32
}

// writerSet holds the writers of a ParallelCommands, indexed by worker. The first writer belongs to
// the owner.
type writerSet struct {
	buffer         *Commands
	recorderSystem string // the system during whose update Parallel was called
	resetEpoch     uint32 // counts how often the writers were reset, so that an old ParallelCommands is refused
	jobOrder       uint32 // number of jobs that were scheduled before
	workers        perWorker[workerWriters]
}

// workerWriters holds the writers of one worker. A worker needs several writers in two cases. While
// a job waits inside a chunk, the worker may run another job. And several queries may show the
// worker different Chunks.
type workerWriters struct {
	buffers []*Commands
	_       [40]byte // fills a cache line, so that two workers never write the same one
}

// sortKey determines the order of recorded commands at playback: first by job, in the order in
// which the jobs were scheduled, then by chunk.
type sortKey struct {
	jobOrder uint32
	index    int
}

// commandChain is the sequence of commands that a writer has recorded for one chunk. It ends where
// the next chain starts.
type commandChain struct {
	key   sortKey
	start int
}

// Parallel returns a ParallelCommands, with which parallel jobs record in the buffer. Call Parallel
// on the world's goroutine before the job is scheduled, and store the result in the job. The result
// is valid until the buffer is played or Reset. Parallel panics with an *Error in a block of a
// parallel job, as Reset does. It does not allocate in the steady state.
func (c *Commands) Parallel() ParallelCommands {
	if c.world != nil {
		c.mustBeOwner("Commands.Parallel")
	}
	if c.world != nil && c.restoreCount != c.world.hooks.restoreCount {
		dropOutdated(c)
	}
	if c.writerSetsUsed == len(c.writerSets) {
		p := &writerSet{buffer: c}
		if c.world != nil {
			growWorkers(&p.workers, c.world.gate.workerPool().Workers()+1)
		}
		c.writerSets = append(c.writerSets, p)
	}
	p := c.writerSets[c.writerSetsUsed]
	c.writerSetsUsed++
	if c.world != nil {
		c.world.gate.jobs.jobCount++
		p.recorderSystem, p.jobOrder = c.world.gate.runningSystem, c.world.gate.jobs.jobCount
	}
	return ParallelCommands{p, p.resetEpoch}
}

// For returns the Commands that records commands for chunk c. The job may use it until it
// continues with the next chunk. Only the calling goroutine may use the result. For does not
// allocate in the steady state. If Commands.Parallel has not created p, or if p is no longer
// valid, For panics with an *Error.
func (p ParallelCommands) For(c *Chunk) *Commands {
	const op = "ParallelCommands.For"
	p.mustBeUsable(op)
	c.mustBeShown(op)
	w := p.writerSet.writerFor(int(c.worker), c)
	w.beginChain(sortKey{c.jobOrder, c.index})
	return w
}

// ForKey returns the Commands that records commands with the given sort key. The job may use it
// until the same task calls ForKey again. ForKey is for jobs that do not process the chunks of a
// query. The commands are played in the order of the keys. The commands come after the commands of
// query jobs that were scheduled before Parallel was called, and before the commands of jobs that
// were scheduled later. Two tasks must not use the same key. For example, use the first index of
// the block, [jobs.Task.Lo]. Then the result does not depend on the number of workers. ForKey
// panics as For does.
func (p ParallelCommands) ForKey(t *jobs.Task, key int) *Commands {
	p.mustBeUsable("ParallelCommands.ForKey")
	w := p.writerSet.writerFor(t.Worker(), t)
	w.beginChain(sortKey{p.writerSet.jobOrder, key})
	return w
}

// mustBeUsable panics if p cannot record commands now.
func (p ParallelCommands) mustBeUsable(op string) {
	switch {
	case p.writerSet == nil || p.writerSet.buffer.world == nil:
		panic(fault(ErrState, op, "the buffer is the zero ParallelCommands: make it with Commands.Parallel"))
	case p.writerSet.buffer.restoreCount != p.writerSet.buffer.world.hooks.restoreCount && !p.writerSet.buffer.multiPlayback:
		panic(p.writerSet.buffer.fault(ErrDisposed, op, "the ParallelCommands ended when the world was restored: take another with Commands.Parallel"))
	case p.resetEpoch != p.writerSet.resetEpoch:
		panic(p.writerSet.buffer.fault(ErrDisposed, op, "the ParallelCommands ended when the buffer was Reset: take another with Commands.Parallel"))
	}
}

// beginChain sets the sort key of the next commands.
func (c *Commands) beginChain(k sortKey) {
	if len(c.recordedChains) == 0 || c.chainKey != k {
		c.chainKey = k
		c.recordedChains = append(c.recordedChains, commandChain{k, len(c.commands)})
	}
}

// writerFor returns the writer of a worker for a Chunk or a Task, and creates it if necessary.
func (p *writerSet) writerFor(worker int, of any) *Commands {
	ws := workerAt(&p.workers, worker+1)
	for _, w := range ws.buffers {
		if w.recordsFor == of {
			return w
		}
	}
	w := &Commands{world: p.buffer.world, bufferID: lastBufferID.Add(-1), writerState: writerState{buffer: p.buffer, writerSet: p, recordsFor: of}}
	ws.buffers = append(ws.buffers, w)
	return w
}

func (p *writerSet) len() int {
	n := 0
	for ws := range allWorkers(&p.workers) {
		for _, w := range ws.buffers {
			n += len(w.commands)
		}
	}
	return n
}

func (p *writerSet) reset() {
	p.resetEpoch++
	for ws := range allWorkers(&p.workers) {
		for _, w := range ws.buffers {
			w.clear()
		}
	}
}
