package jobs

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// One priority more needs its constant and its name here; where its jobs lie, in seat.offer (ready.go); what idle
// workers see of them, in loopTable.hasOpen (pool.go) and Pool.hasQueued (wake.go); and when a worker looks at
// them, in worker.serve (worker.go). Loops have a word for each in loopTable.open already. What
// may be run by some workers only has a phase of its own, as Background has: see slot.claim and anywhere.

// Priority is how early idle workers take a job. It orders nothing: only
// dependencies do. A goroutine that waits for a job runs it and what it needs at once,
// whatever their priority.
type Priority int8

const (
	// Background jobs are run when there is nothing else, by a quarter of the
	// workers at most.
	Background Priority = iota - 1
	// Normal is the priority of Pool.Schedule.
	Normal
	// High jobs are taken before all others.
	High

	priorities = iota // how many there are
)

var priorityNames = [priorities]string{"Background", "Normal", "High"} // by place

// place is that of the priority in arrays with one entry for each.
func (pr Priority) index() int { return int(pr - Background) }

// check panics if there is no such priority.
func (pr Priority) check(fn string) {
	if i := pr.index(); i < 0 || i >= priorities {
		panic(fmt.Sprintf("jobs: %s: priority is %d: there are %s", fn, pr, strings.Join(priorityNames[:], ", ")))
	}
}

// anywhere reports whether every worker may run jobs of the priority, with a permit or without.
func (pr Priority) needsNoPermit() bool { return pr != Background }

// giveToOwner makes a job available to its owner.
func (wc *workerContext) enqueueOwned(node *jobNode) {
	p := wc.pool
	o := &p.owners
	owner := node.owner // once it is on the list, the slot may soon be another job's
	o.mu.Lock()
	o.ready = append(o.ready, node)
	o.size.Store(int32(len(o.ready)))
	o.mu.Unlock()
	ownedReadyJobs.Add(1)
	for q := range eachPool { // the owner may wait in any, or be a worker there
		if q.waiters.Count() > 0 {
			q.waiters.WakeAll()
		}
		if own := q.registry.findWorker(owner); own != nil {
			q.lot.Wake(own.index)
		}
	}
}

// enqueue makes a job that waits for nothing available to those that may run it.
func (wc *workerContext) enqueue(node *jobNode, h Handle) {
	p := wc.pool
	if node.hasExtras && node.owner != 0 {
		wc.enqueueOwned(node)
		return
	}
	ns := node.estimate()
	wc.queue.noteJobSize(ns)
	stats, normal := node.stats, node.priority == Normal
	if normal {
		wc.queue.lastJob, wc.queue.chainTail, wc.queue.announcedAt = h, h, 0
	}
	// From here on the job may be done at any time.
	if !normal || !wc.queue.tryRunnext(node) {
		wc.publishReady(node)
		wc.queue.deque.publish()
	}
	told := normal && p.lot.Count() != 0 && uint64(ns) >= tinyJob
	if told && stats.promptWaits.Load() >= promptRuns {
		ns = 0 // no worker needs to be woken for it
		told = wc.steal.random()%promptSample == 0
	}
	p.announce(1, ns)
	if told {
		wc.queue.announcedAt = clock() // not before: to wake a worker takes longer than promptTime
	}
}

// surelyPrompt is how often in a row the goroutine that has scheduled a job of a kind has to go on to
// wait for it at once, within promptTime, before workers are let sleep: then it is for
// the one that waits to say whether they are needed.
const (
	promptRuns   = 4
	promptTime   = 3 * time.Microsecond
	promptSample = 8 // one in so many is timed from then on
)

// waited notes that the seat's last job, of which others were told, was waited for here
// before another had it.
func (q *localQueue) recordPromptWait(stats *jobStats) {
	if clock()-q.announcedAt > promptTime {
		stats.promptWaits.Store(0)
	} else if n := stats.promptWaits.Load(); n < promptRuns {
		stats.promptWaits.Store(n + 1)
	}
	q.announcedAt = 0
}

// putRunnext makes a job ready and the seat's runnext, if nothing is queued: cheaper
// than the deque, above all for a slot that lies there still from last time.
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

// tinyJob is how short, in nanoseconds, a job must be to be left to its seat:
// elsewhere it would take longer.
const tinyJob = 500

// size notes what kind of jobs the seat offers, for thieves.
func (q *localQueue) noteJobSize(ns int64) {
	if tiny := uint64(ns) < tinyJob; tiny != q.tinyJobs.Load() {
		q.tinyJobs.Store(tiny)
	}
}

// offer puts a job where workers look for it. They see it at the latest after
// deque.publish.
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
			wc.pool.waiters.WakeAll() // those that may begin it may all be waiting for it
		}
	default:
		panic("jobs: a job of unknown priority")
	}
}

// backgroundQueue is jobs of priority Background and the permits to begin them.
type backgroundQueue struct {
	queue   priorityQueue
	permits atomic.Int32 // workers that may: each takes one and adds it again; a look without taking may be old
}

// deque is the work-stealing queue of Chase and Lev (SPAA 2005): its owner
// pushes and pops at the bottom, thieves take from the top.
//
// An entry is a hint: a waiter may have claimed the job without taking the
// entry away, and the slot may even hold another job by now. A seat that takes an
// entry must claim the slot before running it; a slot that is ready may be run
// by any that claims it, so an old entry does no harm.
//
// What is stored before a look at what others store is swapped, here and
// wherever workers fall asleep or are woken: it costs the same, and emulators
// that let a load pass an earlier store (docs/decisions/0003) keep that order.
type deque struct {
	// top is where thieves take: moved by compare-and-swap, by them and by the owner for
	// the last entry.
	top atomic.Int64
	_   [56]byte

	// bottom is where the owner pushes and pops: it alone writes, by a swap where a look
	// at top follows, and after the entries below it.
	bottom atomic.Int64

	// ring holds the entries. The owner stores a larger one while there are none, before it
	// pushes them again; a thief that has read one out of the old ring fails to move top.
	ring atomic.Pointer[dequeRing]

	unpublished int64      // entries that were put and not published
	knownTop    int64      // what top was, or less: looking again would cost a transfer
	idleChecks  int        // times that idle would have had to look
	compacting  []*jobNode // makeRoom's
}

// rounds numbers the calls of makeRoom, of all deques: their owners add, and only that no two are alike matters.
var compactions atomic.Uint64

type dequeRing struct {
	mask int64

	// items are stored by the owner, before the bottom that shows them, and loaded by the owner and by
	// thieves, before they move top: one that comes too late has an old item, and its move fails.
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

// put is push for one of several entries: thieves see them after publish. Only
// the owner may call it, and nothing else in between.
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

// publish shows thieves what was put.
func (d *deque) publish() {
	d.bottom.Swap(d.bottom.Load() + d.unpublished)
	d.unpublished = 0
}

// pop takes the newest entry. Only the owner may call it.
func (d *deque) pop() *jobNode {
	b, t := d.bottom.Load()-1, d.top.Load()
	if b > t { // else there is one at most: that is taken as a thief would
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

// newest is the entry that pop would take. Only the owner may call it.
func (d *deque) newest() *jobNode {
	b := d.bottom.Load() - 1
	if b < d.top.Load() {
		return nil
	}
	return d.ring.Load().slotAt(b).Load()
}

// idle reports whether there are no entries. Where thieves are at work it may
// say no for a while after they have taken the last. Only the owner may call
// it.
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

// size is how many entries there are, or were a moment ago.
func (d *deque) size() int { return int(d.bottom.Load() - d.top.Load()) }

// makeRoom drops the entries whose job was claimed by a waiter; if too many
// are left it doubles the ring. Only the owner may call it.
func (d *deque) compactOrGrow() *dequeRing {
	old := d.ring.Load()
	keep, round := d.compacting[:0], compactions.Add(1)
	for node := d.pop(); node != nil; node = d.pop() {
		if node.word.Load()&phaseMask == phaseReady && node.compactionMark.Load() != round {
			node.compactionMark.Store(round) // older entries of a slot that was used again are left behind
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

// lane is a first-in-first-out queue for the jobs of one priority that do not
// go into the deques. As there, an entry is a hint: what takes it must claim
// the job.
type priorityQueue struct {
	size  atomic.Int32 // of what is left of list: stored under mu, read without to see whether a lock is worth it
	mu    sync.Mutex
	nodes []*jobNode
	head  int
}

func (pq *priorityQueue) pushJob(node *jobNode) {
	pq.mu.Lock()
	defer pq.mu.Unlock()
	if len(pq.nodes) == cap(pq.nodes) {
		// Make room: what was taken, and what waiters have claimed, can go.
		pq.nodes = append(pq.nodes[:0], slices.DeleteFunc(pq.nodes[pq.head:], func(node *jobNode) bool {
			return node.word.Load()&phaseReady == 0
		})...)
		pq.head = 0
	}
	pq.nodes = append(pq.nodes, node)
	pq.size.Store(int32(len(pq.nodes) - pq.head))
}

// claim takes entries until it can claim the job of one, in the way that the
// lane's jobs are claimed; nil if there is none.
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

// owners holds the ready jobs that belong to one goroutine, of one pool.
type ownedJobs struct {
	size  atomic.Int32 // of list: stored under mu, before the owner is woken; read without
	mu    sync.Mutex
	ready []*jobNode
}

// ownedReady is how many ready jobs belong to one goroutine each, in all pools. Where it is 0 no list needs to be
// looked at; those of a goroutine that never waits stay in it.
var ownedReadyJobs atomic.Int32

// ownedAnywhere reports whether there are ready jobs, of any pool, that belong to the calling goroutine.
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

// runOwned runs the ready jobs, of all pools, that belong to the goroutine on a seat.
func runOwnedEverywhere(wc *workerContext) (ran int) {
	if ownedReadyJobs.Load() == 0 {
		return 0
	}
	for p := range eachPool {
		ran += p.owners.runForCaller(wc)
	}
	return ran
}

// has reports whether there are ready jobs that belong to the calling goroutine.
func (o *ownedJobs) hasForCaller() bool {
	if o.size.Load() == 0 {
		return false
	}
	me, _ := isolatedGoroutines.owner()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.ready, func(node *jobNode) bool { return node.owner == me })
}

// run runs the ready jobs that belong to the goroutine on a seat, in
// the order in which they became ready. The seat may be of another pool.
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

// runMine runs a job that belongs to the calling goroutine, on its seat in the pool of the job.
func (wc *workerContext) runOwnedJob(node *jobNode) {
	if p := node.pool; p != wc.pool {
		wc = p.acquireToRun()
		defer wc.release()
	}
	wc.runFrom(node, noContinuation)
}

// call has a job run by the goroutine that makes the calls, which sits on the seats
// meanwhile.
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
