package jobs

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs/internal/park"
)

// A wake-up is lost only in a rare order of a few steps within nanoseconds, which random runs do not
// find. So the explorer takes the steps of all goroutines one by one. A pool with a hook (see
// Pool.hookAt) stops each of its goroutines at certain points. For example, a goroutine stops before
// it looks for work, falls asleep, sleeps, wakes another goroutine or takes blocks from one. The
// explorer then chooses one of the stopped goroutines to continue. If none of the stopped goroutines
// can continue and a job is left, a wake-up was lost. The choices form a list of numbers. With this
// list, the flag -jobs.schedule repeats the choices.
//
// The first schedules let each goroutine run as long as it can. They switch between goroutines at most
// bound times, in all combinations, like CHESS (Musuvathi and Qadeer, PLDI 2007). The other schedules
// give goroutines random priorities and lower the highest priority at a few steps, as PCT does
// (Burckhardt and others, ASPLOS 2010). PCT finds a fault that needs d changes with a probability of
// at least 1/(n·k^(d-1)), for n goroutines in k steps.

var (
	schedules = flag.Int("jobs.schedules", fewSchedules, "schedules that TestWaits explores of each scene and strategy")
	schedule  = flag.String("jobs.schedule", "", "the one schedule that TestWaits explores, of the scene that -run names, as a failure prints it")
)

// fewSchedules is the number of schedules in the default run. These schedules find mutants of the code
// that other tests find only by luck. The target make jobs-model explores more schedules.
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

// thread is a goroutine that the explorer controls.
type thread struct {
	id     uintptr
	number int
	name   string
	wc     int // the worker's number
	gate   chan struct{}
	at     string // where it has stopped
	parker *modelParker
	limit  bool        // the sleep ends without a wake-up
	until  func() bool // nil, or the condition under which it can continue
	done   bool
}

// canGoOn reports whether a stopped thread can continue without waiting for others.
func (th *thread) canGoOn() bool {
	switch {
	case th.done:
		return false
	case th.at == "asleep":
		return th.limit || th.parker.token
	}
	return th.until == nil || th.until()
}

// strategy chooses the next thread among the threads that can continue. Parameter last is the index of
// the thread that ran, or -1 if this thread cannot continue. The result is an index into the list
// ready.
type strategy func(step int, ready []int, last int) int

func newExplorer(choose strategy) *explorer {
	x := &explorer{own: goroutineID(), byID: map[uintptr]*thread{}, choose: choose}
	x.idle = sync.NewCond(&x.mu)
	return x
}

// pool creates a controlled pool. When pool returns, the workers have stopped.
func (x *explorer) pool(workers int) *Pool {
	before := len(x.threads) // all of these have stopped
	p := New(Workers(workers), func(p *Pool) {
		p.hook = x.stopAt
		p.newParker = func() park.Parker { return &modelParker{x: x} }
		p.machine.FixProcessors(1) // no worker spins, because spinning needs time, and time does not pass here
	})
	x.await(before + workers - 1)
	x.mu.Lock()
	defer x.mu.Unlock()
	slices.SortFunc(x.threads[before:], func(a, b *thread) int { return a.wc - b.wc }) // they registered in any order
	for i, th := range x.threads {
		th.number = i
	}
	x.pools = append(x.pools, p)
	return p
}

// await waits until n threads are known and all have stopped.
func (x *explorer) await(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		stopped := 0
		for _, th := range x.threads {
			if th.at != "" {
				stopped++
			}
		}
		if stopped == n {
			return
		}
		// A sleep of microseconds would take a millisecond here. A process without a running goroutine
		// waits in epoll_wait, and Go rounds the timeout of that call up to whole milliseconds.
		x.idle.Wait()
	}
}

// start adds a goroutine to the scene.
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

// self returns the calling thread. A worker registers at its first stop, with its context.
func (x *explorer) self(name string, wc *workerContext) *thread {
	id := goroutineID()
	x.mu.Lock()
	defer x.mu.Unlock()
	th := x.byID[id]
	if x.running != nil && (th == nil || th.id != id) {
		// The body of a job runs isolated, on behalf of the thread that waits for it.
		th = x.running
		x.byID[id] = th
	}
	if th == nil {
		th = &thread{id: id, number: len(x.threads), name: name, gate: make(chan struct{}, 1)}
		x.byID[id] = th
		if wc != nil {
			th.wc = wc.index
		}
		x.threads = append(x.threads, th)
	}
	return th
}

// stopAt stops the calling thread until the explorer lets it continue.
func (x *explorer) stopAt(wc *workerContext, where string) {
	switch {
	case x.free(), goroutineID() == x.own: // the scene is still being set up
	case where == goroutineEnded:
		x.end(x.self("worker", wc))
	default:
		x.stop(x.self("worker", wc), where)
	}
}

// stopUntil stops the calling thread until a condition holds. Only other threads may change the condition.
func (x *explorer) stopUntil(where string, met func() bool) {
	if !x.free() {
		th := x.self("worker", nil)
		th.until = met
		x.stop(th, where)
		th.until = nil
	}
	for !x.failed.Load() && !met() { // after a failure all threads run freely
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

// end removes a thread.
func (x *explorer) end(th *thread) {
	x.mu.Lock()
	defer x.mu.Unlock()
	th.done = true
	x.rest(th)
}

// rest lets the explorer continue. The caller holds the lock.
func (x *explorer) rest(th *thread) {
	if x.running == th {
		x.running = nil
	}
	x.idle.Signal()
}

// run lets threads continue until done reports the end of the scene. run returns an error if no
// thread can continue before the end, or if the scene takes too many steps.
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

// release lets all threads continue freely and permanently.
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

// report describes the course of a schedule.
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

// modelParker is a Parker whose sleeps the explorer ends.
type modelParker struct {
	x     *explorer
	token bool          // Unpark was called; guarded by the explorer's lock
	free  chan struct{} // used after the end of the exploration
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
		case <-time.After(time.Millisecond): // a lost wake-up stays lost, but all threads must end
		}
	}
}

func (b *modelParker) Unpark() {
	b.x.mu.Lock()
	defer b.x.mu.Unlock()
	b.token = true
	b.unparkFree()
}

// unparkFree is Unpark after the end of the exploration. The caller holds the explorer's lock.
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

// scene is a program for the explorer: it creates pools and starts goroutines. The returned functions
// report whether the scene is over and which error it has found.
type scene func(x *explorer) (done func() bool, check func() error)

// explore runs a scene once and returns its failure, if any.
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
	case <-time.After(time.Second): // a failed run may never end
	}
	return x, err
}

// exploreAll runs a scene with many schedules, until one fails.
func exploreAll(t *testing.T, sc scene) {
	t.Helper()
	if *schedule != "" {
		x, err := explore(sc, replayOf(t, *schedule))
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

// byChance returns the strategy of PCT with some changes of priority within the given number of steps.
func byChance(seed uint64, changes, steps int) strategy {
	rng := rand.New(rand.NewPCG(seed, 7))
	high := map[int]int{} // by thread
	at := map[int]bool{}
	for range changes {
		at[rng.IntN(steps)] = true
	}
	low := 0
	return func(step int, ready []int, last int) int {
		best := 0
		for i, th := range ready {
			if _, ok := high[th]; !ok {
				high[th] = 1 + rng.IntN(1<<20)
			}
			if high[th] > high[ready[best]] {
				best = i
			}
		}
		if at[step] || step%97 == 96 { // so that no thread keeps the others waiting without end
			low--
			high[ready[best]] = low
			return slices.Index(ready, slices.MaxFunc(ready, func(a, b int) int { return high[a] - high[b] }))
		}
		return best
	}
}

// byTurns enumerates schedules. In each of these schedules, a thread that could continue is
// interrupted at most bound times. The strategy varies the last choices first.
type byTurns struct {
	bound  int
	prefix []turn // choices to repeat
	path   []turn // of this schedule
}

type turn struct{ choice, options, keep, left int }

func (b *byTurns) choose(_ int, ready []int, last int) int {
	k := len(b.path)
	if k < len(b.prefix) {
		t := b.prefix[k]
		t.options = len(ready)
		b.path = append(b.path, t)
		return t.choice
	}
	left := 0
	if k > 0 {
		left = b.path[k-1].left
	}
	t := turn{choice: 0, options: len(ready), keep: slices.Index(ready, last), left: left}
	if t.keep >= 0 {
		t.choice = t.keep
	}
	b.path = append(b.path, t)
	return t.choice
}

// next prepares the next schedule. next returns false when all schedules have been tried.
func (b *byTurns) next() bool {
	for k := len(b.path) - 1; k >= 0; k-- {
		t := b.path[k]
		before := 0
		if k > 0 {
			before = b.path[k-1].left
		}
		for t.choice = b.nextChoice(t); t.choice < t.options; t.choice = b.nextChoice(t) {
			t.left = before
			if t.keep >= 0 {
				t.left++
			}
			if t.left > b.bound {
				break
			}
			b.prefix = append(slices.Clone(b.path[:k]), t)
			b.path = nil
			return true
		}
	}
	return false
}

// nextChoice returns the choice that follows t. The thread that ran comes first, then the other threads.
func (b *byTurns) nextChoice(t turn) int {
	switch {
	case t.keep < 0:
		return t.choice + 1
	case t.choice == t.keep:
		if t.keep == 0 {
			return 1
		}
		return 0
	case t.choice+1 == t.keep:
		return t.choice + 2
	}
	return t.choice + 1
}

// replayOf returns the strategy that repeats a recorded schedule.
func replayOf(t *testing.T, text string) strategy {
	var list []int
	for _, s := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		var choice, times int
		if _, err := fmt.Sscanf(s, "%dx%d", &choice, &times); err != nil {
			t.Fatalf("-jobs.schedule: %q: %v", s, err)
		}
		for range times {
			list = append(list, choice)
		}
	}
	k := -1
	return func(int, []int, int) int {
		if k++; k < len(list) {
			return list[k]
		}
		return 0
	}
}
