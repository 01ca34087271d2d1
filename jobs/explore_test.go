package jobs

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// What lets a wake-up get lost is an order of a few steps that takes nanoseconds: luck
// does not find it. Here the steps are taken one at a time. A pool that is made for it
// (see Pool.at) stops each of its goroutines wherever it looks for work, lies down,
// sleeps, calls another or takes blocks from one, and goes on with one that the explorer
// chooses. When none can go on and something is left to do, a wake-up was lost: the
// choices that led there are a list of numbers, and -jobs.schedule takes it to go the
// same way again.
//
// The first schedules follow each goroutine as long as it can go on, and leave it in at
// most bound places, all combinations of them in turn, as CHESS does (Musuvathi and
// Qadeer, PLDI 2007). The others give goroutines priorities by chance and take the
// highest away from its owner at a few steps, as PCT does (Burckhardt and others, ASPLOS
// 2010): that finds what takes d changes with a probability of at least 1/(n·k^(d-1)),
// of n goroutines in k steps.

var (
	schedules = flag.Int("jobs.schedules", fewSchedules, "schedules that TestWaits explores of each scene and strategy")
	schedule  = flag.String("jobs.schedule", "", "the one schedule that TestWaits explores, of the scene that -run names, as a failure prints it")
)

// fewSchedules is what the default run has time for: enough for the mutants that the
// other tests did not find but by luck. make jobs-model explores more.
const fewSchedules = 150

// explorer runs one goroutine at a time.
type explorer struct {
	mu      sync.Mutex
	own     uintptr // the goroutine that explores
	pools   []*Pool
	threads []*thread
	byID    map[uintptr]*thread
	idle    *sync.Cond // signalled when the running thread has stopped
	running *thread
	choose  strategy
	choices []int
	trail   []string
	over    bool // no thread is stopped any more
	failed  atomic.Bool
}

// thread is a goroutine under the explorer's control.
type thread struct {
	id     uintptr
	number int
	name   string
	seat   int // of a worker
	gate   chan struct{}
	at     string // where it has stopped
	parker *modelParker
	limit  bool        // the sleep ends by itself
	until  func() bool // nil, or what must be true before it can go on
	done   bool
}

// canGoOn reports whether a thread that has stopped need not wait for others.
func (th *thread) canGoOn() bool {
	switch {
	case th.done:
		return false
	case th.at == "asleep":
		return th.limit || th.parker.token
	}
	return th.until == nil || th.until()
}

// strategy chooses the next of the threads that can go on; last is the one that ran, or
// -1 if it cannot go on. It returns an index into ready.
type strategy func(step int, ready []int, last int) int

func newExplorer(choose strategy) *explorer {
	x := &explorer{own: goroutineID(), byID: map[uintptr]*thread{}, choose: choose}
	x.idle = sync.NewCond(&x.mu)
	return x
}

// pool makes a pool under control. Its workers have stopped when it returns.
func (x *explorer) pool(workers int) *Pool {
	before := len(x.threads) // all have stopped
	p := New(Workers(workers), func(p *Pool) {
		p.hook = x.at
		p.newParker = func() park.Parker { return &modelParker{x: x} }
		p.machine.Fix(1) // no worker spins: that takes time, of which there is none here
	})
	x.await(before + workers - 1)
	x.mu.Lock()
	defer x.mu.Unlock()
	slices.SortFunc(x.threads[before:], func(a, b *thread) int { return a.seat - b.seat }) // they came as they liked
	for i, th := range x.threads {
		th.number = i
	}
	x.pools = append(x.pools, p)
	return p
}

// await waits until n threads are known and all have stopped.
func (x *explorer) await(n int) {
	for {
		x.mu.Lock()
		stopped := 0
		for _, th := range x.threads {
			if th.at != "" {
				stopped++
			}
		}
		x.mu.Unlock()
		if stopped == n {
			return
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// start adds a goroutine of the scene.
func (x *explorer) start(name string, f func()) {
	x.mu.Lock()
	n := len(x.threads)
	x.mu.Unlock()
	go func() {
		th := x.self(name, nil)
		x.stop(th, "begin")
		f()
		x.end(th)
	}()
	x.await(n + 1)
}

// self is the calling thread. Workers become known by their first stop, on their seats.
func (x *explorer) self(name string, wc *workerContext) *thread {
	id := goroutineID()
	x.mu.Lock()
	defer x.mu.Unlock()
	th := x.byID[id]
	if x.running != nil && (th == nil || th.id != id) {
		// The body of a job runs apart: the thread that waits for it goes on here.
		th = x.running
		x.byID[id] = th
	}
	if th == nil {
		th = &thread{id: id, number: len(x.threads), name: name, gate: make(chan struct{}, 1)}
		x.byID[id] = th
		if wc != nil {
			th.seat = wc.index
		}
		x.threads = append(x.threads, th)
	}
	return th
}

// at stops the calling thread until the explorer lets it go on.
func (x *explorer) at(wc *workerContext, where string) {
	switch {
	case x.free(), goroutineID() == x.own: // the scene is being made
	case where == goroutineEnded:
		x.end(x.self("worker", wc))
	default:
		x.stop(x.self("worker", wc), where)
	}
}

// until stops the calling thread until a condition holds, which only other threads
// change.
func (x *explorer) until(where string, met func() bool) {
	if !x.free() {
		th := x.self("worker", nil)
		th.until = met
		x.stop(th, where)
		th.until = nil
	}
	for !x.failed.Load() && !met() { // no thread is stopped any more
		time.Sleep(time.Millisecond)
	}
}

func (x *explorer) free() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.over
}

func (x *explorer) stop(th *thread, where string) {
	x.mu.Lock()
	if x.over {
		x.mu.Unlock()
		return
	}
	th.at = where
	x.rest(th)
	x.mu.Unlock()
	<-th.gate
}

// end strikes a thread out.
func (x *explorer) end(th *thread) {
	x.mu.Lock()
	defer x.mu.Unlock()
	th.done = true
	x.rest(th)
}

// rest hands over; the lock is held.
func (x *explorer) rest(th *thread) {
	if x.running == th {
		x.running = nil
	}
	x.idle.Signal()
}

// run lets threads go on until done says that the scene is over. It returns an error if
// no thread can go on before that, or if it takes too many steps.
func (x *explorer) run(done func() bool) error {
	const most = 3000
	last := -1
	for step := range most {
		if done() {
			return nil
		}
		x.mu.Lock()
		var ready []int
		for _, th := range x.threads {
			if th.canGoOn() {
				ready = append(ready, th.number)
			}
		}
		if len(ready) == 0 {
			x.mu.Unlock()
			return fmt.Errorf("no thread can go on after %d steps: a wake-up was lost", step)
		}
		if !slices.Contains(ready, last) {
			last = -1
		}
		i := 0
		if len(ready) > 1 {
			i = x.choose(step, ready, last)
			if i < 0 || i >= len(ready) {
				x.mu.Unlock()
				return fmt.Errorf("step %d: choice %d of %d: another schedule than that which was recorded", step, i, len(ready))
			}
			x.choices = append(x.choices, i)
		}
		last = ready[i]
		th := x.threads[last]
		x.trail = append(x.trail, fmt.Sprintf("%s %d: %s", th.name, th.number, th.at))
		th.at = ""
		x.running = th
		th.gate <- struct{}{}
		for x.running != nil {
			x.idle.Wait()
		}
		x.mu.Unlock()
	}
	return fmt.Errorf("not over after %d steps", most)
}

// release lets all go on at once, for good.
func (x *explorer) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
	for _, th := range x.threads {
		if th.parker != nil {
			th.parker.unparkFree()
		}
		if th.at != "" && !th.done {
			th.gate <- struct{}{}
		}
	}
}

// report is how a schedule went.
func (x *explorer) report() string {
	var b strings.Builder
	for i := 0; i < len(x.choices); {
		k := i
		for k < len(x.choices) && x.choices[k] == x.choices[i] {
			k++
		}
		fmt.Fprintf(&b, "%dx%d,", x.choices[i], k-i)
		i = k
	}
	trail := x.trail
	if len(trail) > 40 {
		trail = trail[len(trail)-40:]
	}
	return fmt.Sprintf("-jobs.schedule=%s\nthe last steps:\n  %s", b.String(), strings.Join(trail, "\n  "))
}

// modelParker is a Parker whose sleep the explorer ends.
type modelParker struct {
	x     *explorer
	token bool          // Unpark was called; the explorer's lock is held
	free  chan struct{} // when the explorer is over
}

func (b *modelParker) Park(limit time.Duration) {
	x := b.x
	th := x.self("worker", nil)
	x.mu.Lock()
	if b.free == nil {
		b.free = make(chan struct{}, 1)
	}
	th.parker, th.limit = b, limit != 0
	over := x.over
	x.mu.Unlock()
	if !over {
		x.stop(th, "asleep")
	}
	x.mu.Lock()
	over, th.limit = x.over, false
	unparked := b.token
	b.token = false
	x.mu.Unlock()
	if over && !unparked {
		select {
		case <-b.free:
		case <-time.After(time.Millisecond): // what was lost stays lost, but all shall come to an end
		}
	}
}

func (b *modelParker) Unpark() {
	b.x.mu.Lock()
	defer b.x.mu.Unlock()
	b.token = true
	b.unparkFree()
}

// unparkFree is Unpark once the explorer is over; its lock is held.
func (b *modelParker) unparkFree() {
	if b.free == nil {
		b.free = make(chan struct{}, 1)
	}
	select {
	case b.free <- struct{}{}:
	default:
	}
}

func (b *modelParker) Yields() bool { return false }

// scene is a program for the explorer: it makes pools and starts goroutines. What it
// returns tells when it is over, and what is wrong then.
type scene func(x *explorer) (done func() bool, check func() error)

// explore runs a scene once. It returns how it failed.
func explore(sc scene, choose strategy) (x *explorer, err error) {
	x = newExplorer(choose)
	done, check := sc(x)
	err = x.run(done)
	if err == nil {
		err = check()
	}
	x.failed.Store(err != nil)
	x.release()
	closed := make(chan struct{})
	closeAll := func() (err error) {
		for _, p := range x.pools {
			err = errors.Join(err, p.Close())
		}
		return err
	}
	if err == nil {
		return x, closeAll()
	}
	go func() {
		defer close(closed)
		_ = closeAll()
	}()
	select {
	case <-closed:
	case <-time.After(time.Second): // what failed may never end
	}
	return x, err
}

// exploreAll runs a scene with many schedules, until one fails.
func exploreAll(t *testing.T, sc scene) {
	t.Helper()
	if *schedule != "" {
		x, err := explore(sc, recorded(t, *schedule))
		if err != nil {
			t.Fatalf("%v\n%s", err, x.report())
		}
		return
	}
	run := 0
	for bound := range 3 {
		b := &byTurns{bound: bound}
		for more := true; more && run < *schedules; more = b.next() {
			if x, err := explore(sc, b.choose); err != nil {
				t.Fatalf("schedule %d, left at most %d times: %v\n%s", run, bound, err, x.report())
			}
			run++
		}
	}
	for seed := range uint64(*schedules) {
		if x, err := explore(sc, byChance(seed, 1+int(seed%4), 40<<(seed%3))); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, x.report())
		}
	}
}
