package order

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestDigits cuts bits into digits: each that varies is in one of them, none is wider than it
// may be, and there are no more than one needs.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		varying := r.Uint64() & r.Uint64() >> r.IntN(64) << r.IntN(64)
		if varying == 0 {
			continue
		}
		var room [mostDigits]digit
		for _, rows := range []int{few + 1, leastWide, mostWide + 1} {
			s := radix[uint64, int32]{rows: rows, values: make([]int32, 1)}
			most := narrowDigit
			if rows == leastWide {
				most = wideDigit
			}
			list, seen := s.cutDigits(&room, varying, false), uint64(0)
			for _, d := range list {
				if seen&(d.mask<<d.shift) != 0 || d.bits > most || d.bits < bits.Len64(d.mask) {
					t.Fatalf("%064b: digit %+v of %v", varying, d, list)
				}
				seen |= d.mask << d.shift
			}
			if varying&^seen != 0 || len(list) > (64+most-1)/most {
				t.Fatalf("%064b: left are %b by %v", varying, varying&^seen, list)
			}
		}
	}
}

// TestWideDigits sorts lanes that are long enough for wide digits, and some that are too long.
func TestWideDigits(t *testing.T) {
	wideDigits[uint32](t)
	wideDigits[uint64](t)
	wideDigits[float32](t)
	wideDigits[int64](t)
}

func wideDigits[K Key](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	lengths := []int{leastWide - 1, leastWide, leastWide + 3, 20_001}
	if !testing.Short() {
		lengths = append(lengths, mostWide, mostWide+1)
	}
	var s Sorter[K, int32]
	for i, n := range lengths {
		for kind := range 5 {
			if n > 30_000 && kind != 4-i%2 {
				continue
			}
			all(t, &s, lane[K](r, n, kind), fmt.Sprintf("%T: %d rows of kind %d", s, n, kind))
		}
	}
}

// TestPacked moves values of 32 bits of every type, those that go along with their words and
// those that do not.
func TestPacked(t *testing.T) {
	type row int32
	packed(t, func(i int) int32 { return int32(-i) })
	packed(t, func(i int) uint32 { return ^uint32(i) })
	packed(t, func(i int) float32 { return float32(i) })
	packed(t, func(i int) row { return row(i) })
}

func packed[V comparable](t *testing.T, value func(i int) V) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{few + 1, 1000, leastWide, alone} {
		keys, values, index := lane[uint32](r, n, 4), make([]V, n), make([]int, n)
		for i := range keys {
			keys[i] &^= 1 << (i % 32) // some are equal
			values[i], index[i] = value(i), i
		}
		slices.SortStableFunc(index, func(a, b int) int { return compare(keys[a], keys[b]) })
		for _, p := range []*jobs.Pool{nil, pool} {
			s := Sorter[uint32, V]{Pool: p}
			k, v := slices.Clone(keys), slices.Clone(values)
			s.SortPairs(k, v)
			for i, from := range index {
				if k[i] != keys[from] || v[i] != values[from] {
					t.Fatalf("%T: row %d of %d is %v %v, want %v %v", s, i, n, k[i], v[i], keys[from], values[from])
				}
			}
		}
	}
}

// TestClosedPool sorts on a pool that somebody has closed: it says so before anything moves, and
// the sorter works again without that pool.
func TestClosedPool(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	s := Sorter[uint32, int32]{Pool: pool}
	was := lane[uint32](rand.New(rand.NewPCG(1, 2)), alone, 4)
	keys := slices.Clone(was)
	func() {
		defer func() {
			if said := fmt.Sprint(recover()); !strings.Contains(said, "closed") {
				t.Errorf("said %q", said)
			}
		}()
		s.Sort(keys)
	}()
	if !slices.Equal(keys, was) {
		t.Error("keys were moved")
	}
	s.Pool = nil
	s.Sort(keys)
	slices.Sort(was)
	if !slices.Equal(keys, was) {
		t.Error("not sorted")
	}
}
