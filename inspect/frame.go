package inspect

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs/profile"
)

// Frame is the answer of /api/frame. Times are microseconds.
type Frame struct {
	World    string  `json:"world"`
	ID       string  `json:"id"`
	Frame    uint64  `json:"frame"`
	Elapsed  float64 `json:"elapsed"` // seconds of world time
	Delta    float64 `json:"delta"`
	Scale    float64 `json:"scale"`
	Entities int     `json:"entities"`
	Workers  int     `json:"workers"`
	Paused   bool    `json:"paused"`
	Pace     float64 `json:"pace"` // largest number of frames a second; 0 means no limit
	Lent     bool    `json:"lent"` // the world is lent to a transaction
	Cost     Cost    `json:"cost"`

	First   uint64    `json:"first"`   // frame number of the first of Lengths
	Lengths []float64 `json:"lengths"` // lengths of the frames after since
	Length  float64   `json:"length"`  // length of the frame that Spans shows
	Shown   uint64    `json:"shown"`   // its number

	Timed float64 `json:"timed"` // fraction of the last frames whose times were measured

	Spans   []Span   `json:"spans"`
	Systems []System `json:"systems"`

	Failure      string `json:"failure"` // the last error, and its frame
	FailureFrame uint64 `json:"failureFrame"`

	Past *Past `json:"past"` // the frames that are kept; null without History

	Continued *Continued `json:"continued"` // the last restore of a kept frame; null if there was none

	Catching bool    `json:"catching"`          // the world will pause when a system writes a new NaN or infinity: see do=catch of /api/control
	Already  []Wrote `json:"already,omitempty"` // while Catching: the first values that are not new, because they were NaN or infinite when the catch was set
	Caught   *Wrote  `json:"caught,omitempty"`  // the write because of which it has paused

	Undo string `json:"undo"` // the edit that /api/undo would undo; empty if there is none
	Redo string `json:"redo"` // the edit that /api/redo would make again; empty if there is none

	Frames int `json:"frames"`
}

// Cost is the time by which the inspector delays frames: in the last frame,
// and as the 99th percentile and the maximum over the last thousand frames.
type Cost struct {
	Last float64 `json:"last"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Continued says that the world had the state of a kept frame again after a later frame. The numbers of
// frames do not go back. So frame At+n repeats frame Frame+n, unless the input is different.
type Continued struct {
	Frame uint64 `json:"frame"` // the kept frame
	At    uint64 `json:"at"`    // the frame after which the world had its state
}

// repeats returns the frame that a frame repeats, or 0 if it repeats none: frames after At-Frame frames have not run before. The
// receiver may be nil.
func (c *Continued) repeats(frame uint64) uint64 {
	if c == nil || frame <= c.At || c.Frame+frame-c.At > c.At {
		return 0
	}
	return c.Frame + frame - c.At
}

// framePageData is the data that the owner copies for the page of a frame. The
// request allocates the memory in advance, so that the owner needs little time.
type framePageData struct {
	v     *view
	since uint64 // frames after this one are requested

	begun   bool
	out     *Frame
	rec     recording
	turns   []system.Turn
	lengths []time.Duration
	events  []profile.Event
	held    heldTimes

	roster  *roster
	newest  uint64 // frame of the last samples that earlier requests have fetched
	states  []systemState
	samples []system.Sample
}

func framePage(ctx context.Context, v *view, since uint64) (*Frame, error) {
	r, newest, frames, err := rosterOf(ctx, v)
	if err != nil {
		return nil, err
	}
	missed := min(v.lastFrame.Load()-min(newest, v.lastFrame.Load())+64, system.HistoryLen)
	pooled := histories.Get().(*[]system.Sample)
	*pooled = slices.Grow((*pooled)[:0], (len(r.entries)+1)*int(missed)+system.HistoryLen)
	f := &framePageData{
		v: v, since: since, out: &Frame{}, turns: make([]system.Turn, 0, int(v.capacities.turns.Load())), lengths: make([]time.Duration, 0, keptFrames), events: make([]profile.Event, 0, int(v.capacities.events.Load())),
		roster: r, newest: newest, states: make([]systemState, 0, len(r.entries)), samples: *pooled,
	}
	more, err := v.runBetween(ctx, "frame", f.step)
	if err != nil {
		return nil, err // the owner may still be writing to it
	}
	v.capacities.turns.Store(int64(len(f.rec.turns) + 64))
	v.capacities.events.Store(int64(len(f.events)/2*3 + 256))
	out := f.answer()
	out.Frames = frames + more
	out.Past = v.past.info()
	out.Systems = v.systems.digest(out.Frame, f.roster, f.states)
	histories.Put(pooled)
	return out, nil
}

// step does one slice of the work. It copies first the data of the frame as a whole, and then the data of one system
// after another.
func (f *framePageData) step(l *ownerSlice) (more bool, err error) {
	if !f.begun {
		f.begun = true
		f.frame()
		if l.isOver() {
			return true, nil
		}
	}
	if !f.roster.isCurrent(l.world) {
		done := false
		f.states = nil
		if f.roster, done = f.roster.update(l); !done {
			return true, nil
		}
	}
	for len(f.states) < len(f.roster.entries) {
		f.system(f.roster.entries[len(f.states)].in)
		if l.isOver() {
			return true, nil
		}
	}
	return false, nil
}

// frame copies the data of the frame as a whole.
func (f *framePageData) frame() {
	v, w, out := f.v, f.v.world, f.out
	t := system.ClockOf(w)
	out.Frame, out.Entities, out.Workers, out.Lent = v.lastFrame.Load(), v.length(), w.Pool().Workers(), w.InTransaction()
	out.Elapsed, out.Delta, out.Scale = t.Now().Elapsed, t.Now().Delta, t.Scale()
	f.rec = v.frames.recordingOf(v.frames.last, f.turns)
	out.First, f.lengths = v.frames.appendLengths(f.lengths, f.since)
	f.events = w.Pool().Profile().AppendEvents(f.events, f.rec.start)
	f.held = v.held
	out.Timed = float64(v.frames.timedCount) / float64(max(v.frames.count, 1))
	out.Undo, out.Redo = v.edits.texts()
	out.Failure, out.FailureFrame = v.failure.text, v.failure.frame
	out.Continued, out.Catching, out.Already, out.Caught = v.past.continued, v.catch.waits(), v.catch.already, v.catch.caught
}

// system copies the data of one system, except those that are the same in every
// frame.
func (f *framePageData) system(in *system.Instance) {
	if cap(f.samples)-len(f.samples) < system.HistoryLen {
		f.samples = make([]system.Sample, 0, system.HistoryLen) // there are more systems than expected
	}
	own := in.AppendSamples(f.samples[len(f.samples):], f.newest)
	f.samples = f.samples[:len(f.samples)+len(own)]
	f.states = append(f.states, systemState{in.Enabled(), in.IdleReason(), own})
}

// answer converts the copied data to the answer. It leaves out the data of the
// systems.
func (f *framePageData) answer() *Frame {
	v, out := f.v, f.out
	last, p99, most := f.held.digest()
	out.Cost = Cost{toMicros(last), toMicros(p99), toMicros(most)}
	out.World, out.ID = v.world.Name(), fmt.Sprint(v.seq)
	out.Paused, out.Shown, out.Length = v.pace.paused.Load(), f.rec.frame, toMicros(f.rec.end-f.rec.start)
	out.Pace = v.pace.perSecond()
	out.Lengths = make([]float64, len(f.lengths))
	for k, d := range f.lengths {
		out.Lengths[k] = toMicros(d)
	}
	out.Spans = spansOf(f.rec, f.events)
	return out
}

// histories keeps the memory of earlier requests for samples, so that later requests can
// reuse it.
var histories = sync.Pool{New: func() any { return new([]system.Sample) }}

// rosterOf returns the roster of the systems, and the frame of the last fetched
// samples. The first request asks the owner for the roster. rosterOf also
// returns the number of frames that the owner needed for the roster.
func rosterOf(ctx context.Context, v *view) (r *roster, newest uint64, frames int, err error) {
	if r, newest = v.systems.fetched(); r != nil {
		return r, newest, 0, nil
	}
	var own *roster
	frames, err = v.runBetween(ctx, "systems", func(l *ownerSlice) (bool, error) {
		ok := false
		own, ok = own.update(l)
		return !ok, nil
	})
	if err != nil {
		return nil, 0, 0, err // the owner may still be writing to it
	}
	return own, newest, frames, nil
}
