package jobs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A new priority needs a constant and a name here, and a queue in publishReady. It also needs code
// in loopTable.hasOpenLoop, Pool.hasQueued and workerContext.serveOnce, where idle workers look
// for jobs. If only some workers may run jobs of the priority, as with Background, these jobs also
// need their own phase of a node: see jobNode.claimReady and needsNoPermit. loopTable.openBits
// already has a word for the open loops of each priority.

// Priority says how early idle workers take a job. A priority does not order jobs; only
// dependencies do. A goroutine that waits for a job runs it and its dependencies at once, whatever
// their priority is.
type Priority int8

const (
	// Background jobs run when nothing else is left, on a quarter of the workers at most.
	Background Priority = iota - 1
	// Normal is the priority of Pool.Schedule.
	Normal
	// High jobs are taken before all others.
	High

	priorities = iota // number of priorities
)

var priorityNames = [priorities]string{"Background", "Normal", "High"} // by Priority.index

// index returns the priority's index in arrays with one entry per priority.
func (pr Priority) index() int { return int(pr - Background) }

// check panics if the priority does not exist.
func (pr Priority) check(fn string) {
	if i := pr.index(); i < 0 || i >= priorities {
		panic(fmt.Sprintf("jobs: %s: priority is %d: there are %s", fn, pr, strings.Join(priorityNames[:], ", ")))
	}
}

// needsNoPermit reports whether every worker may run jobs of the priority.
func (pr Priority) needsNoPermit() bool { return pr != Background }

// enqueueOwned hands a ready job to the goroutine to which the job belongs.
func (wc *workerContext) enqueueOwned(node *jobNode) {
	p := wc.pool
	o := &p.owners
	owner := node.owner // read now, because the node may hold another job as soon as this one is on the list
	o.mu.Lock()
	o.ready = append(o.ready, node)
	o.size.Store(int32(len(o.ready)))
	o.mu.Unlock()
	ownedReadyJobs.Add(1)
	for q := range eachPool { // the owner may wait in any pool, or be a worker there
		if q.waiters.Count() > 0 {
			q.waiters.WakeAll()
		}
		if own := q.registry.findWorker(owner); own != nil {
			q.sleepers.Wake(own.index)
		}
	}
}

// enqueue makes a job without open dependencies available to the goroutines that may run it.
func (wc *workerContext) enqueue(node *jobNode, h Handle) {
	p := wc.pool
	if node.hasOptionalFields && node.owner != 0 {
		wc.enqueueOwned(node)
		return
	}
	ns := node.estimate()
	wc.queue.noteJobSize(ns)
	stats, normal := node.stats, node.priority == Normal
	if normal {
		wc.queue.lastJob, wc.queue.chainTail, wc.queue.announcedAt = h, h, 0
	}
	// From here on another goroutine may run and complete the job.
	if !normal || !wc.queue.tryRunnext(node) {
		wc.publishReady(node)
		wc.queue.deque.publish()
	}
	told := normal && p.sleepers.Count() != 0 && uint64(ns) >= tinyJob
	if told && stats.promptWaits.Load() >= promptRuns {
		ns = 0 // wakes no worker
		told = wc.steal.random()%promptSampleInterval == 0
	}
	p.announce(1, ns)
	if told {
		wc.queue.announcedAt = clock() // read after announce, because waking a worker takes longer than promptTime
	}
}

// A wait is called prompt if the goroutine that scheduled a job begins to wait for it within
// promptTime. If promptRuns waits in a row were prompt, scheduling a job of the same kind wakes no
// worker: the waiting goroutine runs the job itself or wakes workers for it.
const (
	promptRuns           = 4
	promptTime           = 3 * time.Microsecond
	promptSampleInterval = 8 // from then on one in so many is timed
)

// recordPromptWait records a prompt wait: the context's last job was announced to other workers,
// but its goroutine waited for it before another goroutine took it.
func (q *localQueue) recordPromptWait(stats *jobStats) {
	if clock()-q.announcedAt > promptTime {
		stats.promptWaits.Store(0)
	} else if n := stats.promptWaits.Load(); n < promptRuns {
		stats.promptWaits.Store(n + 1)
	}
	q.announcedAt = 0
}

// tryRunnext makes a job ready and puts it into runnext, if the context's queue is empty. Using
// runnext is cheaper than using the deque, especially if runnext still holds the same node from
// the last time.
func (q *localQueue) tryRunnext(node *jobNode) bool {
	if !q.deque.seemsEmpty() {
		return false
	}
	old := q.runnext.Load()
	if old == node {
		node.markReady()
		return true
	}
	if old != nil && old.word.Load()&phaseMask == phaseReady {
		return false
	}
	node.markReady()
	q.runnext.Swap(node)
	return true
}

// tinyJob is a duration in nanoseconds. A job that takes less time is left to its context, because
// moving it to another worker would take longer.
const tinyJob = 500

// noteJobSize tells thieves whether the context offers tiny jobs.
func (q *localQueue) noteJobSize(ns int64) {
	if tiny := uint64(ns) < tinyJob; tiny != q.tinyJobs.Load() {
		q.tinyJobs.Store(tiny)
	}
}

// publishReady makes a job ready and puts it into the queue of its priority. Other workers see the
// job after the call of deque.publish at the latest.
func (wc *workerContext) publishReady(node *jobNode) {
	switch node.priority {
	case Normal:
		node.markReady()
		wc.queue.deque.pushUnpublished(node)
	case High:
		node.markReady()
		wc.pool.loops.highQueue.pushJob(node)
	case Background:
		node.markBackgroundReady()
		wc.pool.background.queue.pushJob(node)
		if wc.pool.waiters.Count() > 0 {
			wc.pool.waiters.WakeAll() // the goroutines that may begin the job may all be waiting for it
		}
	default:
		panic("jobs: a job of unknown priority")
	}
}

// backgroundQueue holds the jobs of priority Background and the permits to begin them.
type backgroundQueue struct {
	queue   priorityQueue
	permits atomic.Int32 // free permits; a worker subtracts one before and adds it after; a plain read may be old
}

// deque is the work-stealing queue of Chase and Lev (SPAA 2005). The owner of a deque pushes and
// pops at the bottom, and thieves steal from the top.
//
// An entry is a hint. A waiting goroutine may have claimed the job and left its entry in the
// deque, and the node may already hold another job. A context that takes an entry must claim the
// node before it runs the job. Any goroutine that claims a ready node may run it, so an old entry
// does no harm.
//
// If a goroutine stores a value and then reads a value that other goroutines store, the store must
// be an atomic swap. The same rule applies wherever workers fall asleep or are woken. A swap costs
// the same as a sequentially consistent store. The code uses a swap because some emulators let a
// load pass an earlier store, but keep the order of a swap (docs/decisions/0003).
type deque struct {
	// top is the position from which thieves steal. Thieves move top by compare-and-swap. The
	// owner moves top in the same way when it takes the last entry.
	top atomic.Int64
	_   [56]byte

	// bottom is the position at which the owner pushes and pops. Only the owner writes bottom,
	// after the entries below it. If the owner reads top after this write, the write is a swap.
	bottom atomic.Int64

	// ring holds the entries. To grow, the owner stores a larger empty ring and then pushes the
	// entries again. A thief that has read an entry of the old ring then fails to move top.
	ring atomic.Pointer[dequeRing]

	unpublished int64      // entries that were pushed and not published
	knownTop    int64      // a lower bound of top; reading top would transfer a cache line
	idleChecks  int        // number of calls of seemsEmpty that found the deque not empty
	compacting  []*jobNode // buffer of compactOrGrow
}

// compactions counts the calls of compactOrGrow of all deques, and gives each call a unique
// number.
var compactions atomic.Uint64

type dequeRing struct {
	mask int64

	// The owner stores an item before it stores the bottom that makes the item visible. Thieves
	// load an item before they move top. A thief that comes too late has an old item, and its move
	// of top fails.
	items []atomic.Pointer[jobNode]
}

func newDequeRing(size int64) *dequeRing {
	return &dequeRing{mask: size - 1, items: make([]atomic.Pointer[jobNode], size)}
}

func (r *dequeRing) slotAt(i int64) *atomic.Pointer[jobNode] { return &r.items[i&r.mask] }

const dequeSize = 256

func (d *deque) init() { d.ring.Store(newDequeRing(dequeSize)) }

// push adds an entry at the bottom. Only the owner may call it.
func (d *deque) push(node *jobNode) {
	d.pushUnpublished(node)
	d.publish()
}

// pushUnpublished pushes one of several entries. Thieves see the entries after publish. Only the
// owner may call pushUnpublished, and it may call no other method between pushUnpublished and
// publish.
func (d *deque) pushUnpublished(node *jobNode) {
	b := d.bottom.Load() + d.unpublished
	r := d.ring.Load()
	if b-d.knownTop > r.mask {
		if d.knownTop = d.top.Load(); b-d.knownTop > r.mask {
			d.publish()
			r = d.compactOrGrow()
			b = d.bottom.Load()
		}
	}
	r.slotAt(b).Store(node)
	d.unpublished++
}

// publish shows thieves the unpublished entries.
func (d *deque) publish() {
	d.bottom.Swap(d.bottom.Load() + d.unpublished)
	d.unpublished = 0
}

// pop takes the newest entry. Only the owner may call it.
func (d *deque) pop() *jobNode {
	b, t := d.bottom.Load()-1, d.top.Load()
	if b > t { // otherwise at most one entry is left, and the owner takes it in the way of a thief
		d.bottom.Swap(b)
		t = d.top.Load()
		if b > t {
			return d.ring.Load().slotAt(b).Load()
		}
		d.bottom.Store(b + 1)
	}
	if b < t {
		return nil
	}
	node := d.ring.Load().slotAt(b).Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil
	}
	return node
}

// newest returns the entry that pop would take. Only the owner may call it.
func (d *deque) newest() *jobNode {
	b := d.bottom.Load() - 1
	if b < d.top.Load() {
		return nil
	}
	return d.ring.Load().slotAt(b).Load()
}

// seemsEmpty reports whether there are no entries. After thieves have taken the last entry,
// seemsEmpty may still return false for a while. Only the owner may call it.
func (d *deque) seemsEmpty() bool {
	b := d.bottom.Load()
	if b != d.knownTop {
		if d.idleChecks++; d.idleChecks%8 == 0 {
			d.knownTop = d.top.Load()
		}
	}
	return b == d.knownTop
}

// steal takes the oldest entry. Any goroutine may call it.
func (d *deque) steal() *jobNode {
	for {
		t := d.top.Load()
		if t >= d.bottom.Load() {
			return nil
		}
		node := d.ring.Load().slotAt(t).Load()
		if d.top.CompareAndSwap(t, t+1) {
			return node
		}
	}
}

// size returns the number of entries, which may be out of date.
func (d *deque) size() int { return int(d.bottom.Load() - d.top.Load()) }

// compactOrGrow drops the entries whose job was claimed by a waiting goroutine, and doubles the
// ring if too many are left. Only the owner may call it.
func (d *deque) compactOrGrow() *dequeRing {
	old := d.ring.Load()
	keep, round := d.compacting[:0], compactions.Add(1)
	from, to := d.top.Load(), d.bottom.Load()
	for !d.top.CompareAndSwap(from, to) { // takes all entries at once, in the way of a thief
		from = d.top.Load()
	}
	d.knownTop = to
	for i := to - 1; i >= from; i-- {
		node := old.slotAt(i).Load()
		if node.word.Load()&phaseMask == phaseReady && node.compactionMark.Load() != round {
			node.compactionMark.Store(round) // drops older entries of a node that was reused
			keep = append(keep, node)
		}
	}
	d.compacting = keep
	r := old
	if int64(len(keep)) > old.mask/2 {
		r = newDequeRing(2 * (old.mask + 1))
		d.ring.Store(r)
	}
	for i := len(keep) - 1; i >= 0; i-- {
		b := d.bottom.Load()
		r.slotAt(b).Store(keep[i])
		d.bottom.Store(b + 1)
	}
	return r
}

// priorityQueue is a first-in-first-out queue for the jobs of one priority that
// do not go into the deques. As in a deque, an entry is a hint: a worker that
// takes it must claim the job before it runs it.
type priorityQueue struct {
	size  atomic.Int32 // number of entries left; stored under mu and read without it, to see whether taking the lock is worth it
	mu    sync.Mutex
	nodes []*jobNode
	head  int
}

func (pq *priorityQueue) pushJob(node *jobNode) {
	pq.mu.Lock()
	defer pq.mu.Unlock()
	if len(pq.nodes) == cap(pq.nodes) {
		// Make room by dropping entries that were taken, and entries whose job a waiting goroutine
		// has claimed.
		pq.nodes = append(pq.nodes[:0], slices.DeleteFunc(pq.nodes[pq.head:], func(node *jobNode) bool {
			return node.word.Load()&phaseReady == 0
		})...)
		pq.head = 0
	}
	pq.nodes = append(pq.nodes, node)
	pq.size.Store(int32(len(pq.nodes) - pq.head))
}

// claimFirst removes entries until it can claim the job of an entry. Parameter how is the function
// that claims a job of the queue's priority. If no job can be claimed, claimFirst returns nil.
func (pq *priorityQueue) claimFirst(how func(*jobNode) bool) *jobNode {
	for pq.size.Load() > 0 {
		pq.mu.Lock()
		var node *jobNode
		if pq.head < len(pq.nodes) {
			node = pq.nodes[pq.head]
			pq.nodes[pq.head] = nil
			pq.head++
			if pq.head == len(pq.nodes) {
				pq.nodes, pq.head = pq.nodes[:0], 0
			}
			pq.size.Store(int32(len(pq.nodes) - pq.head))
		}
		pq.mu.Unlock()
		if node != nil && how(node) {
			return node
		}
	}
	return nil
}

// ownedJobs holds the ready jobs of one pool that each belong to one goroutine. Only that
// goroutine may run the job.
type ownedJobs struct {
	size  atomic.Int32 // length of ready; stored under mu before the owner is woken; read without mu
	mu    sync.Mutex
	ready []*jobNode
}

// ownedReadyJobs is the number of ready jobs, of all pools, that each belong to one goroutine.
// While the number is 0, no list needs to be searched. The number includes ready jobs that belong
// to a goroutine that never waits.
var ownedReadyJobs atomic.Int32

// hasOwnedAnywhere reports whether the calling goroutine owns a ready job in any pool.
func hasOwnedAnywhere() bool {
	if ownedReadyJobs.Load() == 0 {
		return false
	}
	for p := range eachPool {
		if p.owners.hasForCaller() {
			return true
		}
	}
	return false
}

// runOwnedEverywhere runs the ready jobs of all pools that belong to the calling goroutine, which
// holds the context.
func runOwnedEverywhere(wc *workerContext) (ran int) {
	if ownedReadyJobs.Load() == 0 {
		return 0
	}
	for p := range eachPool {
		ran += p.owners.runForCaller(wc)
	}
	return ran
}

// hasForCaller reports whether the calling goroutine owns ready jobs here.
func (o *ownedJobs) hasForCaller() bool {
	if o.size.Load() == 0 {
		return false
	}
	me, _ := isolatedGoroutines.owner()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.ready, func(node *jobNode) bool { return node.owner == me })
}

// runForCaller runs the ready jobs that belong to the calling goroutine, in the order in which
// they became ready. The calling goroutine holds the context. The context may belong to another
// pool.
func (o *ownedJobs) runForCaller(wc *workerContext) (ran int) {
	if o.size.Load() == 0 {
		return 0
	}
	me, by := isolatedGoroutines.owner()
	for {
		var mine *jobNode
		o.mu.Lock()
		for i, node := range o.ready {
			if node.owner == me {
				mine = node
				o.ready = append(o.ready[:i], o.ready[i+1:]...)
				o.size.Store(int32(len(o.ready)))
				break
			}
		}
		o.mu.Unlock()
		if mine == nil {
			return ran
		}
		ownedReadyJobs.Add(-1)
		wc.wakeSuccessor()
		if by == nil {
			wc.runOwnedJob(mine)
		} else {
			by.runForOwner(wc, mine)
		}
		ran++
	}
}

// runOwnedJob runs a job that belongs to the calling goroutine, in its context of the job's pool.
func (wc *workerContext) runOwnedJob(node *jobNode) {
	if p := node.pool; p != wc.pool {
		wc = p.acquireToRun()
		defer wc.release()
	}
	wc.runFrom(node, noContinuation)
}

// runForOwner makes the owner's goroutine run a job. Meanwhile the owner's goroutine holds the
// contexts.
func (x *ownerProxy) runForOwner(wc *workerContext, node *jobNode) {
	over, back := make(chan struct{}), goroutineID()
	x.calls <- func() {
		me := goroutineID()
		defer close(over)
		defer wc.moveContexts(me, back)
		wc.moveContexts(back, me)
		wc.runOwnedJob(node)
	}
	<-over
}
