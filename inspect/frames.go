package inspect

import (
	"slices"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// kept is how many frames a view keeps the lengths of, and the turns of keptTurns.
const (
	kept      = 240
	keptTurns = 64
)

// frames is the last frames of a world, in rings by the number of the frame.
type frames struct {
	last   uint64
	count  int
	long   [kept]time.Duration
	timed  [kept]bool // their times were taken
	share  int        // how many of them
	newest uint64     // of those in turns
	turns  [keptTurns]recording
}

// recording is what happened in one frame.
type recording struct {
	frame      uint64
	start, end time.Duration
	turns      []system.Turn
}

func (f *frames) add(b *system.FrameEnd) {
	f.last, f.count = b.Frame, min(f.count+1, kept)
	k := b.Frame % kept
	f.long[k] = b.End - b.Start
	if f.timed[k] != b.Timed {
		f.timed[k] = b.Timed
		if b.Timed {
			f.share++
		} else {
			f.share--
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

// of returns a copy of what happened in a frame, or in the last one of which that was taken. The
// turns are appended to room.
func (f *frames) of(frame uint64, room []system.Turn) recording {
	r := f.turns[frame%keptTurns]
	if r.frame != frame || frame == 0 {
		r = f.turns[f.newest%keptTurns]
	}
	r.turns = append(room, r.turns...)
	return r
}

// lengths appends those of the frames after since that are kept, and returns the number
// of the first.
func (f *frames) lengths(list []time.Duration, since uint64) (first uint64, _ []time.Duration) {
	first = max(since+1, f.last+1-min(uint64(f.count), f.last))
	for n := first; n <= f.last; n++ {
		list = append(list, f.long[n%kept])
	}
	return first, list
}

// median is that of the frames before the last, and whether there are enough to tell.
func (f *frames) median(room []time.Duration) (time.Duration, bool) {
	if f.count < 30 {
		return 0, false
	}
	room = room[:0]
	for k := 1; k < f.count; k++ {
		room = append(room, f.long[(f.last-uint64(k))%kept])
	}
	slices.Sort(room)
	return room[len(room)/2], true
}

// heldTimes is for how long frames were held up by looking, those at which there was something
// to do.
type heldTimes struct {
	ring [1024]time.Duration
	n    uint64
}

func (h *heldTimes) add(d time.Duration) {
	h.ring[h.n%uint64(len(h.ring))] = d
	h.n++
}

// digest returns the last one, the 99th percentile and the longest of those kept. It sorts a
// copy, which is not for the owner.
func (h *heldTimes) digest() (last, p99, most time.Duration) {
	n := min(h.n, uint64(len(h.ring)))
	if n == 0 {
		return 0, 0, 0
	}
	last = h.ring[(h.n-1)%uint64(len(h.ring))]
	slices.Sort(h.ring[:n])
	return last, h.ring[n*99/100], h.ring[n-1]
}
