package ecs

import "github.com/lanewise/lanewise/jobs"

// ParallelCommands lets jobs record into a buffer. What they record is played in
// the order of their chunks, or of the keys that they give, so the result is the
// same for any number of workers, before what the buffer recorded itself.
type ParallelCommands struct {
	p     *parallel
	stamp uint32
}

// parallel is the writers of a ParallelCommands, by worker; the first is the
// owner's.
type parallel struct {
	owner    *Commands
	recorder string // the system in whose update it was taken
	stamp    uint32 // counts how often it ended
	order    uint32 // of the jobs before it
	workers  perWorker[writers]
}

// writers are the writers of one worker. It has more than one if a job waits
// inside a chunk, and others run meanwhile, or if queries show it different
// Chunks.
type writers struct {
	list []*Commands
	_    [40]byte // a cache line each
}

// sortKey orders what jobs have recorded: by job, in the order in which they
// were scheduled, then by chunk.
type sortKey struct {
	order uint32
	index int
}

// chain is what a writer has recorded for one chunk: from start to the start of
// the next chain.
type chain struct {
	key   sortKey
	start int
}

// Parallel returns the buffer for jobs. Take it on the world's goroutine and
// keep it in the job; it ends when the buffer is played or Reset. It panics with an *Error in a
// block of a parallel job, as Reset does.
func (c *Commands) Parallel() ParallelCommands {
	if c.world != nil {
		c.mustOwn("Commands.Parallel")
	}
	if c.world != nil && c.restores != c.world.hooks.restores {
		outdate(c)
	}
	if c.spare == len(c.parallel) {
		p := &parallel{owner: c}
		if c.world != nil {
			p.workers.grow(c.world.workers().Workers() + 1)
		}
		c.parallel = append(c.parallel, p)
	}
	p := c.parallel[c.spare]
	c.spare++
	if c.world != nil {
		c.world.jobs.order++
		p.recorder, p.order = c.world.running, c.world.jobs.order
	}
	return ParallelCommands{p, p.stamp}
}

// For returns the writer of a chunk, which records until the job goes on to the
// next chunk. It panics with an *Error if the ParallelCommands is not one of
// Commands.Parallel, or has ended.
func (p ParallelCommands) For(c *Chunk) *Commands {
	const op = "ParallelCommands.For"
	p.check(op)
	c.check(op)
	w := p.p.writer(int(c.worker), c)
	w.begin(sortKey{c.order, c.index})
	return w
}

// ForKey returns the writer for a sort key, in a job that is not over a query: it
// records until ForKey is called in the task again. What is recorded is played in
// the order of the keys, after that of jobs over queries that were scheduled
// before Parallel was called and before that of those scheduled since. A key is
// for one task only, as the first index of its block is, [jobs.Task.Lo]; then the
// result is the same for any number of workers. It panics as For does.
func (p ParallelCommands) ForKey(t *jobs.Task, key int) *Commands {
	p.check("ParallelCommands.ForKey")
	w := p.p.writer(t.Worker(), t)
	w.begin(sortKey{p.p.order, key})
	return w
}

// check panics if nothing can be recorded.
func (p ParallelCommands) check(op string) {
	switch {
	case p.p == nil || p.p.owner.world == nil:
		panic(fault(ErrState, op, "the buffer is the zero ParallelCommands: make it with Commands.Parallel"))
	case p.p.owner.restores != p.p.owner.world.hooks.restores && !p.p.owner.replay:
		panic(p.p.owner.fault(ErrDisposed, op, "the ParallelCommands ended when the world was restored: take another with Commands.Parallel"))
	case p.stamp != p.p.stamp:
		panic(p.p.owner.fault(ErrDisposed, op, "the ParallelCommands ended when the buffer was Reset: take another with Commands.Parallel"))
	}
}

// begin makes what comes next that of a key.
func (c *Commands) begin(k sortKey) {
	if len(c.parts) == 0 || c.key != k {
		c.key = k
		c.parts = append(c.parts, chain{k, len(c.list)})
	}
}

// writer returns the writer of a worker for a Chunk or a Task.
func (p *parallel) writer(worker int, of any) *Commands {
	ws := p.workers.at(worker + 1)
	for _, w := range ws.list {
		if w.of == of {
			return w
		}
	}
	w := &Commands{world: p.owner.world, id: deferred.Add(-1), writing: writing{owner: p.owner, home: p, of: of}}
	ws.list = append(ws.list, w)
	return w
}

func (p *parallel) len() int {
	n := 0
	for ws := range p.workers.all() {
		for _, w := range ws.list {
			n += len(w.list)
		}
	}
	return n
}

func (p *parallel) reset() {
	p.stamp++
	for ws := range p.workers.all() {
		for _, w := range ws.list {
			w.clear()
		}
	}
}
