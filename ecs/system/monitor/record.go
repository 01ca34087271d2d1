package monitor

import (
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// HistoryLen is how many frames are kept of each system while there is a recording.
const HistoryLen = 240

// The length that package system keeps is the same.
var _ [HistoryLen]struct{} = internals.Kept()

// Sample is what a system took in one frame, or in none: then Updates is 0.
type Sample = struct {
	Frame   uint64
	Updates int
	Jobs    int
	Own     time.Duration // as in explain.System
	Waited  time.Duration
	Work    time.Duration
	Span    time.Duration
}

// Record keeps the times of w's systems frame by frame, for [AppendSamples], and
// shows their turns at its borders, until stop is called. It takes times as system.Measure
// does, and does not touch what others have measured: system.Explain shows the frames of both.
//
// Share is how much of the time that may take. With 1 or more the times of every frame are
// taken. With less, a frame is left out that begins before what the last one has cost is
// down to that share: of frames of a hundred microseconds hardly one is, of frames of ten, with
// a share of 0.01, all but one in ten or twenty. A frame is timed or it is not, as a whole, and
// all numbers are of those that are. While system.Measure is on, all are.
//
// Of several recorders the greatest share holds; what the last one stops ends. Both functions
// panic in the middle of a frame, and Record if share is not above 0.
func Record(w *ecs.World, share float64) (stop func()) { return internals.Record(w, share) }

// TimeNext has the times of the next frame of w taken, whatever those of the last one have cost.
func TimeNext(w *ecs.World) { internals.TimeNext(w) }

// AppendSamples appends what a system took in each of the frames after since that are
// kept, the oldest first, to list. There are none without a recording: see [Record].
func AppendSamples(list []Sample, in *system.Instance, since uint64) []Sample {
	return internals.AppendSamples(list, in, since)
}
