package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
)

// big is the duration of a job for which the pool wakes a worker. The constant tiny is the duration
// of a job that the pool leaves to the waiting goroutine.
const (
	big  = 1 << 40
	tiny = 1
)

// modelJob is a job whose duration is not measured, so that the pool's decisions depend only on the
// schedule.
type modelJob struct {
	Func
	name string
}

func (j *modelJob) JobName() string            { return j.name }
func (j *modelJob) RunRange(t *Task, _, _ int) { j.Func(t) }
func one(name string, cost int64, f Func) *modelJob {
	stats := statsByName.getOrCreate("model "+name, func(s string) string { return s })
	stats.cost.Store(cost)
	stats.promptWaits.Store(0)
	return &modelJob{f, "model " + name}
}

// allDone reports whether jobs have been scheduled and are done.
func allDone(hs ...*Handle) func() bool {
	return func() bool {
		for _, h := range hs {
			if h.node == nil || !h.Done() {
				return false
			}
		}
		return true
	}
}

func noCheck() error { return nil }

// scenes holds programs in which one goroutine sleeps while another makes a job ready.
var scenes = map[string]scene{
	// A job becomes ready while the goroutine that waits for it is about to sleep. Only the waiting
	// goroutine can run the job.
	"Waiter": func(x *explorer) (func() bool, func() error) {
		p := x.pool(1)
		first := p.Schedule(one("first", big, func(*Task) { x.stopAt(nil, "runs the first job") }))
		second := p.Schedule(one("second", big, func(*Task) {}), first)
		ends := [2]bool{}
		x.start("waits for the second", func() { _ = second.Wait(); ends[0] = true })
		x.start("waits for the first", func() { _ = first.Wait(); ends[1] = true })
		return func() bool { return ends == [2]bool{true, true} }, noCheck
	},
	// This scene is like the one with Waiter, but the goroutines run inside jobs, and there is a
	// worker.
	"WaiterInside": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		var ends [2]bool
		first := p.Schedule(one("first", big, func(*Task) { x.stopAt(nil, "runs the first job") }))
		second := p.Schedule(one("second", big, func(*Task) { x.stopAt(nil, "runs the second job") }), first)
		for i, needs := range []Handle{second, first} {
			h := p.Schedule(one("waiter", big, func(t *Task) { x.stopAt(nil, "is to wait"); _ = t.Wait(needs) }))
			x.start(fmt.Sprint("waits for waiter ", i), func() { _ = h.Wait(); ends[i] = true })
		}
		return func() bool { return ends == [2]bool{true, true} }, noCheck
	},
	// No goroutine waits. Small jobs are left to the sentinel, which gives up after some time.
	"Sentinel": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		hs := make([]Handle, 3)
		x.start("schedules", func() {
			for i := range hs {
				hs[i] = p.Schedule(one("small", tiny, func(*Task) { x.stopAt(nil, "runs a small job") }))
				x.stopAt(nil, "has scheduled a small job")
			}
		})
		return allDone(&hs[0], &hs[1], &hs[2]), noCheck
	},
	// Two goroutines schedule for two workers, and no goroutine waits.
	"Sleepers": func(x *explorer) (func() bool, func() error) {
		p := x.pool(3)
		hs := make([]Handle, 4)
		for user := range 2 {
			x.start("schedules", func() {
				for i := range 2 {
					hs[2*user+i] = p.Schedule(one("large", big, func(*Task) { x.stopAt(nil, "runs a large job") }))
					x.stopAt(nil, "has scheduled a large job")
				}
			})
		}
		return allDone(&hs[0], &hs[1], &hs[2], &hs[3]), noCheck
	},
	// The small jobs occupy the worker that was woken for all small jobs, so another worker must be
	// woken.
	"SmallThatAreNot": func(x *explorer) (func() bool, func() error) {
		p := x.pool(3)
		hs := make([]Handle, 2)
		both := 0
		x.start("schedules", func() {
			for i := range hs {
				hs[i] = p.Schedule(one("said to be small", tiny, func(*Task) {
					both++
					x.stopUntil("needs another worker", func() bool { return both == 2 })
				}))
				x.stopAt(nil, "has scheduled a job")
			}
		})
		return allDone(&hs[0], &hs[1]), noCheck
	},
	// Background jobs have one permit. A goroutine that waits for background jobs needs no permit to
	// run them.
	"Background": func(x *explorer) (func() bool, func() error) {
		p := x.pool(3)
		var now, most int
		var ends bool
		slow := one("slow", big, func(*Task) {
			now++
			most = max(most, now)
			x.stopAt(nil, "runs a background job")
			now--
		})
		hs := make([]Handle, 4)
		x.start("schedules", func() {
			root := p.Schedule(one("root", big, func(*Task) { x.stopAt(nil, "runs the root") }))
			for i := range 3 {
				hs[i] = p.ScheduleAt(Background, slow, p.Schedule(one("normal", big, func(*Task) { x.stopAt(nil, "runs a normal job") }), root))
			}
			hs[3] = root
			ends = true
		})
		return func() bool { return ends && allDone(&hs[0], &hs[1], &hs[2], &hs[3])() }, func() error {
			if most > 1 {
				return fmt.Errorf("%d background jobs ran at a time, with one permit", most)
			}
			return nil
		}
	},
	// A job that belongs to a waiting goroutine becomes ready while that goroutine is about to sleep.
	"Owner": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		var ends bool
		x.start("owns a job", func() {
			first := p.Schedule(one("first", big, func(*Task) { x.stopAt(nil, "runs the first job") }))
			own := p.ScheduleHere(one("own", big, func(*Task) { x.stopAt(nil, "runs its own job") }), first)
			last := p.Schedule(one("last", big, func(*Task) {}), own)
			x.stopAt(nil, "has scheduled")
			_ = last.Wait()
			ends = true
		})
		return func() bool { return ends }, noCheck
	},
	// A child closes a cycle of waits while the other goroutines sleep or are about to sleep. One
	// wait returns ErrDeadlock.
	"Circle": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		var waiter, parent Handle
		var told error
		begun := 0
		x.start("waits for a parent", func() {
			waiter = p.Schedule(one("waiter", big, func(t *Task) {
				begun++
				x.stopUntil("waits for both to run", func() bool { return begun == 2 })
				told = t.Wait(parent)
			}))
			parent = p.Schedule(one("parent", big, func(t *Task) {
				begun++
				x.stopUntil("waits for both to run", func() bool { return begun == 2 })
				x.stopAt(nil, "is about to have a child")
				t.Schedule(one("child", big, func(*Task) {}), waiter)
			}))
			_ = WaitAll(waiter, parent)
		})
		return allDone(&waiter, &parent), func() error {
			if told != nil && !errors.Is(told, ErrDeadlock) {
				return told
			}
			return nil
		}
	},
	// The same cycle leads through two pools. One wait must return ErrDeadlock, and both jobs must
	// continue.
	"CircleOfPools": func(x *explorer) (func() bool, func() error) {
		a, b := x.pool(2), x.pool(1)
		var first, second Handle
		var told [2]error
		begun, ends := 0, 0
		waits := func(i int, needs *Handle) Func {
			return func(t *Task) {
				begun++
				x.stopUntil("waits for both to run", func() bool { return begun == 2 })
				if i == 0 {
					told[i] = t.Wait(*needs)
				} else {
					told[i] = needs.Wait()
				}
			}
		}
		first = a.Schedule(one("first", big, waits(0, &second)))
		second = b.Schedule(one("second", big, waits(1, &first)))
		for _, h := range []Handle{first, second} {
			x.start("waits for one", func() { _ = h.Wait(); ends++ })
		}
		return func() bool { return ends == 2 }, func() error {
			if (told[0] == nil) == (told[1] == nil) || !errors.Is(errors.Join(told[:]...), ErrDeadlock) {
				return fmt.Errorf("the waits return %v", told)
			}
			return nil
		}
	},
	// A goroutine sleeps and waits for a job. The job gets a child that comes after a job of another
	// pool, in which no goroutine waits.
	"ChildOfPools": func(x *explorer) (func() bool, func() error) {
		a, b := x.pool(2), x.pool(1)
		var last Handle
		ends := false
		far := b.Schedule(one("far", big, func(*Task) { x.stopAt(nil, "runs a job of the other pool") }))
		near := a.Schedule(one("near", big, func(*Task) { x.stopAt(nil, "runs a job behind it") }), far)
		parent := a.Schedule(one("parent", big, func(t *Task) {
			x.stopAt(nil, "is about to have a child")
			last = t.Schedule(one("child", big, func(*Task) {}), near)
		}))
		x.start("waits for the parent", func() { _ = parent.Wait(); ends = true })
		return func() bool { return ends && allDone(&last, &far, &near)() }, noCheck
	},
	// A goroutine sleeps and waits for one pool. A job of that pool needs a job of another pool that
	// belongs to the goroutine.
	"OwnerOfPools": func(x *explorer) (func() bool, func() error) {
		a, b := x.pool(2), x.pool(1)
		ends := false
		x.start("owns a job", func() {
			first := b.Schedule(one("first", big, func(*Task) { x.stopAt(nil, "runs the first job") }))
			own := b.ScheduleHere(one("own", big, func(*Task) { x.stopAt(nil, "runs its own job") }), first)
			begun := false
			last := a.Schedule(one("last", big, func(t *Task) {
				begun = true
				x.stopAt(nil, "is to wait")
				_ = t.Wait(own)
			}))
			x.stopUntil("leaves the last job to the worker", func() bool { return begun })
			_ = last.Wait()
			ends = true
		})
		return func() bool { return ends }, noCheck
	},
	// Some goroutines have no share of a loop and take blocks from goroutines that have a share.
	"Loop": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		const n = 9
		var ran [n]atomic.Int32
		var ends [3]bool
		body := RangeFunc(func(_ *Task, lo, _ int) {
			ran[lo].Add(1)
			x.stopAt(nil, "runs a block")
		})
		statsByCode.getOrCreate(funcPC(body), funcName).cost.Store(big / n)
		h := p.ParallelFor(body, n, 1)
		for i := range ends {
			x.start("waits for the loop", func() { _ = h.Wait(); ends[i] = true })
		}
		return func() bool { return ends == [3]bool{true, true, true} }, func() error {
			for i := range ran {
				if k := ran[i].Load(); k != 1 {
					return fmt.Errorf("block %d ran %d times", i, k)
				}
			}
			return nil
		}
	},
	// A goroutine that waits for a loop finds it claimed but not yet open. The waiting goroutine must
	// be woken when the loop opens.
	"LoopNotYetOpen": func(x *explorer) (func() bool, func() error) {
		p := x.pool(2)
		both, ends := 0, false
		body := RangeFunc(func(*Task, int, int) {
			both++
			x.stopUntil("needs the other block", func() bool { return both == 2 })
		})
		statsByCode.getOrCreate(funcPC(body), funcName).cost.Store(big / 2)
		h := p.ParallelFor(body, 2, 1)
		x.start("waits for the loop", func() { _ = h.Wait(); ends = true })
		return func() bool { return ends }, noCheck
	},
	// A pool is closed while its workers fall asleep and jobs are left.
	"Close": func(x *explorer) (func() bool, func() error) {
		p := x.pool(3)
		var hs [3]Handle
		var err error
		ends := false
		x.start("closes", func() {
			for i := range hs {
				hs[i] = p.Schedule(one("left", []int64{tiny, big, tiny}[i], func(*Task) { x.stopAt(nil, "runs a job that was left") }))
				x.stopAt(nil, "has scheduled")
			}
			err = p.Close()
			ends = true
		})
		return func() bool { return ends }, func() error {
			for _, h := range hs {
				if !h.Done() {
					return errors.New("a job is not done")
				}
			}
			return err
		}
	},
	// Scopes end while jobs of every kind schedule other jobs.
	"Scope": func(x *explorer) (func() bool, func() error) {
		p := x.pool(3)
		var ran atomic.Int32
		var err error
		ends := false
		x.start("ends a scope", func() {
			sc := p.Scope(context.Background())
			job := one("of the scope", big, func(*Task) { ran.Add(1); x.stopAt(nil, "runs a job") })
			a := sc.Schedule(job)
			b := p.ScheduleAt(High, job, a)
			sc.Schedule(one("parent", big, func(t *Task) { t.Schedule(job, b); _ = t.Wait(t.Schedule(job)) }))
			last := p.ScheduleAt(Background, job, a)
			err = errors.Join(sc.End(), last.Wait()) // the last job does not belong to the scope
			ends = true
		})
		return func() bool { return ends }, func() error {
			if n := ran.Load(); n != 5 || err != nil {
				return fmt.Errorf("%d of 5 jobs ran: %w", n, err)
			}
			return nil
		}
	},
}

// moreScenes is the number of random graphs over several pools that are added to the scenes when the
// tests explore more schedules.
const moreScenes = 40

// TestWaits explores the orders in which goroutines park, wake, steal and complete. In no order may a
// block be lost, and no goroutine may stay asleep while it has work to do.
func TestWaits(t *testing.T) {
	all := maps.Clone(scenes)
	graphs := uint64(moreScenes)
	if *schedules <= fewSchedules {
		graphs = 2
	}
	for seed := range graphs {
		all[fmt.Sprintf("Pools%02d", seed)] = poolScene(seed)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			if *schedules <= fewSchedules {
				limit(t)
			}
			exploreAll(t, all[name])
		})
	}
}
