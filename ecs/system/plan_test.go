package system

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

const ms = time.Millisecond

// recorded builds a recorded frame. The pieces of the owner's work take no time unless a test sets one.
type recorded struct{ g frameGraph }

// piece adds a piece of the owner's work.
func (r *recorded) piece(work time.Duration, wait waitKind) int {
	r.g.nodes = append(r.g.nodes, graphNode{work: work, wait: wait})
	return len(r.g.nodes) - 1
}

// job adds a job of n equal blocks after other jobs.
func (r *recorded) job(work time.Duration, n int, after ...int) int {
	from := len(r.g.after)
	r.g.after = append(r.g.after, after...)
	r.g.nodes = append(r.g.nodes, graphNode{job: true, work: work, longest: work / time.Duration(n), blocks: n, afterFrom: from, afterTo: len(r.g.after)})
	return len(r.g.nodes) - 1
}

// closeTo reports whether two times differ by less than two percent.
func closeTo(got, want time.Duration) bool {
	return got > want-want/50 && got < want+want/50
}

// TestSimulate compares simulations with times that are known from the graph alone.
func TestSimulate(t *testing.T) {
	chain := func(r *recorded) {
		r.piece(0, waitNone)
		before := r.job(10*ms, 1)
		for range 3 {
			before = r.job(10*ms, 1, before)
		}
		r.piece(0, waitAll)
	}
	for _, c := range []struct {
		name       string
		build      func(*recorded)
		work, span time.Duration
		want       [4]time.Duration // with 1, 2, 4 and 8 workers
	}{
		{"one loop", func(r *recorded) {
			r.piece(0, waitNone)
			r.job(80*ms, 80)
			r.piece(0, waitAll)
		}, 80 * ms, ms, [4]time.Duration{80 * ms, 40 * ms, 20 * ms, 10 * ms}},
		{"chain", chain, 40 * ms, 40 * ms, [4]time.Duration{40 * ms, 40 * ms, 40 * ms, 40 * ms}},
		{"fork and join", func(r *recorded) {
			r.piece(5*ms, waitNone)
			first := r.job(5*ms, 1)
			var all []int
			for range 8 {
				all = append(all, r.job(10*ms, 1, first))
			}
			r.job(5*ms, 1, all...)
			r.piece(5*ms, waitAll)
		}, 100 * ms, 30 * ms, [4]time.Duration{100 * ms, 60 * ms, 40 * ms, 30 * ms}},
		{"the owner works beside jobs", func(r *recorded) {
			r.piece(0, waitNone)
			r.job(30*ms, 30)
			r.piece(30*ms, waitNone)
			r.piece(0, waitAll)
		}, 60 * ms, 30 * ms, [4]time.Duration{60 * ms, 30 * ms, 30 * ms, 30 * ms}},
		{"two frames' halves with a sync point", func(r *recorded) {
			r.piece(0, waitNone)
			r.job(20*ms, 1)
			r.piece(0, waitAll)
			r.job(20*ms, 1)
			r.piece(0, waitAll)
		}, 40 * ms, 40 * ms, [4]time.Duration{40 * ms, 40 * ms, 40 * ms, 40 * ms}},
	} {
		var r recorded
		c.build(&r)
		s := planOf(&r.g, planEdit{})
		if got := s.work(); !closeTo(got, c.work) {
			t.Errorf("%s: the work is %v, want %v", c.name, got, c.work)
		}
		if got, chain := s.span(); !closeTo(got, c.span) || len(chain) == 0 {
			t.Errorf("%s: the span is %v over %d nodes, want %v", c.name, got, len(chain), c.span)
		}
		for k, p := range predictedWorkers {
			if _, _, got := s.simulate(p); !closeTo(got, c.want[k]) {
				t.Errorf("%s: %d workers take %v, want %v", c.name, p, got, c.want[k])
			}
		}
	}
}

// TestWaitText checks the advice for each kind of a conflict. The advice never suggests another order,
// because jobs conflict in both orders: the simulated frame has the same length in the other order.
func TestWaitText(t *testing.T) {
	w := newWorld(t, Only())
	ids := slices.Collect(w.Query(ecs.Write[alpha](), ecs.Write[beta](), ecs.Write[gamma]()).Access().Write.All())
	first, second := &Instance{}, &Instance{}
	build := func(order ...*Instance) *frameGraph {
		var r recorded
		r.piece(0, waitNone)
		for _, in := range order {
			k := r.job(10*ms, 1)
			r.g.nodes[k].in, r.g.nodes[k].access = in, &access.Access{}
			for c, id := range ids { // first writes ids[0] and ids[2], second writes ids[1] and ids[2]
				set := &r.g.nodes[k].access.Read
				if c == 2 || (c == 0) == (in == first) {
					set = &r.g.nodes[k].access.Write
				}
				set.Add(id)
			}
		}
		r.piece(0, waitAll)
		return &r.g
	}
	edit := planEdit{kind: savingWait, in: second, before: first}
	forth, back := build(first, second), build(second, first)
	length := func(g *frameGraph, e planEdit) time.Duration {
		_, _, took := planOf(g, e).simulate(2)
		return took
	}
	if a, b := length(forth, planEdit{}), length(back, planEdit{}); a != b || !closeTo(length(forth, edit), 10*ms) {
		t.Errorf("%v in one order, %v in the other, %v without the conflicts", a, b, length(forth, edit))
	}
	list := edit.sharedComponents([]*schedule{planOf(forth, planEdit{})})
	if !slices.Equal(list, []sharedComponent{{ids[0], false, true}, {ids[1], true, false}, {ids[2], true, true}}) {
		t.Errorf("shared components: %v", list)
	}
	name := func(k int) string { return shortNames(list[k:k+1], nil) }
	because, change := waitText("B", "A", list)
	if want := "both write " + name(2) + ", and B reads " + name(0) + ", which A writes, and B writes " + name(1) + ", which A reads"; because != want {
		t.Errorf("the reason is %q, want %q", because, want)
	}
	if want := "split " + name(2) + " into components that only one of them uses, and let B read a copy of " + name(0) + ", and let B write a copy of " + name(1); change != want {
		t.Errorf("the change is %q, want %q", change, want)
	}
}

// TestSimulateBounds uses random graphs to check laws that hold for every greedy schedule. A frame
// takes at least its span and at least its work divided by the number of workers. A frame takes at
// most the sum of the two (Graham's bound).
func TestSimulateBounds(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 43))
		var r recorded
		r.piece(0, waitNone)
		var jobs []int
		for range 1 + rnd.IntN(40) {
			switch rnd.IntN(4) {
			case 0:
				r.piece(time.Duration(rnd.IntN(1000))*time.Microsecond, waitNone)
			case 1:
				r.piece(time.Duration(rnd.IntN(100))*time.Microsecond, waitAll)
			default:
				var after []int
				for range rnd.IntN(3) {
					if len(jobs) > 0 {
						after = append(after, jobs[rnd.IntN(len(jobs))])
					}
				}
				jobs = append(jobs, r.job(time.Duration(1+rnd.IntN(3000))*time.Microsecond, 1+rnd.IntN(200), after...))
			}
		}
		r.piece(0, waitAll)
		s := planOf(&r.g, planEdit{})
		work := s.work()
		_, _, one := s.simulate(1)
		if one != work {
			t.Errorf("seed %d: one worker takes %v, want the work, %v", seed, one, work)
		}
		span, _ := s.span()
		for _, p := range []int{1, 2, 3, 8, 64} {
			start, end, took := s.simulate(p)
			joins := time.Duration(len(s.nodes)*p) * joinOverhead
			longest := time.Duration(0) // a part may combine several blocks
			for k := range s.nodes {
				if n := &s.nodes[k]; n.job {
					longest = max(longest, n.work/maxUnits)
				}
				if end[k] < start[k] {
					t.Fatalf("seed %d: node %d ends before it begins", seed, k)
				}
				for _, e := range s.nodes[k].after {
					if start[k] < end[e.node] {
						t.Fatalf("seed %d, %d workers: node %d begins at %v, before node %d ends at %v", seed, p, k, start[k], e.node, end[e.node])
					}
				}
			}
			if took < work/time.Duration(p) {
				t.Errorf("seed %d: %d workers take %v, less than their share of %v", seed, p, took, work)
			}
			// Only the owner can run its own pieces, so the bound may contain the span twice.
			if most := work/time.Duration(p) + 2*span + joins + time.Duration(len(s.nodes))*longest; took > most {
				t.Errorf("seed %d: %d workers take %v, more than %v", seed, p, took, most)
			}
		}
	}
}

// TestSimulateOrder checks that a free worker takes the job that was ready first.
func TestSimulateOrder(t *testing.T) {
	var r recorded
	r.piece(0, waitNone)
	first, second, third, fourth := r.job(4*ms, 1), r.job(5*ms, 1), r.job(2*ms, 1), r.job(3*ms, 1)
	last := r.job(ms, 1, first) // ready after the others
	r.piece(0, waitAll)
	start, _, took := planOf(&r.g, planEdit{}).simulate(2)
	if start[first] > ms/10 || start[second] > ms/10 || !closeTo(start[third], 4*ms) || !closeTo(start[fourth], 5*ms) || !closeTo(start[last], 6*ms) || !closeTo(took, 8*ms) {
		t.Errorf("the jobs start at %v, and the frame takes %v", start, took)
	}
}

// bestSchedule returns the least time in which workers can run jobs of one block. It tries all orders of the jobs. In each
// order, it starts a job as early as the jobs before it and the workers allow. One of these schedules is optimal.
func bestSchedule(took []time.Duration, after [][]int, workers int) time.Duration {
	best := time.Duration(1 << 62)
	end, free := make([]time.Duration, len(took)), make([]time.Duration, workers)
	var try func(scheduled int, latest time.Duration)
	try = func(scheduled int, latest time.Duration) {
		if latest >= best {
			return
		}
		if scheduled == 1<<len(took)-1 {
			best = latest
			return
		}
		for k := range took {
			if scheduled>>k&1 != 0 || slices.ContainsFunc(after[k], func(b int) bool { return scheduled>>b&1 == 0 }) {
				continue
			}
			first := slices.Index(free, slices.Min(free))
			was, begin := free[first], free[first]
			for _, b := range after[k] {
				begin = max(begin, end[b])
			}
			end[k] = begin + took[k]
			free[first] = end[k]
			try(scheduled|1<<k, max(latest, end[k]))
			free[first] = was
		}
	}
	try(0, 0)
	return best
}

// TestSimulateOptimum compares simulations of small random graphs with the shortest schedule of all. No simulation is shorter.
// A simulation is greedy, so it is at most 2-1/p times as long with p workers (Graham's bound), and as long as the span with a
// worker for each job. Some simulations must be longer than the shortest schedule, because otherwise the test would not
// notice a simulation that knows the future.
func TestSimulateOptimum(t *testing.T) {
	longer := 0
	for seed := range uint64(150) {
		rnd := rand.New(rand.NewPCG(seed, 44))
		var r recorded
		r.piece(0, waitNone)
		n := 2 + rnd.IntN(5)
		took, after := make([]time.Duration, n), make([][]int, n)
		node := make([]int, n)
		for k := range n {
			took[k] = time.Duration(1+rnd.IntN(9)) * ms
			var nodes []int
			for b := range k {
				if rnd.IntN(3) == 0 {
					after[k], nodes = append(after[k], b), append(nodes, node[b])
				}
			}
			node[k] = r.job(took[k], 1, nodes...)
		}
		r.piece(0, waitAll)
		s := planOf(&r.g, planEdit{})
		overhead := time.Duration(n) * (jobOverhead + joinOverhead)
		for _, p := range []int{1, 2, 3, n} {
			best := bestSchedule(took, after, p)
			_, _, got := s.simulate(p)
			if got < best {
				t.Errorf("seed %d: %d workers take %v, less than the shortest schedule, %v", seed, p, got, best)
			}
			if most := best*time.Duration(2*p-1)/time.Duration(p) + overhead; got > most {
				t.Errorf("seed %d: %d workers take %v, more than %v, Graham's bound for %v", seed, p, got, most, best)
			}
			if span, _ := s.span(); p == n && (got < span || got > span+overhead) {
				t.Errorf("seed %d: a worker for each of %d jobs: %v, want the span, %v", seed, p, got, span)
			}
			if got > best+overhead {
				longer++
			}
		}
	}
	if longer < 5 {
		t.Errorf("only %d simulations are longer than the shortest schedule", longer)
	}
}

// TestConflict compares conflict with the result of conflictingComponents, and with the tracker of real frames,
// for random accesses. Some accesses have no archetypes, which means all archetypes. Some components have ids
// so large that a set cannot store them without an allocation.
func TestConflict(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	random := func() *access.Access {
		a := &access.Access{}
		for _, s := range []*access.Set{&a.Read, &a.Write, &a.Where} {
			for range rnd.IntN(3) {
				s.Add(rnd.IntN(5) * 70)
			}
		}
		return a
	}
	if conflict(nil, random()) || conflict(random(), nil) {
		t.Error("an access that is not known conflicts")
	}
	count := 0
	pool, hold := newPool(t, 2), make(chan bool)
	defer close(hold)
	running := pool.Schedule(jobs.Func(func(*jobs.Task) { <-hold }))
	for range 2000 {
		a, b := random(), random()
		var tracker access.Tracker
		tracker.Add(b, running)
		want := len(tracker.Before(a, nil)) > 0
		if got := conflict(a, b); got != want || conflict(b, a) != want || (len(slices.Collect(conflictingComponents(a, b))) > 0) != want {
			t.Fatalf("%v and %v: conflict is %v, conflicts has %d, the tracker says %v", a, b, got, len(slices.Collect(conflictingComponents(a, b))), want)
		}
		if want {
			count++
		}
	}
	if count < 200 || count > 1800 {
		t.Errorf("%d of 2000 pairs conflict", count)
	}
}
