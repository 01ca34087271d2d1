package table

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

type mover struct {
	Position struct{ X, Y, Z float32 }
	Mass     float64
	Kind     uint8
}

// shapeOf returns the shape of full chunks of T.
func shapeOf[T any](t *testing.T, m *Memory) *Shape {
	t.Helper()
	lanes, err := soa.Lanes(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	l, err := chunk.NewLayout([][]soa.Lane{lanes}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m.Shape([]byte(reflect.TypeFor[T]().Name()), l.Capacity, lanes)
}

func check(t *testing.T, m *Memory) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
}

// mark fills the rows of a chunk with what says where they are; marked wants it.
func mark(p *Place, rows, salt int) { each(p, rows, salt, func(b *byte, v byte) { *b = v }) }

func marked(t *testing.T, p *Place, rows, salt int) {
	t.Helper()
	each(p, rows, salt, func(b *byte, v byte) {
		if *b != v {
			t.Fatalf("chunk %d: got %d, want %d", salt, *b, v)
		}
	})
}

func each(p *Place, rows, salt int, f func(b *byte, v byte)) {
	for i, size := range p.Shape().Lanes() {
		b := p.Bytes(Lane{uint32(i), size}, 0, rows)
		for k := range b {
			f(&b[k], byte(salt*31+i*7+k))
		}
	}
}

// Bays have 1, 1, 2, 4, 8 and 16 chunks; in each of them every lane is one array.
func TestBaysGrow(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	var sizes []int
	seen := map[*bay][]Place{}
	for range 80 {
		p := m.TakeFull(s, nil)
		if p.Rows() != s.capacity {
			t.Fatalf("memory for %d rows of %d", p.Rows(), s.capacity)
		}
		if seen[p.home] == nil {
			sizes = append(sizes, 1<<p.home.log)
		}
		seen[p.home] = append(seen[p.home], p)
		check(t, m)
	}
	if want := []int{1, 1, 2, 4, 8, 16, 16, 16, 16}; !slices.Equal(sizes, want) {
		t.Errorf("bays of %v chunks, want %v", sizes, want)
	}
	for _, list := range seen {
		for i, size := range s.sizes {
			for k := 1; k < len(list); k++ {
				// The next chunk's lane begins where this one's ends, rounded up.
				if d := uintptr(list[k].Lane(uint32(i))) - uintptr(list[k-1].Lane(uint32(i))); d != uintptr(s.pitch[i]) || d < uintptr(s.capacity)*uintptr(size) || d%64 != 0 {
					t.Errorf("lane %d of slot %d is %d bytes behind that of the one before, %d rows of %d", i, k, d, s.capacity, size)
				}
			}
		}
	}
	if m.Places() != 80 || m.Used() > m.Reserved() {
		t.Errorf("%d places, %d of %d bytes", m.Places(), m.Used(), m.Reserved())
	}
}

// Chunks of all kinds hold what they hold, wherever others come and go, grow and move
// to other worlds and back.
func TestPlacesAreApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	both := [2]*Memory{New(), New()}
	var shapes [2][2]*Shape
	for k := range both {
		shapes[k] = [2]*Shape{shapeOf[mover](t, both[k]), shapeOf[uint16](t, both[k])}
	}
	type held struct {
		p           Place
		rows, salt  int
		world, kind int
	}
	var list []*held
	for step := range 3000 {
		k := rng.IntN(2)
		m := both[k]
		switch n := rng.IntN(20); {
		case n < 8:
			h := &held{salt: step, world: k, kind: rng.IntN(2)}
			s := shapes[k][h.kind]
			h.rows = 1 + rng.IntN(40)
			if n < 4 {
				h.p = m.Take(s, h.rows)
			} else {
				h.p = m.TakeFull(s, nil)
			}
			mark(&h.p, h.rows, h.salt)
			list = append(list, h)
		case len(list) == 0:
		case n < 13:
			i := rng.IntN(len(list))
			h := list[i]
			marked(t, &h.p, h.rows, h.salt)
			both[h.world].Give(h.p)
			list = slices.Delete(list, i, i+1)
		case n < 16: // grow
			h := list[rng.IntN(len(list))]
			if rows := min(h.rows+rng.IntN(300), h.p.Shape().capacity); rows > h.p.Rows() {
				both[h.world].Grow(&h.p, h.rows, rows)
				if h.p.Rows() < rows {
					t.Fatalf("memory for %d rows, want %d", h.p.Rows(), rows)
				}
			}
		case n < 18:
			h := list[rng.IntN(len(list))]
			to := both[h.world].Again(&h.p, h.rows)
			both[h.world].Give(h.p)
			h.p = to
		case step%7 == 0: // move some, or all
			var arrivals []Arrival
			for _, h := range list {
				if h.world == k && (step%2 == 0 || rng.IntN(2) == 0) {
					h.world = 1 - k
					arrivals = append(arrivals, Arrival{&h.p, shapes[1-k][h.kind], h.rows})
				}
			}
			both[1-k].Adopt(arrivals, m)
		}
		for k := range both {
			check(t, both[k])
		}
		if step%100 == 0 {
			for _, h := range list {
				if h.p.Shape() != shapes[h.world][h.kind] {
					t.Fatal("a chunk has the shape of another world")
				}
				marked(t, &h.p, h.rows, h.salt)
			}
		}
	}
	for _, h := range list {
		marked(t, &h.p, h.rows, h.salt)
		both[h.world].Give(h.p)
	}
	for k := range both {
		if check(t, both[k]); both[k].Places() != 0 || both[k].Used() != 0 {
			t.Errorf("%d places and %d bytes are left", both[k].Places(), both[k].Used())
		}
	}
}

// After Compact chunks hold what they held, neighbours in their order, in hardly more
// memory than they need; what comes and goes later finds all in order.
func TestCompact(t *testing.T) {
	m := New()
	rng := rand.New(rand.NewPCG(9, 10))
	s := [2]*Shape{shapeOf[mover](t, m), shapeOf[uint16](t, m)}
	type held struct {
		p          Place
		rows, salt int
	}
	var list []*held
	for round := range 6 {
		for i := range 400 {
			h := &held{rows: 1 + rng.IntN(200), salt: 1000*round + i}
			if rng.IntN(3) == 0 {
				h.p = m.Take(s[rng.IntN(2)], h.rows)
			} else {
				h.p = m.TakeFull(s[rng.IntN(2)], nil)
			}
			mark(&h.p, h.rows, h.salt)
			list = append(list, h)
		}
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for len(list) > 40 {
			m.Give(list[0].p)
			list = list[1:]
		}
		var arrivals []Arrival
		need := 0
		for i, h := range list {
			arrivals = append(arrivals, Arrival{&h.p, h.p.Shape(), h.rows})
			if i%4 != 0 {
				need += h.p.Shape().bytes
			} else {
				need += h.p.Shape().bytes / 2
			}
		}
		m.Compact(arrivals, func(i int) bool { return i%4 == 0 })
		check(t, m)
		if m.Places() != len(list) || m.Used() > need+len(list)*64 || 4*m.Reserved() > 5*need {
			t.Errorf("%d places, %d bytes of %d for %d", m.Places(), m.Used(), m.Reserved(), need)
		}
		var last [2]*held
		next := 0
		for i, h := range list {
			marked(t, &h.p, h.rows, h.salt)
			if small := h.p.home.few > 0; small != (i%4 == 0) {
				t.Errorf("chunk %d of %d rows: small %v", i, h.rows, small)
			} else if small {
				continue
			}
			k := 0
			if h.p.Shape() == s[1] {
				k = 1
			}
			if l := last[k]; l != nil && l.p.home == h.p.home && h.p.slot == l.p.slot+1 {
				next++
			}
			last[k] = h
		}
		if next < 20 {
			t.Errorf("%d of %d chunks have the place behind the one before", next, len(list))
		}
	}
	for _, h := range list {
		m.Give(h.p)
	}
	if check(t, m); m.Used() != 0 {
		t.Errorf("%d bytes are left", m.Used())
	}
}

// A chunk goes behind another one if it can.
func TestBehind(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	var list []Place
	for range 32 {
		list = append(list, m.TakeFull(s, nil))
	}
	m.Give(list[20])
	m.Give(list[25])
	if p := m.TakeFull(s, &list[24]); p.home != list[25].home || p.slot != list[25].slot {
		t.Error("the slot behind was free, and another one was taken")
	}
	if p := m.TakeFull(s, &list[28]); p.home != list[20].home || p.slot != list[20].slot {
		t.Error("the slot behind was in use, and the free one was not taken")
	}
	check(t, m)
}

// Few rows take little; kernels may touch the rows up to a multiple of 16.
func TestFewRows(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	for rows, want := range map[int]int{1: 16, 16: 16, 17: 64, 64: 64, 65: 256, 200: 256, 257: s.capacity} {
		before := m.Used()
		p := m.Take(s, rows)
		if p.Rows() != want || want < s.capacity && m.Used()-before > want*29+6*64 {
			t.Errorf("%d rows: memory for %d in %d bytes, want %d", rows, p.Rows(), m.Used()-before, want)
		}
		for i := range s.sizes {
			if uintptr(p.Lane(uint32(i)))%64 != 0 {
				t.Errorf("%d rows: lane %d is at %p", rows, i, p.Lane(uint32(i)))
			}
		}
	}
}

// Rows are copied alone and in runs, between shapes and within one; values are gathered
// and scattered.
func TestCopy(t *testing.T) {
	type wide struct {
		A, B, C, D, E, F, G float32
		H                   uint64
		I                   [2]uint64
		J                   [3]byte
	}
	m := New()
	s := shapeOf[wide](t, m)
	var pairs []Pair
	for i, size := range s.sizes {
		if i > 0 {
			pairs = append(pairs, Pair{uint32(i), uint32(i), size})
		}
	}
	all := NewCopy(pairs)
	a, b := m.TakeFull(s, nil), m.TakeFull(s, nil)
	mark(&a, s.capacity, 1)
	mark(&b, s.capacity, 2)
	row := func(p *Place, k int) string {
		out := ""
		for _, l := range pairs {
			out += fmt.Sprint(p.Bytes(Lane{l.To, l.Size}, k, 1))
		}
		return out
	}
	want := row(&b, 5)
	if all.Row(&a.Base, 9, &b.Base, 5); row(&a, 9) != want || row(&b, 5) != want {
		t.Error("Row")
	}
	want = row(&a, 3)
	if all.Within(&a.Base, 7, 3); row(&a, 7) != want || row(&a, 3) != want {
		t.Error("Within")
	}
	for _, n := range []int{1, 2, 60} {
		want = row(&b, 20) + row(&b, 20+n-1)
		if all.Rows(&a, 40, &b, 20, n); row(&a, 40)+row(&a, 40+n-1) != want {
			t.Errorf("%d rows", n)
		}
	}
	if got := *At[float32](&a, 2, 40); got != *(*float32)(unsafe.Pointer(&a.Bytes(Lane{2, 4}, 40, 1)[0])) {
		t.Errorf("At: %v", got)
	}
	gathers[[2]float32](t, &a)
	gathers[[3]float32](t, &a)
	gathers[[4]float32](t, &a)
	gathers[[7]float32](t, &a)
}

func gathers[T any](t *testing.T, p *Place) {
	t.Helper()
	var v, w T
	n := int(unsafe.Sizeof(v)) / 4
	Gather(&v, p, 1, 11)
	for i, x := range unsafe.Slice((*float32)(unsafe.Pointer(&v)), n) {
		if want := *At[float32](p, uint32(1+i), 11); want != x && want == want {
			t.Errorf("%d words: word %d is %v, want %v", n, i, x, want)
		}
	}
	for i := range n {
		unsafe.Slice((*float32)(unsafe.Pointer(&v)), n)[i] = float32(i) + 0.5
	}
	Scatter(p, 1, 12, &v)
	if Gather(&w, p, 1, 12); !reflect.DeepEqual(v, w) {
		t.Errorf("%d words: wrote %v, read %v", n, v, w)
	}
}

// The guard build finds rows that a chunk does not have.
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

// The same calls lead to the same slots and sizes, wherever memory lies.
func TestPlacesAreTheSame(t *testing.T) {
	run := func() (log []string) {
		m := New()
		s := [2]*Shape{shapeOf[mover](t, m), shapeOf[uint16](t, m)}
		rng := rand.New(rand.NewPCG(7, 8))
		var list []Place
		for range 2000 {
			if rng.IntN(9) < 5 || len(list) == 0 {
				p := m.Take(s[rng.IntN(2)], 1+rng.IntN(500))
				list = append(list, p)
				log = append(log, fmt.Sprint(p.slot, p.rows, p.home.log, p.home.used, m.Used(), m.Reserved()))
			} else {
				k := rng.IntN(len(list))
				m.Give(list[k])
				list = slices.Delete(list, k, k+1)
			}
		}
		return log
	}
	if !slices.Equal(run(), run()) {
		t.Error("two runs differ")
	}
}

// What a chunk costs does not grow with their number: no allocations, once there is
// memory.
func TestAllocs(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	do := func() {
		p, q := m.Take(s, 3), m.TakeFull(s, nil)
		m.Grow(&p, 3, 20)
		m.Grow(&p, 20, s.capacity)
		m.Give(p)
		m.Give(q)
	}
	do()
	do()
	if n := testing.AllocsPerRun(100, do); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Of chunks that went over with their slabs neither Memory keeps what is the other one's.
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
			if i/1600 == 1 { // of three thirds the one between
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
		all := from.Reserved() + to.Reserved()
		clear(list)
		clear(arrivals)
		kept := to
		if keep == "the one that they were in" {
			kept = from
		}
		if left := heap() - before; left > kept.Reserved()+kept.Reserved()/3+4<<20 {
			t.Errorf("%s keeps %d bytes of %d alive, its slabs are %d", keep, left, all, kept.Reserved())
		}
		runtime.KeepAlive(kept)
	}
}

// The guard build poisons what a chunk leaves, though others are in its bay, and finds what
// is written there.
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
	if p.home.log == 0 || p.home.used&(p.home.used-1) == 0 {
		t.Fatal("the chunk is alone in its bay")
	}
	mark(p, s.capacity, 1)
	kept := p.Bytes(Lane{1, s.sizes[1]}, 0, s.capacity)
	m.Give(*p)
	if kept[0] != 0xDB || kept[len(kept)-1] != 0xDB {
		t.Errorf("a stale view shows %#x", kept[0])
	}
	again := m.TakeFull(s, &list[5])
	if again.home != list[5].home {
		t.Error("another bay was taken")
	}
	m.Give(again)
	kept[7] = 1
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "after") {
			t.Errorf("got %v", v)
		}
	}()
	m.TakeFull(s, &list[5])
	t.Error("a write to a slot that is free was not found")
}

// TestSmallChunkIsKept: the memory of the last small chunk that has ended is there for the
// next one, counts as given back, and is when anything else is, moved or made anew.
func TestSmallChunkIsKept(t *testing.T) {
	if guard {
		t.Skip("the guard build gives back at once, to poison it")
	}
	m := New()
	s := shapeOf[mover](t, m)
	stays := m.TakeFull(s, nil)
	used := m.Used()
	p := m.Take(s, 1)
	at := p.IDs()
	m.Give(p)
	if m.kept == nil || m.Used() != used {
		t.Errorf("%d bytes are in use, want %d; kept %v", m.Used(), used, m.kept)
	}
	if p = m.Take(s, 20); p.IDs() == at {
		t.Error("a chunk of another size is where the first one was")
	}
	q := m.Take(s, 3)
	if q.IDs() != at || m.kept != nil {
		t.Error("the next chunk is elsewhere")
	}
	m.Give(q)
	m.Give(p)
	if m.kept == nil || m.kept.few != p.home.few || m.slabs.Used()-used != p.Size() {
		t.Error("two are kept")
	}
	check(t, m)
	list := []Arrival{{Place: &stays, Shape: s, Rows: 1}}
	m.Compact(list, func(int) bool { return false })
	if m.kept != nil || m.Used() != m.slabs.Used() {
		t.Error("Compact has kept one")
	}
	p = m.Take(s, 1)
	m.Give(p)
	m.Give(stays)
	if m.kept != nil || m.slabs.Used() != 0 {
		t.Errorf("%d bytes are in use of none", m.slabs.Used())
	}
	check(t, m)
}
