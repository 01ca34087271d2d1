package inspect

import (
	"context"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// Order is the answer of /api/order. Times are microseconds for each frame, on
// average.
type Order struct {
	World     string      `json:"world"`
	Frame     uint64      `json:"frame"`
	Frames    int         `json:"frames"` // number of measured frames; with 0, the rest is from the declarations of systems
	Length    float64     `json:"length"`
	Systems   []Node      `json:"systems"`
	Ungrouped []Node      `json:"apart"`
	Waits     []Waits     `json:"waits"`
	Parallel  [][]string  `json:"parallel"`
	Critical  []Segment   `json:"critical"`
	Syncs     []SyncPoint `json:"syncs"`
	Advice    []string    `json:"advice"`

	NotCreated []Missing `json:"notCreated"`
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

// Missing is a system type that has no system in the world, and the reason for that.
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
	_, err := v.at(ctx, "order", func(l *ownerSlice) (bool, error) {
		if err := l.unlent(); err != nil {
			return false, err
		}
		if at = v.lastFrame.Load(); s == nil {
			if s = system.NewExplainer(v.world); l.over() {
				return true, nil
			}
		}
		return !s.Continue(l.over), nil
	})
	if err != nil {
		return nil, err
	}
	return orderOf(s.Report(), at), nil
}

func orderOf(x *system.Report, at uint64) *Order {
	out := &Order{World: x.World, Frame: at, Frames: x.Frames, Length: micros(x.Frame), Systems: []Node{}, Ungrouped: []Node{}, Waits: []Waits{}, Parallel: [][]string{}, Critical: []Segment{}, Syncs: []SyncPoint{}, Advice: []string{}, NotCreated: []Missing{}}
	node := func(s system.ReportSystem) Node {
		return Node{
			Name: short(s.System), Full: s.System, Depth: s.Depth, Group: s.Group, Reads: shorts(s.Reads), Writes: shorts(s.Writes),
			Updates: s.Updates, Own: micros(s.Own), Waited: micros(s.Waited), Jobs: s.Jobs, Work: micros(s.Work), Span: micros(s.Span),
		}
	}
	for _, s := range x.Order {
		out.Systems = append(out.Systems, node(s))
	}
	for _, s := range x.Ungrouped {
		out.Ungrouped = append(out.Ungrouped, node(s))
	}
	for _, w := range x.Waits {
		out.Waits = append(out.Waits, Waits{short(w.System), short(w.For), short(w.Component), w.Writes, w.ForItWrites})
	}
	for _, wave := range x.Parallel {
		out.Parallel = append(out.Parallel, shorts(wave))
	}
	segment := func(name string, jobs bool, d time.Duration) Segment { return Segment{short(name), jobs, micros(d)} }
	for _, l := range x.Critical {
		out.Critical = append(out.Critical, segment(l.System, l.Jobs, l.Time))
	}
	for _, s := range x.Syncs {
		one := SyncPoint{System: short(s.System), Count: s.Count, Waited: micros(s.Waited), For: []Segment{}}
		for _, f := range s.For {
			one.For = append(one.For, segment(f.System, true, f.Time))
		}
		out.Syncs = append(out.Syncs, one)
	}
	for _, m := range x.NotCreated {
		out.NotCreated = append(out.NotCreated, Missing{short(m.System), m.System, m.Plugin, m.Why})
	}
	out.Advice = append(out.Advice, x.Advice...)
	return out
}
