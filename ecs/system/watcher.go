package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Watcher has methods that are called before and after each update of a system. After is called
// when the system's jobs have finished. The goroutine of the world's owner calls both methods. If a
// frame is running, they run inside of that frame. The methods of a Watcher may read the world and
// capture it. A Watcher that changes the world changes the results. If a Watcher panics, the panic
// is not recovered.
type Watcher interface {
	Before(in *Instance)
	After(in *Instance, since uint32, err error)
}

// Watch calls p around each update of a system of w until stop is called. Watch does not call p
// around the updates of groups, because it calls p for their members. The parameter since of After
// is a change version: rows that the update wrote have a newer version. The parameter err is the
// error of the update. If there are several watchers, the one that was attached first is called
// first.
//
// While a watcher is attached, each system waits for its own jobs, so that no two systems run at
// the same time. The results do not change. Without a watcher, each update costs one more
// comparison with nil. Watch panics if w is closed or p is nil.
//
// Measurements do not add the time of a watcher, and of the waits that it causes, to the times of
// a system. But frames with a watcher are longer than those without one. So a measurement restarts when the first
// watcher is added and when the last one is removed: see Watched of [Report].
func Watch(w *ecs.World, p Watcher) (stop func()) {
	a := attachmentFor("Watch", w)
	a.mustBeOpen("watch")
	if p == nil {
		panic("system: Watch: the watcher is nil")
	}
	all, watched := a.watchers.(*updateWatchers)
	if !watched {
		all = &updateWatchers{attachment: a}
		a.watchers = all
	}
	own := &updateWatcher{p}
	all.list = append(all.list[:len(all.list):len(all.list)], own) // create a new list, because an update may be iterating over the old one
	return func() {
		rest := make([]*updateWatcher, 0, len(all.list))
		for _, one := range all.list {
			if one != own {
				rest = append(rest, one)
			}
		}
		if all.list = rest; len(rest) == 0 && a.watchers == watchedUpdates(all) {
			a.watchers = nil
		}
	}
}

// updateWatchers lists the watchers of a world.
type updateWatchers struct {
	attachment *attachment
	list       []*updateWatcher
}

// updateWatcher is one watcher. The address of an updateWatcher identifies the call of Watch.
type updateWatcher struct{ Watcher }

// runUpdate runs one watched update of a system.
func (p *updateWatchers) runUpdate(in *Instance, held bool) error {
	if in.group != nil {
		return in.runUpdate(held)
	}
	list := p.list
	p.attachment.runTool(func() {
		for _, one := range list {
			one.Before(in)
		}
	})
	since := in.world.Version()
	err := in.checkNotLent("Update") // a watcher may have started a transaction
	if err == nil {
		err = in.runUpdate(held)
	}
	p.attachment.runTool(func() {
		if in.phase == alive {
			start := now()
			in.complete()
			p.attachment.recordWait(in, start, now())
			for _, a := range in.declaredAccesses() {
				_ = in.world.Scheduler().Await(&access.Access{Write: a.Write}) // Sync returns the error
			}
		}
		for _, one := range list {
			one.After(in, since, err)
		}
	})
	return err
}

// FrameNumber returns the number of the frame of w that is running. If none is running, it returns
// the number of the last frame. The first frame has number 1. Frames of loops and of [Update] are
// counted. FrameNumber panics if w is closed.
func FrameNumber(w *ecs.World) uint64 {
	a := attachmentFor("FrameNumber", w)
	a.mustBeOpen("count frames")
	if a.updating {
		return a.frameCount + 1
	}
	return a.frameCount
}
