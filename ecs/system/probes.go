package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Probe sees a world before and after each update of a system: after means that its jobs are complete too.
// It is called on the goroutine of the world's owner, inside of the frame if there is one, and may
// look at the world and capture it. What it changes, or panics with, is its own affair.
type Probe interface {
	Before(in *Instance)
	After(in *Instance, since uint32, err error)
}

// Watch calls p around each update of a system of w, from now on until stop is called; groups are no such
// systems, for their members are. Since is a version of the world that everything is newer than that the update has written, and err what it
// has returned. Of several probes the first one watches first.
//
// While a probe watches, each system waits for its jobs, so that no two systems work at a
// time; results are the same, as always. While none does, a system costs one comparison with nil more.
// It panics if w is closed.
func Watch(w *ecs.World, p Probe) (stop func()) {
	a := attachmentFor("Watch", w)
	a.mustBeOpen("watch")
	if p == nil {
		panic("system: Watch: the probe is nil")
	}
	all, watched := a.probes.(*probes)
	if !watched {
		all = new(probes)
		a.probes = all
	}
	own := &watching{p}
	all.list = append(all.list[:len(all.list):len(all.list)], own) // others may be going through it
	return func() {
		rest := make([]*watching, 0, len(all.list))
		for _, one := range all.list {
			if one != own {
				rest = append(rest, one)
			}
		}
		if all.list = rest; len(rest) == 0 && a.probes == prober(all) {
			a.probes = nil
		}
	}
}

// probes are those that watch a world.
type probes struct{ list []*watching }

// watching is one of them.
type watching struct{ Probe }

// run is one update of a system that probes watch.
func (p *probes) run(in *Instance) error {
	if in.group != nil {
		return in.run()
	}
	list := p.list
	for _, one := range list {
		one.Before(in)
	}
	since := in.world.Version()
	err := in.run()
	if in.phase == alive {
		in.complete()
		for _, a := range in.declared() {
			_ = in.world.Plumbing().Await(&access.Access{Write: a.Write}) // what has failed is for Sync to say
		}
	}
	for _, one := range list {
		one.After(in, since, err)
	}
	return err
}

// FrameOf returns the number of the frame of w that is under way, or else of the last one, from 1: those of loops and of
// [Update] count. It panics if w is closed.
func FrameOf(w *ecs.World) uint64 {
	a := attachmentFor("FrameOf", w)
	a.mustBeOpen("count frames")
	if a.updating {
		return a.frames + 1
	}
	return a.frames
}
