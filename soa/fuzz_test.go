package soa

import (
	"reflect"
	"slices"
	"testing"
)

// A tape reads choices from fuzz input. After the end of the input, all choices are 0.
type tape []byte

func (p *tape) pick(n int) int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b) % n
}

// leaves holds types without parts. The types with an index below bad fit into a lane.
var (
	leaves = []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int16](), reflect.TypeFor[uint32](), reflect.TypeFor[int64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
		reflect.TypeFor[metres](), reflect.TypeFor[struct{}](),
		reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*int](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[error](), reflect.TypeFor[uintptr](), reflect.TypeFor[func()](),
	}
	bad = 10
)

// typeFrom builds a type from the tape. It reports whether the type contains any bytes of a part that
// fits into no lane.
func typeFrom(p *tape, depth int) (t reflect.Type, unfit bool) {
	kind := p.pick(6)
	switch {
	case kind == 4 && depth > 0:
		elem, unfit := typeFrom(p, depth-1)
		n := p.pick(4)
		return reflect.ArrayOf(n, elem), unfit && n > 0
	case kind == 5 && depth > 0:
		var fields []reflect.StructField
		for i := range p.pick(5) {
			ft, u := typeFrom(p, depth-1)
			f := reflect.StructField{Name: string(rune('A' + i)), Type: ft}
			switch p.pick(8) {
			case 6:
				f.Name, f.PkgPath = "_", "soa"
			case 7:
				f.Name, f.PkgPath = string(rune('a'+i)), "soa"
			}
			fields = append(fields, f)
			unfit = unfit || u
		}
		return reflect.StructOf(fields), unfit
	case kind == 3: // mostly good leaves
		i := p.pick(len(leaves))
		return leaves[i], i >= bad
	default:
		return leaves[p.pick(bad)], false
	}
}

// FuzzLanes splits random types. A type must be refused if and only if a bad part of it has bytes.
// If no bad part has bytes, each other field with bytes must have a lane of the compiler's size.
func FuzzLanes(f *testing.F) {
	f.Add([]byte{5, 4, 3, 11, 0, 4, 3, 11, 0, 5, 2, 0, 1, 7, 0, 9, 0})
	f.Add([]byte{5, 4, 4, 3, 11, 0, 0, 0, 3, 6, 0, 9, 0, 4, 5, 2, 0, 0, 0, 0, 3, 0, 3, 7, 0, 9, 0})
	f.Add([]byte{5, 2, 4, 5, 2, 0, 1, 0, 3, 12, 0, 2, 0, 0, 3, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := tape(data)
		typ, unfit := typeFrom(&p, 4)
		lanes, err := Lanes(typ)
		if (err != nil) != unfit {
			t.Fatalf("Lanes(%v): error %v, want one: %v", typ, err, unfit)
		}
		if err != nil {
			return
		}
		checkCompiler(t, typ)
		var want []string
		if typ.Kind() == reflect.Struct {
			for i := range typ.NumField() {
				if f := typ.Field(i); f.Name != "_" && f.Type.Size() > 0 {
					want = append(want, f.Name)
				}
			}
		} else if typ.Size() > 0 {
			want = append(want, "Value")
		}
		var got []string
		for _, l := range lanes {
			got = append(got, l.Name)
			checkCompiler(t, l.Type)
			if size, _ := size64(l.Type); l.Size != size || l.Offset+l.Type.Size() > typ.Size() {
				t.Errorf("%v: lane %+v", typ, l)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("Lanes(%v): got %v, want %v", typ, got, want)
		}
	})
}

// elements lists the element types, each with the name of its underlying type.
var elements = []struct {
	t          reflect.Type
	underlying string
}{
	{reflect.TypeFor[float32](), "float32"},
	{reflect.TypeFor[metres](), "float32"},
	{reflect.TypeFor[float64](), "float64"},
	{reflect.TypeFor[int32](), "int32"},
	{reflect.TypeFor[uint32](), "uint32"},
	{reflect.TypeFor[[2]float32](), "[2]float32"},
	{reflect.TypeFor[[2]metres](), "[2]metres"},
	{reflect.TypeFor[id](), "{Index,Version int32}"},
	{reflect.TypeFor[struct{ Index, Version int32 }](), "{Index,Version int32}"},
	{reflect.TypeFor[struct{ Version, Index int32 }](), "{Version,Index int32}"},
}

// FuzzBind matches random views with random lanes and compares the result with a search by name and
// underlying type.
func FuzzBind(f *testing.F) {
	f.Add([]byte{3, 0, 0, 1, 0, 2, 0, 2, 2, 0, 0, 0})
	f.Add([]byte{4, 0, 0, 1, 1, 2, 5, 3, 7, 3, 3, 8, 1, 0, 0, 1})
	f.Add([]byte{1, 2, 6, 1, 2, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := tape(data)
		kinds := map[string]string{}
		structOf := func(of func(reflect.Type) reflect.Type) (reflect.Type, []string, []string) {
			var fields []reflect.StructField
			var names, under []string
			for range p.pick(7) {
				name, e := string(rune('A'+p.pick(8))), elements[p.pick(len(elements))]
				if slices.Contains(names, name) {
					continue
				}
				names, under = append(names, name), append(under, e.underlying)
				fields = append(fields, reflect.StructField{Name: name, Type: of(e.t)})
			}
			return reflect.StructOf(fields), names, under
		}
		row, rowNames, rowUnder := structOf(func(t reflect.Type) reflect.Type { return t })
		for i, name := range rowNames {
			kinds[name] = rowUnder[i]
		}
		view, names, under := structOf(reflect.SliceOf)
		lanes, err := Lanes(row)
		if err != nil {
			t.Fatal(err)
		}
		want, match := []int{}, true
		for i, name := range names {
			match = match && kinds[name] == under[i]
			want = append(want, slices.Index(rowNames, name))
		}
		got, err := Bind(view, lanes)
		if (err == nil) != match || match && !slices.Equal(got, want) {
			t.Errorf("Bind(%v, %v): got %v, %v, want %v, match %v", view, lanes, got, err, want, match)
		}
	})
}

// FuzzMake creates columns for random views and writes all their memory.
func FuzzMake(f *testing.F) {
	f.Add([]byte{3, 4, 0, 4, 0, 4}, uint16(100))
	f.Add([]byte{5, 0, 9, 0, 7, 4, 2, 1, 3, 0, 0, 9}, uint16(17))
	f.Add([]byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		p := tape(data)
		var fields []reflect.StructField
		for i := range p.pick(8) {
			if elem, unfit := typeFrom(&p, 2); !unfit && elem.Size() <= 256 {
				fields = append(fields, reflect.StructField{Name: string(rune('A' + i)), Type: reflect.SliceOf(elem)})
			}
		}
		view, rows := reflect.StructOf(fields), int(n%2048)
		checkColumns(t, view, newColumns(view, rows), rows)
	})
}
