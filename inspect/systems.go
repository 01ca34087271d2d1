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
	changes   uint64
	entries   []systemEntry
	completed int // number of placed systems whose details are complete
}

// systemEntry is a system at one position in the order. A system may have several positions.
type systemEntry struct {
	in        *system.Instance
	depth     int
	group     bool
	ungrouped bool
	name      string
	reads     []string
	writes    []string
	queries   []string
}

// systems holds the data about the systems of a world. All requests share it.
type systems struct {
	mu      sync.Mutex // guards the rest
	roster  *roster
	samples map[*system.Instance]*systemSamples
	newest  uint64 // frame of the last samples
}

// fetched returns the roster, or nil if there is none, and the frame of the last
// fetched samples.
func (s *systems) fetched() (*roster, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roster, s.newest
}

// systemSamples holds the time samples of one system that requests have fetched.
type systemSamples struct{ samples []system.Sample }

// isCurrent reports whether the roster is complete and matches the world.
func (r *roster) isCurrent(w *ecs.World) bool {
	return r != nil && r.changes == system.SystemsVersion(w) && r.completed == len(r.entries)
}

// update updates a roster, one slice at a time. Only the owner may call it.
func (r *roster) update(l *ownerSlice) (*roster, bool) {
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
	for r.completed < len(r.entries) {
		p := &r.entries[r.completed]
		p.reads, p.writes = p.in.Components()
		for _, q := range p.in.Queries() {
			p.queries = append(p.queries, q.String())
		}
		if r.completed++; r.completed < len(r.entries) && l.isOver() {
			return r, false
		}
	}
	return r, true
}

// add adds a system, and the systems that it updates.
func (r *roster) add(in *system.Instance, depth int, apart bool) {
	r.entries = append(r.entries, systemEntry{in: in, depth: depth, group: in.Group() != nil, ungrouped: apart, name: in.Name()})
	if g := in.Group(); g != nil && depth < 64 {
		for _, m := range g.Members() {
			r.add(m, depth+1, apart)
		}
	}
}

// add adds new samples, in order.
func (h *systemSamples) add(list []system.Sample) {
	for _, s := range list {
		if n := len(h.samples); n == 0 || h.samples[n-1].Frame < s.Frame {
			h.samples = append(h.samples, s)
		}
	}
	if n := len(h.samples) - keptFrames; n > 0 {
		h.samples = slices.Delete(h.samples, 0, n)
	}
}
