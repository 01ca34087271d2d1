package chunk

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/soa"
)

type (
	vec3  struct{ X, Y, Z float32 }
	quat  struct{ X, Y, Z, W float32 }
	mat4  struct{ M [16]float32 }
	mixed struct {
		T float64
		N int32
		B bool
	}
	tag struct{}
)

// lanesOf returns the lanes of the types of values. For a type that is too large for a value in the
// test program, the type itself is given.
func lanesOf(t testing.TB, values ...any) [][]soa.Lane {
	t.Helper()
	columns := make([][]soa.Lane, len(values))
	for i, v := range values {
		typ, ok := v.(reflect.Type)
		if !ok {
			typ = reflect.TypeOf(v)
		}
		l, err := soa.Lanes(typ)
		if err != nil {
			t.Fatal(err)
		}
		columns[i] = l
	}
	return columns
}

// bytesLanes returns count lanes of one byte each.
func bytesLanes(count int) []soa.Lane {
	return slices.Repeat([]soa.Lane{{Name: "B", Type: reflect.TypeFor[uint8](), Size: 1}}, count)
}

// TestCapacity checks the published table of capacities.
func TestCapacity(t *testing.T) {
	for _, tc := range []struct {
		name string
		row  []any
		want int
	}{
		{"{}", nil, 2048},
		{"{3xf32}", []any{vec3{}}, 816},
		{"{3+3}", []any{vec3{}, vec3{}}, 512},
		{"{3+4+16}", []any{vec3{}, quat{}, mat4{}}, 160},
		{"{3+4+3+16}", []any{vec3{}, quat{}, vec3{}, mat4{}}, 144},
		{"{f64,i32,bool}", []any{mixed{}}, 768},
		{"{1300 bytes}", []any{[1300]byte{}}, 12},
		{"a tag takes nothing", []any{tag{}, vec3{}, tag{}}, 816},
		{"16 rows just fit", []any{[1016]byte{}}, 16},
		{"16 rows just do not", []any{[1017]byte{}}, 15},
		{"two rows", []any{[8160]byte{}}, 2},
		{"one row just fits", []any{[16320]byte{}}, 1},
	} {
		l, err := NewLayout(lanesOf(t, tc.row...), 0)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if l.Capacity != tc.want {
			t.Errorf("%s: capacity is %d, want %d", tc.name, l.Capacity, tc.want)
		}
	}
	for lanes, want := range map[int]int{248: 64, 250: 48, 252: 32, 254: 16, 255: 8} { // all fill the block
		l, err := NewLayout([][]soa.Lane{bytesLanes(lanes)}, 0)
		if err != nil {
			t.Errorf("%d lanes of a byte: %v", lanes, err)
		} else if l.Capacity != want || l.Used != Size {
			t.Errorf("%d lanes of a byte: %d rows in %d bytes, want %d in %d", lanes, l.Capacity, l.Used, want, Size)
		}
	}
}

// TestLayout checks complete layouts that were computed by hand. The layouts must never change,
// because snapshots and hashes of worlds depend on them.
func TestLayout(t *testing.T) {
	for _, tc := range []struct {
		row   []any
		limit int
		want  Layout
	}{
		{nil, 0, Layout{Capacity: 2048, Columns: []Column{}, Used: 16384}},
		{[]any{vec3{}, vec3{}}, 0, Layout{Capacity: 512, Used: 16384, Columns: []Column{
			{Offsets: []uint32{4096, 6144, 8192}, Stride: 2048},
			{Offsets: []uint32{10240, 12288, 14336}, Stride: 2048},
		}}},
		{[]any{vec3{}}, 0, Layout{Capacity: 816, Used: 16320, Columns: []Column{
			{Offsets: []uint32{6528, 9792, 13056}, Stride: 3264},
		}}},
		{[]any{mat4{}, tag{}, vec3{}, quat{}}, 0, Layout{Capacity: 160, Used: 16000, Columns: []Column{
			{Offsets: []uint32{1280}, Stride: 10240},
			{Offsets: []uint32{}},
			{Offsets: []uint32{11520, 12160, 12800}, Stride: 640},
			{Offsets: []uint32{13440, 14080, 14720, 15360}, Stride: 640},
		}}},
		{[]any{mixed{}, int16(0)}, 0, Layout{Capacity: 704, Used: 16192, Columns: []Column{
			{Offsets: []uint32{5632, 11264, 14080}},
			{Offsets: []uint32{14784}, Stride: 1408},
		}}},
		{[]any{[1300]byte{}}, 0, Layout{Capacity: 12, Used: 15744, Columns: []Column{
			{Offsets: []uint32{128}, Stride: 15616},
		}}},
		{[]any{mixed{}}, 20, Layout{Capacity: 20, Used: 576, Columns: []Column{
			{Offsets: []uint32{192, 384, 512}},
		}}},
		{[]any{vec3{}}, 1, Layout{Capacity: 1, Used: 256, Columns: []Column{
			{Offsets: []uint32{64, 128, 192}, Stride: 64},
		}}},
		{[]any{vec3{}}, 816, Layout{Capacity: 816, Used: 16320, Columns: []Column{
			{Offsets: []uint32{6528, 9792, 13056}, Stride: 3264},
		}}},
		{[]any{vec3{}}, 1 << 30, Layout{Capacity: 816, Used: 16320, Columns: []Column{
			{Offsets: []uint32{6528, 9792, 13056}, Stride: 3264},
		}}},
	} {
		columns := lanesOf(t, tc.row...)
		got, err := NewLayout(columns, tc.limit)
		if err != nil || !reflect.DeepEqual(got, &tc.want) {
			t.Errorf("%s, limit %d:\n got %+v, %v\nwant %+v", describe(columns), tc.limit, got, err, tc.want)
			continue
		}
		checkLayout(t, columns, tc.limit, got)
	}
}

// checkLayout checks the properties that every layout must have. All lanes must be inside the block,
// start at multiples of 64 bytes, not overlap, and keep their order. The test fills each lane. The
// layout must hold as many rows as fit.
func checkLayout(t *testing.T, columns [][]soa.Lane, limit int, l *Layout) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s, limit %d: %+v: %s", describe(columns), limit, *l, fmt.Sprintf(format, args...))
	}
	if len(l.Columns) != len(columns) {
		fail("%d columns, want %d", len(l.Columns), len(columns))
	}
	var block [Size]byte
	write := func(from, size int) {
		if from%soa.Align != 0 || from+size > l.Used || l.Used > Size {
			fail("a lane of %d bytes at %d", size, from)
		}
		for i := range size {
			if block[from+i]++; block[from+i] != 1 {
				fail("lanes overlap at byte %d", from+i)
			}
		}
	}
	write(0, l.Capacity*entityBytes)
	end := 0
	for i, c := range l.Columns {
		if len(c.Offsets) != len(columns[i]) {
			fail("column %d has %d lanes", i, len(c.Offsets))
		}
		for j, lane := range columns[i] {
			write(int(c.Offsets[j]), l.Capacity*int(lane.Size))
			if int(c.Offsets[j]) <= end {
				fail("lane %d.%d is out of order", i, j)
			}
			end = int(c.Offsets[j])
			if c.Stride != 0 && c.Offsets[j] != c.Offsets[0]+uint32(j)*c.Stride {
				fail("lane %d.%d is not at its stride", i, j)
			}
			if equal := columns[i][0].Size == lane.Size; c.Stride != 0 && !equal {
				fail("column %d has a stride and different lanes", i)
			}
		}
		if c.Stride == 0 && len(c.Offsets) == 1 {
			fail("column %d has one lane and no stride", i)
		}
	}
	// This is a plain sum of the sizes for a larger capacity. Such a capacity must not fit.
	fits := func(n int) bool {
		sum := (n*entityBytes + 63) / 64 * 64
		for _, lanes := range columns {
			for _, lane := range lanes {
				sum += (n*int(lane.Size) + 63) / 64 * 64
			}
		}
		return sum <= Size
	}
	most := 0
	for n := 1; n <= Size/entityBytes; n++ {
		if (n < 16 || n%16 == 0) && fits(n) {
			most = n
		}
	}
	if limit > 0 {
		most = min(most, limit)
	}
	if l.Capacity != most {
		fail("%d rows fit", most)
	}
}

func TestTooLarge(t *testing.T) {
	for _, tc := range []struct {
		columns [][]soa.Lane
		text    string
	}{
		{lanesOf(t, [16321]byte{}), "chunk: layout of {Value [16321]uint8}: 16329 bytes a row, 16448 of 16384 " +
			"with every lane on 64 bytes: row does not fit in a chunk"},
		{lanesOf(t, vec3{}, tag{}, [2][8192]byte{}), "chunk: layout of {X float32, Y float32, Z float32} {} {Value [2][8192]uint8}: " +
			"16404 bytes a row, 16640 of 16384 with every lane on 64 bytes: row does not fit in a chunk"},
		{lanesOf(t, reflect.TypeFor[[2]struct{ Name [1 << 29]byte }]()), "chunk: layout of {Value [2]struct { Name [536870912]uint8 }}: " +
			"1073741832 bytes a row, 1073741888 of 16384 with every lane on 64 bytes: row does not fit in a chunk"},
	} {
		l, err := NewLayout(tc.columns, 0)
		if l != nil || !errors.Is(err, ErrTooLarge) || err.Error() != tc.text {
			t.Errorf("got %v, %v\nwant %s", l, err, tc.text)
		}
	}
	if _, err := NewLayout([][]soa.Lane{bytesLanes(256)}, 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("256 lanes of a byte: error %v", err)
	}
}

func TestNegativeLimit(t *testing.T) {
	defer func() {
		if got, want := recover(), "chunk: NewLayout: limit is -1"; got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}()
	_, _ = NewLayout(nil, -1)
}

func TestRowsPadded(t *testing.T) {
	for _, tc := range []struct{ n, capacity, want int }{
		{0, 816, 0}, {1, 816, 16}, {15, 816, 16}, {16, 816, 16}, {17, 816, 32},
		{800, 816, 800}, {801, 816, 816}, {816, 816, 816},
		{0, 12, 0}, {1, 12, 12}, {12, 12, 12},
		{3, 20, 16}, {17, 20, 20}, {20, 20, 20},
	} {
		if got := RowsPadded(tc.n, tc.capacity); got != tc.want {
			t.Errorf("RowsPadded(%d, %d) = %d, want %d", tc.n, tc.capacity, got, tc.want)
		}
	}
}

// FuzzLayout checks the properties of layouts for random archetypes. A byte below 128 is the size of
// one more lane; other bytes begin a component or add a wide lane.
func FuzzLayout(f *testing.F) {
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{4, 4, 4, 128, 4, 4, 4, 4, 128, 64}, uint16(0))
	f.Add([]byte{8, 4, 1}, uint16(0))
	f.Add([]byte{200, 20}, uint16(0))
	f.Add([]byte{1, 128, 128, 3, 7, 250}, uint16(100))
	f.Add([]byte{255, 255, 255, 17}, uint16(0))
	f.Add([]byte{16, 16, 16, 16, 128, 12}, uint16(33))
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		data = data[:min(len(data), 300)]
		columns := [][]soa.Lane{nil}
		row := entityBytes
		for _, b := range data {
			last := &columns[len(columns)-1]
			size := int(b)
			switch {
			case b == 0 || b == 128:
				columns = append(columns, nil)
				continue
			case b > 128:
				size = (int(b) - 128) * 61
			}
			row += size
			*last = append(*last, soa.Lane{Name: "L", Type: reflect.TypeFor[byte](), Size: uintptr(size)})
		}
		l, err := NewLayout(columns, int(limit))
		if err == nil {
			checkLayout(t, columns, int(limit), l)
		} else if !errors.Is(err, ErrTooLarge) || row <= Size-256*64 {
			t.Errorf("%s: %v", describe(columns), err)
		}
		if err != nil && blockBytes(columns, 1) <= Size {
			t.Errorf("%s: one row fits, error %v", describe(columns), err)
		}
	})
}

// BenchmarkNewLayout shows that the time is proportional to the number of lanes.
func BenchmarkNewLayout(b *testing.B) {
	for _, count := range []int{3, 30, 240} {
		b.Run(fmt.Sprintf("lanes=%d", count), func(b *testing.B) {
			columns := [][]soa.Lane{bytesLanes(count)}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = NewLayout(columns, 0)
			}
		})
	}
}
