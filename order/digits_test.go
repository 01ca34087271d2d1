package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestDigits divides bits into digits. Each bit that varies must be in a digit, and there must be no
// more digits than necessary. No digit but the last may overlap the digit above it.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		varying := r.Uint64() & r.Uint64() >> r.IntN(64) << r.IntN(64)
		if varying == 0 {
			continue
		}
		var room [maxDigits]uint
		for _, width := range []int{narrowDigit, mediumDigit, wideDigit} {
			list, seen := splitDigits(&room, varying, width), uint64(0)
			for i, shift := range list {
				bits := uint64(1<<width-1) << shift
				if i < len(list)-1 && seen&bits != 0 || i > 0 && shift >= list[i-1] {
					t.Fatalf("%064b: digit %d of %v", varying, i, list)
				}
				seen |= bits
			}
			if varying&^seen != 0 || len(list) > (64+width-1)/width {
				t.Fatalf("%064b: left are %b by %v", varying, varying&^seen, list)
			}
		}
	}
}

// TestWidens checks which lanes get wide digits. A lane must have enough rows but not too many, and
// wide digits must save a pass.
func TestWidens(t *testing.T) {
	all, values := ^uint64(0), make([]int32, 1)
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"few rows", (&radix[uint32, int32]{rows: minWideRows - 1}).usesWideDigits(all >> 32), false},
		{"enough", (&radix[uint32, int32]{rows: minWideRows}).usesWideDigits(all >> 32), true},
		{"as many passes", (&radix[uint32, int32]{rows: minWideRows}).usesWideDigits(1<<24 - 1), false},
		{"as many of bits above", (&radix[uint32, int32]{rows: minWideRows}).usesWideDigits(0xff << 8), false},
		{"long words", (&radix[uint64, int32]{rows: maxWideRows}).usesWideDigits(all), true},
		{"too many of them", (&radix[uint64, int32]{rows: maxWideRows + 1}).usesWideDigits(all), false},
		{"many of 32 bits", (&radix[uint32, int32]{rows: maxWidePackedRows + 1}).usesWideDigits(all >> 32), true},
		{"packed", (&radix[uint32, int32]{rows: maxWidePackedRows, values: values}).usesWideDigits(all >> 32), true},
		{"too many of them", (&radix[uint32, int32]{rows: maxWidePackedRows + 1, values: values}).usesWideDigits(all >> 32), false},
		{"values that are not packed", (&radix[uint32, int64]{rows: maxWideRows + 1, values: make([]int64, 1)}).usesWideDigits(all >> 32), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
}

// TestChosenDigits checks which digits few rows get. Floats need wider digits than integers, because the
// highest digits of floats have few values.
func TestChosenDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for _, c := range []struct {
		rows       int
		float      bool
		bits, tops int
	}{
		{100, false, narrowDigit, 2}, {1000, false, narrowDigit, 2}, {7000, false, narrowDigit, 2},
		{minMediumRows - 1, true, narrowDigit, 3}, {1000, true, mediumDigit, 2}, {4000, true, wideDigit, 2},
	} {
		x := radix[uint32, int32]{rows: c.rows, words: make([]uint32, c.rows)}
		keys := make([]float32, c.rows)
		for i := range keys {
			keys[i], x.words[i] = r.Float32()-0.5, r.Uint32()
		}
		if c.float {
			toWords(x.words, nil, keys)
		}
		if bits, tops := x.chooseDigits(1<<32 - 1); bits != c.bits || tops != c.tops {
			t.Errorf("%+v: %d digits of %d bits", c, tops, bits)
		}
	}
}

// TestSampledTable checks that a sample of a table does not show a single column. In these tables, the first column
// of each row has small numbers, and the others have numbers of 64 bits.
func TestSampledTable(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, columns := range []int{16, 50, 64, 128} {
		x := radix[uint64, int32]{rows: 64 * columns, words: make([]uint64, 64*columns)}
		for i := range x.words {
			if x.words[i] = r.Uint64(); i%columns == 0 {
				x.words[i] %= 10_000
			}
		}
		if _, tops := x.chooseDigits(^uint64(0)); tops > 3 {
			t.Errorf("%d columns: %d digits", columns, tops)
		}
	}
}

// TestWideDigits sorts lanes whose lengths are just below and just above the limits for medium and wide
// digits.
func TestWideDigits(t *testing.T) {
	wideDigits[uint32](t)
	wideDigits[uint64](t)
	wideDigits[float32](t)
	wideDigits[int64](t)
}

func wideDigits[K Key](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	lengths := []int{minWideRows - 1, minWideRows, minWideRows + 3, 20_001, minMediumRows - 1, minMediumRows, 1000, minFewWideRows, 4001}
	if !testing.Short() {
		lengths = append(lengths, maxWideRows, maxWideRows+1)
	}
	var s Sorter[K, int32]
	for i, n := range lengths {
		for kind := range 5 {
			if n > 30_000 && kind != 4-i%2 || testing.Short() && kind != 4 && kind != i {
				continue
			}
			checkAll(t, &s, lane[K](r, n, kind), fmt.Sprintf("%T: %d rows of kind %d", s, n, kind))
		}
	}
}

// TestPacked moves values of 32 bits of every type. Depending on the type, the sort packs a
// value with its word or does not.
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
	for _, n := range []int{maxInsertion + 1, 1000, minWideRows, minParallelRows} {
		keys, values, index := lane[uint32](r, n, 4), make([]V, n), make([]int, n)
		for i := range keys {
			keys[i] &^= 1 << (i % 32) // some keys are equal
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

// TestClosedPool sorts on a closed pool. The call must return an error before it moves anything.
// After this, the sorter must work without the pool.
func TestClosedPool(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	s := Sorter[uint32, int32]{Pool: pool}
	was := lane[uint32](rand.New(rand.NewPCG(1, 2)), minParallelRows, 4)
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

// TestCrowded sorts lanes in which many words share their highest digits. The words differ only in
// lower digits, in few places, or in pairs of digits that are rare.
func TestCrowded(t *testing.T) {
	pool := jobs.New(jobs.Workers(3))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(11, 12))
	lengths := []int{maxInsertion + 1, 1000, minWideRows + 1}
	if !testing.Short() {
		lengths = append(lengths, minParallelRows+1)
	}
	for _, n := range lengths {
		for kind := range 6 {
			wide, narrow, floats := make([]uint64, n), make([]uint32, n), make([]float32, n)
			for i := range wide {
				wide[i] = crowd(r, kind, n)
				narrow[i], floats[i] = uint32(wide[i]>>32|wide[i]), float32(int64(wide[i]))
			}
			what := fmt.Sprintf("%d rows of kind %d", n, kind)
			checkAll(t, &Sorter[uint64, int32]{Pool: pool}, wide, what)
			if n <= minParallelRows {
				checkAll(t, &Sorter[uint32, int32]{}, narrow, what)
				checkAll(t, &Sorter[float32, int32]{}, floats, what)
			} else if kind%2 == 1 {
				checkAll(t, &Sorter[uint32, int32]{Pool: pool}, narrow, what)
			}
		}
	}
}

// TestStitched sorts lanes in which the first row of each block belongs before the last row of the
// previous block. Only lower digits, for which there is no pass, show this.
func TestStitched(t *testing.T) {
	pool := jobs.New(jobs.Workers(2))
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	stitched[uint32](t, pool)
	stitched[uint64](t, pool)
}

func stitched[K uint32 | uint64](t *testing.T, pool *jobs.Pool) {
	r := rand.New(rand.NewPCG(15, 16))
	want := lane[K](r, minParallelRows, 4)
	slices.Sort(want)
	keys, values := slices.Clone(want), make([]int32, minParallelRows)
	for i := range values {
		values[i] = int32(i)
	}
	for k := 1; k < 4; k++ {
		i := blockStart(minParallelRows, 4, k)
		want[i-1], want[i] = want[i]&^15|3, want[i]&^15|9
		keys[i-1], keys[i] = want[i], want[i-1]
		values[i-1], values[i] = values[i], values[i-1]
	}
	for with := range 2 {
		s, k, v := Sorter[K, int32]{Pool: pool}, slices.Clone(keys), slices.Clone(values)
		if with == 0 {
			s.Sort(k)
			slices.Sort(v)
		} else {
			s.SortPairs(k, v)
		}
		if !slices.Equal(k, want) || !slices.IsSorted(v) {
			t.Errorf("%T: values %d: not sorted", s, with)
		}
	}
}

// crowd returns a word of the given kind for a lane of n rows.
func crowd(r *rand.Rand, kind, n int) uint64 {
	w := r.Uint64()
	switch kind {
	case 0: // one in a thousand differs
		if r.IntN(1000) > 0 {
			return w >> 44
		}
	case 1: // both digits are evenly spread and equal
		w = w>>53<<53 | w>>53<<42 | w&(1<<42-1)
	case 2: // the same with digits of eight bits
		w = w>>56<<56 | w>>56<<48 | w>>56<<40 | w&(1<<40-1)
	case 3: // as many values as rows, each some times
		w = uint64(r.IntN(n)) * 0x9e3779b97f4a7c15
	case 4: // half of them are one
		if w&1 == 0 {
			return 1 << 60
		}
	}
	return w
}
