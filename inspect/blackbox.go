package inspect

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime/trace"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs/profile"
)

// blackBox keeps recordings of slow frames.
type blackBox struct {
	budget time.Duration // of a frame; 0 means three times the median
	why    string        // why there is no flight recorder

	recorder *trace.FlightRecorder
	logger   *slog.Logger // nil: slow frames are not logged

	mu            sync.Mutex
	captures      []*capture // the last captures
	number        int
	busy          bool          // a capture is being written
	last          time.Duration // time of the last capture
	missed        int           // number of slow frames without a capture since the last one
	writing       sync.WaitGroup
	medianScratch []time.Duration
}

// A capture is the recording of the last second before the end of a slow frame.
type capture struct {
	info   Capture
	frames []recording
	events []profile.Event
	trace  []byte
}

// Capture is one slow frame in the answer of /api/box.
type Capture struct {
	ID    string  `json:"id"` // argument of /api/box/trace and /api/box/timeline
	World string  `json:"world"`
	Frame uint64  `json:"frame"`
	When  string  `json:"when"`
	Took  float64 `json:"took"`
	Limit float64 `json:"limit"`
	Trace bool    `json:"trace"`
	Bytes int     `json:"bytes"` // size of the trace
	Why   string  `json:"why"`   // why there is no trace
}

// These constants limit the recordings that the black box keeps.
const (
	keptCaptures       = 4
	minCaptureInterval = 2 * time.Second // the least time between two captures
	capturedTime       = time.Second     // the recorded time before the end of the frame
	traceBytes         = 32 << 20
)

func (x *blackBox) begin() {
	x.recorder = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: capturedTime, MaxBytes: traceBytes})
	if err := x.recorder.Start(); err != nil {
		x.recorder, x.why = nil, fmt.Sprintf("there is no trace: %v", err)
	}
}

func (x *blackBox) end() {
	x.writing.Wait()
	if x.recorder != nil {
		x.recorder.Stop()
	}
	x.mu.Lock()
	missed := x.missed
	x.missed = 0
	x.mu.Unlock() // before the call of the logger, because its handler may ask the inspector
	if x.logger != nil && missed > 0 {
		x.logger.Warn("inspect: slow frames after the last line", "missed", missed)
	}
}

// look keeps the recording of a frame if the frame was slow. The owner calls
// look at the end of each frame.
func (x *blackBox) look(ring *frames, b *system.FrameEnd) {
	took := b.End - b.Start
	limit := x.budget
	if limit == 0 {
		if took < 2*time.Millisecond {
			return // the frame was not slow
		}
		x.mu.Lock()
		median, ok := ring.median(x.medianScratch)
		x.mu.Unlock()
		if limit = 3 * median; !ok {
			return
		}
	}
	if took <= limit {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.busy || x.last > 0 && now()-x.last < minCaptureInterval {
		x.missed++
		return
	}
	x.busy, x.last = true, now()
	missed := x.missed
	x.missed = 0
	x.number++
	c := &capture{info: Capture{
		ID: fmt.Sprint(x.number), World: b.World.Name(), Frame: b.Frame, Took: toMicros(took), Limit: toMicros(limit), Trace: x.recorder != nil, When: time.Now().UTC().Format(time.RFC3339Nano),
	}}
	for n := min(uint64(ring.count), keptTurns, b.Frame); n > 0; n-- {
		if r := ring.recordingOf(b.Frame-n+1, nil); r.frame == b.Frame-n+1 && r.end > b.End-capturedTime {
			c.frames = append(c.frames, r)
		}
	}
	c.events = b.World.Pool().Profile().AppendEvents(nil, b.End-capturedTime)
	x.writing.Add(1)
	go x.write(c, missed)
}

// slowest returns the system that took most of the slow frame: the longest update
// on the owner, or the system for whose jobs the owner waited longest.
func (c *capture) slowest() (name string, took time.Duration) {
	if len(c.frames) == 0 {
		return "", 0
	}
	for _, t := range c.frames[len(c.frames)-1].turns {
		if d := t.End - t.Start; d > took && t.Instance != nil && t.Instance.Group() == nil {
			name, took = shortName(t.Instance.Name()), d
		}
	}
	return name, took
}

// write writes the trace and publishes the capture. The line in the log also contains the number of slow
// frames since the last line that have no line.
func (x *blackBox) write(c *capture, missed int) {
	defer x.writing.Done()
	if x.recorder != nil {
		var b bytes.Buffer
		if _, err := x.recorder.WriteTo(&b); err != nil {
			c.info.Trace, c.info.Why = false, err.Error()
		} else {
			c.trace = b.Bytes()
			c.info.Bytes = len(c.trace)
		}
	} else {
		c.info.Why = x.why
	}
	if x.logger != nil {
		system, took := c.slowest()
		x.logger.Warn("inspect: slow frame", "world", c.info.World, "frame", c.info.Frame, "took", time.Duration(c.info.Took*1000), "limit", time.Duration(c.info.Limit*1000), "slowest", system, "slowestTook", took, "capture", c.info.ID, "missed", missed)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy = false
	if x.captures = append(x.captures, c); len(x.captures) > keptCaptures {
		x.captures = slices.Delete(x.captures, 0, 1)
	}
}
