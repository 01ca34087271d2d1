package mpi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestMarks numbers random rows by marks, and finds an ID that is there twice.
func TestMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	var d Domain[float32]
	o := &d.order
	for k := range 200 {
		n := 1 + r.IntN(300)
		ids := make([]uint64, n)
		entities := make([]ecs.Entity, n)
		for i, v := range r.Perm(2 * n)[:n] {
			ids[i] = uint64(v)
		}
		for i, v := range r.Perm(n) {
			entities[i].Index = int32(v)
		}
		sorted := slices.Sorted(slices.Values(ids))
		o.begin(n)
		if cut := r.IntN(n); !o.mark(ids[:cut]) || !o.mark(ids[cut:]) || !o.counted() {
			t.Fatalf("list %d: %d rows are not numbered", k, n)
		}
		o.number(ids, entities)
		for i, row := range d.AppendRows(nil, entities) {
			if want, _ := slices.BinarySearch(sorted, ids[i]); int(row) != want {
				t.Fatalf("list %d: ID %d has row %d, want %d", k, ids[i], row, want)
			}
		}
		if n > 1 {
			i := r.IntN(n - 1)
			ids[i] = ids[i+1+r.IntN(n-i-1)]
			if o.begin(n); o.mark(ids) && o.counted() {
				t.Fatalf("list %d: ID %d is there twice, and is counted", k, ids[i])
			}
		}
		if o.begin(n); o.mark([]uint64{uint64(64 * wordsOfRow * n)}) {
			t.Fatalf("list %d: an ID far away is marked", k)
		}
	}
}

// TestStranger asks for the row of an entity that was made after rows were numbered, and of one that has none.
func TestStranger(t *testing.T) {
	var d Domain[float32]
	o := &d.order
	o.begin(3)
	ids := []uint64{9, 2, 70}
	if !o.mark(ids) || !o.counted() {
		t.Fatal("three rows are not numbered")
	}
	o.number(ids, []ecs.Entity{{Index: 4}, {Index: 0}, {Index: 2}})
	if got := d.AppendRows(nil, []ecs.Entity{{Index: 0}, {Index: 1}, {Index: 2}, {Index: 4}}); !slices.Equal(got, []int32{0, -1, 2, 1}) {
		t.Errorf("rows %v, want 0 -1 2 1", got)
	}
	defer func() {
		text := fmt.Sprint(recover())
		for _, want := range []string{"mpi: Domain.AppendRows: ", "5v1", "beyond the 5 entities", "make rows before Exchange or Start"} {
			if !strings.Contains(text, want) {
				t.Errorf("the panic says %q, not %q", text, want)
			}
		}
	}()
	d.AppendRows(nil, []ecs.Entity{{Index: 5, Version: 1}})
}
