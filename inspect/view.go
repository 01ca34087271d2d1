package inspect

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// view is the data of an inspector about one world. Fields without a comment
// are used only by the owner of the world, between two frames.
type view struct {
	inspector *views
	world     *ecs.World
	seq       uint64
	asks      asks

	lastFrameEnd atomic.Int64             // time of the owner's last frame end, by profile.Clock; written by the owner, read by requests
	worldClosed  atomic.Bool              // the world is closed; written by its owner, read by requests
	lastFrame    atomic.Uint64            // number of the last frame; written by the owner at its end, read by requests and asks
	loop         atomic.Pointer[app.Loop] // the loop that updates the world; written by the owner, compared by owners of other worlds
	pace         pace

	interval time.Duration // time from the end of the frame before the last to the end of the last
	slept    bool          // the loop has slept since the last frame, so requests were answered then
	released bool          // a step was used up for the next frame

	recording bool
	leave     []func() // undo the registrations of begin; a closed world has already undone them
	unrecord  func()   // stops the recording of the world's pool; nil if this view does not record
	frames    frames
	journal   journal
	watches   watches
	catch     catch
	probes    probes
	failure   failure
	held      heldTimes
	past      past
	edits     *editLog
	editing   bool  // an edit is being applied
	live      *view // the view of the running world, if this view shows a kept frame of it; nil otherwise

	systems    systems // shared by requests, under its own lock
	capacities capacityHints
}

// capacityHints holds the capacities for the next request: the numbers at the
// last request plus a reserve. Requests write and read them.
type capacityHints struct{ turns, events, archetypes atomic.Int64 }

// failure is the last error of a frame.
type failure struct {
	frame uint64
	text  string
}

func newView(i *views, w *ecs.World) *view {
	return &view{
		inspector: i, world: w, seq: system.WorldID(w), asks: newAsks(), probes: probes{}, systems: systems{samples: map[*system.Instance]*systemSamples{}},
		past: past{every: max(i.keptEvery, 1), adapts: i.keptEvery == 0, limit: i.keptBytes}, edits: i.editLogOf(w),
	}
}

// frame does the work of the view between two frames. The owner calls it.
func (v *view) frame(b *system.FrameEnd) {
	v.interval = b.End - b.Start
	if last := time.Duration(v.lastFrameEnd.Load()); v.recording && last > 0 && last < b.Start {
		v.interval = b.End - last
	}
	v.lastFrameEnd.Store(max(int64(b.End), v.lastFrameEnd.Load())) // the pause of another world of the loop may have moved the end of this world's frame already
	if l, _ := b.By.(*app.Loop); v.loop.Load() != l {
		v.loop.Store(l)
	}
	if v.recording && (v.slept || len(v.asks.asked)+len(v.asks.waiting) == 0) && len(v.watches.list) == 0 {
		v.recordFrame(b) // the usual case, which does not read the clock
	} else {
		begin := now()
		if !v.recording {
			v.begin()
		}
		v.recordFrame(b)
		if !v.slept {
			v.asks.serve(v.sliceUntil(begin + v.budget()))
		}
		v.held.add(now() - begin)
	}
	v.catch.endFrame()
	v.slept, v.released = false, false
	if v.pace.free() {
		v.pace.lastEnd = 0
		return
	}
	v.waitForPace(b)
	v.holdWhilePaused(b.Pause, v.loopDone(), v.loopWorlds())
	v.pace.lastEnd = now()
	v.lastFrameEnd.Store(int64(v.pace.lastEnd))
}

// maxBudget is the largest budget of a frame. Frames that take longer than a
// second are not delayed more than this.
const maxBudget = 10 * time.Millisecond

// budget returns the time by which requests may delay the end of a frame. A step
// may exceed the budget by about 20 µs, which this function subtracts. It also
// leaves a tenth of the share, because other programs interrupt the owner.
func (v *view) budget() time.Duration {
	if v.inspector.budget > 0 {
		return v.inspector.budget
	}
	share := time.Duration(0.9*v.inspector.share*float64(v.interval)) - 20*time.Microsecond
	return min(max(share, MinBudget), maxBudget)
}

// sliceUntil returns a slice of the owner's time that ends at the given time.
func (v *view) sliceUntil(end time.Duration) *ownerSlice {
	return &ownerSlice{world: v.world, probes: v.probes, until: end}
}

// begin begins to record the frames of the world.
func (v *view) begin() {
	v.recording = true
	v.leave = append(v.leave, system.RecordTimes(v.world, v.inspector.timingShare()), v.world.Hooks().OnCommit(v.commit), v.world.Hooks().OnClose(v.endView))
	if p := v.world.Pool(); v.inspector.record(p) {
		v.unrecord = func() { v.inspector.unrecord(p) }
	}
	v.journal.entities = v.world.Len()
}

// end stops recording and frees the data of the world.
func (v *view) end() {
	v.stopRecordings()
	v.catch.end()
	for _, leave := range slices.Backward(v.leave) {
		leave()
	}
	v.leave = nil
	clear(v.probes)
	if v.inspector.closed.Load() {
		v.edits.close()
	}
	v.asks.refuse(errGone)
	v.past.clear()
}

// endView ends the view when its world is closed.
func (v *view) endView() error {
	v.worldClosed.Store(true)
	v.asks.refuse(errClosed)
	v.inspector.drop(v)
	v.stopRecordings()
	v.catch = catch{} // the world has ended the check
	v.past.clear()
	v.leave = nil
	return nil
}

// stopRecordings stops the recordings that do not belong to the world, such as
// the recording of its pool.
func (v *view) stopRecordings() {
	v.recording = false
	if v.unrecord != nil {
		v.unrecord()
		v.unrecord = nil
	}
}

// recordFrame records the frame that has ended.
func (v *view) recordFrame(b *system.FrameEnd) {
	v.lastFrame.Store(b.Frame)
	v.frames.add(b)
	v.keep(b.Frame)
	if len(v.journal.frame) > 0 {
		v.journal.flush(b.Frame, v.length())
	}
	if len(b.Errs) > 0 {
		v.failure = failure{b.Frame, textOf(b.Errs)}
	}
	if len(v.watches.list) > 0 {
		end := now() + v.budget()/2
		v.watches.sample(v.sliceUntil(end), b.Frame)
	}
	if v.inspector.box != nil {
		v.inspector.box.look(&v.frames, b)
	}
}

// length returns the number of entities. It returns 0 while the world is lent.
func (v *view) length() int {
	if v.world.InTransaction() {
		return v.journal.entities
	}
	return v.world.Len()
}

// textOf returns errors as a text of a few lines. It recovers from panics,
// because the Error methods are the user's code.
func textOf(errs []error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("an error whose text panics: %v", r)
		}
	}()
	for k, err := range errs {
		if k > 0 {
			text += "\n"
		}
		if text += err.Error(); len(text) > 4000 {
			return text[:4000] + " …"
		}
	}
	return text
}

// commit records the beginning of a structural change. The world calls it just before the change.
func (v *view) commit(op string) {
	if v.editing {
		return
	}
	v.journal.change(op, v.world.Scheduler().ChangingSystem(), v.world.Len())
}

// waitForPace waits if a pace was set.
func (v *view) waitForPace(b *system.FrameEnd) {
	if early := v.pace.tooEarly(); early != nil {
		b.Pause(func() { v.answerWhile(early, v.loopDone(), v.loopWorlds()) })
	}
}

// holdWhilePaused makes the owner wait as long as the world is paused. It
// returns when a request asks for a single step, and uses up this step for the
// next frame. The parameter pause is the method Pause of a system.FrameEnd or
// of an app.Sleeping. When done is closed, the program ends, so the pause ends too. The parameter worlds lists the
// worlds that wait too.
func (v *view) holdWhilePaused(pause func(func()), done <-chan struct{}, worlds []*ecs.World) {
	for v.pace.paused.Load() && !v.released && !v.isEnding(done) {
		if v.released = v.pace.step(); v.released {
			return
		}
		system.TimeNextFrame(v.world) // so that the times of a single step can be shown
		pause(func() { v.answerWhile(v.pace.isHalted, done, worlds) })
	}
}

// isEnding reports whether the owner must not wait any more, because done is closed, or the inspector or the
// world is closed.
func (v *view) isEnding(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return v.inspector.closed.Load() || v.worldClosed.Load()
	}
}

// loopDone returns the channel that is closed when the run of the world's loop has to end. It is nil if there
// is no such loop.
func (v *view) loopDone() <-chan struct{} {
	if l := v.loop.Load(); l != nil {
		return l.Done()
	}
	return nil
}

// loopWorlds returns the worlds of the loop that updates the world, or only the
// world if there is no loop.
func (v *view) loopWorlds() []*ecs.World {
	if l := v.loop.Load(); l != nil {
		return l.Worlds()
	}
	return []*ecs.World{v.world}
}

// answerWhile answers requests while more returns true and the program does not end. It answers the requests
// to all given worlds, because none of them runs during this time.
func (v *view) answerWhile(more func() bool, done <-chan struct{}, worlds []*ecs.World) {
	list := v.inspector.join(v.loop.Load(), worlds)
	t := time.NewTimer(0)
	defer t.Stop()
	for more() && !v.isEnding(done) {
		busy := false
		for _, o := range list {
			o.lastFrameEnd.Store(int64(now()))
			o.asks.serve(o.sliceUntil(now() + 10*time.Millisecond))
			busy = busy || len(o.asks.waiting) > 0
		}
		if busy {
			continue
		}
		t.Reset(10 * time.Millisecond)
		select {
		case <-done:
		case <-v.asks.wake:
		case a := <-v.asks.asked:
			v.asks.waiting = append(v.asks.waiting, a)
		case <-t.C:
		}
	}
}
