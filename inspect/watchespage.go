package inspect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/soa"
)

// Watch is one watch in the answer of /api/watches.
type Watch struct {
	Spec   string   `json:"spec"`
	Error  string   `json:"error,omitempty"`
	Over   int      `json:"over"`            // number of frames of a sample; 1 means that all rows are from one moment
	Frames []uint64 `json:"frames"`          // frames of the samples after since
	Values []any    `json:"values"`          // the samples; NaN and infinities are texts; a sample of quantiles is a list
	Count  int      `json:"count,omitempty"` // of the last sample of quantiles: number of entities that match
	Seen   int      `json:"seen,omitempty"`  // number of these that were read: every step-th
	First  *First   `json:"first,omitempty"`
}

// firstWrite asks package check for the first write of a NaN or an infinity to the lane of a number.
func (n *numberField) firstWrite(v *view) *Wrote {
	c := check.Of(v.world)
	if c == nil {
		return nil
	}
	for _, f := range c.Faults() {
		for _, t := range ecs.ComponentTypes() {
			if t.Type != n.typ || t.Name != f.Component {
				continue
			}
			if slices.ContainsFunc(t.Lanes, func(l soa.Lane) bool { return l.Name == f.Lane && l.Offset == n.lane }) {
				return v.newWrote(f)
			}
		}
	}
	return nil
}

// Watches is the answer of /api/watches.
type Watches struct {
	Frame    uint64  `json:"frame"` // argument of the next request: since=frame
	Watches  []Watch `json:"watches"`
	Catching bool    `json:"catching"`         // the world will pause when a system writes a new NaN or infinity: see do=catch of /api/control
	Caught   *Wrote  `json:"caught,omitempty"` // the write because of which it has paused
}

// watchesPageData is the data that the owner copies for a page of watches. The
// request allocates the memory in advance, so that the owner needs little time.
type watchesPageData struct {
	out     *Watches
	since   uint64
	watches []*watch    // one for each spec; nil if the spec is not valid
	writers [][]string  // one list of systems for each spec
	values  [][]float64 // one list for each spec
}

// watchesPage returns the samples of watches from the frames after a given
// frame. It adds watches that are new.
func watchesPage(ctx context.Context, v *view, specs []string, since uint64) (*Watches, error) {
	if len(specs) > maxWatches {
		return nil, fmt.Errorf("inspect: there are %d watches; the limit is %d", len(specs), maxWatches)
	}
	p := &watchesPageData{out: &Watches{Watches: make([]Watch, len(specs))}, since: since, watches: make([]*watch, len(specs)), values: make([][]float64, len(specs))}
	room := keptValues
	if since > 0 {
		room = 64
	}
	for k, spec := range specs {
		p.out.Watches[k] = Watch{Spec: spec, Values: []any{}, Frames: make([]uint64, 0, room)}
		w, err := parseWatch(spec)
		if err != nil {
			p.out.Watches[k].Error = err.Error()
			continue
		}
		p.watches[k], p.values[k] = w, make([]float64, 0, room*w.width)
	}
	var err error
	if p.writers, err = writersOf(ctx, v, p.watches); err != nil {
		return nil, err
	}
	_, err = v.runBetween(ctx, "watches", func(*ownerSlice) (bool, error) {
		p.out.Frame, p.out.Catching, p.out.Caught = v.lastFrame.Load(), v.catch.waits(), v.catch.caught
		for k, w := range p.watches {
			if w != nil {
				p.take(k, v)
			}
		}
		return false, nil
	})
	if err != nil {
		return nil, err // the owner may still be writing to it
	}
	return p.answer(), nil
}

// take copies the samples of watch k.
func (p *watchesPageData) take(k int, v *view) {
	own, to := v.watches.find(p.watches[k]), &p.out.Watches[k]
	if own == nil {
		to.Error = fmt.Sprintf("inspect: %d watches are asked for already; the limit is %d", maxWatches, maxWatches)
		return
	}
	own.lastRequest, to.Over = p.out.Frame, max(own.sampleFrames, 1)
	if own.errorText != "" {
		to.Error = own.errorText
	}
	if own.first != nil {
		first := *own.first
		first.Writers, first.Wrote = p.writers[k], own.number.firstWrite(v)
		to.First = &first
	}
	first := 0
	for first < len(own.frames) && own.frames[first] <= p.since && p.since <= p.out.Frame {
		first++
	}
	to.Frames = append(to.Frames, own.frames[first:]...)
	p.values[k] = append(p.values[k], own.values[first*own.width:]...)
	to.Count, to.Seen = own.passed, own.read
}

// answer converts the copied data to the answer.
func (p *watchesPageData) answer() *Watches {
	for k, values := range p.values {
		to := &p.out.Watches[k]
		for at := range to.Frames {
			width := p.watches[k].width
			if width == 1 {
				to.Values = append(to.Values, jsonNumber(values[at]))
				continue
			}
			sample := make([]any, width)
			for i := range sample {
				sample[i] = jsonNumber(values[at*width+i])
			}
			to.Values = append(to.Values, sample)
		}
	}
	return p.out
}

// jsonNumber returns a number for JSON. NaN and infinities become texts, because JSON does not have them.
func jsonNumber(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	return x
}

// writersOf returns, for each watch of odd values, the systems that write the
// watched component.
func writersOf(ctx context.Context, v *view, list []*watch) ([][]string, error) {
	all := make([][]string, len(list))
	for k, w := range list {
		if w == nil || w.kind != "odd" {
			continue
		}
		r, _, _, err := rosterOf(ctx, v)
		if err != nil {
			return nil, err
		}
		full := ""
		for _, t := range ecs.ComponentTypes() {
			if t.Type == w.number.typ {
				full = t.Name
			}
		}
		all[k] = []string{}
		for _, p := range r.entries {
			if slices.Contains(p.writes, full) && !slices.Contains(all[k], shortName(p.name)) {
				all[k] = append(all[k], shortName(p.name))
			}
		}
	}
	return all, nil
}
