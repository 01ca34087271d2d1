package jobs

import (
	"reflect"
	"sync"
	"sync/atomic"
	"weak"
)

// Caller identifies where a call comes from: a goroutine and, if the goroutine runs a job, the body
// of that job. A type that belongs to one caller for a while, such as a world, stores the Caller to
// recognize it. Two Callers are equal if they are the same goroutine in the same body, or the same
// goroutine outside of all jobs.
//
// The body of a Caller is the innermost body on the goroutine's stack, no matter which pool it
// belongs to. For example, a goroutine that waits may run a job of another pool. That job is a
// different caller from the job that waits, as if it ran on another worker. The zero Caller does
// not equal the Caller of any call.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Task returns the task of the innermost body of any pool, or nil if the call comes from outside of
// all jobs. Until the body returns, the task belongs to no other body. After that, it may be
// reused. If a Pool.Range has only a single block, that block has no task of its own.
func (c Caller) Task() *Task { return c.task }

// TaskOf is like Task, but returns nil if the innermost body belongs to a job of another pool than
// p.
func (c Caller) TaskOf(p *Pool) *Task {
	if c.task == nil || c.task.ctx.pool != p {
		return nil
	}
	return c.task
}

// RootJob returns the job of the body, which is a [Job] or a [RangeJob]. For a child job, it
// returns the ancestor that was scheduled outside of all jobs. RootJob returns nil if the call
// comes from outside of all bodies. It also returns nil in a task of Pool.Sit. Error messages can
// use the result: for example, a library that refuses a call in a job can say which of its jobs
// made the call.
func (c Caller) RootJob() any {
	if c.task == nil || c.task.node == nil {
		return nil
	}
	node := c.task.node
	for node.parent != nil {
		node = node.parent // it is not done before its children are
	}
	if node.shape == shapeLoop {
		return node.loopJob
	}
	return node.single
}

// innermost returns the task of the innermost body that goroutine g, the caller, runs in any pool.
// It returns nil if g runs no body. The caller has already looked up top, which is the task of g in
// pool p; p may be nil.
func innermost(g uintptr, p *Pool, top *Task) *Task {
	list := livePools.list.Load()
	if list == nil {
		return top
	}
	for i := range *list {
		k := &(*list)[i]
		if p != nil && k.weak == p.self {
			continue
		}
		if t := k.get().innermostTask(g); t != nil && (top == nil || t.height > top.height) {
			top = t
		}
	}
	return top
}

// raiseHeight raises the height of this context's stack to that of the innermost body that
// goroutine g runs in any pool. Goroutine g is the caller, and is about to run bodies in this
// context. These bodies must be higher than the bodies of other pools below them on the stack of g.
func (wc *workerContext) raiseHeight(g uintptr) {
	if t := innermost(g, wc.pool, wc.stack.topTask()); t != nil {
		wc.stack.height = max(wc.stack.height, t.height)
	}
}

// blockRunners is the number of loops in use, plus the number of contexts that run blocks alone or
// run children of blocks. While it is 0, no pool runs a block. The counter is raised before the
// first such block runs and lowered after the last. A block that reads the counter therefore finds
// more than 0; other readers may see an old value.
var blockRunners struct {
	_ [128]byte
	atomic.Int64
	_ [120]byte
}

// CallerBlock returns a number that identifies the block of a parallel-for from which the call
// comes. If the calling job is a child or a descendant of a block, the result is the number of that
// block. The result differs from the numbers of all other blocks, of any pool, that exist at the
// same time. The upper half of the number is equal for all blocks of one loop. CallerBlock returns
// 0 if the call does not belong to a block. If a block waits for the calling job without being its
// ancestor, the job does not belong to that block.
//
// CallerBlock takes less than a nanosecond while no pool runs a block, even in builds without
// assembly. While a pool runs blocks, it takes as long as Pool.Caller.
func CallerBlock() uint64 {
	if blockRunners.Load() == 0 { // a block sees the addition that was made for it
		return 0
	}
	return callerBlock()
}

// callerBlock is the slow path of CallerBlock, for the time in which some pool runs blocks.
func callerBlock() uint64 {
	t := (*Pool)(nil).Caller().Task()
	if t == nil {
		return 0
	}
	block := t.block
	for node := t.node; node != nil; node = node.parent {
		if node.shape == shapeLoop {
			loop := (uint64(reflect.ValueOf(node).Pointer()) ^ uint64(generation(node.word.Load()))<<40) * 0x9e3779b97f4a7c15
			return loop>>32<<32 | 1<<63 | block
		}
		if !node.hasOptionalFields {
			return 0
		}
		block = node.childOrder >> 24
	}
	return 0
}

// noteBlocks records that this context is about to run blocks alone, or to run a job that may be
// the child of a block. The record stays until the context has nothing to run. Because the record
// stays, a context that runs short loops one after the other changes the shared counter only once.
func (wc *workerContext) noteBlocks() {
	if !wc.stack.blocksRunCounted {
		wc.stack.blocksRunCounted = true
		blockRunners.Add(1)
	}
}

// clearBlocks takes back the record of noteBlocks. The holder runs nothing.
func (wc *workerContext) clearBlocks() {
	if wc.stack.blocksRunCounted {
		wc.stack.blocksRunCounted = false
		blockRunners.Add(-1)
	}
}

// topTask returns the innermost task of the goroutine that holds the context, which is the calling
// goroutine.
func (ts *taskStack) topTask() *Task {
	if ts.depth == 0 {
		return nil
	}
	return ts.tasks[ts.depth-1]
}

// innermostTask returns the task that goroutine g, the caller, runs in p, or nil if there is none.
func (p *Pool) innermostTask(g uintptr) *Task {
	if p == nil {
		return nil
	}
	wc := p.contextOf(g)
	if wc == nil {
		return nil
	}
	return wc.stack.topTask()
}

// contextOf returns the context that a goroutine holds, or nil if it holds none.
func (p *Pool) contextOf(g uintptr) *workerContext {
	if wc := p.registry.findWorker(g); wc != nil {
		return wc
	}
	return p.callerContextOf(g)
}

// callerContextOf returns the context that a goroutine from outside of the pool holds, or nil if it
// holds none.
func (p *Pool) callerContextOf(g uintptr) *workerContext {
	if p.firstContext.queue.holder.Load() == g {
		return p.firstContext
	}
	for _, wc := range (*p.contexts.Load())[p.workers:] {
		if wc.queue.holder.Load() == g {
			return wc
		}
	}
	return nil
}

// requireOpen panics if the pool accepts no jobs.
func (p *Pool) requireOpen(fn string) {
	if !p.accepting.Load() {
		p.panicClosed(fn)
	}
}

// panicClosed panics unless the calling goroutine runs a job of the pool. After Close, a waiting
// goroutine may still run such a job, and the job completes as if the pool were still open.
func (p *Pool) panicClosed(fn string) {
	p.requireMade(fn)
	if p.innermostTask(goroutineID()) == nil {
		panic("jobs: " + fn + ": the pool is closed: schedule before Close, or on another pool")
	}
}

// acquire returns a context from which the calling goroutine can schedule jobs. If the goroutine
// already holds a context because it runs a job there, acquire returns that context, otherwise the
// lowest free one. Builds without assembly always take a free context, because finding the held one
// would take longer than scheduling.
func (p *Pool) acquire() *workerContext {
	if g := goroutine(); g != 0 {
		return p.acquireFor(g)
	}
	return p.acquireFree(unknownGoroutine)
}

// acquireFor is acquire for goroutine g, the caller.
func (p *Pool) acquireFor(g uintptr) *workerContext {
	if wc := p.registry.findWorker(g); wc != nil {
		wc.acquireCount++
		return wc
	}
	for _, wc := range (*p.contexts.Load())[p.workers:] { // look here before the first context, which may be free
		if wc.queue.holder.Load() == g {
			wc.acquireCount++
			return wc
		}
	}
	if wc := p.firstContext; wc.queue.holder.CompareAndSwap(0, g) {
		wc.acquireCount = 1
		return wc
	} else if wc.queue.holder.Load() == g {
		wc.acquireCount++
		return wc
	}
	return p.acquireFree(g)
}

// acquireToRun is acquire for a goroutine that may run jobs in the context. All bodies that a
// goroutine runs in a pool are then in one context, where Caller and the deadlock detection find
// them.
func (p *Pool) acquireToRun() *workerContext {
	g := goroutineID()
	wc := p.acquireAs(g)
	wc.raiseHeight(g)
	return wc
}

// acquireAs does the work of acquire for goroutine g, which is the caller. It also finds the held
// context in builds without assembly.
func (p *Pool) acquireAs(g uintptr) *workerContext {
	if fastGoroutineID {
		return p.acquireFor(g)
	}
	wc := p.contextOf(g)
	if wc == nil {
		return p.acquireFree(g)
	}
	wc.acquireCount++
	return wc
}

// acquireFree takes a free context, and creates one if there is none.
func (p *Pool) acquireFree(g uintptr) *workerContext {
	if p.firstContext.tryAcquire(g) {
		return p.firstContext
	}
	for {
		contexts := *p.contexts.Load()
		for _, wc := range contexts[p.workers:] {
			if wc.tryAcquire(g) {
				return wc
			}
		}
		p.mu.Lock()
		if now := *p.contexts.Load(); len(now) == len(contexts) { // no other goroutine has added one
			grown := make([]*workerContext, len(contexts)+1)
			copy(grown, contexts)
			grown[len(contexts)] = newWorkerContext(p, len(contexts))
			p.contexts.Store(&grown)
		}
		p.mu.Unlock()
	}
}

// Caller returns the origin of the call. The calling job may belong to any pool. Caller looks in
// this pool first and then in all others. The pool may be nil.
//
// Caller takes a few nanoseconds for the first pool and about as many for each further pool that is
// not closed. Without assembly, Caller takes microseconds. This applies to builds with the tag
// purego, and to CPUs for which this package has no assembly, for example mips. A wait that begins
// to run jobs also looks through all pools. Caller does not allocate.
func (p *Pool) Caller() Caller {
	g := goroutineID()
	return Caller{g, innermost(g, p, p.innermostTask(g))}
}

// workerRegistry is a hash table from a worker's goroutine to its context.
type workerRegistry struct {
	mask    uintptr
	entries []registryEntry
}

// registryEntry is one worker. Both fields of an entry are stored under the pool's lock, ctx before
// goroutine. A goroutine that looks up its own number finds the entry, because the goroutine stored
// the entry itself or was started after it was stored.
type registryEntry struct {
	goroutine atomic.Uintptr // 0 is an unused entry
	ctx       atomic.Pointer[workerContext]
}

func newWorkerRegistry(workers int) workerRegistry {
	size := 4
	for size < 4*workers {
		size *= 2
	}
	return workerRegistry{mask: uintptr(size - 1), entries: make([]registryEntry, size)}
}

// retiredEntry marks an entry whose goroutine has ended.
const retiredEntry = 1

// firstIndex returns the index at which the search for a goroutine begins.
func (wr *workerRegistry) firstIndex(g uintptr) uintptr { return (g >> 6) * 0x9e3779b1 & wr.mask }

func (wr *workerRegistry) findWorker(g uintptr) *workerContext {
	i := wr.firstIndex(g)
	for range wr.entries {
		e := &wr.entries[i]
		switch e.goroutine.Load() {
		case g:
			return e.ctx.Load()
		case 0:
			return nil
		}
		i = (i + 1) & wr.mask
	}
	return nil
}

// addWorker adds a worker. The caller holds the pool's lock.
func (wr *workerRegistry) addWorker(g uintptr, wc *workerContext) {
	for i := wr.firstIndex(g); ; i = (i + 1) & wr.mask {
		e := &wr.entries[i]
		if old := e.goroutine.Load(); old == 0 || old == retiredEntry {
			e.ctx.Store(wc)
			e.goroutine.Store(g)
			return
		}
	}
}

// removeWorker removes a worker. The caller holds the pool's lock.
func (wr *workerRegistry) removeWorker(g uintptr) {
	for i := range wr.entries {
		if e := &wr.entries[i]; e.goroutine.Load() == g {
			e.goroutine.Store(retiredEntry)
		}
	}
}

// livePools holds all pools on which a job may run, including closed pools that have jobs left.
// Only slow paths iterate over the list: a wait before it sleeps, a body that runs isolated, and a
// job that belongs to one goroutine. The exception is the function innermost, which every wait
// calls. It takes some 8 nanoseconds for each pool after the first.
var livePools struct {
	mu   sync.Mutex
	list atomic.Pointer[[]poolRef] // a new list is stored under mu; any goroutine may read it
}

// poolRef refers to a pool that the garbage collector may free. While the pool's workers hold a
// strong reference, poolRef also holds a strong reference, because reading a weak pointer takes
// about 20 nanoseconds.
type poolRef struct {
	strong *Pool // nil if only users of the pool hold it
	weak   weak.Pointer[Pool]
}

func (k *poolRef) get() *Pool {
	if k.strong != nil {
		return k.strong
	}
	return k.weak.Value()
}

// strongRef returns the pool if its workers hold it, that is, until the pool is closed. Otherwise
// it returns nil.
func (p *Pool) strongRef() *Pool {
	if p.workers > 1 && !p.closed.Load() {
		return p
	}
	return nil
}

// registerPool adds a new pool to livePools.
func registerPool(p *Pool) {
	p.self = weak.Make(p)
	updateLivePools(nil, p)
}

// unregisterPool removes a pool on which nothing will run again.
func unregisterPool(p *Pool) { updateLivePools(p, nil) }

// updateLivePools stores a new list, without the pools that the garbage collector has freed.
func updateLivePools(without, with *Pool) {
	livePools.mu.Lock()
	defer livePools.mu.Unlock()
	var list []poolRef
	for p := range eachPool {
		if p != without {
			list = append(list, poolRef{p.strongRef(), p.self})
		}
	}
	if with != nil {
		list = append(list, poolRef{with.strongRef(), with.self})
	}
	livePools.list.Store(&list)
}

// eachPool yields the pools in livePools.
func eachPool(yield func(*Pool) bool) {
	list := livePools.list.Load()
	if list == nil {
		return
	}
	for i := range *list {
		if p := (*list)[i].get(); p != nil && !yield(p) {
			return
		}
	}
}
