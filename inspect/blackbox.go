package inspect

import (
	"bytes"
	"fmt"
	"runtime/trace"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// blackBox keeps what happened before slow frames.
type blackBox struct {
	budget time.Duration // of a frame; 0 is three times the median
	why    string        // it has no flight recorder

	recorder *trace.FlightRecorder

	mu       sync.Mutex
	captures []*capture // the last ones
	number   int
	busy     bool          // one is being written
	last     time.Duration // when the last one was
	writing  sync.WaitGroup
	room     []time.Duration
}

// capture is what was kept of the second before the end of a slow frame.
type capture struct {
	info   Capture
	frames []recording
	events []jobs.Event
	trace  []byte
}

// SlowFrames keeps the last second before the end of a frame that took longer than budget: what ran
// when on which worker, and what Go's execution trace says, to be opened by go tool trace, with
// the names of systems and jobs in it. A budget of 0 is three times the median of the last
// frames. It looks at every frame, also when nobody asks for anything, and costs some
// percent. A process has one flight recorder: if another one is active there is no trace, and
// the page says so.
func SlowFrames(budget time.Duration) Option {
	return func(i *Inspector) { i.box = &blackBox{budget: max(budget, 0)} }
}

// Limits of the black box.
const (
	keptCaptures = 4
	between      = 2 * time.Second // at least from one to the next
	before       = time.Second     // what is kept of the time before
	traceBytes   = 32 << 20
)

func (x *blackBox) begin() {
	x.recorder = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: before, MaxBytes: traceBytes})
	if err := x.recorder.Start(); err != nil {
		x.recorder, x.why = nil, fmt.Sprintf("there is no trace: %v", err)
	}
}

func (x *blackBox) end() {
	x.writing.Wait()
	if x.recorder != nil {
		x.recorder.Stop()
	}
}

// look is called at each border; it keeps what has just happened if the frame was slow.
func (x *blackBox) look(v *view, b *system.Border) {
	took := b.End - b.Start
	limit := x.budget
	if limit == 0 {
		if took < 2*time.Millisecond {
			return // nobody minds
		}
		x.mu.Lock()
		median, ok := v.ring.median(x.room)
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
	if x.busy || x.last > 0 && now()-x.last < between {
		return
	}
	x.busy, x.last = true, now()
	x.number++
	c := &capture{info: Capture{
		ID: fmt.Sprint(x.number), World: v.world.Name(), Frame: b.Frame, Took: micros(took), Limit: micros(limit), Trace: x.recorder != nil, When: time.Now().UTC().Format(time.RFC3339Nano),
	}}
	for n := min(uint64(v.ring.count), keptTurns, b.Frame); n > 0; n-- {
		if r := v.ring.of(b.Frame-n+1, nil); r.frame == b.Frame-n+1 && r.end > b.End-before {
			c.frames = append(c.frames, r)
		}
	}
	c.events = v.world.Pool().AppendEvents(nil, b.End-before)
	x.writing.Add(1)
	go x.write(c)
}

// write takes the trace and makes the capture known.
func (x *blackBox) write(c *capture) {
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
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy = false
	if x.captures = append(x.captures, c); len(x.captures) > keptCaptures {
		x.captures = slices.Delete(x.captures, 0, 1)
	}
}

// Capture is one slow frame in the answer of /api/box.
type Capture struct {
	ID    string  `json:"id"` // for /api/box/trace and /api/box/timeline
	World string  `json:"world"`
	Frame uint64  `json:"frame"`
	When  string  `json:"when"`
	Took  float64 `json:"took"`
	Limit float64 `json:"limit"`
	Trace bool    `json:"trace"`
	Bytes int     `json:"bytes"` // of the trace
	Why   string  `json:"why"`   // there is no trace
}

// Box is the answer of /api/box.
type Box struct {
	On       bool      `json:"on"`
	Why      string    `json:"why"` // it is off, or has no trace
	Budget   float64   `json:"budget"`
	Captures []Capture `json:"captures"` // the newest first
}

// boxState says why there is no black box, or no trace.
func (i *Inspector) boxState() string {
	if i.box == nil {
		return "the program did not ask for it: see inspect.SlowFrames"
	}
	return i.box.why
}

func (i *Inspector) boxPage() *Box {
	out := &Box{On: i.box != nil, Why: i.boxState(), Captures: []Capture{}}
	if i.box == nil {
		return out
	}
	i.box.mu.Lock()
	defer i.box.mu.Unlock()
	out.Budget = micros(i.box.budget)
	for _, c := range slices.Backward(i.box.captures) {
		out.Captures = append(out.Captures, c.info)
	}
	return out
}

// captured returns the capture of an id.
func (i *Inspector) captured(id string) (*capture, error) {
	if i.box != nil {
		i.box.mu.Lock()
		defer i.box.mu.Unlock()
		for _, c := range i.box.captures {
			if c.info.ID == id {
				return c, nil
			}
		}
	}
	return nil, notFound("there is no slow frame " + clip(id, 20) + ", or it is no longer kept")
}

func (i *Inspector) boxTrace(id string) (any, error) {
	c, err := i.captured(id)
	switch {
	case err != nil:
		return nil, err
	case c.trace == nil:
		return nil, notFound("there is no trace of that frame: " + c.info.Why)
	}
	return file{fmt.Sprintf("frame-%d.trace", c.info.Frame), "application/octet-stream", c.trace}, nil
}

// Timeline is the answer of /api/box/timeline: the frames of the second before a slow one ended.
type Timeline struct {
	Capture Capture         `json:"capture"`
	Frames  []TimelineFrame `json:"frames"`
}

// TimelineFrame is one of them.
type TimelineFrame struct {
	Frame  uint64  `json:"frame"`
	Start  float64 `json:"start"` // before the end of the slow one, so it is negative
	Length float64 `json:"length"`
	Spans  []Span  `json:"spans"`
}

func (i *Inspector) boxTimeline(id string) (any, error) {
	c, err := i.captured(id)
	if err != nil {
		return nil, err
	}
	out := &Timeline{Capture: c.info, Frames: []TimelineFrame{}}
	for _, r := range c.frames {
		end := c.frames[len(c.frames)-1].end
		out.Frames = append(out.Frames, TimelineFrame{Frame: r.frame, Start: micros(r.start - end), Length: micros(r.end - r.start), Spans: spansOf(r, c.events)})
	}
	return out, nil
}
