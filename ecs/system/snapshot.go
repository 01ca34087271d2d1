package system

import "github.com/lanewise/lanewise/ecs"

// Snapshot is a copy of all that [Explain] goes by.
type Snapshot struct{ out *Explanation }

// TakeSnapshot copies what there is to know of the frames of w, between two frames.
func TakeSnapshot(w *ecs.World) *Snapshot { return &Snapshot{Explain(w)} }

// Explain is [Explain] of the moment of the copy; any goroutine may call it.
func (s *Snapshot) Explain() *Explanation { return s.out }
