package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

// FuzzGraph builds a graph of jobs from bytes, runs it with several numbers of
// workers and compares what happened with a model: which jobs ran, and which
// error each handle carries.
func FuzzGraph(f *testing.F) {
	f.Add([]byte{0, 0, 0})
	f.Add([]byte{1, 0, 0, 2, 1, 0, 5, 1, 2, 3, 3, 3})
	f.Add([]byte{8, 0, 0, 9, 1, 0, 3, 1, 2, 9, 1, 0, 8, 1, 0, 7, 1, 2})
	f.Add([]byte{0x83, 7, 0, 0x41, 1, 1, 4, 2, 1, 6, 1, 3, 7, 4, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 3*200 {
			data = data[:3*200]
		}
		want := modelGraph(data)
		for i, workers := range []int{1, 2, 5} {
			p := New(Workers(workers), seeded(uint64(i)), Safety(Panic))
			got := runGraph(t, p, data)
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("workers %d:\ngot  %v\nwant %v", workers, got, want)
			}
		}
	})
}

// A node is three bytes: what it is, and how far back two jobs are that it
// waits for.
const (
	nodeJob      = iota
	nodeLoop     // several blocks
	nodeParent   // two children, the second a loop
	nodePanic    // fails
	nodeBadLoop  // fails at the fourth block, and above
	nodeCombine  // of the two
	nodeWaiter   // waits for a child of its own
	nodeExternal // on another goroutine
	nodeHere     // on the goroutine that ends the scope
	nodeLater    // several blocks, how many is known late
	nodeKinds
)

// outcome is what became of a node: how often its body ran, and which node's
// failure it carries, or -1.
type outcome struct{ ran, failed int }

func decode(data []byte, i int) (what int, before []int, priority Priority) {
	b := data[3*i]
	for _, back := range data[3*i+1 : 3*i+3] {
		if k := i - int(back)%16; k < i && k >= 0 {
			before = append(before, k)
		}
	}
	return int(b) % nodeKinds, before, Priority(int(b)/nodeKinds%3) - 1
}

func modelGraph(data []byte) []outcome {
	all := make([]outcome, len(data)/3)
	for i := range all {
		what, before, _ := decode(data, i)
		o := outcome{failed: -1}
		for _, k := range before {
			if all[k].failed >= 0 {
				o.failed = all[k].failed
				break
			}
		}
		if o.failed < 0 && what != nodeCombine {
			o.ran = 1
			switch what {
			case nodePanic, nodeBadLoop:
				o.failed = i
			case nodeParent:
				o.ran = 1 + 1 + 5
			case nodeLoop, nodeLater:
				o.ran = 7
			case nodeWaiter:
				o.ran = 2
			}
		}
		if what == nodeBadLoop && o.ran == 1 {
			o.ran = 3 // blocks below the failing one; those above may run or not
		}
		all[i] = o
	}
	return all
}

func runGraph(t *testing.T, p *Pool, data []byte) []outcome {
	n := len(data) / 3
	sc := p.Scope(context.Background())
	handles := make([]Handle, n)
	ran := make([]atomic.Int32, n)
	for i := range handles {
		what, before, priority := decode(data, i)
		var after []Handle
		for _, k := range before {
			after = append(after, handles[k])
		}
		one := Func(func(*Task) { ran[i].Add(1) })
		many := RangeFunc(func(_ *Task, lo, hi int) { ran[i].Add(int32(hi - lo)) })
		switch what {
		case nodeJob:
			handles[i] = p.ScheduleAt(priority, one, after...)
		case nodeLoop:
			handles[i] = p.ParallelForAt(priority, many, 7, 2, after...)
		case nodeParent:
			handles[i] = p.ScheduleAt(priority, Func(func(t *Task) {
				t.ParallelFor(many, 5, 1, t.Schedule(one))
				ran[i].Add(1)
			}), after...)
		case nodePanic:
			handles[i] = p.ScheduleAt(priority, Func(func(*Task) { ran[i].Add(1); panic(i) }), after...)
		case nodeBadLoop:
			handles[i] = p.ParallelForAt(priority, RangeFunc(func(_ *Task, lo, hi int) {
				if lo >= 3 {
					panic(i)
				}
				ran[i].Add(1)
			}), 9, 1, after...)
		case nodeCombine:
			handles[i] = Combine(after...)
		case nodeWaiter:
			handles[i] = p.ScheduleAt(priority, Func(func(t *Task) {
				if err := t.Wait(t.Schedule(one)); err != nil {
					panic(err)
				}
				ran[i].Add(1)
			}), after...)
		case nodeExternal:
			handles[i] = p.External(sc.ctx, func(context.Context) error { ran[i].Add(1); return nil }, after...)
		case nodeHere:
			handles[i] = p.ScheduleHere(one, after...)
		case nodeLater:
			n := -1
			counted := Func(func(*Task) { n = 7 })
			handles[i] = p.ParallelForLater(many, &n, 2, append(after, p.ScheduleAt(priority, counted))...)
		}
	}
	_ = sc.End()
	_ = WaitAll(handles...) // those that are known later are not of the scope
	all := make([]outcome, n)
	for i, h := range handles {
		if err := h.Wait(); !h.Done() || err != h.Err() {
			t.Fatalf("job %d: done %v, errors %v and %v", i, h.Done(), err, h.Err())
		}
		all[i] = outcome{ran: int(ran[i].Load()), failed: -1}
		var pe *PanicError
		if errors.As(h.Err(), &pe) {
			all[i].failed = pe.Value.(int)
			if what, _, _ := decode(data, pe.Value.(int)); what == nodeBadLoop && pe.Index != 3 {
				t.Fatalf("job %d: the loop failed at index %d", i, pe.Index)
			}
		} else if h.Err() != nil {
			t.Fatal(fmt.Errorf("job %d: %w", i, h.Err()))
		}
	}
	return all
}
