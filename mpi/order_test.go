package mpi

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/mpi/internal/wire"
)

// TestRows assigns row numbers to random IDs, close together and far apart, and checks that a
// duplicate is found.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	var d Domain[float32]
	d.comm = &Comm{wire: &wire.Wire{}}
	o := &d.order
	for k := range 300 {
		n := 1 + r.IntN(300)
		ids := make([]uint64, n)
		for i, v := range r.Perm(2 * n)[:n] {
			ids[i] = uint64(v)
			if k%3 == 1 {
				ids[i] = ids[i]<<40 + 5 // far apart
			}
			if k%3 == 2 {
				ids[i] += 1 << 63 // far away
			}
		}
		sorted := slices.Sorted(slices.Values(ids))
		cut := r.IntN(n)
		o.lists = append(o.lists[:0], ids[:cut], ids[cut:])
		if err := d.number(n); err != nil || d.Len() != n {
			t.Fatalf("list %d: %d rows of %d are numbered: %v", k, d.Len(), n, err)
		}
		if far := len(o.far.ids) > 0; far != (k%3 > 0 && sorted[n-1] > 5) {
			t.Fatalf("list %d: IDs up to %d are far apart: %v", k, sorted[n-1], far)
		}
		for i, row := range d.AppendRows([]int32{9}, ids)[1:] {
			if want, _ := slices.BinarySearch(sorted, ids[i]); int(row) != want {
				t.Fatalf("list %d: ID %d has row %d, want %d", k, ids[i], row, want)
			}
		}
		for _, id := range ids {
			id ^= 1 << r.IntN(64)
			if want, is := slices.BinarySearch(sorted, id); !is && o.row(id) != -1 || is && int(o.row(id)) != want {
				t.Fatalf("list %d: ID %d, is there: %v, has row %d", k, id, is, o.row(id))
			}
		}
		if n > 1 {
			i := r.IntN(n - 1)
			ids[i] = ids[i+1+r.IntN(n-i-1)]
			if err := d.number(n); err == nil {
				t.Fatalf("list %d: ID %d is there twice, and is numbered", k, ids[i])
			}
		}
	}
}

// TestKept adds and removes random rows, and compares the marks that are kept with marks that are
// computed from all rows.
func TestKept(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	var d Domain[float32]
	o := &d.order
	k := &o.own
	here := map[uint64]bool{}
	kept := 0
	for tick := range 2000 {
		k.begin(r.IntN(50) > 0)
		if r.IntN(20) == 0 { // an announced change from outside
			k.begin(false)
			here[uint64(r.IntN(2000))] = true
		}
		for range r.IntN(6) {
			id := uint64(r.IntN(2000))
			if here[id] && !slices.Contains(k.fresh, id) {
				k.lost = append(k.lost, id)
				delete(here, id)
			} else if !here[id] && !slices.Contains(k.lost, id) {
				k.fresh = append(k.fresh, id)
				here[id] = true
			}
		}
		ids := make([]uint64, 0, len(here))
		for id := range here {
			ids = append(ids, id)
		}
		o.lists = append(o.lists[:0], ids)
		good := k.next(len(ids))
		if err := d.number(len(ids)); err != nil {
			t.Fatal(err)
		}
		if !good {
			k.learn(len(ids), o.now)
			continue
		}
		kept++
		for id := range uint64(2100) {
			if got, want := row(k.marks, id), o.row(id); got != want {
				t.Fatalf("tick %d: ID %d has row %d, want %d", tick, id, got, want)
			}
		}
	}
	if kept < 1000 {
		t.Errorf("marks were kept in %d of 2000 ticks", kept)
	}
}

// TestKeptRefuses continues from rows that are not the current rows. All rows must then be
// examined.
func TestKeptRefuses(t *testing.T) {
	for _, c := range []struct {
		name        string
		lost, fresh []uint64
		n           int
		good        bool
	}{
		{"nothing", nil, nil, 3, true},
		{"one for another", []uint64{70}, []uint64{71}, 3, true},
		{"back again", []uint64{70}, []uint64{70}, 3, true},
		{"gone twice", []uint64{70, 70}, nil, 1, false},
		{"gone that was not here", []uint64{71}, nil, 2, false},
		{"come that was here", nil, []uint64{70}, 4, false},
		{"come twice", nil, []uint64{71, 71}, 5, false},
		{"come from far away", nil, []uint64{1 << 50}, 4, false},
		{"another number of rows", nil, nil, 2, false},
	} {
		var d Domain[float32]
		o := &d.order
		o.lists = [][]uint64{{9, 2, 70}}
		if err := d.number(3); err != nil {
			t.Fatal(err)
		}
		k := &o.own
		k.learn(3, o.now)
		k.begin(true)
		k.lost, k.fresh = c.lost, c.fresh
		if got := k.next(c.n); got != c.good || k.good != c.good {
			t.Errorf("%s: %v, want %v", c.name, got, c.good)
		}
	}
}

// TestStranger asks for the rows of IDs that have no row.
func TestStranger(t *testing.T) {
	var d Domain[float32]
	d.order.lists = [][]uint64{{9, 2}, {70}}
	if err := d.number(3); err != nil {
		t.Fatal(err)
	}
	ids := []uint64{2, 3, 9, 70, 71, 1 << 60}
	if got := d.AppendRows(nil, ids); !slices.Equal(got, []int32{0, -1, 1, 2, -1, -1}) {
		t.Errorf("rows %v, want 0 -1 1 2 -1 -1", got)
	}
}

// TestPlaces checks that a ghost has a position if it is in the current list, and no position if it
// was only in an earlier list.
func TestPlaces(t *testing.T) {
	var p places
	list := func(entities ...int32) {
		p.begin(len(entities))
		for i, e := range entities {
			p.put(e, int32(i))
		}
	}
	for _, c := range []struct {
		list []int32
		want [5]int32 // of the entities from 0 on; less than 0 for none
	}{{nil, [5]int32{-1, -1, -1, -1, -1}}, {[]int32{3, 0}, [5]int32{1, -1, -1, 0, -1}}, {[]int32{0}, [5]int32{0, -1, -1, -1, -1}}, {[]int32{4, 1, 3}, [5]int32{-1, 1, -1, 2, 0}}} {
		for range 2 {
			list(c.list...)
			for e, want := range c.want {
				if got := max(p.position(int32(e)), -1); got != want {
					t.Errorf("after %v entity %d is at %d, want %d", c.list, e, got, want)
				}
			}
			p.last = max(p.last, 1<<31-3) // the numbers overflow
		}
	}
}
