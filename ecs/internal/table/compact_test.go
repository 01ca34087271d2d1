package table

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"
)

// After Compact, the chunks must have the same contents, must be neighbours in their order, and
// must use hardly more memory than they need. Later changes find everything consistent.
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
			m.FreePlace(list[0].p)
			list = list[1:]
		}
		var arrivals []Arrival
		need := 0
		for i, h := range list {
			arrivals = append(arrivals, Arrival{&h.p, h.p.Shape(), h.rows})
			if i%4 != 0 {
				need += h.p.Shape().fullBytes
			} else {
				need += h.p.Shape().fullBytes / 2
			}
		}
		m.Compact(arrivals, func(i int) bool { return i%4 == 0 })
		check(t, m)
		if m.PlaceCount() != len(list) || m.UsedBytes() > need+len(list)*64 || 4*m.ReservedBytes() > 5*need {
			t.Errorf("%d places, %d bytes of %d for %d", m.PlaceCount(), m.UsedBytes(), m.ReservedBytes(), need)
		}
		var last [2]*held
		next := 0
		for i, h := range list {
			marked(t, &h.p, h.rows, h.salt)
			if small := h.p.block.smallSize > 0; small != (i%4 == 0) {
				t.Errorf("chunk %d of %d rows: small %v", i, h.rows, small)
			} else if small {
				continue
			}
			k := 0
			if h.p.Shape() == s[1] {
				k = 1
			}
			if l := last[k]; l != nil && l.p.block == h.p.block && h.p.slotIndex == l.p.slotIndex+1 {
				next++
			}
			last[k] = h
		}
		if next < 20 {
			t.Errorf("%d of %d chunks have the place behind the one before", next, len(list))
		}
	}
	for _, h := range list {
		m.FreePlace(h.p)
	}
	if check(t, m); m.UsedBytes() != 0 {
		t.Errorf("%d bytes are left", m.UsedBytes())
	}
}

// TakeFull must take the slot after a given chunk if this slot is free.
func TestBehind(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	var list []Place
	for range 32 {
		list = append(list, m.TakeFull(s, nil))
	}
	m.FreePlace(list[20])
	m.FreePlace(list[25])
	if p := m.TakeFull(s, &list[24]); p.block != list[25].block || p.slotIndex != list[25].slotIndex {
		t.Error("the slot behind was free, and another one was taken")
	}
	if p := m.TakeFull(s, &list[28]); p.block != list[20].block || p.slotIndex != list[20].slotIndex {
		t.Error("the slot behind was in use, and the free one was not taken")
	}
	check(t, m)
}

// A chunk with few rows must use little memory. Kernels may touch the rows up to a multiple of
// 16.
func TestFewRows(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	for rows, want := range map[int]int{1: 16, 16: 16, 17: 64, 64: 64, 65: 256, 200: 256, 257: s.capacity} {
		before := m.UsedBytes()
		p := m.Take(s, rows)
		if p.RowCapacity() != want || want < s.capacity && m.UsedBytes()-before > want*29+6*64 {
			t.Errorf("%d rows: memory for %d in %d bytes, want %d", rows, p.RowCapacity(), m.UsedBytes()-before, want)
		}
		for i := range s.rowSizes {
			if uintptr(p.Lane(uint32(i)))%64 != 0 {
				t.Errorf("%d rows: lane %d is at %p", rows, i, p.Lane(uint32(i)))
			}
		}
	}
}

// Copy must copy single rows and runs of rows, between two shapes and within one shape. Values
// are gathered and scattered.
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
	for i, size := range s.rowSizes {
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
	if all.RowWithin(&a.Base, 7, 3); row(&a, 7) != want || row(&a, 3) != want {
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
	Gather[uint32](&v, p, 1, 11)
	for i, x := range unsafe.Slice((*float32)(unsafe.Pointer(&v)), n) {
		if want := *At[float32](p, uint32(1+i), 11); want != x && want == want {
			t.Errorf("%d words: word %d is %v, want %v", n, i, x, want)
		}
	}
	for i := range n {
		unsafe.Slice((*float32)(unsafe.Pointer(&v)), n)[i] = float32(i) + 0.5
	}
	Scatter[uint32](p, 1, 12, &v)
	if Gather[uint32](&w, p, 1, 12); !reflect.DeepEqual(v, w) {
		t.Errorf("%d words: wrote %v, read %v", n, v, w)
	}
}
