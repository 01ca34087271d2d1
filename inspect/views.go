package inspect

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// lease is the time for which recordings continue after a request.
const lease = 3 * time.Second

// views is the part of an inspector that requests and the owners of worlds share, for example the
// list of views and the time of the last request.
//
// Invariant: as long as there is a view, or the lease runs, all worlds call the
// hook at the end of each frame. The hook is removed under mu when there is
// no view and the lease has ended. A renewal of the lease adds the hook under
// mu, so that no request waits for a frame end that the hook does not report.
type views struct {
	only   []*ecs.World  // nil: all worlds
	share  float64       // of a frame's time that requests may take
	budget time.Duration // a fixed time instead of the share; 0 for none
	box    *blackBox     // nil if SlowFrames was not set

	keptEvery, keptBytes int // the settings of History; 0 without it

	lastRequest atomic.Int64 // time of the last request, by profile.Clock; written by requests, read by owners
	closed      atomic.Bool  // written by Close, read by owners and requests

	published atomic.Pointer[[]*view] // the views, in the order of their worlds; each change stores a new list under mu; owners and requests read it

	mu       sync.Mutex
	remove   func() // removes the hooks from all worlds and loops; nil when there are none
	pools    map[*jobs.Pool]int
	editLogs map[uint64]*editLog // by the id of the world
}

// renewLease renews the lease, and adds the hook if necessary.
func (i *views) renewLease() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lastRequest.Store(int64(now()))
	if i.remove == nil && !i.closed.Load() {
		ends, sleeps := system.OnEveryFrameEnd(i.frameEnd), app.OnSleep(i.answerAsleep)
		i.remove = func() {
			ends()
			sleeps()
		}
	}
}

// alwaysRecords reports whether the inspector records without a lease too.
func (i *views) alwaysRecords() bool { return i.box != nil || i.keptBytes > 0 }

// isWanted reports whether the lease runs, or the inspector always records.
func (i *views) isWanted() bool { return i.wantedAt(now()) }

// wantedAt is isWanted for callers that have already read the clock.
func (i *views) wantedAt(at time.Duration) bool {
	return !i.closed.Load() && (i.alwaysRecords() || at-time.Duration(i.lastRequest.Load()) < lease)
}

// timingShare returns the fraction of frame time that the measurement of times
// may take. The black box measures every frame, because it cannot know in
// advance which frame will be slow.
func (i *views) timingShare() float64 {
	if i.box != nil {
		return 1
	}
	return 0.01
}

// frameEnd is the hook that the owner of each world calls between two frames.
func (i *views) frameEnd(b *system.FrameEnd) {
	v := i.viewOf(b)
	if v == nil {
		return
	}
	v.frame(b)
	if needed := v.pace.paused.Load() || v.catch.check != nil; !i.wantedAt(b.End) && (!needed || i.closed.Load()) && !i.isWanted() {
		v.end()
		i.drop(v)
	}
}

// showsWorld reports whether the inspector shows a world.
func (i *views) showsWorld(w *ecs.World) bool { return i.only == nil || slices.Contains(i.only, w) }

// viewOf returns the view of a world at the end of a frame. If there is no view
// yet, viewOf creates it. If there were no recent requests, viewOf returns nil,
// and removes the hook if no world has a view.
func (i *views) viewOf(b *system.FrameEnd) *view {
	if v := i.find(b.World); v != nil {
		return v
	}
	if !i.isWanted() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if !i.isWanted() { // check again under the lock, so that no request can renew the lease meanwhile
			i.removeIdleHook()
		}
		return nil
	}
	if !i.showsWorld(b.World) {
		return nil
	}
	v := newView(i, b.World)
	i.add(v)
	return v
}

// join returns the views of those worlds that the inspector shows. It creates
// missing views, because while the owner waits between two frames, no frame
// ends at which a view would be created. l is the loop of the worlds, or nil.
// Only the owner of the worlds may call join.
func (i *views) join(l *app.Loop, worlds []*ecs.World) (list []*view) {
	for _, w := range worlds {
		if !i.showsWorld(w) {
			continue
		}
		v := i.find(w)
		if v == nil {
			v = newView(i, w)
			v.lastFrame.Store(system.FrameNumber(w))
			v.lastFrameEnd.Store(int64(now()))
			v.begin()
			i.add(v)
		}
		if v.loop.Load() != l {
			v.loop.Store(l)
		}
		list = append(list, v)
	}
	return list
}

// add adds a view.
func (i *views) add(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := append(i.allViews(), v)
	slices.SortFunc(list, func(a, b *view) int { return cmp.Compare(a.seq, b.seq) })
	i.published.Store(&list)
}

// removeIdleHook removes the hook if no world has a view. The caller holds mu.
func (i *views) removeIdleHook() {
	if len(i.list()) == 0 && i.remove != nil {
		i.remove()
		i.remove = nil
	}
}

// drop removes a view that has ended.
func (i *views) drop(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := slices.DeleteFunc(i.allViews(), func(o *view) bool { return o == v })
	i.published.Store(&list)
	if !i.isWanted() {
		i.removeIdleHook()
	}
}

// find returns the view of a world, if there is one.
func (i *views) find(w *ecs.World) *view {
	for _, v := range i.list() {
		if v.world == w {
			return v
		}
	}
	return nil
}

// list returns the current list of views, which must not be changed.
func (i *views) list() []*view {
	if list := i.published.Load(); list != nil {
		return *list
	}
	return nil
}

// allViews returns a copy of the list of views.
func (i *views) allViews() []*view { return slices.Clone(i.list()) }

// wakeOwners wakes the owners that wait in a pause, and the owners that sleep
// between two frames of a paced loop.
func (i *views) wakeOwners() {
	for _, v := range i.allViews() {
		v.asks.signal()
	}
	app.WakeSleepers()
}

// keptEvents is the number of events of each worker that are kept during a lease.
const keptEvents = 2048

// record switches on the recording of a pool for one world, unless the user is already recording
// the pool. record reports whether it has switched the recording on.
func (i *views) record(p *jobs.Pool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p] == 0 && p.Profile().Recording() > 0 {
		return false
	}
	if i.pools[p]++; i.pools[p] == 1 {
		p.Profile().RecordMetered(keptEvents)
	}
	return true
}

// unrecord undoes one call of record that returned true.
func (i *views) unrecord(p *jobs.Pool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p]--; i.pools[p] == 0 {
		delete(i.pools, p)
		p.Profile().Record(0)
	}
}
