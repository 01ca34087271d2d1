package inspect

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// A view keeps the lengths of the last keptFrames frames, and the turns of systems of the last
// keptTurns frames.
const (
	keptFrames = 240
	keptTurns  = 64
)

// frames holds the last frames of a world in ring buffers. The frame with number n
// is at index n modulo the length of the buffer.
type frames struct {
	last         uint64
	count        int
	frameLengths [keptFrames]time.Duration
	timed        [keptFrames]bool // the times of the frame were measured
	timedCount   int              // number of these frames
	newest       uint64           // newest frame in turns
	turns        [keptTurns]recording
}

// recording is the timeline of one frame.
type recording struct {
	frame      uint64
	start, end time.Duration
	turns      []system.Turn
}

func (f *frames) add(b *system.FrameEnd) {
	f.last, f.count = b.Frame, min(f.count+1, keptFrames)
	k := b.Frame % keptFrames
	f.frameLengths[k] = b.End - b.Start
	if f.timed[k] != b.Timed {
		f.timed[k] = b.Timed
		if b.Timed {
			f.timedCount++
		} else {
			f.timedCount--
		}
	}
	if !b.Timed && f.newest != 0 {
		return
	}
	f.newest = b.Frame
	r := &f.turns[b.Frame%keptTurns]
	r.frame, r.start, r.end = b.Frame, b.Start, b.End
	r.turns = append(r.turns[:0], b.Turns...)
}

// recordingOf returns a copy of the recording of a frame, or of the last recorded frame.
// It uses the memory of room for the turns.
func (f *frames) recordingOf(frame uint64, room []system.Turn) recording {
	r := f.turns[frame%keptTurns]
	if r.frame != frame || frame == 0 {
		r = f.turns[f.newest%keptTurns]
	}
	r.turns = append(room, r.turns...)
	return r
}

// appendLengths appends the lengths of the kept frames that are later than frame
// since. It returns the number of the first of these frames.
func (f *frames) appendLengths(list []time.Duration, since uint64) (first uint64, _ []time.Duration) {
	first = max(since+1, f.last+1-min(uint64(f.count), f.last))
	for n := first; n <= f.last; n++ {
		list = append(list, f.frameLengths[n%keptFrames])
	}
	return first, list
}

// median returns the median length of the kept frames except the last, and reports
// whether enough frames are kept.
func (f *frames) median(room []time.Duration) (time.Duration, bool) {
	if f.count < 30 {
		return 0, false
	}
	room = room[:0]
	for k := 1; k < f.count; k++ {
		room = append(room, f.frameLengths[(f.last-uint64(k))%keptFrames])
	}
	slices.Sort(room)
	return room[len(room)/2], true
}

// heldTimes holds the times by which requests have delayed the last frames. It
// skips frames without requests.
type heldTimes struct {
	ring [1024]time.Duration
	n    uint64
}

func (h *heldTimes) add(d time.Duration) {
	h.ring[h.n%uint64(len(h.ring))] = d
	h.n++
}

// digest returns the last of these times, their 99th percentile and their maximum.
// The owner must not call digest, because it copies and sorts the times.
func (h *heldTimes) digest() (last, p99, most time.Duration) {
	n := min(h.n, uint64(len(h.ring)))
	if n == 0 {
		return 0, 0, 0
	}
	last = h.ring[(h.n-1)%uint64(len(h.ring))]
	slices.Sort(h.ring[:n])
	return last, h.ring[n*99/100], h.ring[n-1]
}
