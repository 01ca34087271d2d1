package inspect

import (
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
)

// TestFramesTimed checks that the durations of all frames are kept, but the turns of systems only for timed
// frames.
func TestFramesTimed(t *testing.T) {
	f := new(frames)
	one := func(n uint64, timed bool) {
		b := &system.FrameEnd{Frame: n, Start: time.Duration(n) * time.Millisecond, End: time.Duration(n)*time.Millisecond + time.Duration(n), Timed: timed}
		if timed {
			b.Turns = make([]system.Turn, n%5+1)
		}
		f.add(b)
	}
	one(1, false)
	if r := f.recordingOf(1, nil); r.frame != 1 || len(r.turns) != 0 { // an untimed frame is better than none
		t.Errorf("%+v", r)
	}
	for n := uint64(2); n <= 500; n++ {
		one(n, n%10 == 0)
	}
	one(501, false)
	if r := f.recordingOf(f.last, nil); r.frame != 500 || len(r.turns) != 1 || r.end-r.start != 500 {
		t.Errorf("%+v", r)
	}
	if r := f.recordingOf(490, nil); r.frame != 490 {
		t.Errorf("%+v", r)
	}
	first, list := f.appendLengths(nil, 0)
	if first != 501-keptFrames+1 || len(list) != keptFrames || list[keptFrames-1] != 501 || list[0] != time.Duration(first) {
		t.Errorf("%d lengths from %d", len(list), first)
	}
	if f.timedCount != keptFrames/10 || f.count != keptFrames {
		t.Errorf("%d of %d frames are timed", f.timedCount, f.count)
	}
	for n := uint64(502); n <= 502+keptFrames; n++ {
		one(n, true)
	}
	if f.timedCount != keptFrames {
		t.Errorf("%d of %d frames are timed", f.timedCount, keptFrames)
	}
}
