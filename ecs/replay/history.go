package replay

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// ErrDiverged says that a run has another result than its recording.
var ErrDiverged = errors.New("the run differs from its recording")

// History brings a world into the state after any tick of a run, earlier or later. It keeps images
// of the world at some ticks, which are called checkpoints. To reach a tick, it restores the last
// checkpoint before the tick, and repeats the ticks after this checkpoint. So a step must compute
// the same result when it runs again; see [SyncTest].
//
//	h, err := replay.NewHistory(run)
//	tick, found, err := h.First(0, 10_000, func(w *ecs.World) bool { return health(w) < 10 })
//	err = h.Go(tick - 1) // the world is in the state before it
//
// By default, a History takes a checkpoint when the steps since the last checkpoint took 20 ms, and 125
// times as long as a checkpoint takes on average. So a history makes a long run about one percent longer. If
// a checkpoint takes at most 0.16 ms, Go reaches a tick in about 20 ms. The time of the first checkpoint
// does not count, because it copies all rows and later ones only the changed chunks. The average is that of
// about 16 checkpoints. A checkpoint that copies no more bytes than the others counts as eight times the
// average at most, because another program may have interrupted it. So one slow checkpoint does not leave a
// long gap. No result depends on which ticks have a checkpoint.
//
// Only the owner of the world may call the methods of History, between two ticks. Between the calls,
// the program may read the world but must not change it.
type History struct {
	run       Run
	ticks     []*Tick // the ticks of the recording; nil if the run has no recording
	recording bool
	interval  uint64 // ticks between two checkpoints; 0 means that their cost decides
	limit     int    // bytes of images
	thinned   uint64 // the factor by which checkpoints are rarer, because older ones were dropped; a power of two

	checkpoints []checkpoint // ascending by tick; the first one is at tick 0
	tick        uint64       // number of ticks after which the world is in its current state
	reached     uint64       // the latest tick that was run
	dirty       bool         // the world is not in the state after tick, because a step failed

	stepTime    time.Duration // time of the steps since the last checkpoint or Restore
	captureTime time.Duration // the moving average of the time of a capture
	captureSize float64       // the moving average of the bytes that a capture adds
	captures    int           // that both averages contain, averagedCaptures at most
	freeImages  []*ecs.Image  // released images whose memory is reused
	closed      bool
}

// checkpoint is an image of the world after a tick.
type checkpoint struct {
	tick  uint64
	image *ecs.Image
}

// HistoryOption is an option of [NewHistory] and [ReadHistory].
type HistoryOption func(*History)

// Interval sets the number of ticks from one checkpoint to the next, in place of an interval that depends
// on the time of the steps. Interval panics if ticks is less than 1.
func Interval(ticks int) HistoryOption {
	if ticks < 1 {
		panic(fmt.Sprintf("replay: Interval: %d ticks: want 1 at least", ticks))
	}
	return func(h *History) { h.interval = uint64(ticks) }
}

// Memory limits the rows in the checkpoints to a number of bytes; see [ecs.World.ImageBytes]. If the rows use more, the history
// drops every second checkpoint, and doubles the interval to later checkpoints as long as they need much memory. It keeps two
// checkpoints at least. Other images of the world count toward the limit too, for example those of a rollback session. The
// default is 256 MiB. Memory panics if bytes is less than 1.
func Memory(bytes int) HistoryOption {
	if bytes < 1 {
		panic(fmt.Sprintf("replay: Memory: %d bytes: want 1 at least", bytes))
	}
	return func(h *History) { h.limit = bytes }
}

// minStepTime is the least time that the steps between two checkpoints take. captureShare is the least
// ratio of this time to the average time of a capture. The average is over about averagedCaptures captures. A
// capture of the average size counts as mostOfAverage times the average time at most.
const (
	minStepTime      = 20 * time.Millisecond
	captureShare     = 125 // the rest of the one percent is for the clock, and for caches that a capture has replaced
	averagedCaptures = 16
	mostOfAverage    = 8
)

// NewHistory begins a history of a run. The present state of the world is tick 0. If the
// run has no World or no Step, the error is of category ecs.ErrArgument. If the world is
// closed, the error is of category ecs.ErrDisposed. Close releases the memory of the
// history.
func NewHistory(r Run, opts ...HistoryOption) (*History, error) {
	if r.World == nil || r.Step == nil {
		return nil, fmt.Errorf("replay: NewHistory: the run has no World, or no Step: %w", ecs.ErrArgument)
	}
	return newHistory("NewHistory", r, opts)
}

func newHistory(op string, r Run, opts []HistoryOption) (*History, error) {
	h := &History{run: r, limit: 256 << 20, thinned: 1}
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("replay: %s: option %d is nil", op, i))
		}
		o(h)
	}
	if err := checkOpen(op, r.World); err != nil {
		return nil, err
	}
	if err := h.capture(); err != nil {
		return nil, fmt.Errorf("replay: %s: %w", op, err)
	}
	return h, nil
}

// ReadHistory begins a history of the ticks of a recording. The world must be in the state at the
// beginning of the recording, and step must apply the inputs of a tick and advance the world, as for
// [Replay]. ReadHistory reads the whole recording, and runs no tick. When a tick with a recorded hash
// runs for the first time, the history compares the hashes. If they differ, the error is of category
// [ErrDiverged]; use Replay to find the difference. If the recording was not closed or was truncated,
// ReadHistory returns the history of its complete ticks together with an error of category
// [ErrCorrupt]. ReadHistory can also return the errors of NewHistory and Replay; the history is then
// nil.
func ReadHistory(from io.Reader, w *ecs.World, step func(t *Tick) error, opts ...HistoryOption) (*History, error) {
	const op = "ReadHistory"
	if w == nil || step == nil {
		return nil, fmt.Errorf("replay: %s: the world or the step is nil: %w", op, ecs.ErrArgument)
	}
	if err := checkOpen(op, w); err != nil {
		return nil, err
	}
	r, err := readFor(from, w)
	if err != nil {
		return nil, err
	}
	var ticks []*Tick
	var damage error
	for {
		t, err := r.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, ErrCorrupt) {
			damage = err
			break
		}
		if err != nil {
			return nil, err
		}
		t.turns, t.values = nil, nil // the history does not compare them, and they are large
		ticks = append(ticks, t)
	}
	h, err := newHistory(op, Run{World: w, Step: func(tick uint64) error { return step(ticks[tick-1]) }}, opts)
	if err != nil {
		return nil, err
	}
	h.ticks, h.recording = ticks, true
	return h, damage
}

// Ticks returns the number of ticks of the recording. If the run has no recording, its number of ticks is
// not limited, and Ticks returns the largest uint64.
func (h *History) Ticks() uint64 {
	if h.recording {
		return uint64(len(h.ticks))
	}
	return math.MaxUint64
}

// Tick returns the current tick: the number of ticks that lead to the current state of the world.
func (h *History) Tick() uint64 { return h.tick }

// Checkpoints returns the number of images that the history keeps.
func (h *History) Checkpoints() int { return len(h.checkpoints) }

// Go brings the world into the state after a tick. Tick 0 is the beginning. If the tick has not been run
// yet, Go runs it, and all ticks before it. If the recording has fewer ticks, Go changes nothing, and
// the error is of category ecs.ErrRange. If a step fails, Go returns its error, and the next Go restores
// a checkpoint.
func (h *History) Go(tick uint64) error { return h.advance("History.Go", tick, nil) }

// advance does the work of Go. If visit is not nil, advance calls it after each tick that it runs, and
// stops if it returns true.
func (h *History) advance(op string, tick uint64, visit func() bool) error {
	if err := h.check(op); err != nil {
		return err
	}
	if tick > h.Ticks() {
		return fmt.Errorf("replay: %s: tick %d: the recording has %d: %w", op, tick, h.Ticks(), ecs.ErrRange)
	}
	if from := h.before(tick); h.dirty || tick < h.tick || from.tick > h.tick && visit == nil {
		if err := h.restore(from); err != nil {
			return fmt.Errorf("replay: %s: %w", op, err)
		}
	}
	for at := time.Now(); h.tick < tick; {
		var err error
		if at, err = h.step(op, at); err != nil {
			return err
		}
		if visit != nil {
			if visit() {
				return nil
			}
			at = time.Now()
		}
	}
	return nil
}

// check returns an error if the history cannot be used.
func (h *History) check(op string) error {
	if h == nil || h.thinned == 0 {
		return fmt.Errorf("replay: %s: the history is the zero History: make it with NewHistory: %w", op, ecs.ErrState)
	}
	if h.closed {
		return fmt.Errorf("replay: %s: the history is closed: %w", op, ecs.ErrState)
	}
	return checkOpen(op, h.run.World)
}

// before returns the last checkpoint that is not later than a tick.
func (h *History) before(tick uint64) *checkpoint {
	i := sort.Search(len(h.checkpoints), func(i int) bool { return h.checkpoints[i].tick > tick })
	return &h.checkpoints[i-1] // the first checkpoint is at tick 0
}

// restore restores a checkpoint.
func (h *History) restore(c *checkpoint) error {
	h.dirty = true
	if err := system.Restore(h.run.World, c.image); err != nil {
		return err
	}
	h.tick, h.dirty, h.stepTime = c.tick, false, 0
	return nil
}

// step runs one tick, and takes a checkpoint if one is due. It returns the time after it, which is the begin of the next step if
// nothing happens between the two. So a step reads the clock only once, because the ticks of a small world are short.
func (h *History) step(op string, begin time.Time) (end time.Time, err error) {
	h.dirty = true
	if err := h.run.Step(h.tick + 1); err != nil {
		return begin, fmt.Errorf("replay: %s: tick %d: %w", op, h.tick+1, err)
	}
	end = time.Now()
	h.stepTime += end.Sub(begin)
	if err := checkOpen(op, h.run.World); err != nil { // the step may have closed the world
		return end, err
	}
	h.tick++
	h.dirty = false
	if h.tick > h.reached {
		if err := h.compareHash(op); err != nil {
			return end, err
		}
		h.reached = h.tick
	}
	last := h.checkpoints[len(h.checkpoints)-1].tick
	if h.tick <= last {
		h.stepTime = 0 // the steps since the last checkpoint begin there
		return end, nil
	}
	if !h.due(h.tick - last) {
		return end, nil
	}
	if err := h.capture(); err != nil {
		return end, fmt.Errorf("replay: %s: tick %d: %w", op, h.tick, err)
	}
	return time.Now(), nil
}

// compareHash compares the hash of the world with the hash of the tick in the recording, if there is
// one.
func (h *History) compareHash(op string) error {
	if !h.recording {
		return nil
	}
	if t := h.ticks[h.tick-1]; t.Hashed {
		if hash := h.run.World.Hash(); hash != t.Hash {
			h.dirty = true
			return fmt.Errorf("replay: %s: %w: tick %d: the hash is %016x, and was %016x: find the difference with Replay", op, ErrDiverged, t.Number, hash, t.Hash)
		}
	}
	return nil
}

// due reports whether a checkpoint is due. ticks is the number of ticks since the last checkpoint.
func (h *History) due(ticks uint64) bool {
	if h.interval > 0 {
		return ticks >= h.interval*h.thinned
	}
	return h.stepTime >= time.Duration(h.thinned)*max(minStepTime, captureShare*h.captureTime)
}

// capture adds a checkpoint of the current state.
func (h *History) capture() error {
	var m *ecs.Image
	if last := len(h.freeImages) - 1; last >= 0 {
		m, h.freeImages = h.freeImages[last], h.freeImages[:last]
	} else {
		m = new(ecs.Image)
	}
	var before *ecs.Image
	if n := len(h.checkpoints); n > 0 {
		before = h.checkpoints[n-1].image
	}
	size := h.run.World.ImageBytes()
	begin := time.Now()
	if err := ecs.CaptureInto(m, h.run.World, before); err != nil {
		h.freeImages = append(h.freeImages, m)
		return err
	}
	took := time.Since(begin)
	bytes := h.run.World.ImageBytes()
	h.countCapture(took, bytes-size)
	h.checkpoints = append(h.checkpoints, checkpoint{h.tick, m})
	if bytes < h.limit/4 {
		h.thinned = max(1, h.thinned/2) // there is room for more checkpoints again
	}
	if bytes > h.limit && len(h.checkpoints) > 2 {
		h.thinned *= 2
	}
	for ; bytes > h.limit && len(h.checkpoints) > 2; bytes = h.run.World.ImageBytes() {
		h.thin()
	}
	return nil
}

// countCapture adds the time of a capture, and the bytes that it added, to the moving averages, which decide when the
// next one is due. A capture that takes longer than its size explains was interrupted by another program.
func (h *History) countCapture(took time.Duration, bytes int) {
	h.stepTime = 0
	if len(h.checkpoints) == 0 {
		return // the first one has copied all rows
	}
	most := float64(mostOfAverage * max(h.captureTime, minStepTime/captureShare)) // before minStepTime, no capture is due in any case
	if size := float64(bytes); h.captures > 0 && size > h.captureSize {
		most = float64(most * (size / max(h.captureSize, 1)))
	}
	h.captures = min(h.captures+1, averagedCaptures)
	h.captureTime += time.Duration((min(float64(took), most) - float64(h.captureTime)) / float64(h.captures))
	h.captureSize += (float64(bytes) - h.captureSize) / float64(h.captures)
}

// thin drops every second checkpoint. It keeps the first and the last checkpoint.
func (h *History) thin() {
	kept := h.checkpoints[:0]
	for i, c := range h.checkpoints {
		if i%2 == 0 || i == len(h.checkpoints)-1 {
			kept = append(kept, c)
			continue
		}
		_ = c.image.Release() // it is not released yet, so this cannot fail
		h.freeImages = append(h.freeImages, c.image)
	}
	clear(h.checkpoints[len(kept):])
	h.checkpoints = kept
}

// First returns the first tick between two given ticks after which holds returns true. It calls holds
// after each tick, so it also finds a condition that holds only for some ticks. Tick 0 is the beginning.
// First leaves the world in the state after the found tick, or after the last tick if found is false.
// holds must not change the world.
func (h *History) First(from, to uint64, holds func(w *ecs.World) bool) (tick uint64, found bool, err error) {
	const op = "History.First"
	if err := h.checkRange(op, from, to, holds); err != nil {
		return 0, false, err
	}
	if err := h.advance(op, from, nil); err != nil {
		return 0, false, err
	}
	visit := func() bool {
		found = holds(h.run.World)
		return found
	}
	if !visit() {
		err = h.advance(op, to, visit)
	}
	return h.tick, found && err == nil, err
}

// Search does the same as First, but only for a condition that stays true after the first tick for
// which it is true. For example, such a condition is that a growing value is above a limit. It uses
// bisection: it calls holds for some checkpoints, and then for the ticks after one of them. If the
// ticks have been run before, Search is much faster than First.
func (h *History) Search(from, to uint64, holds func(w *ecs.World) bool) (tick uint64, found bool, err error) {
	const op = "History.Search"
	if err := h.checkRange(op, from, to, holds); err != nil {
		return 0, false, err
	}
	if err := h.advance(op, to, nil); err != nil {
		return 0, false, err
	}
	if !holds(h.run.World) {
		return to, false, nil
	}
	for hi := to; ; {
		c := h.between(from, hi)
		if c == nil {
			return h.First(from, hi, holds)
		}
		if err := h.restore(c); err != nil {
			return 0, false, fmt.Errorf("replay: %s: %w", op, err)
		}
		if holds(h.run.World) {
			hi = c.tick
		} else {
			from = c.tick
		}
	}
}

// checkRange returns an error if the arguments of First or Search are wrong.
func (h *History) checkRange(op string, from, to uint64, holds func(w *ecs.World) bool) error {
	if err := h.check(op); err != nil {
		return err
	}
	if holds == nil {
		return fmt.Errorf("replay: %s: the function is nil: %w", op, ecs.ErrArgument)
	}
	if from > to {
		return fmt.Errorf("replay: %s: from tick %d to tick %d: %w", op, from, to, ecs.ErrRange)
	}
	return nil
}

// between returns the middle checkpoint of those that are after tick from and before tick to. It returns
// nil if there is no such checkpoint.
func (h *History) between(from, to uint64) *checkpoint {
	after := sort.Search(len(h.checkpoints), func(i int) bool { return h.checkpoints[i].tick > from })
	end := sort.Search(len(h.checkpoints), func(i int) bool { return h.checkpoints[i].tick >= to })
	if after >= end {
		return nil
	}
	return &h.checkpoints[(after+end)/2]
}

// Close releases the images of the history. The world stays as it is. Closing twice is harmless.
func (h *History) Close() error {
	if h == nil || h.closed {
		return nil
	}
	h.closed = true
	for _, c := range h.checkpoints {
		_ = c.image.Release()
	}
	h.checkpoints, h.freeImages, h.ticks = nil, nil, nil
	return nil
}
