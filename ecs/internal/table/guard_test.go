package table

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// The guard build must detect accesses to rows that a chunk does not have.
func TestGuard(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	p := m.Take(s, 1)
	for _, f := range []func(){
		func() { p.Bytes(Lane{1, 4}, 10, 7) },
		func() { p.Bytes(Lane{1, 8}, 0, 1) },
		func() { p.Bytes(Lane{9, 4}, 0, 1) },
		func() { At[float32](&p, 1, 16) },
		func() { At[float32](&p, 1, -1) },
	} {
		func() {
			defer func() {
				if v := recover(); guard != (v != nil) || guard && !strings.HasPrefix(fmt.Sprint(v), "table: rows ") {
					t.Errorf("got %v", v)
				}
			}()
			if guard {
				f()
			}
		}()
	}
}

// The cost of creating a chunk must not depend on the number of chunks. If there is free memory,
// creating a chunk must not allocate.
func TestAllocs(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	do := func() {
		p, q := m.Take(s, 3), m.TakeFull(s, nil)
		m.Grow(&p, 3, 20)
		m.Grow(&p, 20, s.capacity)
		m.FreePlace(p)
		m.FreePlace(q)
	}
	do()
	do()
	if n := testing.AllocsPerRun(100, do); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// After chunks have moved with their slabs, neither Memory may keep memory of the other Memory
// alive.
func TestAdoptPinsNothing(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, keep := range []string{"the one that they are in", "the one that they were in"} {
		before := heap()
		from, to := New(), New()
		s, d := shapeOf[mover](t, from), shapeOf[mover](t, to)
		list := make([]Place, 4800)
		for range 30 {
			from.Take(s, 1)
		}
		var arrivals []Arrival
		stay := map[uintptr]bool{}
		for i := range list {
			list[i] = from.TakeFull(s, nil)
			if i/1600 == 1 { // the middle third
				arrivals = append(arrivals, Arrival{&list[i], d, 0})
				stay[uintptr(list[i].IDs())] = true
			}
		}
		to.Adopt(arrivals, from)
		check(t, from)
		check(t, to)
		n := 0
		for i := range list {
			if i/1600 == 1 && stay[uintptr(list[i].IDs())] {
				n++
			}
		}
		if n < 400 {
			t.Errorf("%d of %d chunks are where they were: this tests nothing", n, len(arrivals))
		}
		all := from.ReservedBytes() + to.ReservedBytes()
		clear(list)
		clear(arrivals)
		kept := to
		if keep == "the one that they were in" {
			kept = from
		}
		if left := heap() - before; left > kept.ReservedBytes()+kept.ReservedBytes()/3+4<<20 {
			t.Errorf("%s keeps %d bytes of %d alive, its slabs are %d", keep, left, all, kept.ReservedBytes())
		}
		runtime.KeepAlive(kept)
	}
}

// The guard build must poison the rows of a freed chunk, even if its block contains other chunks,
// and must detect later writes to these rows.
func TestGuardPoisonsSlots(t *testing.T) {
	if !guard {
		t.Skip("without lanewise_guard nothing is poisoned")
	}
	m := New()
	s := shapeOf[mover](t, m)
	var list []Place
	for range 8 {
		list = append(list, m.TakeFull(s, nil))
	}
	p := &list[6]
	if p.block.logSlots == 0 || p.block.usedSlots&(p.block.usedSlots-1) == 0 {
		t.Fatal("the chunk is alone in its bay")
	}
	mark(p, s.capacity, 1)
	kept := p.Bytes(Lane{1, s.rowSizes[1]}, 0, s.capacity)
	m.FreePlace(*p)
	if kept[0] != 0xDB || kept[len(kept)-1] != 0xDB {
		t.Errorf("a stale view shows %#x", kept[0])
	}
	again := m.TakeFull(s, &list[5])
	if again.block != list[5].block {
		t.Error("another bay was taken")
	}
	m.FreePlace(again)
	kept[7] = 1
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "after") {
			t.Errorf("got %v", v)
		}
	}()
	m.TakeFull(s, &list[5])
	t.Error("a write to a slot that is free was not found")
}

// TestSmallChunkIsKept checks the memory of the last small chunk that was freed. It is kept for the
// next small chunk and is not counted as used. It is freed when another place is given back, moved
// or created.
func TestSmallChunkIsKept(t *testing.T) {
	if guard {
		t.Skip("the guard build gives back at once, to poison it")
	}
	m := New()
	s := shapeOf[mover](t, m)
	stays := m.TakeFull(s, nil)
	used := m.UsedBytes()
	p := m.Take(s, 1)
	at := p.IDs()
	m.FreePlace(p)
	if m.keptBlock == nil || m.UsedBytes() != used {
		t.Errorf("%d bytes are in use, want %d; kept %v", m.UsedBytes(), used, m.keptBlock)
	}
	if p = m.Take(s, 20); p.IDs() == at {
		t.Error("a chunk of another size is where the first one was")
	}
	q := m.Take(s, 3)
	if q.IDs() != at || m.keptBlock != nil {
		t.Error("the next chunk is elsewhere")
	}
	m.FreePlace(q)
	m.FreePlace(p)
	if m.keptBlock == nil || m.keptBlock.smallSize != p.block.smallSize || m.slabs.Used()-used != p.Size() {
		t.Error("two are kept")
	}
	check(t, m)
	list := []Arrival{{Place: &stays, Shape: s, Rows: 1}}
	m.Compact(list, func(int) bool { return false })
	if m.keptBlock != nil || m.UsedBytes() != m.slabs.Used() {
		t.Error("Compact has kept one")
	}
	p = m.Take(s, 1)
	m.FreePlace(p)
	m.FreePlace(stays)
	if m.keptBlock != nil || m.slabs.Used() != 0 {
		t.Errorf("%d bytes are in use of none", m.slabs.Used())
	}
	check(t, m)
}
