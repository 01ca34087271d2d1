package inspect

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// System is one system, in the order of the frame.
type System struct {
	Name      string   `json:"name"`
	Full      string   `json:"full"`
	Depth     int      `json:"depth"`
	Group     bool     `json:"group"`
	Ungrouped bool     `json:"apart"` // it belongs to no group
	Enabled   bool     `json:"enabled"`
	Idle      string   `json:"idle"` // why it did not update; empty if it did
	Reads     []string `json:"reads"`
	Writes    []string `json:"writes"`
	Queries   []string `json:"queries"`

	Last    Times     `json:"last"`
	Median  Times     `json:"median"`
	Max     Times     `json:"max"`
	Updates float64   `json:"updates"` // updates in a frame
	Spark   []float64 `json:"spark"`   // own + work in each of the last frames
}

// Times are the times of a system.
type Times struct {
	Own    float64 `json:"own"`
	Waited float64 `json:"waited"`
	Work   float64 `json:"work"`
	Span   float64 `json:"span"`
	Jobs   int     `json:"jobs"`
}

// systemState holds the data of one system that are different in each frame.
type systemState struct {
	enabled bool
	idle    string
	samples []system.Sample
}

// digest returns the answer about the systems of a roster in a frame. It adds the new samples
// to the samples of earlier requests.
func (known *systems) digest(frame uint64, r *roster, states []systemState) []System {
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.roster == nil || known.roster.changes != r.changes {
		known.roster = r
	}
	seen := map[*system.Instance]*systemSamples{}
	out := make([]System, len(r.entries))
	for k := range r.entries {
		p, d := &r.entries[k], &states[k]
		h := known.samples[p.in]
		if h == nil {
			h = new(systemSamples)
		}
		if seen[p.in] == nil {
			h.add(d.samples)
			seen[p.in] = h
		}
		s := &out[k]
		*s = System{Name: shortName(p.name), Full: p.name, Depth: p.depth, Group: p.group, Ungrouped: p.ungrouped, Enabled: d.enabled, Idle: d.idle}
		s.Reads, s.Writes, s.Queries = shortNames(p.reads), shortNames(p.writes), shortNames(p.queries)
		s.computeTimes(h.samples)
	}
	known.samples, known.newest = seen, max(known.newest, frame)
	return out
}

// computeTimes computes the last time, the median, the maximum and the spark line from samples.
func (s *System) computeTimes(samples []system.Sample) {
	s.Spark = []float64{}
	n := len(samples)
	if n == 0 {
		return
	}
	all := make([]time.Duration, n)
	of := func(get func(*system.Sample) time.Duration) (last, median, most float64) {
		for k := range samples {
			all[k] = get(&samples[k])
		}
		last = toMicros(all[n-1])
		slices.Sort(all)
		return last, toMicros(all[n/2]), toMicros(all[n-1])
	}
	s.Last.Own, s.Median.Own, s.Max.Own = of(func(x *system.Sample) time.Duration { return x.Own })
	s.Last.Waited, s.Median.Waited, s.Max.Waited = of(func(x *system.Sample) time.Duration { return x.Waited })
	s.Last.Work, s.Median.Work, s.Max.Work = of(func(x *system.Sample) time.Duration { return x.Work })
	s.Last.Span, s.Median.Span, s.Max.Span = of(func(x *system.Sample) time.Duration { return x.Span })
	count := make([]int, n)
	updates := 0
	for k := range samples {
		count[k] = samples[k].Jobs
		updates += samples[k].Updates
	}
	s.Last.Jobs = count[n-1]
	slices.Sort(count)
	s.Median.Jobs, s.Max.Jobs = count[n/2], count[n-1]
	s.Updates = float64(updates) / float64(n)
	for _, x := range samples[max(0, n-80):] {
		s.Spark = append(s.Spark, toMicros(x.Own+x.Work))
	}
}
