package table

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

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

// mark fills the rows of a chunk with bytes that depend on their position; marked checks these
// bytes.
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
	for i, size := range p.Shape().RowSizes() {
		b := p.Bytes(Lane{uint32(i), size}, 0, rows)
		for k := range b {
			f(&b[k], byte(salt*31+i*7+k))
		}
	}
}

// The blocks must have 1, 1, 2, 4, 8 and 16 chunks. In each block, every lane must be one array.
func TestBaysGrow(t *testing.T) {
	m := New()
	s := shapeOf[mover](t, m)
	var sizes []int
	seen := map[*block][]Place{}
	for range 80 {
		p := m.TakeFull(s, nil)
		if p.RowCapacity() != s.capacity {
			t.Fatalf("memory for %d rows of %d", p.RowCapacity(), s.capacity)
		}
		if seen[p.block] == nil {
			sizes = append(sizes, 1<<p.block.logSlots)
		}
		seen[p.block] = append(seen[p.block], p)
		check(t, m)
	}
	if want := []int{1, 1, 2, 4, 8, 16, 16, 16, 16}; !slices.Equal(sizes, want) {
		t.Errorf("bays of %v chunks, want %v", sizes, want)
	}
	for _, list := range seen {
		for i, size := range s.rowSizes {
			for k := 1; k < len(list); k++ {
				// The lane of the next chunk must begin at the end of this chunk's lane, rounded
				// up.
				if d := uintptr(list[k].Lane(uint32(i))) - uintptr(list[k-1].Lane(uint32(i))); d != uintptr(s.laneBytes[i]) || d < uintptr(s.capacity)*uintptr(size) || d%64 != 0 {
					t.Errorf("lane %d of slot %d is %d bytes behind that of the one before, %d rows of %d", i, k, d, s.capacity, size)
				}
			}
		}
	}
	if m.PlaceCount() != 80 || m.UsedBytes() > m.ReservedBytes() {
		t.Errorf("%d places, %d of %d bytes", m.PlaceCount(), m.UsedBytes(), m.ReservedBytes())
	}
}

// Chunks of all kinds must keep their contents while other chunks are created and freed, grow, and
// move to other worlds and back.
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
			both[h.world].FreePlace(h.p)
			list = slices.Delete(list, i, i+1)
		case n < 16: // grow
			h := list[rng.IntN(len(list))]
			if rows := min(h.rows+rng.IntN(300), h.p.Shape().capacity); rows > h.p.RowCapacity() {
				both[h.world].Grow(&h.p, h.rows, rows)
				if h.p.RowCapacity() < rows {
					t.Fatalf("memory for %d rows, want %d", h.p.RowCapacity(), rows)
				}
			}
		case n < 18:
			h := list[rng.IntN(len(list))]
			to := both[h.world].CopyPlace(&h.p, h.rows)
			both[h.world].FreePlace(h.p)
			h.p = to
		case step%7 == 0: // move some or all
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
		both[h.world].FreePlace(h.p)
	}
	for k := range both {
		if check(t, both[k]); both[k].PlaceCount() != 0 || both[k].UsedBytes() != 0 {
			t.Errorf("%d places and %d bytes are left", both[k].PlaceCount(), both[k].UsedBytes())
		}
	}
}

// The same calls must return the same slots and sizes, whatever the addresses of the memory are.
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
				log = append(log, fmt.Sprint(p.slotIndex, p.rowCapacity, p.block.logSlots, p.block.usedSlots, m.UsedBytes(), m.ReservedBytes()))
			} else {
				k := rng.IntN(len(list))
				m.FreePlace(list[k])
				list = slices.Delete(list, k, k+1)
			}
		}
		return log
	}
	if !slices.Equal(run(), run()) {
		t.Error("two runs differ")
	}
}
