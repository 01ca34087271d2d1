package monitor

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
)

// Snapshot is a copy of all that system.Explain goes by: what the owner of a world has to do for an
// explanation. The rest takes several times as long, and is for any goroutine.
type Snapshot struct{ of snapshot }

// snapshot is what package system has of it.
type snapshot interface {
	Continue(over func() bool) (done bool)
	Explain() *explain.Report
}

// BeginSnapshot begins to copy what there is to know of the frames of w; [Snapshot.Continue] does it, at once or in pieces,
// between two frames as this is. It is for the owner, and panics if w is closed, as system.Explain does.
func BeginSnapshot(w *ecs.World) *Snapshot { return &Snapshot{internals.BeginSnapshot(w)} }

// Continue copies systems, and then asks their sets for advice, until over says that it is time to
// end: one at least. It reports whether all is copied. Frames may pass between two calls: the times of each
// system are means of the frames until its own copy. If systems come or go meanwhile,
// or measuring begins or ends, it begins anew. Without a function it is never time to end. It is for the owner, and panics if the
// world is closed.
func (s *Snapshot) Continue(over func() bool) (done bool) {
	own := s.made("Continue")
	if over == nil {
		over = func() bool { return false }
	}
	return own.Continue(over)
}

// made is what s is about. It panics if s was not made.
func (s *Snapshot) made(method string) snapshot {
	if s == nil || s.of == nil {
		panic(fmt.Errorf("system: monitor.Snapshot.%s: the snapshot is the zero Snapshot: make it with monitor.BeginSnapshot: %w", method, ecs.ErrState))
	}
	return s.of
}

// Explain is system.Explain of the moment of the copy. Any goroutine may call it, once, when all is copied: else it panics.
func (s *Snapshot) Explain() *explain.Report { return s.made("Explain").Explain() }
