package inspect

import (
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// roster is the list of the systems of a world. It is valid until a system is
// added or removed.
type roster struct {
	changes uint64
	places  []placed
	done    int // number of placed systems whose details are complete
}

// placed is a system at one of its positions in the order.
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

// systems is the data about the systems of a world that requests share.
type systems struct {
	mu     sync.Mutex // guards the rest
	roster *roster
	lines  map[*system.Instance]*line
	newest uint64 // frame of the last samples in lines
}

// known returns the roster, if there is one, and the frame of the last fetched
// samples.
func (s *systems) known() (*roster, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roster, s.newest
}

// line has the samples of a system that requests have fetched.
type line struct{ samples []system.Sample }

// current reports whether the roster is complete and matches the world.
func (r *roster) current(w *ecs.World) bool {
	return r != nil && r.changes == system.SystemsVersion(w) && r.done == len(r.places)
}

// renew updates a roster, one slice at a time. Only the owner may call it.
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

// add adds new samples, in order.
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
