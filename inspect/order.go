package inspect

import (
	"context"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Order is the answer of /api/order. All times are averages for one frame, in microseconds.
type Order struct {
	World     string      `json:"world"`
	Frame     uint64      `json:"frame"`
	Frames    int         `json:"frames"`  // number of measured frames; with 0, the rest is from the declarations of systems
	Watched   bool        `json:"watched"` // a catch, or another tool that observes each update, made each system of these frames wait for its own jobs
	Length    float64     `json:"length"`
	Systems   []Node      `json:"systems"`
	Ungrouped []Node      `json:"apart"`
	Waits     []Waits     `json:"waits"`
	Parallel  [][]string  `json:"parallel"`
	Critical  []Segment   `json:"critical"`
	Syncs     []SyncPoint `json:"syncs"`
	Advice    []string    `json:"advice"`

	// The following fields come from a simulation of recorded frames. These fields are
	// empty before the first simulation.
	Recorded       int          `json:"recorded"`       // number of these frames
	RecordedLength float64      `json:"recordedLength"` // median of their lengths
	Work           float64      `json:"work"`           // time that one worker needs without any waiting
	Span           float64      `json:"span"`           // longest chain of updates and jobs: no frame is shorter
	Workers        int          `json:"workers"`
	Predicted      []Prediction `json:"predicted"`
	Savings        []Saving     `json:"savings"` // changes that make a frame shorter, the best first

	NotCreated []Missing `json:"notCreated"`
}

// Prediction is the predicted length of a frame with Workers workers; Workers is 0 for an
// unlimited number.
type Prediction struct {
	Workers int     `json:"workers"`
	Time    float64 `json:"time"`
}

// Saving is a change of the program that would make a frame shorter.
type Saving struct {
	System    string  `json:"system"`
	For       string  `json:"for"`       // the system for whose jobs it waits; may be empty
	Component string  `json:"component"` // the reason; may be empty
	Advice    string  `json:"advice"`    // why a frame takes this time, and what to change
	Waits     float64 `json:"waits"`
	Saves     float64 `json:"saves"` // the time by which a frame would be shorter
}

// Node is one system of Order.
type Node struct {
	Name    string   `json:"name"`
	Full    string   `json:"full"`
	Depth   int      `json:"depth"`
	Group   bool     `json:"group"`
	Reads   []string `json:"reads"`
	Writes  []string `json:"writes"`
	Updates float64  `json:"updates"`
	Own     float64  `json:"own"`
	Waited  float64  `json:"waited"`
	Jobs    float64  `json:"jobs"`
	Work    float64  `json:"work"`
	Span    float64  `json:"span"`
}

// Waits describes a dependency: the jobs of System start after the jobs of For,
// because both use a component.
type Waits struct {
	System      string `json:"system"`
	For         string `json:"for"`
	Component   string `json:"component"`
	Writes      bool   `json:"writes"` // System writes it
	ForItWrites bool   `json:"forItWrites"`
}

// Missing describes a system type of which the world has no system, and the reason why it
// has none.
type Missing struct {
	Name string `json:"name"`
	Full string `json:"full"`
	Set  string `json:"set"` // empty if it belongs to none
	Why  string `json:"why"`
}

// Segment is a part of the critical path.
type Segment struct {
	System string  `json:"system"`
	Jobs   bool    `json:"jobs"`
	Time   float64 `json:"time"`
}

// SyncPoint describes a point in the frame at which the owner waited for all jobs.
type SyncPoint struct {
	System string    `json:"system"` // empty: the end of the frame
	Count  float64   `json:"count"`
	Waited float64   `json:"waited"`
	For    []Segment `json:"for"`
}

func orderPage(ctx context.Context, v *view) (*Order, error) {
	var s *system.Explainer
	var at uint64
	_, err := v.runBetween(ctx, "order", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		if at = v.lastFrame.Load(); s == nil {
			if s = system.NewExplainer(v.world); l.isOver() {
				return true, nil
			}
		}
		return !s.Continue(l.isOver), nil
	})
	if err != nil {
		return nil, err
	}
	return orderOf(s.Report(), at), nil
}

func orderOf(x *system.Report, at uint64) *Order {
	out := &Order{World: x.World, Frame: at, Frames: x.Frames, Watched: x.Watched, Length: toMicros(x.Frame), Systems: []Node{}, Ungrouped: []Node{}, Waits: []Waits{}, Parallel: [][]string{}, Critical: []Segment{}, Syncs: []SyncPoint{}, Advice: []string{}, NotCreated: []Missing{}, Predicted: []Prediction{}, Savings: []Saving{}}
	node := func(s system.ReportSystem) Node {
		return Node{
			Name: shortName(s.System), Full: s.System, Depth: s.Depth, Group: s.Group, Reads: shortNames(s.Reads), Writes: shortNames(s.Writes),
			Updates: s.Updates, Own: toMicros(s.Own), Waited: toMicros(s.Waited), Jobs: s.Jobs, Work: toMicros(s.Work), Span: toMicros(s.Span),
		}
	}
	for _, s := range x.Order {
		out.Systems = append(out.Systems, node(s))
	}
	for _, s := range x.Ungrouped {
		out.Ungrouped = append(out.Ungrouped, node(s))
	}
	for _, w := range x.Waits {
		out.Waits = append(out.Waits, Waits{shortName(w.System), shortName(w.For), shortName(w.Component), w.Writes, w.ForItWrites})
	}
	for _, wave := range x.Parallel {
		out.Parallel = append(out.Parallel, shortNames(wave))
	}
	segment := func(name string, jobs bool, d time.Duration) Segment {
		return Segment{shortName(name), jobs, toMicros(d)}
	}
	for _, l := range x.Critical {
		out.Critical = append(out.Critical, segment(l.System, l.Jobs, l.Time))
	}
	for _, s := range x.Syncs {
		one := SyncPoint{System: shortName(s.System), Count: s.Count, Waited: toMicros(s.Waited), For: []Segment{}}
		for _, f := range s.For {
			one.For = append(one.For, segment(f.System, true, f.Time))
		}
		out.Syncs = append(out.Syncs, one)
	}
	for _, m := range x.NotCreated {
		out.NotCreated = append(out.NotCreated, Missing{shortName(m.System), m.System, m.Plugin, m.Why})
	}
	out.Advice = append(out.Advice, x.Advice...)
	out.Recorded, out.RecordedLength = x.Recorded, toMicros(x.RecordedFrame)
	out.Work, out.Span, out.Workers = toMicros(x.Work), toMicros(x.Span), x.Workers
	for _, p := range x.Predicted {
		out.Predicted = append(out.Predicted, Prediction{p.Workers, toMicros(p.Time)})
	}
	for _, s := range x.Savings {
		out.Savings = append(out.Savings, Saving{shortName(s.System), shortName(s.For), shortName(s.Component), s.Advice, toMicros(s.Waits), toMicros(s.Saves)})
	}
	return out
}
