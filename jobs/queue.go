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
func (pr Priority) place() int { return int(pr - Background) }

// check panics if there is no such priority.
func (pr Priority) check(fn string) {
	if i := pr.place(); i < 0 || i >= priorities {
		panic(fmt.Sprintf("jobs: %s: priority is %d: there are %s", fn, pr, strings.Join(priorityNames[:], ", ")))
	}
}

// anywhere reports whether every worker may run jobs of the priority, with a permit or without.
func (pr Priority) anywhere() bool { return pr != Background }

// giveToOwner makes a job available to its owner.
func (s *seat) giveToOwner(sl *slot) {
	p := s.pool
	o := &p.owners
	owner := sl.owner // once it is on the list, the slot may soon be another job's
	o.mu.Lock()
	o.list = append(o.list, sl)
	o.size.Store(int32(len(o.list)))
	o.mu.Unlock()
	ownedReady.Add(1)
	for q := range allPools { // the owner may wait in any, or be a worker there
		if q.waiters.Count() > 0 {
			q.waiters.WakeAll()
		}
		if own := q.registry.find(owner); own != nil {
			q.lot.Wake(own.index)
		}
	}
}

// enqueue makes a job that waits for nothing available to those that may run it.
func (s *seat) enqueue(sl *slot, h Handle) {
	p := s.pool
	if sl.bound && sl.owner != 0 {
		s.giveToOwner(sl)
		return
	}
	ns := sl.estimate()
	s.size(ns)
	k, normal := sl.kind, sl.priority == Normal
	if normal {
		s.last, s.tail, s.told = h, h, 0
	}
	// From here on the job may be done at any time.
	if !normal || !s.putRunnext(sl) {
		s.offer(sl)
		s.deque.publish()
	}
	told := normal && p.lot.Count() != 0 && uint64(ns) >= tinyJob
	if told && k.prompt.Load() >= surelyPrompt {
		ns = 0 // no worker needs to be woken for it
		told = s.random()%promptTimed == 0
	}
	p.announce(1, ns)
	if told {
		s.told = clock() // not before: to wake a worker takes longer than promptTime
	}
}

// surelyPrompt is how often in a row the goroutine that has scheduled a job of a kind has to go on to
// wait for it at once, within promptTime, before workers are let sleep: then it is for
// the one that waits to say whether they are needed.
const (
	surelyPrompt = 4
	promptTime   = 3 * time.Microsecond
	promptTimed  = 8 // one in so many is timed from then on
)

// waited notes that the seat's last job, of which others were told, was waited for here
// before another had it.
func (q *queues) waited(k *kind) {
	if clock()-q.told > promptTime {
		k.prompt.Store(0)
	} else if n := k.prompt.Load(); n < surelyPrompt {
		k.prompt.Store(n + 1)
	}
	q.told = 0
}

// putRunnext makes a job ready and the seat's runnext, if nothing is queued: cheaper
// than the deque, above all for a slot that lies there still from last time.
func (q *queues) putRunnext(sl *slot) bool {
	if !q.deque.idle() {
		return false
	}
	old := q.runnext.Load()
	if old == sl {
		sl.ready()
		return true
	}
	if old != nil && old.word.Load()&phaseMask == phaseReady {
		return false
	}
	sl.ready()
	q.runnext.Swap(sl)
	return true
}

// tinyJob is how short, in nanoseconds, a job must be to be left to its seat:
// elsewhere it would take longer.
const tinyJob = 500

// size notes what kind of jobs the seat offers, for thieves.
func (q *queues) size(ns int64) {
	if tiny := uint64(ns) < tinyJob; tiny != q.tiny.Load() {
		q.tiny.Store(tiny)
	}
}

// offer puts a job where workers look for it. They see it at the latest after
// deque.publish.
func (s *seat) offer(sl *slot) {
	switch sl.priority {
	case Normal:
		sl.ready()
		s.deque.put(sl)
	case High:
		sl.ready()
		s.pool.high.push(sl)
	case Background:
		sl.readyInBackground()
		s.pool.background.push(sl)
		if s.pool.waiters.Count() > 0 {
			s.pool.waiters.WakeAll() // those that may begin it may all be waiting for it
		}
	default:
		panic("jobs: a job of unknown priority")
	}
}

// backgroundQueue is jobs of priority Background and the permits to begin them.
type backgroundQueue struct {
	background lane
	permits    atomic.Int32 // workers that may: each takes one and adds it again; a look without taking may be old
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
	ring atomic.Pointer[ring]

	unseen int64   // entries that were put and not published
	passed int64   // what top was, or less: looking again would cost a transfer
	asked  int     // times that idle would have had to look
	keep   []*slot // makeRoom's
}

// rounds numbers the calls of makeRoom, of all deques: their owners add, and only that no two are alike matters.
var rounds atomic.Uint64

type ring struct {
	mask int64

	// items are stored by the owner, before the bottom that shows them, and loaded by the owner and by
	// thieves, before they move top: one that comes too late has an old item, and its move fails.
	items []atomic.Pointer[slot]
}

func newRing(size int64) *ring {
	return &ring{mask: size - 1, items: make([]atomic.Pointer[slot], size)}
}

func (r *ring) at(i int64) *atomic.Pointer[slot] { return &r.items[i&r.mask] }

const dequeSize = 256

func (d *deque) init() { d.ring.Store(newRing(dequeSize)) }

// push adds an entry at the bottom. Only the owner may call it.
func (d *deque) push(sl *slot) {
	d.put(sl)
	d.publish()
}

// put is push for one of several entries: thieves see them after publish. Only
// the owner may call it, and nothing else in between.
func (d *deque) put(sl *slot) {
	b := d.bottom.Load() + d.unseen
	r := d.ring.Load()
	if b-d.passed > r.mask {
		if d.passed = d.top.Load(); b-d.passed > r.mask {
			d.publish()
			r = d.makeRoom()
			b = d.bottom.Load()
		}
	}
	r.at(b).Store(sl)
	d.unseen++
}

// publish shows thieves what was put.
func (d *deque) publish() {
	d.bottom.Swap(d.bottom.Load() + d.unseen)
	d.unseen = 0
}

// pop takes the newest entry. Only the owner may call it.
func (d *deque) pop() *slot {
	b, t := d.bottom.Load()-1, d.top.Load()
	if b > t { // else there is one at most: that is taken as a thief would
		d.bottom.Swap(b)
		t = d.top.Load()
		if b > t {
			return d.ring.Load().at(b).Load()
		}
		d.bottom.Store(b + 1)
	}
	if b < t {
		return nil
	}
	sl := d.ring.Load().at(b).Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil
	}
	return sl
}

// newest is the entry that pop would take. Only the owner may call it.
func (d *deque) newest() *slot {
	b := d.bottom.Load() - 1
	if b < d.top.Load() {
		return nil
	}
	return d.ring.Load().at(b).Load()
}

// idle reports whether there are no entries. Where thieves are at work it may
// say no for a while after they have taken the last. Only the owner may call
// it.
func (d *deque) idle() bool {
	b := d.bottom.Load()
	if b != d.passed {
		if d.asked++; d.asked%8 == 0 {
			d.passed = d.top.Load()
		}
	}
	return b == d.passed
}

// steal takes the oldest entry. Any goroutine may call it.
func (d *deque) steal() *slot {
	for {
		t := d.top.Load()
		if t >= d.bottom.Load() {
			return nil
		}
		sl := d.ring.Load().at(t).Load()
		if d.top.CompareAndSwap(t, t+1) {
			return sl
		}
	}
}

// size is how many entries there are, or were a moment ago.
func (d *deque) size() int { return int(d.bottom.Load() - d.top.Load()) }

// makeRoom drops the entries whose job was claimed by a waiter; if too many
// are left it doubles the ring. Only the owner may call it.
func (d *deque) makeRoom() *ring {
	old := d.ring.Load()
	keep, round := d.keep[:0], rounds.Add(1)
	for sl := d.pop(); sl != nil; sl = d.pop() {
		if sl.word.Load()&phaseMask == phaseReady && sl.kept.Load() != round {
			sl.kept.Store(round) // older entries of a slot that was used again are left behind
			keep = append(keep, sl)
		}
	}
	d.keep = keep
	r := old
	if int64(len(keep)) > old.mask/2 {
		r = newRing(2 * (old.mask + 1))
		d.ring.Store(r)
	}
	for i := len(keep) - 1; i >= 0; i-- {
		b := d.bottom.Load()
		r.at(b).Store(keep[i])
		d.bottom.Store(b + 1)
	}
	return r
}

// lane is a first-in-first-out queue for the jobs of one priority that do not
// go into the deques. As there, an entry is a hint: what takes it must claim
// the job.
type lane struct {
	size atomic.Int32 // of what is left of list: stored under mu, read without to see whether a lock is worth it
	mu   sync.Mutex
	list []*slot
	head int
}

func (l *lane) push(sl *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == cap(l.list) {
		// Make room: what was taken, and what waiters have claimed, can go.
		l.list = append(l.list[:0], slices.DeleteFunc(l.list[l.head:], func(sl *slot) bool {
			return sl.word.Load()&phaseReady == 0
		})...)
		l.head = 0
	}
	l.list = append(l.list, sl)
	l.size.Store(int32(len(l.list) - l.head))
}

// claim takes entries until it can claim the job of one, in the way that the
// lane's jobs are claimed; nil if there is none.
func (l *lane) claim(how func(*slot) bool) *slot {
	for l.size.Load() > 0 {
		l.mu.Lock()
		var sl *slot
		if l.head < len(l.list) {
			sl = l.list[l.head]
			l.list[l.head] = nil
			l.head++
			if l.head == len(l.list) {
				l.list, l.head = l.list[:0], 0
			}
			l.size.Store(int32(len(l.list) - l.head))
		}
		l.mu.Unlock()
		if sl != nil && how(sl) {
			return sl
		}
	}
	return nil
}

// owners holds the ready jobs that belong to one goroutine, of one pool.
type owners struct {
	size atomic.Int32 // of list: stored under mu, before the owner is woken; read without
	mu   sync.Mutex
	list []*slot
}

// ownedReady is how many ready jobs belong to one goroutine each, in all pools. Where it is 0 no list needs to be
// looked at; those of a goroutine that never waits stay in it.
var ownedReady atomic.Int32

// ownedAnywhere reports whether there are ready jobs, of any pool, that belong to the calling goroutine.
func ownedAnywhere() bool {
	if ownedReady.Load() == 0 {
		return false
	}
	for p := range allPools {
		if p.owners.has() {
			return true
		}
	}
	return false
}

// runOwned runs the ready jobs, of all pools, that belong to the goroutine on a seat.
func runOwned(s *seat) (ran int) {
	if ownedReady.Load() == 0 {
		return 0
	}
	for p := range allPools {
		ran += p.owners.run(s)
	}
	return ran
}

// has reports whether there are ready jobs that belong to the calling goroutine.
func (o *owners) has() bool {
	if o.size.Load() == 0 {
		return false
	}
	me, _ := apart.self()
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.list, func(sl *slot) bool { return sl.owner == me })
}

// run runs the ready jobs that belong to the goroutine on a seat, in
// the order in which they became ready. The seat may be of another pool.
func (o *owners) run(s *seat) (ran int) {
	if o.size.Load() == 0 {
		return 0
	}
	me, by := apart.self()
	for {
		var mine *slot
		o.mu.Lock()
		for i, sl := range o.list {
			if sl.owner == me {
				mine = sl
				o.list = append(o.list[:i], o.list[i+1:]...)
				o.size.Store(int32(len(o.list)))
				break
			}
		}
		o.mu.Unlock()
		if mine == nil {
			return ran
		}
		ownedReady.Add(-1)
		worker{s}.passOn()
		if by == nil {
			s.runMine(mine)
		} else {
			by.call(s, mine)
		}
		ran++
	}
}

// runMine runs a job that belongs to the calling goroutine, on its seat in the pool of the job.
func (s *seat) runMine(sl *slot) {
	if p := sl.pool; p != s.pool {
		s = p.enterToRun()
		defer s.leave()
	}
	s.runOn(sl, nothingElse)
}

// call has a job run by the goroutine that makes the calls, which sits on the seats
// meanwhile.
func (x *proxy) call(s *seat, sl *slot) {
	over, back := make(chan struct{}), goroutineID()
	x.calls <- func() {
		me := goroutineID()
		defer close(over)
		defer s.handOver(me, back)
		s.handOver(back, me)
		s.runMine(sl)
	}
	<-over
}
