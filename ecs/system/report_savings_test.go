package system

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// The systems of the recorded frames of these tests. They never update.
type (
	hog    struct{ stillSystem }
	pig    struct{ stillSystem }
	reader struct{ stillSystem }
	loner  struct{ stillSystem }
)

type stillSystem struct{}

func (stillSystem) Update(*Frame) error { return nil }

// pen is a world with these systems, for recorded frames that a test builds.
type pen struct {
	*testing.T
	w                       *ecs.World
	hog, pig, reader, loner *Instance
	writesAlpha, writesBeta *access.Access
	readsAlpha, readsBoth   *access.Access
}

func newPen(t *testing.T) *pen {
	w := newWorld(t, Only(Of[hog](), Of[pig](), Of[reader](), Of[loner]()))
	p := &pen{T: t, w: w}
	p.hog, p.pig, p.reader, p.loner = InstanceOf(w, Find[hog](w)), InstanceOf(w, Find[pig](w)), InstanceOf(w, Find[reader](w)), InstanceOf(w, Find[loner](w))
	p.writesAlpha, p.writesBeta = w.Query(ecs.Write[alpha]()).Access(), w.Query(ecs.Write[beta]()).Access()
	p.readsAlpha, p.readsBoth = w.Query(ecs.Read[alpha]()).Access(), w.Query(ecs.Read[alpha](), ecs.Read[beta]()).Access()
	return p
}

// savings returns the savings in frames on two workers.
func (p *pen) savings(frames ...*recorded) []ReportSaving {
	x := &reportBuilder{attachment: attachmentOf(p.w), out: &Report{Workers: 2}, measure: &measure{}}
	var plans []*schedule
	for _, f := range frames {
		x.measure.graphCopies = append(x.measure.graphCopies, &f.g)
		plans = append(plans, planOf(&f.g, planEdit{}))
	}
	x.findSavings(plans)
	return x.out.Savings
}

// add adds a job of one block to a recorded frame.
func (p *pen) add(r *recorded, in *Instance, took time.Duration, a *access.Access) {
	k := r.job(took, 1)
	r.g.nodes[k].in, r.g.nodes[k].access = in, a
}

// want checks the savings: for each, the system, the system for which it waits, and a part of the advice.
func (p *pen) want(what string, list []ReportSaving, want ...ReportSaving) {
	p.Helper()
	if len(list) != len(want) {
		p.Errorf("%s: savings %v, want %d", what, list, len(want))
		return
	}
	const path = "github.com/lanewise/lanewise/ecs/system."
	for k, w := range want {
		s := list[k]
		if strings.TrimPrefix(s.System, path) != w.System || strings.TrimPrefix(s.For, path) != w.For || strings.ReplaceAll(s.Component, path, "") != w.Component || !strings.Contains(s.Advice, w.Advice) {
			p.Errorf("%s: saving %d is %+v, want %+v", what, k, s, w)
		}
		if !closeTo(s.Saves, w.Saves) || !closeTo(s.Waits, w.Waits) {
			p.Errorf("%s: saving %d: waits %v and saves %v, want %v and %v", what, k, s.Waits, s.Saves, w.Waits, w.Saves)
		}
	}
}

// TestSavingsOfRecordedFrames checks the advice about frames whose best change is known. The advice must name the system that
// waits and the system for which it waits. It must rank the changes by the time that they save.
func TestSavingsOfRecordedFrames(t *testing.T) {
	p := newPen(t)
	var r recorded
	r.piece(0, waitNone)
	p.add(&r, p.hog, 10*ms, p.writesAlpha)
	p.add(&r, p.reader, 6*ms, p.readsAlpha)
	r.piece(0, waitAll)
	p.want("a reader and a hog", p.savings(&r), ReportSaving{System: "reader", For: "hog", Component: "alpha", Waits: 10 * ms, Saves: 6 * ms, Advice: "let system.reader read a copy of system.alpha"})

	// The reader waits for two hogs. Only the longer one holds it up.
	r = recorded{}
	r.piece(0, waitNone)
	p.add(&r, p.pig, 7*ms, p.writesBeta)
	p.add(&r, p.hog, 10*ms, p.writesAlpha)
	p.add(&r, p.reader, 6*ms, p.readsBoth)
	r.piece(0, waitAll)
	p.want("two hogs", p.savings(&r), ReportSaving{System: "reader", For: "hog", Component: "alpha", Waits: 3 * ms, Saves: 3 * ms})

	// A wait and work on the owner: what saves more comes first.
	r = recorded{}
	r.piece(0, waitNone)
	p.add(&r, p.hog, 4*ms, p.writesAlpha)
	p.add(&r, p.reader, 3*ms, p.readsAlpha)
	r.piece(0, waitAll)
	k := r.piece(20*ms, waitNone)
	r.g.nodes[k].in = p.loner
	p.want("two changes", p.savings(&r),
		ReportSaving{System: "loner", Waits: 20 * ms, Saves: 10 * ms, Advice: "system.loner works 20ms a frame on the owner's goroutine"},
		ReportSaving{System: "reader", For: "hog", Component: "alpha", Waits: 4 * ms, Saves: 3 * ms})

	// The owner waits for a job at a structural change, and then does work beside which the job could have run.
	r = recorded{}
	r.piece(0, waitNone)
	p.add(&r, p.hog, 10*ms, p.writesAlpha)
	k = r.piece(0, waitAll)
	r.g.nodes[k].in = p.loner
	r.piece(8*ms, waitNone) // between updates, so no system can move it
	r.piece(0, waitAll)
	p.want("a sync point", p.savings(&r), ReportSaving{System: "loner", Waits: 10 * ms, Saves: 8 * ms, Advice: "system.loner waits 10ms a frame for all jobs, because it changes the structure"})

	// The owner waits in the same way for a component.
	r.g.nodes[k].wait, r.g.nodes[k].access = waitConflicting, p.readsAlpha
	p.want("an access of the owner", p.savings(&r), ReportSaving{System: "loner", Component: "alpha", Waits: 10 * ms, Saves: 8 * ms, Advice: "it uses system.alpha on the owner's goroutine"})
}

// TestSavingOfOneBlock checks the advice about a loop over rows in one block: with several blocks, two workers share it. A loop over one
// row, and a single job, cannot be divided.
func TestSavingOfOneBlock(t *testing.T) {
	p := newPen(t)
	frame := func(rows int) *recorded {
		r := &recorded{}
		r.piece(0, waitNone)
		p.add(r, p.hog, 20*ms, p.writesAlpha)
		r.g.nodes[len(r.g.nodes)-1].rows = rows
		r.piece(0, waitAll)
		return r
	}
	p.want("a loop", p.savings(frame(27)), ReportSaving{System: "hog", Waits: 20 * ms, Saves: 10 * ms, Advice: "system.hog's loop runs 20ms a frame as one block of 27 rows"})
	p.want("one row", p.savings(frame(1)))
	p.want("a single job", p.savings(frame(0)))
}

// TestLeastSaving checks that there is no advice about less than one percent of a frame, and none because of a single frame
// that was longer than the others.
func TestLeastSaving(t *testing.T) {
	p := newPen(t)
	frame := func(wait time.Duration) *recorded {
		r := &recorded{}
		r.piece(0, waitNone)
		p.add(r, p.hog, wait, p.writesAlpha)
		p.add(r, p.reader, 100*ms-wait, p.readsAlpha)
		r.piece(0, waitAll)
		return r
	}
	p.want("1.1 % of a frame", p.savings(frame(1100*time.Microsecond)), ReportSaving{System: "reader", For: "hog", Component: "alpha", Waits: 1100 * time.Microsecond, Saves: 1100 * time.Microsecond})
	p.want("0.9 % of a frame", p.savings(frame(900*time.Microsecond)))
	p.want("two of five frames", p.savings(frame(20*ms), frame(100*time.Microsecond), frame(20*ms), frame(100*time.Microsecond), frame(100*time.Microsecond)))
}

// TestSavingsOfRandomFrames builds random frames. For each advice to remove a wait, it builds the frame again without this wait,
// and compares the simulations. It also checks the order of the list and its least saving.
func TestSavingsOfRandomFrames(t *testing.T) {
	p := newPen(t)
	systems := []*Instance{p.hog, p.pig, p.reader, p.loner}
	accesses := []*access.Access{p.writesAlpha, p.writesBeta, p.readsAlpha, p.readsBoth}
	checked := 0
	for seed := range uint64(150) {
		// build builds the frame. If drop is not nil, the jobs of a system do not wait for those of the other system.
		build := func(drop func(in, before *Instance) bool) *recorded {
			rnd := rand.New(rand.NewPCG(seed, 45))
			var r recorded
			r.piece(0, waitNone)
			var list []int
			for range 2 + rnd.IntN(7) {
				in, a, took := systems[rnd.IntN(4)], accesses[rnd.IntN(4)], time.Duration(1+rnd.IntN(20))*ms
				var after []int // explicit dependencies in place of the accesses
				for _, b := range list {
					if n := &r.g.nodes[b]; conflict(a, accesses[n.blocks-1]) && (drop == nil || !drop(in, n.in)) {
						after = append(after, b)
					}
				}
				k := r.job(took, 1, after...)
				r.g.nodes[k].in, r.g.nodes[k].blocks = in, slices.Index(accesses, a)+1
				list = append(list, k)
			}
			r.piece(0, waitAll)
			return &r
		}
		// usual converts the frame to one that has accesses, as a recording has.
		usual := build(nil)
		for k := range usual.g.nodes {
			if n := &usual.g.nodes[k]; n.job {
				n.access, n.blocks, n.afterFrom, n.afterTo = accesses[n.blocks-1], 1, 0, 0
			}
		}
		length := func(r *recorded) time.Duration {
			for k := range r.g.nodes {
				r.g.nodes[k].blocks = min(r.g.nodes[k].blocks, 1)
			}
			_, _, took := planOf(&r.g, planEdit{}).simulate(2)
			return took
		}
		whole := length(usual)
		if other := length(build(nil)); other != whole {
			t.Fatalf("seed %d: %v with accesses, %v with dependencies", seed, whole, other)
		}
		list := p.savings(usual)
		for k, s := range list {
			if s.Saves < whole/100 || k > 0 && s.Saves > list[k-1].Saves {
				t.Errorf("seed %d: a frame of %v: saving %d of %v", seed, whole, k, list)
			}
			if s.For == "" || s.For == s.System {
				t.Errorf("seed %d: an unexpected saving: %v", seed, s)
				continue
			}
			better := length(build(func(in, before *Instance) bool { return in.uniqueName == s.System && before.uniqueName == s.For }))
			if checked++; s.Saves != whole-better {
				t.Errorf("seed %d: %v saves %v; the frame takes %v, and %v without the wait", seed, s.Advice, s.Saves, whole, better)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d savings", checked)
	}
}

// TestRecordedTimesWithoutClock checks that the time to read the clock is not part of the times of a recorded frame: one reading for
// a piece of the owner, one for each block, and another one for each block in the time that workers spend on a job.
func TestRecordedTimesWithoutClock(t *testing.T) {
	p, cost := newPen(t), clockCost()
	nodes := []graphNode{{in: p.hog, job: true, work: 10 * ms, longest: 4 * ms, blocks: 5}, {in: p.hog, job: true, work: 30 * ms, longest: 6 * ms, blocks: 5}}
	addOverhead(nodes, p.hog, 40*ms+20*cost, cost) // nothing but readings of the clock
	if nodes[0].work != 10*ms || nodes[1].longest != 6*ms {
		t.Errorf("readings of the clock count as work: %v", nodes)
	}
	addOverhead(nodes, p.hog, 44*ms+20*cost, cost)
	if !closeTo(nodes[0].work, 11*ms) || !closeTo(nodes[1].work, 33*ms) || !closeTo(nodes[1].longest, 6600*time.Microsecond) {
		t.Errorf("10 %% of overhead is divided as %v", nodes)
	}
	g := &graphRecorder{}
	m := &measure{attachment: attachmentOf(p.w)}
	g.begin(m, 0)
	times := g.job(p.hog)
	times.add(0, 40, 3*ms+cost)
	times.add(1, 2, 5*ms+cost)
	g.cut(now()+2*ms+cost, 0, nil, waitNone, nil)
	g.busyBefore = nil // the jobs of this test did not run
	ring := g.current
	g.end(m, time.Hour)
	if n := ring.nodes[1]; n.work != 8*ms || n.longest != 5*ms || n.blocks != 2 || n.rows != 42 {
		t.Errorf("the job is %+v", n)
	}
	if n := ring.nodes[2]; n.work < 2*ms || n.work > 2*ms+time.Second {
		t.Errorf("the piece takes %v", n.work)
	}
}

// TestSavingOfUnevenLoop checks that the advice on an uneven loop describes this loop, and no other job of the system.
func TestSavingOfUnevenLoop(t *testing.T) {
	p := newPen(t)
	r := &recorded{}
	for _, loop := range []struct {
		work, longest time.Duration
		blocks, rows  int
	}{{20 * ms, 14 * ms, 4, 100}, {60 * ms, 20 * ms, 3, 7}, {16 * ms, 16 * ms, 1, 0}} {
		r.piece(0, waitNone)
		n := &r.g.nodes[r.job(loop.work, loop.blocks)]
		n.in, n.access, n.longest, n.rows = p.hog, p.writesAlpha, loop.longest, loop.rows
		r.piece(0, waitAll)
	}
	for _, s := range p.savings(r) {
		if strings.Contains(s.Advice, "more than twice the mean") && !strings.HasPrefix(s.Advice, "one of the 4 blocks of system.hog's loop over 100 rows takes 14ms") {
			t.Error(s.Advice)
		}
	}
	if !slices.ContainsFunc(p.savings(r), func(s ReportSaving) bool { return strings.Contains(s.Advice, "more than twice the mean") }) {
		t.Error("no advice on the uneven loop")
	}
}
