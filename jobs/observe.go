package jobs

import (
	"context"
	"runtime/trace"

	"github.com/lanewise/lanewise/jobs/profile"
)

// span is one job, or one worker's part of a loop, as tools see it. The zero
// span is one that nobody looks at.
type span struct {
	on     bool
	region *trace.Region
	piece  profile.Piece
}

// newSpan begins to show a job on a seat.
func newSpan(s *seat, sl *slot) (sp span) {
	if !s.pool.observed() {
		return sp
	}
	sp.on = true
	if trace.IsEnabled() {
		sp.region = trace.StartRegion(sl.context(), sl.kind.name)
	}
	sp.piece = s.profile.Begin(sl.meter())
	return sp
}

// end ends it. Of a loop n blocks were run.
func (sp *span) end(sl *slot, n int) {
	sp.piece.End(sl.kind.name, n)
	if sp.region != nil {
		sp.region.End()
	}
}

// meter is that of the slot's job; nil if it bears none.
func (sl *slot) meter() *profile.Meter {
	var job any = sl.one
	if sl.shape == shapeMany {
		job = sl.many
	}
	if m, ok := job.(profile.Metered); ok {
		return meterOf(m)
	}
	return nil
}

// meterOf asks a job for its meter.
func meterOf(job profile.Metered) *profile.Meter {
	defer func() { _ = recover() }()
	return job.JobMeter()
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
