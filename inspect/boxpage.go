package inspect

import (
	"fmt"
	"slices"
)

// Box is the answer of /api/box.
type Box struct {
	On       bool      `json:"on"`
	Why      string    `json:"why"` // why it is off, or has no trace
	Budget   float64   `json:"budget"`
	Captures []Capture `json:"captures"` // newest first
}

// state returns the reason why there is no black box or no trace.
func (x *blackBox) state() string {
	if x == nil {
		return "the program did not ask for it: see inspect.SlowFrames"
	}
	return x.why
}

func boxPage(x *blackBox) *Box {
	out := &Box{On: x != nil, Why: x.state(), Captures: []Capture{}}
	if x == nil {
		return out
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	out.Budget = toMicros(x.budget)
	for _, c := range slices.Backward(x.captures) {
		out.Captures = append(out.Captures, c.info)
	}
	return out
}

// capture returns the capture with an id.
func (x *blackBox) capture(id string) (*capture, error) {
	if x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, c := range x.captures {
			if c.info.ID == id {
				return c, nil
			}
		}
	}
	return nil, notFound("there is no slow frame " + clip(id, 20) + ", or it is no longer kept")
}

func boxTrace(x *blackBox, id string) (any, error) {
	c, err := x.capture(id)
	switch {
	case err != nil:
		return nil, err
	case c.trace == nil:
		return nil, notFound("there is no trace of that frame: " + c.info.Why)
	}
	return file{fmt.Sprintf("frame-%d.trace", c.info.Frame), "application/octet-stream", c.trace}, nil
}

// Timeline is the answer of /api/box/timeline: the frames of the last second before the end of a slow frame.
type Timeline struct {
	Capture Capture         `json:"capture"`
	Frames  []TimelineFrame `json:"frames"`
}

// TimelineFrame is one frame of a timeline.
type TimelineFrame struct {
	Frame  uint64  `json:"frame"`
	Start  float64 `json:"start"` // relative to the end of the slow frame, so it is negative
	Length float64 `json:"length"`
	Spans  []Span  `json:"spans"`
}

func boxTimeline(x *blackBox, id string) (any, error) {
	c, err := x.capture(id)
	if err != nil {
		return nil, err
	}
	out := &Timeline{Capture: c.info, Frames: []TimelineFrame{}}
	for _, r := range c.frames {
		end := c.frames[len(c.frames)-1].end
		out.Frames = append(out.Frames, TimelineFrame{Frame: r.frame, Start: toMicros(r.start - end), Length: toMicros(r.end - r.start), Spans: spansOf(r, c.events)})
	}
	return out, nil
}
