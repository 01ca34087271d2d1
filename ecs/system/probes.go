package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/jobs/access"
)

// updateProbe is monitor.Probe.
type updateProbe interface {
	Before(in *Instance)
	After(in *Instance, since uint32, err error)
}

// watchUpdates is monitor.Watch.
func watchUpdates(w *ecs.World, p updateProbe) (stop func()) {
	a := attachmentFor("monitor.Watch", w)
	a.mustBeOpen("watch")
	if p == nil {
		panic("system: monitor.Watch: the probe is nil")
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
type watching struct{ updateProbe }

// run is one update of a system that probes watch.
func (p *probes) run(in *Instance, held bool) error {
	if in.group != nil {
		return in.run(held)
	}
	list := p.list
	for _, one := range list {
		one.Before(in)
	}
	since := in.world.Version()
	err := in.usable("Update") // a probe may have lent the world
	if err == nil {
		err = in.run(held)
	}
	if in.phase == alive {
		in.complete()
		for _, a := range in.declared() {
			_ = plumbing.Await(in.world, &access.Access{Write: a.Write}) // what has failed is for Sync to say
		}
	}
	for _, one := range list {
		one.After(in, since, err)
	}
	return err
}

// frameOf is monitor.FrameOf.
func frameOf(w *ecs.World) uint64 {
	a := attachmentFor("monitor.FrameOf", w)
	a.mustBeOpen("count frames")
	if a.updating {
		return a.frames + 1
	}
	return a.frames
}
