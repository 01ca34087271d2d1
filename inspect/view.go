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

// view is what an inspector knows of one world. Fields without a word are the owner's of the
// world, which is between two frames when it touches them.
type view struct {
	in    *views
	world *ecs.World
	seq   uint64
	asks  asks

	seen   atomic.Int64             // when the owner was here last, by profile.Clock; written by him, read by requests
	gone   atomic.Bool              // the world is closed; written by its owner, read by requests
	number atomic.Uint64            // of the last frame; written by the owner at its end, read by requests and asks
	loop   atomic.Pointer[app.Loop] // that ticks; written by the owner, compared by owners of others
	pace   pace

	on       bool
	leave    []func() // end what begin has begun with the world, which a world that is closed has ended by itself
	unrecord func()   // of the world's pool; nil: it is not recorded
	ring     frames
	journal  journal
	watches  watches
	probes   probes
	failure  failure
	held     heldTimes

	systems systems // what requests share, under a lock of its own
	most    rooms
}

// rooms is how many there were of each when a request came last, and some more: room for the next one, which
// requests write and read.
type rooms struct{ turns, events, archetypes atomic.Int64 }

// failure is the last frame in which something went wrong.
type failure struct {
	frame uint64
	text  string
}

func newView(i *views, w *ecs.World) *view {
	return &view{in: i, world: w, seq: system.WorldID(w), asks: newAsks(), probes: probes{}, systems: systems{lines: map[*system.Instance]*line{}}}
}

// frame is what the owner does between two frames.
func (v *view) frame(b *system.FrameEnd) {
	v.seen.Store(int64(b.End))
	if l, _ := b.By.(*app.Loop); v.loop.Load() != l {
		v.loop.Store(l)
	}
	if v.on && len(v.asks.asked)+len(v.asks.waiting)+len(v.watches.list) == 0 {
		v.take(b) // as a rule: without a look at the clock
	} else {
		begin := now()
		if !v.on {
			v.begin()
		}
		v.take(b)
		v.asks.serve(v.until(begin + v.in.budget))
		v.held.add(now() - begin)
	}
	if v.pace.free() {
		v.pace.lastEnd = 0
		return
	}
	v.slow(b)
	v.hold(b)
	v.pace.lastEnd = now()
	v.seen.Store(int64(v.pace.lastEnd))
}

// until is a look at the world that is over at a time.
func (v *view) until(end time.Duration) *look {
	return &look{world: v.world, probes: v.probes, until: end}
}

// begin begins to record.
func (v *view) begin() {
	v.on = true
	v.leave = append(v.leave, system.RecordTimes(v.world, v.in.share()), v.world.Hooks().OnCommit(v.commit), v.world.Hooks().OnClose(v.closing))
	if p := v.world.Pool(); v.in.record(p) {
		v.unrecord = func() { v.in.unrecord(p) }
	}
	v.journal.entities = v.world.Len()
}

// end lets go of the world.
func (v *view) end() {
	v.off()
	for _, leave := range slices.Backward(v.leave) {
		leave()
	}
	v.leave = nil
	clear(v.probes)
	v.asks.refuse(errGone)
}

// closing is called when the world is closed.
func (v *view) closing() error {
	v.gone.Store(true)
	v.asks.refuse(errClosed)
	v.in.drop(v)
	v.off()
	v.leave = nil
	return nil
}

// off ends what is recorded outside of the world.
func (v *view) off() {
	v.on = false
	if v.unrecord != nil {
		v.unrecord()
		v.unrecord = nil
	}
}

// take takes note of the frame that has ended.
func (v *view) take(b *system.FrameEnd) {
	v.number.Store(b.Frame)
	v.ring.add(b)
	if len(v.journal.frame) > 0 {
		v.journal.flush(b.Frame, v.length())
	}
	if len(b.Errs) > 0 {
		v.failure = failure{b.Frame, textOf(b.Errs)}
	}
	if len(v.watches.list) > 0 {
		end := now() + v.in.budget/2
		v.watches.sample(v.until(end), b.Frame)
	}
	if v.in.box != nil {
		v.in.box.look(&v.ring, b)
	}
}

// length is how many entities there are; none while the world is lent.
func (v *view) length() int {
	if v.world.InTransaction() {
		return v.journal.entities
	}
	return v.world.Len()
}

// textOf is what went wrong, in a few lines. Errors are users' and may panic.
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

// commit is called just before a structural change is made.
func (v *view) commit(op string) {
	v.journal.change(op, v.world.Scheduler().ChangingSystem(), v.world.Len())
}

// slow waits where a pace was asked for.
func (v *view) slow(b *system.FrameEnd) {
	if early := v.pace.early(); early != nil {
		b.Pause(func() { v.stay(early) })
	}
}

// hold keeps the owner here as long as the world is paused.
func (v *view) hold(b *system.FrameEnd) {
	for v.pace.paused.Load() && !v.in.closed.Load() && !v.pace.step() {
		system.TimeNextFrame(b.World) // whoever steps wants to see what the frame took
		b.Pause(func() { v.stay(v.pace.halted) })
	}
}

// stay answers asks as long as more says so: those of all worlds of the loop, which stand
// still together.
func (v *view) stay(more func() bool) {
	v.in.join(v.loop.Load())
	t := time.NewTimer(0)
	defer t.Stop()
	for more() && !v.in.closed.Load() {
		busy := false
		for _, o := range v.in.all() {
			if l := v.loop.Load(); o == v || l != nil && o.loop.Load() == l {
				o.seen.Store(int64(now()))
				o.asks.serve(o.until(now() + 10*time.Millisecond))
				busy = busy || len(o.asks.waiting) > 0
			}
		}
		if busy {
			continue
		}
		t.Reset(10 * time.Millisecond)
		select {
		case <-v.asks.wake:
		case a := <-v.asks.asked:
			v.asks.waiting = append(v.asks.waiting, a)
		case <-t.C:
		}
	}
}
