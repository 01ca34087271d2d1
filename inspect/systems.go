package inspect

import (
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// roster is what is known of the systems of a world as long as none comes or goes.
type roster struct {
	changes uint64
	places  []placed
	done    int // places whose details are there
}

// placed is a system at one of its places.
type placed struct {
	in      *system.Instance
	depth   int
	group   bool
	apart   bool
	name    string
	reads   []string
	writes  []string
	queries []string
}

// systems is what requests know of the systems of a world.
type systems struct {
	mu     sync.Mutex // guards the rest
	roster *roster
	lines  map[*system.Instance]*line
	newest uint64 // frame of the last samples in lines
}

// known returns the roster, if there is one, and the frame whose samples were fetched last.
func (s *systems) known() (*roster, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roster, s.newest
}

// line is the samples of a system that requests have fetched.
type line struct{ samples []system.Sample }

// current reports whether the roster is that of a world as it is, with all details.
func (r *roster) current(w *ecs.World) bool {
	return r != nil && r.changes == system.SystemsVersion(w) && r.done == len(r.places)
}

// renew brings a roster up to date, a slice at a time. It is for the owner.
func (r *roster) renew(l *look) (*roster, bool) {
	if changes := system.SystemsVersion(l.world); r == nil || r.changes != changes {
		r = &roster{changes: changes}
		list, apart := system.Roots(l.world)
		for _, in := range list {
			r.add(in, 0, false)
		}
		for _, in := range apart {
			r.add(in, 0, true)
		}
	}
	for r.done < len(r.places) {
		p := &r.places[r.done]
		p.reads, p.writes = p.in.Components()
		for _, q := range p.in.Queries() {
			p.queries = append(p.queries, q.String())
		}
		if r.done++; r.done < len(r.places) && l.over() {
			return r, false
		}
	}
	return r, true
}

// add adds a system, and those that it updates.
func (r *roster) add(in *system.Instance, depth int, apart bool) {
	r.places = append(r.places, placed{in: in, depth: depth, group: in.Group() != nil, apart: apart, name: in.Name()})
	if g := in.Group(); g != nil && depth < 64 {
		for _, m := range g.Members() {
			r.add(m, depth+1, apart)
		}
	}
}

// add keeps samples that are new, in order.
func (h *line) add(list []system.Sample) {
	for _, s := range list {
		if n := len(h.samples); n == 0 || h.samples[n-1].Frame < s.Frame {
			h.samples = append(h.samples, s)
		}
	}
	if n := len(h.samples) - kept; n > 0 {
		h.samples = slices.Delete(h.samples, 0, n)
	}
}
