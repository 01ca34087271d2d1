package monitor

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Roots returns the root groups that w has, in the order of their updates, and then the
// systems and groups that stand in no group, in the order of their creation.
func Roots(w *ecs.World) (list, apart []*system.Instance) { return internals.Roots(w) }

// Sequence returns the number of w among all worlds with systems that the
// process has ever had. No two have the same; later ones have larger ones. Of an open
// world any goroutine may ask.
func Sequence(w *ecs.World) uint64 { return internals.Sequence(w) }

// Changes returns how many systems were created in w and destroyed, together.
func Changes(w *ecs.World) uint64 { return internals.Changes(w) }

// Idle says why a system did not update in its last turn, in words; "" if it did.
func Idle(in *system.Instance) string { return internals.Idle(in) }

// Queries returns the queries that a system has made.
func Queries(in *system.Instance) []*ecs.Query { return internals.Queries(in) }

// Touches names the components that a system declares, sorted: those that it reads, and
// those that it writes.
func Touches(in *system.Instance) (reads, writes []string) { return internals.Touches(in) }
