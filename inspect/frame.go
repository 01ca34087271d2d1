package inspect

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Frame is the answer of /api/frame. Times are microseconds.
type Frame struct {
	World    string  `json:"world"`
	ID       string  `json:"id"`
	Frame    uint64  `json:"frame"`
	Elapsed  float64 `json:"elapsed"` // seconds of the world's time
	Delta    float64 `json:"delta"`
	Scale    float64 `json:"scale"`
	Entities int     `json:"entities"`
	Workers  int     `json:"workers"`
	Paused   bool    `json:"paused"`
	Pace     float64 `json:"pace"` // frames a second at most; 0 is as many as there are
	Lent     bool    `json:"lent"` // to a transaction
	Cost     Cost    `json:"cost"`

	First   uint64    `json:"first"`   // number of the first of Lengths
	Lengths []float64 `json:"lengths"` // of the frames after since
	Length  float64   `json:"length"`  // of the frame that Spans shows
	Shown   uint64    `json:"shown"`   // its number

	Timed float64 `json:"timed"` // share of the last frames whose times were taken

	Spans   []Span   `json:"spans"`
	Systems []System `json:"systems"`

	Failure      string `json:"failure"` // what went wrong last, and in which frame
	FailureFrame uint64 `json:"failureFrame"`
	Frames       int    `json:"frames"`
}

// Cost is for how long looking has held up frames: the last one, the 99th percentile and the longest
// of the last thousand.
type Cost struct {
	Last float64 `json:"last"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Span is a piece of the timeline.
type Span struct {
	Lane   string  `json:"lane"` // "owner", "owner jobs", "worker 1", …
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // update, group, wait, job, sleep
	A      float64 `json:"a"`    // since the beginning of the frame
	B      float64 `json:"b"`
	Depth  int     `json:"depth"`
	Blocks int     `json:"blocks,omitempty"` // of a loop
}

// System is one system, in the order of the frame.
type System struct {
	Name    string   `json:"name"`
	Full    string   `json:"full"`
	Depth   int      `json:"depth"`
	Group   bool     `json:"group"`
	Apart   bool     `json:"apart"` // it stands in no group
	Enabled bool     `json:"enabled"`
	Idle    string   `json:"idle"` // why it did not update; empty if it did
	Reads   []string `json:"reads"`
	Writes  []string `json:"writes"`
	Queries []string `json:"queries"`

	Last    Times     `json:"last"`
	Median  Times     `json:"median"`
	Max     Times     `json:"max"`
	Updates float64   `json:"updates"` // a frame
	Spark   []float64 `json:"spark"`   // own + work of the last frames
}

// Times is what a system took.
type Times struct {
	Own    float64 `json:"own"`
	Waited float64 `json:"waited"`
	Work   float64 `json:"work"`
	Span   float64 `json:"span"`
	Jobs   int     `json:"jobs"`
}

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

// line is the samples of a system that requests have fetched.
type line struct{ samples []system.Sample }

// renew brings the roster up to date, a slice at a time. It is for the owner.
func (v *view) renew(l *look, r *roster) (*roster, bool) {
	changes := system.Changes(v.world)
	if r == nil || r.changes != changes {
		r = &roster{changes: changes}
		list, apart := system.Roots(v.world)
		var add func(in *system.Instance, depth int, apart bool)
		add = func(in *system.Instance, depth int, apart bool) {
			r.places = append(r.places, placed{in: in, depth: depth, group: in.Group() != nil, apart: apart, name: in.Name()})
			if g := in.Group(); g != nil && depth < 64 {
				for _, m := range g.Members() {
					add(m, depth+1, apart)
				}
			}
		}
		for _, in := range list {
			add(in, 0, false)
		}
		for _, in := range apart {
			add(in, 0, true)
		}
	}
	for r.done < len(r.places) {
		p := &r.places[r.done]
		p.reads, p.writes = p.in.Touches()
		for _, q := range p.in.Queries() {
			p.queries = append(p.queries, q.String())
		}
		if r.done++; r.done < len(r.places) && l.over() {
			return r, false
		}
	}
	return r, true
}

// dynamic is what changes of a system from frame to frame.
type dynamic struct {
	enabled bool
	idle    string
	samples []system.Sample
}

func (v *view) framePage(ctx context.Context, since uint64) (*Frame, error) {
	r, newest, frames, err := v.known(ctx)
	if err != nil {
		return nil, err
	}
	// The room for what the owner copies is made here: he has better things to do.
	out, held := &Frame{}, &heldTimes{}
	var rec recording
	turns, long := make([]system.Turn, 0, int(v.most.turns.Load())), make([]time.Duration, 0, kept)
	events := make([]jobs.Event, 0, int(v.most.events.Load()))
	states := make([]dynamic, 0, len(r.places))
	missed := min(v.number.Load()-min(newest, v.number.Load())+64, system.HistoryLen)
	pooled := histories.Get().(*[]system.Sample)
	*pooled = slices.Grow((*pooled)[:0], (len(r.places)+1)*int(missed)+system.HistoryLen)
	samples := *pooled
	first := true
	more, err := v.at(ctx, "frame", func(l *look) (bool, error) {
		if first {
			first = false
			w := v.world
			t := system.ClockOf(w)
			out.Frame, out.Entities, out.Workers, out.Lent = v.number.Load(), v.length(), w.Pool().Workers(), w.Lent()
			out.Elapsed, out.Delta, out.Scale = t.Now().Elapsed, t.Now().Delta, t.Scale()
			rec = v.ring.of(v.ring.last, turns)
			out.First, long = v.ring.lengths(long, since)
			events = w.Pool().AppendEvents(events, rec.start)
			*held = v.held
			out.Timed = float64(v.ring.share) / float64(max(v.ring.count, 1))
			out.Failure, out.FailureFrame = v.failure.text, v.failure.frame
			if l.over() {
				return true, nil
			}
		}
		var ok bool
		if r == nil || r.changes != system.Changes(v.world) || r.done < len(r.places) {
			states = nil
			if r, ok = v.renew(l, r); !ok {
				return true, nil
			}
		}
		for len(states) < len(r.places) {
			in := r.places[len(states)].in
			if cap(samples)-len(samples) < system.HistoryLen {
				samples = make([]system.Sample, 0, system.HistoryLen) // more of them than was thought
			}
			own := in.AppendSamples(samples[len(samples):], newest)
			samples = samples[:len(samples)+len(own)]
			states = append(states, dynamic{in.Enabled(), in.Idle(), own})
			if l.over() {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	v.most.turns.Store(int64(len(rec.turns) + 64))
	v.most.events.Store(int64(len(events)/2*3 + 256))
	last, p99, most := held.digest()
	out.Cost = Cost{micros(last), micros(p99), micros(most)}
	out.World, out.ID, out.Frames = v.world.Name(), fmt.Sprint(v.seq), frames+more
	out.Paused, out.Shown, out.Length = v.paused.Load(), rec.frame, micros(rec.end-rec.start)
	if p := v.pace.Load(); p > 0 {
		out.Pace = float64(time.Second) / float64(p)
	}
	out.Lengths = make([]float64, len(long))
	for k, d := range long {
		out.Lengths[k] = micros(d)
	}
	out.Spans = spansOf(rec, events)
	v.digest(out, r, states)
	histories.Put(pooled)
	return out, nil
}

// histories are the room for samples of earlier requests.
var histories = sync.Pool{New: func() any { return new([]system.Sample) }}

// known returns what is known of the systems, and the frame whose samples were fetched last. The
// first time it asks the owner, which takes so many frames.
func (v *view) known(ctx context.Context) (r *roster, newest uint64, frames int, err error) {
	v.mu.Lock()
	r, newest = v.roster, v.newest
	v.mu.Unlock()
	if r != nil {
		return r, newest, 0, nil
	}
	var own *roster
	frames, err = v.at(ctx, "systems", func(l *look) (bool, error) {
		ok := false
		own, ok = v.renew(l, own)
		return !ok, nil
	})
	if err != nil {
		return nil, 0, 0, err // the owner may have it still
	}
	return own, newest, frames, nil
}

// digest makes what is told of the systems, with the samples of earlier requests.
func (v *view) digest(out *Frame, r *roster, states []dynamic) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.roster == nil || v.roster.changes != r.changes {
		v.roster = r
	}
	seen := map[*system.Instance]*line{}
	out.Systems = make([]System, len(r.places))
	for k := range r.places {
		p, d := &r.places[k], &states[k]
		h := v.lines[p.in]
		if h == nil {
			h = new(line)
		}
		if seen[p.in] == nil {
			h.add(d.samples)
			seen[p.in] = h
		}
		s := &out.Systems[k]
		*s = System{Name: short(p.name), Full: p.name, Depth: p.depth, Group: p.group, Apart: p.apart, Enabled: d.enabled, Idle: d.idle}
		s.Reads, s.Writes, s.Queries = shorts(p.reads), shorts(p.writes), shorts(p.queries)
		s.times(h.samples)
	}
	v.lines, v.newest = seen, max(v.newest, out.Frame)
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

// shorts shortens names.
func shorts(names []string) []string {
	list := make([]string, len(names))
	for k, n := range names {
		list[k] = short(n)
	}
	return list
}

// times makes last, median, greatest and the spark of samples.
func (s *System) times(samples []system.Sample) {
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
		last = micros(all[n-1])
		slices.Sort(all)
		return last, micros(all[n/2]), micros(all[n-1])
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
		s.Spark = append(s.Spark, micros(x.Own+x.Work))
	}
}

// spansOf makes the timeline of a frame.
func spansOf(rec recording, events []jobs.Event) []Span {
	spans := []Span{}
	for _, t := range rec.turns {
		kind, name := "update", "jobs of nobody"
		if t.Instance != nil {
			name = short(t.Instance.Name())
			if t.Instance.Group() != nil {
				kind = "group"
			}
		}
		if t.Wait {
			kind = "wait"
		}
		spans = append(spans, Span{Lane: "owner", Name: name, Kind: kind, A: micros(t.Start - rec.start), B: micros(t.End - rec.start), Depth: t.Depth})
	}
	for _, e := range events {
		if e.Start >= rec.end || e.End <= rec.start {
			continue
		}
		s := Span{Lane: fmt.Sprintf("worker %d", e.Worker), Name: short(e.Name), Kind: "job", Blocks: e.Blocks}
		if e.Caller {
			s.Lane = "owner jobs"
		}
		if e.Name == "" {
			s.Kind, s.Name = "sleep", "sleep"
		}
		s.A, s.B = micros(max(e.Start, rec.start)-rec.start), micros(min(e.End, rec.end)-rec.start)
		spans = append(spans, s)
	}
	return spans
}
