package inspect

import (
	"fmt"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Span is a piece of the timeline.
type Span struct {
	Lane   string  `json:"lane"` // "owner", "owner jobs", "worker 1", …
	Name   string  `json:"name"`
	Kind   string  `json:"kind"` // update, group, wait, job, sleep
	A      float64 `json:"a"`    // start, relative to the beginning of the frame
	B      float64 `json:"b"`
	Depth  int     `json:"depth"`
	Blocks int     `json:"blocks,omitempty"` // number of blocks of a loop
}

// spansOf returns the timeline of a frame.
func spansOf(rec recording, events []profile.Event) []Span {
	spans := []Span{}
	for _, t := range rec.turns {
		kind, name := "update", "jobs of no system"
		if t.Instance != nil {
			name = shortName(t.Instance.Name())
			if t.Instance.Group() != nil {
				kind = "group"
			}
		}
		if t.Wait {
			kind = "wait"
		}
		spans = append(spans, Span{Lane: "owner", Name: name, Kind: kind, A: toMicros(t.Start - rec.start), B: toMicros(t.End - rec.start), Depth: t.Depth})
	}
	for _, e := range events {
		if e.Start >= rec.end || e.End <= rec.start {
			continue
		}
		s := Span{Lane: fmt.Sprintf("worker %d", e.Worker), Name: shortName(e.Name), Kind: "job", Blocks: e.Blocks}
		if e.Caller {
			s.Lane = "owner jobs"
		}
		if e.Name == "" {
			s.Kind, s.Name = "sleep", "sleep"
		}
		s.A, s.B = toMicros(max(e.Start, rec.start)-rec.start), toMicros(min(e.End, rec.end)-rec.start)
		spans = append(spans, s)
	}
	return spans
}
