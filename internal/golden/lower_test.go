package golden

import (
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/soa"
)

// types lists types with fields whose sizes and offsets would depend on the word size of the CPU if
// package soa did not define them.
var types = []reflect.Type{
	reflect.TypeFor[float32](),
	reflect.TypeFor[struct{ X, Y, Z float64 }](),
	reflect.TypeFor[struct {
		A bool
		B int64
		C uint16
		D [3]uint8
	}](),
	reflect.TypeFor[struct {
		A int32
		B struct {
			C int8
			D float64
		}
	}](),
	reflect.TypeFor[struct{}](),
}

// soaRow splits types into lanes.
func soaRow(t *testing.T, _ *jobs.Pool) uint64 {
	s := newSum()
	for _, typ := range types {
		lanes, err := soa.Lanes(typ)
		ok(t, err)
		s.add(uint64(len(lanes)))
		for _, l := range lanes {
			s.add(uint64(l.Size))
		}
	}
	return s.Sum64()
}

// chunkRow lays out chunks of several archetypes. Each archetype has all types except one.
func chunkRow(t *testing.T, _ *jobs.Pool) uint64 {
	s := newSum()
	for left := range types {
		var columns [][]soa.Lane
		for i, typ := range types {
			if i != left {
				lanes, err := soa.Lanes(typ)
				ok(t, err)
				columns = append(columns, lanes)
			}
		}
		layout, err := chunk.NewLayout(columns, 0)
		ok(t, err)
		s.add(uint64(layout.Capacity), uint64(layout.Used))
		for _, column := range layout.Columns {
			for _, offset := range column.Offsets {
				s.add(uint64(offset))
			}
		}
	}
	return s.Sum64()
}

// jobsRow fills a table with jobs. Each job depends on the jobs whose results it reads. Some
// jobs are scheduled by the test, and some by other jobs. The hash then combines the table in
// a fixed order.
func jobsRow(t *testing.T, pool *jobs.Pool) uint64 {
	const n, rounds = 10_000, 20
	table := make([]uint64, n)
	var last jobs.Handle
	for round := range rounds {
		last = pool.ParallelFor(jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) {
			for i := lo; i < hi; i++ {
				table[i] = table[i]*31 + uint64(i*round)
			}
		}), n, 100+round, last)
		last = pool.Schedule(jobs.Func(func(task *jobs.Task) {
			var parts [8]jobs.Handle
			for p := range parts {
				var before []jobs.Handle
				if round == 0 && p > 0 {
					before = parts[p-1 : p] // in the first round all write the same element
				}
				parts[p] = task.Schedule(jobs.Func(func(*jobs.Task) { table[p*round] += uint64(p) }), before...)
			}
			if err := task.Wait(jobs.Combine(parts[:]...)); err != nil {
				t.Error(err)
			}
			table[0] ^= table[n-1]
		}), last)
	}
	ok(t, last.Wait())
	whole, err := jobs.Reduce(pool, n, func(lo, hi int) (part uint64) {
		for _, x := range table[lo:hi] {
			part = part*31 + x
		}
		return part
	}, func(a, b uint64) uint64 { return a*1_000_003 + b })
	ok(t, err)
	return whole
}
