package jobs

import (
	"context"
	"runtime/trace"
	"time"
)

// span is one job, or one worker's part of a loop, as tools see it. The zero
// span is one that no tool looks at.
type span struct {
	on     bool
	region *trace.Region
	events *events // where it is kept; nil is nowhere
	pieces *pieces // where its time is added; the same
	start  time.Duration
}

// observed reports whether a tool looks.
func (p *Pool) observed() bool { return p.watched.Load() != 0 || trace.IsEnabled() }

// newSpan begins to show a job on a seat.
func newSpan(s *seat, sl *slot) (sp span) {
	if !s.pool.observed() {
		return sp
	}
	sp.on = true
	if trace.IsEnabled() {
		sp.region = trace.StartRegion(sl.context(), sl.kind.name)
	}
	if m := sl.meter(); m != nil {
		sp.pieces = m.at(s.index)
	}
	if sp.events = s.events.Load(); sp.events != nil || sp.pieces != nil {
		sp.start = clock()
	}
	if sp.pieces != nil {
		sp.pieces.begin(sp.start)
	}
	return sp
}

// end ends it. Of a loop n blocks were run, the first of them at index lo.
func (sp *span) end(sl *slot, lo, n int) {
	if sp.events != nil || sp.pieces != nil {
		end := clock()
		if sp.pieces != nil {
			sp.pieces.end(end)
		}
		if sp.events != nil {
			sp.events.add(event{kind: sl.kind, start: sp.start, end: end, lo: lo, blocks: n})
		}
	}
	if sp.region != nil {
		sp.region.End()
	}
}

// context is that of the slot's scope.
func (sl *slot) context() context.Context {
	if sl.scope == nil {
		return context.Background()
	}
	if sl.scope.traced != nil {
		return sl.scope.traced
	}
	return sl.scope.ctx
}
