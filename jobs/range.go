package jobs

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"
)

// Range runs body over [0, n) in blocks of grain on all workers, and returns when all blocks are
// done. If grain is 0, the pool chooses it. If there is only one block, Range calls body directly:
// if body then calls runtime.Goexit, the calling goroutine ends. Range panics if n or grain is
// negative.
//
// The pool recognizes a body by its code, and expects a body to take as long as it took before. See
// RangeFor for a body that calls functions of other durations.
func (p *Pool) Range(n, grain int, body func(lo, hi int)) error {
	grain = checkGrain("Range", n, grain)
	p.requireOpen("Range")
	if n <= grain && p.live == nil && !p.isObserved() {
		return runBlock(body, body, n)
	}
	return p.runRange(funcRangeJob(body), n, grain)
}

// RangeFor runs body as Range does, on behalf of the function f, which body calls. It is for helpers
// that get f from their caller:
//
//	func forRows(pool *jobs.Pool, rows int, f func(row int)) error {
//		return pool.RangeFor(f, rows, 0, func(lo, hi int) {
//			for row := lo; row < hi; row++ {
//				f(row)
//			}
//		})
//	}
//
// Errors and traces then have the name of f, and each function f has an expected duration of its
// own; only closures of the same function literal share one. With Range, all calls of forRows would
// share one name and one expected duration, and a long loop after some short ones would begin on
// one worker. RangeFor panics if f is nil or no function.
func (p *Pool) RangeFor(f any, n, grain int, body func(lo, hi int)) error {
	grain = checkGrain("RangeFor", n, grain)
	p.requireOpen("RangeFor")
	if v := reflect.ValueOf(f); v.Kind() != reflect.Func {
		panic(fmt.Sprintf("jobs: RangeFor: f is a %T: it must be a function", f))
	} else if v.IsNil() {
		panic("jobs: RangeFor: f is nil")
	}
	if n <= grain && p.live == nil && !p.isObserved() {
		return runBlock(body, f, n)
	}
	r := rangeForPool.Get().(*rangeFor)
	*r = rangeFor{funcPC(f), body}
	err := p.runRange(r, n, grain)
	*r = rangeFor{}
	rangeForPool.Put(r)
	return err
}

// runBlock runs a Range of one block, with the name of the function f.
func runBlock(body func(lo, hi int), f any, n int) (err error) {
	if n == 0 {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Job: funcName(funcPC(f)), Value: v, Stack: debug.Stack()}
		}
	}()
	body(0, n)
	return nil
}

// runRange runs a parallel-for and waits for it.
func (p *Pool) runRange(j RangeJob, n, grain int) error {
	wc := p.acquireToRun()
	defer wc.release()
	node := wc.newLoop(j, n, grain, nil)
	h := Handle{node: node, gen: generation(node.word.Load())}
	defer func() {
		if !h.Done() { // a block on this goroutine has called runtime.Goexit; others may still run
			_ = (&pendingWait{ctx: wc, target: h, unconditional: true}).waitForTarget()
		}
	}()
	wc.timing.submitted++
	if p.live != nil {
		p.live.recordJob(node, nil)
	}
	wc.runClaimed(node, noContinuation)
	spinBriefly(p, h)
	return (&pendingWait{ctx: wc, target: h, unconditional: true}).waitForTarget()
}

// funcRangeJob makes the body of a Range a RangeJob.
type funcRangeJob func(lo, hi int)

// RunRange calls f.
func (f funcRangeJob) RunRange(_ *Task, lo, hi int) { f(lo, hi) }

// rangeFor is the job of one call of RangeFor.
type rangeFor struct {
	pc   uintptr // of the function whose name and statistics the job has
	body func(lo, hi int)
}

// rangeForPool keeps the jobs of finished calls for reuse.
var rangeForPool = sync.Pool{New: func() any { return new(rangeFor) }}

// RunRange calls the body.
func (r *rangeFor) RunRange(_ *Task, lo, hi int) { r.body(lo, hi) }

// Reduce computes leaf over fixed parts of [0, n) on all workers and joins the results in index
// order: join(join(l0, l1), l2) and so on. The parts depend on n alone, so the result is exactly
// the same for any number of workers. For n = 0, Reduce returns the zero A. It panics if n is
// negative.
func Reduce[A any](p *Pool, n int, leaf func(lo, hi int) A, join func(a, b A) A) (A, error) {
	var sum A
	size := checkGrain("Reduce", n, 0)
	p.requireOpen("Reduce")
	if n == 0 {
		return sum, nil
	}
	list := reductionPoolFor[A](p)
	r := list.takeSpare()
	r.leaf, r.leafSize = leaf, size
	r.parts = r.partsArray[:(n-1)/size+1]
	err := p.runRange(r, n, size)
	if err == nil {
		sum = r.parts[0]
		for _, part := range r.parts[1:] {
			sum = join(sum, part)
		}
	}
	r.leaf = nil
	clear(r.parts) // the spare must not keep the results alive
	list.putSpare(r)
	return sum, err
}

// reduction is the job of one call of Reduce.
type reduction[A any] struct {
	leaf       func(lo, hi int) A
	leafSize   int
	parts      []A
	partsArray [maxLeaves]A
}

// JobName returns the name of the leaf function.
func (r *reduction[A]) JobName() string {
	return statsByCode.getOrCreate(funcPC(r.leaf), funcName).name
}

// RunRange computes one leaf.
func (r *reduction[A]) RunRange(_ *Task, lo, hi int) { r.parts[lo/r.leafSize] = r.leaf(lo, hi) }

// reductionPool keeps reductions for reuse.
type reductionPool[A any] struct {
	mu   sync.Mutex
	free []*reduction[A]
}

// reductionPoolMap is implemented by sync.Map. It is an interface, because a field of type sync.Map
// would make each package that imports jobs compile the hundred functions of sync.Map.
type reductionPoolMap interface {
	Load(key any) (value any, ok bool)
	LoadOrStore(key, value any) (actual any, loaded bool)
}

// reductionPoolFor returns the pool's list of reductions for the type A.
func reductionPoolFor[A any](p *Pool) *reductionPool[A] {
	key := reflect.TypeFor[A]()
	if list, ok := p.reductionPools.Load(key); ok {
		return list.(*reductionPool[A])
	}
	list, _ := p.reductionPools.LoadOrStore(key, new(reductionPool[A]))
	return list.(*reductionPool[A])
}

func (l *reductionPool[A]) takeSpare() *reduction[A] {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.free) - 1
	if last < 0 {
		return new(reduction[A])
	}
	r := l.free[last]
	l.free = l.free[:last]
	return r
}

func (l *reductionPool[A]) putSpare(r *reduction[A]) {
	l.mu.Lock()
	l.free = append(l.free, r)
	l.mu.Unlock()
}
