package jobs

import (
	"reflect"
	"sync"
	"sync/atomic"
	"weak"
)

// Caller tells where a call comes from: a goroutine, and the body of a job that it runs, if it
// runs one. It is for what belongs to one of them for a while, as a world does: two that are
// equal are the same goroutine in the same body, or outside of all jobs. The body is the innermost one, of
// whatever pool: a job of another pool, which a goroutine runs while it waits for it, is another caller than
// what waits, as it is where a worker runs it. The zero Caller is none.
type Caller struct {
	goroutine uintptr
	task      *Task
}

// Task is that of the body, the innermost one of all pools; nil if the call comes from none. Until the body
// returns it is that of no other, and after that it may be used again. A Range of a single block
// has no task.
func (c Caller) Task() *Task { return c.task }

// TaskOf is Task if the innermost body is of a job of pool p, and else nil.
func (c Caller) TaskOf(p *Pool) *Task {
	if c.task == nil || c.task.ctx.pool != p {
		return nil
	}
	return c.task
}

// Job returns the job of the body, a [Job] or a [RangeJob]; for a child it is the job that was scheduled outside of all jobs and
// that the child descends from. It is nil if the call comes from no body, and in a task of Pool.Sit. It is good for error messages: for example, a
// library that refuses a call in a job can say which of its jobs has called.
func (c Caller) Job() any {
	if c.task == nil || c.task.slot == nil {
		return nil
	}
	sl := c.task.slot
	for sl.parent != nil {
		sl = sl.parent // it is not done before its children are
	}
	if sl.shape == shapeMany {
		return sl.many
	}
	return sl.one
}

// innermost returns the task of the innermost body that goroutine g, which calls, is running in any pool; nil if it runs none. In
// pool p that is top, which the caller has looked up; p may be nil.
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

// raise notes on the seat, on which goroutine g, which calls, may be about to run bodies, how high those of other pools reach that are
// on its stack: the ones that it runs on this seat lie above them.
func (wc *workerContext) raiseHeight(g uintptr) {
	if t := innermost(g, wc.pool, wc.stack.topTask()); t != nil {
		wc.stack.height = max(wc.stack.height, t.height)
	}
}

// blocksRun counts what may run blocks, in all pools: loops in use, and seats that run blocks alone, or children of blocks. The
// opener of a loop, or the holder of a seat, adds before the first of them runs, and who ends the loop, or the holder when it has
// nothing left to run, subtracts. So a block that looks finds more than 0; what others find may be old.
var blocksRun struct {
	_ [128]byte
	atomic.Int64
	_ [120]byte
}

// CallerBlock returns a number that tells the block of a parallel-for, of any pool, from which the call comes from all others that
// exist at the same time: the block that calls, or the one whose child the calling job is, directly or not. It is 0 if there is
// none: what a job belongs to counts, and not what waits for it. The upper half of the number is the same for all blocks of one loop.
//
// It takes less than a nanosecond while no block of any pool runs, in builds without assembly too, and else what Pool.Caller takes.
func CallerBlock() uint64 {
	if blocksRun.Load() == 0 { // a block sees what has been added for it
		return 0
	}
	return callerBlock()
}

// callerBlock is CallerBlock while blocks run.
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
		if !node.hasExtras {
			return 0
		}
		block = node.childOrder >> 24
	}
	return 0
}

// hasBlock notes that the seat is about to run blocks, alone, or a job that may be the child of one. It stays noted until the seat has
// nothing to run: a seat that runs one short loop after the other notes it once, so that seats do not contend for the count.
func (wc *workerContext) noteBlocks() {
	if !wc.stack.countsBlocks {
		wc.stack.countsBlocks = true
		blocksRun.Add(1)
	}
}

// hasNoBlock ends what hasBlock has noted. Nothing lies on the holder's stack.
func (wc *workerContext) clearBlocks() {
	if wc.stack.countsBlocks {
		wc.stack.countsBlocks = false
		blocksRun.Add(-1)
	}
}

// top is the innermost task of the holder, which calls.
func (ts *taskStack) topTask() *Task {
	if ts.depth == 0 {
		return nil
	}
	return ts.tasks[ts.depth-1]
}

// on returns the task that goroutine g, which calls, is running in p.
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

// held returns the seat on which a goroutine sits, nil if it has none.
func (p *Pool) contextOf(g uintptr) *workerContext {
	if wc := p.registry.findWorker(g); wc != nil {
		return wc
	}
	return p.callerContextOf(g)
}

// sitting returns the seat that a goroutine from outside has taken, if it has.
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

// check panics if the pool takes no jobs.
func (p *Pool) requireOpen(fn string) {
	if !p.accepting.Load() {
		p.panicClosed(fn)
	}
}

// refuse panics, but not in a job that a waiting goroutine runs: that shall end as if
// the pool was not closed.
func (p *Pool) panicClosed(fn string) {
	p.requireMade(fn)
	if p.innermostTask(goroutineID()) == nil {
		panic("jobs: " + fn + ": the pool is closed: schedule before Close, or on another pool")
	}
}

// enter finds a seat for the calling goroutine to schedule from: the one it sits on already,
// because it runs a job there, or the lowest free one. Without assembly it is always a free one:
// to find the other would take longer than to schedule.
func (p *Pool) acquire() *workerContext {
	g := goroutine()
	if g == 0 {
		return p.acquireFree(unknownGoroutine)
	}
	if wc := p.registry.findWorker(g); wc != nil {
		wc.holds++
		return wc
	}
	for _, wc := range (*p.contexts.Load())[p.workers:] { // before a look at the first seat, which may be free
		if wc.queue.holder.Load() == g {
			wc.holds++
			return wc
		}
	}
	if wc := p.firstContext; wc.queue.holder.CompareAndSwap(0, g) {
		wc.holds = 1
		return wc
	} else if wc.queue.holder.Load() == g {
		wc.holds++
		return wc
	}
	return p.acquireFree(g)
}

// enterToRun is enter for a goroutine that may run jobs there, which is where Caller and the search for
// circles of waits look for it: so all bodies that a goroutine runs lie on one seat.
func (p *Pool) acquireToRun() *workerContext {
	g := goroutineID()
	wc := p.acquireAs(g)
	wc.raiseHeight(g)
	return wc
}

// enterAs is enter for goroutine g, which calls, in builds without assembly too.
func (p *Pool) acquireAs(g uintptr) *workerContext {
	if quickIdentity {
		return p.acquire()
	}
	wc := p.contextOf(g)
	if wc == nil {
		return p.acquireFree(g)
	}
	wc.holds++
	return wc
}

// takeSeat takes a free seat, and makes one if there is none.
func (p *Pool) acquireFree(g uintptr) *workerContext {
	if p.firstContext.tryAcquire(g) {
		return p.firstContext
	}
	for {
		seats := *p.contexts.Load()
		for _, wc := range seats[p.workers:] {
			if wc.tryAcquire(g) {
				return wc
			}
		}
		p.mu.Lock()
		if now := *p.contexts.Load(); len(now) == len(seats) { // no other goroutine has made one
			grown := make([]*workerContext, len(seats)+1)
			copy(grown, seats)
			grown[len(seats)] = newWorkerContext(p, len(seats))
			p.contexts.Store(&grown)
		}
		p.mu.Unlock()
	}
}

// Caller returns where the call comes from, whichever pool the job is of that calls: this pool, which may be nil, is only the one where
// it looks first.
//
// It takes a few nanoseconds, as many more for each other pool that is not closed, and microseconds where there is no
// assembly: built with the tag purego, and on CPUs for which there is none at all (mips, wasm). A wait that begins to run jobs looks
// through the pools too. It does not allocate.
func (p *Pool) Caller() Caller {
	g := goroutineID()
	return Caller{g, innermost(g, p, p.innermostTask(g))}
}

// registry finds a worker's seat by its goroutine.
type workerRegistry struct {
	mask    uintptr
	entries []registryEntry
}

// registryEntry is a worker. Both are stored under the pool's lock, the seat first; a goroutine
// that looks for itself finds itself since it has stored that, or was started after.
type registryEntry struct {
	goroutine atomic.Uintptr // 0 is none yet
	ctx       atomic.Pointer[workerContext]
}

func newWorkerRegistry(workers int) workerRegistry {
	size := 4
	for size < 4*workers {
		size *= 2
	}
	return workerRegistry{mask: uintptr(size - 1), entries: make([]registryEntry, size)}
}

// retired marks an entry whose goroutine has ended.
const retiredEntry = 1

// home is where the search for a goroutine begins.
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

// add enters a worker; the pool's lock is held.
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

// remove takes a worker out; the pool's lock is held.
func (wr *workerRegistry) removeWorker(g uintptr) {
	for i := range wr.entries {
		if e := &wr.entries[i]; e.goroutine.Load() == g {
			e.goroutine.Store(retiredEntry)
		}
	}
}

// known is all pools on which a job may run, also closed ones that have some left. What is slow
// anyway goes through them: a wait that is about to sleep, a body that runs apart, a job that belongs to one goroutine; and innermost,
// which takes some 8 nanoseconds for each pool but the first, and every wait asks it.
var livePools struct {
	mu   sync.Mutex
	list atomic.Pointer[[]poolRef] // a new list is stored under mu; read anywhere
}

// knownPool is a pool that the garbage collector may take. One whose workers hold it is held here too, because a look through a weak
// pointer takes some 20 nanoseconds.
type poolRef struct {
	strong *Pool // nil if nothing but the users of the pool holds it
	weak   weak.Pointer[Pool]
}

func (k *poolRef) get() *Pool {
	if k.strong != nil {
		return k.strong
	}
	return k.weak.Value()
}

// kept returns the pool if its workers hold it, which is until it is closed, and else nil.
func (p *Pool) strongRef() *Pool {
	if p.workers > 1 && !p.closed.Load() {
		return p
	}
	return nil
}

// enlistPool adds a new pool.
func registerPool(p *Pool) {
	p.self = weak.Make(p)
	updateLivePools(nil, p)
}

// strikePool takes a pool out on which nothing will run again.
func unregisterPool(p *Pool) { updateLivePools(p, nil) }

// changePools stores a new list, without the pools that the garbage collector has taken.
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

// allPools yields the pools that are in use.
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
