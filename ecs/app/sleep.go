package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// Sleeping describes the sleep of a paced loop between two frames. It is valid only during the call
// of a function that was passed to [OnSleep].
type Sleeping struct {
	Loop   *Loop           // the loop that sleeps; nil in a call of Sleep
	Worlds []*ecs.World    // its open worlds; the function may read them, because its goroutine owns them
	Left   time.Duration   // time until the sleep ends
	Done   <-chan struct{} // closed when the context of the sleep ends; a function of Pause then returns
}

// Pause calls f, which may take longer than the sleep. The time of the loop's worlds does not
// advance during the call. In a call of [Sleep] there is no Loop, so Pause only calls f. A program
// that calls Sleep has its own main loop and its own clock, and this clock continues. Pause panics
// if f is nil.
func (s *Sleeping) Pause(f func()) {
	switch {
	case f == nil:
		panic(fmt.Errorf("app: Sleeping.Pause: the function is nil: %w", ecs.ErrArgument))
	case s.Loop == nil:
		f()
	default:
		s.Loop.Pause(f)
	}
}

// sleepers holds the functions of OnSleep, and the loops that sleep.
var sleepers struct {
	functions atomic.Pointer[[]*func(*Sleeping) bool] // nil if there are none; replaced under mu, and never changed in place

	mu       sync.Mutex
	sleeping map[*sleeper]struct{}
}

// sleeper is the memory of one sleep.
type sleeper struct {
	wake  chan struct{} // buffers one signal of WakeSleepers
	timer *time.Timer
}

// sleeperPool keeps the memory of sleeps that have ended, so that a sleep does not allocate.
var sleeperPool = sync.Pool{New: func() any {
	return &sleeper{wake: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
}}

// OnSleep calls f when a paced loop begins to sleep between two frames, and again after each call of
// [WakeSleepers] during the sleep. A tool uses this time to read the loop's worlds without delaying
// a frame. The owner of the worlds calls f, so f must return before the time Left has passed. If f
// has more to do, it returns true, and is called again soon. A panic of f ends the [Run] or the
// [Sleep] that has called f. If the program recovers this panic, the next run sleeps as before.
//
// The function remove stops the calls of f. It does not wait for a call in progress: a loop that
// sleeps may still be running f when remove returns, and may call f once more. OnSleep, remove and
// WakeSleepers are safe for concurrent use. Several loops may call f at the same time. OnSleep
// panics if f is nil.
func OnSleep(f func(s *Sleeping) (more bool)) (remove func()) {
	if f == nil {
		panic(fmt.Errorf("app: OnSleep: the function is nil: %w", ecs.ErrArgument))
	}
	own := &f
	change := func(edit func([]*func(*Sleeping) bool) []*func(*Sleeping) bool) {
		sleepers.mu.Lock()
		defer sleepers.mu.Unlock()
		var list []*func(*Sleeping) bool
		if before := sleepers.functions.Load(); before != nil {
			list = slices.Clone(*before)
		}
		if list = edit(list); len(list) == 0 {
			sleepers.functions.Store(nil)
			return
		}
		sleepers.functions.Store(&list)
	}
	change(func(list []*func(*Sleeping) bool) []*func(*Sleeping) bool { return append(list, own) })
	WakeSleepers()
	return func() {
		change(func(list []*func(*Sleeping) bool) []*func(*Sleeping) bool {
			return slices.DeleteFunc(list, func(o *func(*Sleeping) bool) bool { return o == own })
		})
	}
}

// WakeSleepers makes all loops that sleep call the functions of [OnSleep] again. It does not make a
// frame begin earlier.
func WakeSleepers() {
	sleepers.mu.Lock()
	defer sleepers.mu.Unlock()
	for s := range sleepers.sleeping { //lanewise:inexact each sleep gets the same signal
		select {
		case s.wake <- struct{}{}:
		default: // a signal is pending
		}
	}
}

// Sleep waits for d. It reports whether d has passed; otherwise ctx has ended. A program with its
// own main loop calls Sleep in place of time.Sleep, so that tools can read its worlds during the
// sleep: see [OnSleep]. The loops of this package already sleep in this way. Only the owner of the
// worlds may call Sleep, and only between two frames.
func Sleep(ctx context.Context, d time.Duration, worlds ...*ecs.World) bool {
	return sleep(ctx, d, nil, func() (open []*ecs.World) {
		for _, w := range worlds { // slices.Clone would move the worlds of each call to the heap
			if w != nil && !driver.Of(w).Closed() {
				open = append(open, w)
			}
		}
		return open
	})
}

// sleep implements Sleep. It calls worlds only if there is a function of OnSleep, because only such
// a function needs the list.
func sleep(ctx context.Context, d time.Duration, l *Loop, worlds func() []*ecs.World) bool {
	end := time.Now().Add(d)
	own := sleeperPool.Get().(*sleeper)
	sleepers.mu.Lock()
	if sleepers.sleeping == nil {
		sleepers.sleeping = map[*sleeper]struct{}{}
	}
	sleepers.sleeping[own] = struct{}{} // before the first look at the functions, so that no signal is missed
	sleepers.mu.Unlock()
	defer func() {
		own.timer.Stop()
		sleepers.mu.Lock()
		delete(sleepers.sleeping, own)
		sleepers.mu.Unlock()
		select {
		case <-own.wake:
		default:
		}
		sleeperPool.Put(own)
	}()
	for {
		more := false
		if list := sleepers.functions.Load(); list != nil {
			s := Sleeping{Loop: l, Worlds: worlds(), Done: ctx.Done()}
			for _, f := range *list {
				if s.Left = time.Until(end); s.Left > 0 && (*f)(&s) {
					more = true
				}
			}
		}
		left := time.Until(end)
		switch {
		case left <= 0:
			return ctx.Err() == nil
		case more && ctx.Err() != nil:
			return false
		case more:
			continue
		}
		own.timer.Reset(left)
		select {
		case <-own.timer.C:
			return true
		case <-ctx.Done():
			return false
		case <-own.wake:
		}
	}
}
