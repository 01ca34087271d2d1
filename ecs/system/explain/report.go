// Package explain is what is told of the frames of a world, and how it reads: package
// system makes a [Report] of what its systems declare and of what was measured, tools show it.
// It knows nothing of systems and worlds but their names.
//
// What holds: a [Report] is plain data. Nothing in it leads to a world, so that any goroutine may read it, and a file or a browser have it. A system is named in full
// wherever it occurs, and the order is that of the frame; what was not measured is zero, and the text leaves it out.
package explain

import (
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Report says what a frame of a world consists of. Systems are named in
// full. Times are means of one frame, and there are none before system.Measure.
type Report struct {
	World      string
	Frames     int           // that were measured
	Frame      time.Duration // length of one
	Order      []System      // the systems in the order of their updates
	Ungrouped  []System      // those that no group updates
	NotCreated []Missing     // the types that the world might have a system of, and has none
	Waits      []Wait        // whose jobs wait for whose
	Parallel   [][]string    // systems whose jobs can run at the same time, in the order of the frame
	Critical   []Part        // what a frame would take with as many workers as one likes
	Syncs      []SyncPoint   // where the owner waited for all jobs
	Advice     []string      // what could be better
}

// System is one system's place in a frame.
type System struct {
	System string
	Depth  int // of its group; root groups have 0
	Group  bool
	Reads  []string // components that its queries and accesses declare
	Writes []string

	Updates float64          // a frame
	Own     time.Duration    // on the owner's goroutine, without members and waits
	Waited  time.Duration    // on the owner's goroutine, by Frame and World; Handle.Wait is not seen
	Jobs    float64          // scheduled
	Work    time.Duration    // of its jobs, on all workers together
	Span    time.Duration    // from the beginning of its first job to the end of its last
	Spreads []profile.Spread // how the pool runs its loops of up to ten milliseconds, and why
}

// Missing is a system type of which a world has no system, though it is registered, or the options of the world name it, or a system of
// the world stands in it.
type Missing struct {
	System string
	Set    string // the name of the system.Set that it is of; empty: of none
	Why    string // and what to do: for example, "Manual: make it by system.Create, or name it in system.Only"
}

// Wait says that jobs of one system come after those of another because both
// touch a component, and one writes it. What one waits for through a third is
// left out, and so is, after frames with system.Measure, what waits of a system that
// has not updated in them.
type Wait struct {
	System, For         string
	Component           string
	Writes, ForItWrites bool // System writes it; For does
}

// Part is a part of what takes time: an update of a system, or jobs that it scheduled.
type Part struct {
	System string
	Jobs   bool
	Time   time.Duration
}

// SyncPoint is where the owner waited until all jobs were done: in a system
// that changes the structure of the world, or at the end of the frame.
type SyncPoint struct {
	System string  // empty: the end of the frame
	Count  float64 // a frame
	Waited time.Duration
	For    []Part // the longest first
}
