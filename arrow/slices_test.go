package arrow

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

var (
	steps = flag.Int("steps", 60, "how many batches TestSlices imports; TestReadDamaged makes as many rounds as there are 60 in it")
	seed  = flag.Uint64("seed", 1, "of TestSlices and TestReadDamaged")
)

// sliceTerms select a component of every kind, including lists that are the only field of a component.
var sliceTerms = append(slices.Clone(zooTerms), ecs.Optional(ecs.Read[Pair]()), ecs.Optional(ecs.Read[Flags]()))

// Flags are booleans in lists of lists.
type Flags struct {
	One  bool
	Few  [3]bool
	Many [2][5]bool
}

// maker makes random batches for an importer of sliceTerms.
type maker struct {
	*rand.Rand
	columns []column
	fault   string // the fault of the batch, or ""
	next    int64  // the number of the next id
	noIDs   bool
}

// batch makes a batch of n rows, in which the presence of a component changes only after runs of
// rows. Each column has a different offset.
func (m *maker) batch(n int) arrow.RecordBatch {
	m.fault = ""
	ids := m.Perm(n)
	if m.IntN(2) == 0 {
		slices.Sort(ids)
	}
	defer func() { m.next += int64(n) }()
	if m.IntN(4) == 0 {
		m.fault = []string{"null", "inside", "text", "twice", "zero"}[m.IntN(5)]
	}
	has := map[string][]bool{}
	var fields []arrow.Field
	var list []arrow.Array
	for i := range m.columns {
		c := &m.columns[i]
		if c.what == ofIDs && m.noIDs || c.what != ofIDs && m.IntN(30) == 0 && !c.optional {
			continue // a column that a batch lacks stays zero
		}
		of := c.typ.String()
		if has[of] == nil {
			has[of] = m.runs(n)
		}
		valid := has[of]
		if !c.optional {
			valid = nil
		}
		a := m.column(c, ids, valid)
		fields, list = append(fields, arrow.Field{Name: c.name, Type: a.DataType(), Nullable: true}), append(list, a)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), list, int64(n))
}

// runs returns runs of true and false.
func (m *maker) runs(n int) []bool {
	out, now := make([]bool, n), m.IntN(2) == 0
	for i := range out {
		if m.IntN(9) == 0 {
			now = !now
		}
		out[i] = now
	}
	return out
}

// column makes an array of n rows that is a slice of a longer array.
func (m *maker) column(c *column, ids []int, valid []bool) arrow.Array {
	n, before, after := len(ids), m.IntN(12), m.IntN(12)
	dt := c.arrow
	if l, ok := dt.(*arrow.FixedSizeListType); ok { // as other programs have it
		dt = arrow.FixedSizeListOf(l.Len(), l.Elem())
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	wrong := -1 // the row with the fault
	if n > 0 && (c.what == ofIDs || c.arrow == arrow.BinaryTypes.String || m.IntN(4) == 0) {
		wrong = before + m.IntN(n)
	}
	for k := range before + n + after {
		there := true
		if k >= before && k < before+n && valid != nil {
			there = valid[k-before]
		} else if k < before || k >= before+n {
			there = m.IntN(3) > 0 // nulls outside of the slice
		}
		if c.what == ofTag && m.IntN(5) == 0 || k == wrong && m.fault == "null" {
			there = false
		}
		switch {
		case c.what == ofIDs:
			id := int64(0)
			if k >= before && k < before+n {
				id = m.next + int64(ids[k-before]) | 1<<32
			}
			switch {
			case k == wrong && m.fault == "twice":
				id = m.next + int64(ids[0]) | 1<<32
			case k == wrong && m.fault == "zero":
				id = 0
			}
			b.(*array.Int64Builder).Append(id)
		case c.arrow == arrow.BinaryTypes.String && k == wrong && m.fault == "text":
			b.(*array.StringBuilder).Append("\xff\xfe")
		default:
			m.value(b, there, k == wrong && m.fault == "inside")
		}
	}
	whole := b.NewArray()
	defer whole.Release()
	return array.NewSlice(whole, int64(before), int64(before+n))
}

// value appends one value or a null. Values inside a null may be null too. If hurt is true, a list
// gets a forbidden null.
func (m *maker) value(b array.Builder, there, hurt bool) {
	if l, ok := b.(*array.FixedSizeListBuilder); ok {
		l.Append(there)
		for k := range int(l.Type().(*arrow.FixedSizeListType).Len()) {
			m.value(l.ValueBuilder(), (there || m.IntN(2) == 0) && !(hurt && k == 1), false)
		}
		return
	}
	if !there {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(m.IntN(2) == 0)
	case *array.StringBuilder:
		b.Append([]string{"", "red", "blue", "a text of some length"}[m.IntN(4)])
	case *array.FixedSizeBinaryBuilder:
		text := make([]byte, b.Type().(*arrow.FixedSizeBinaryType).ByteWidth)
		for i := range text {
			text[i] = byte(m.Uint32())
		}
		b.Append(text)
	default:
		if err := b.AppendValueFromString(fmt.Sprint(m.IntN(100))); err != nil {
			panic(err)
		}
	}
}

// copyBatch returns a batch whose columns are copied to new memory.
func copyBatch(b arrow.RecordBatch) arrow.RecordBatch {
	list := make([]arrow.Array, b.NumCols())
	for i := range list {
		var err error
		if list[i], err = array.Concatenate([]arrow.Array{b.Column(i)}, memory.DefaultAllocator); err != nil {
			panic(err)
		}
	}
	return array.NewRecordBatch(b.Schema(), list, b.NumRows())
}

// overwrite fills the memory of a batch, as a producer does that reuses it.
func overwrite(d arrow.ArrayData) {
	for _, b := range d.Buffers() {
		if b != nil {
			for i := range b.Bytes() {
				b.Bytes()[i] = 0x55
			}
		}
	}
	for _, in := range d.Children() {
		overwrite(in)
	}
}

// TestSlices compares an import of slices of batches with an import of copied single rows. The memory
// of the batches may be reused after each Add. A refused batch must change nothing.
func TestSlices(t *testing.T) {
	columns, err := columnsOf(sliceTerms)
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{Rand: rand.New(rand.NewPCG(*seed, 0)), columns: columns}
	refused, rows, late := map[string]int{}, 0, 0
	for step := 0; step < *steps; {
		at := fmt.Sprintf("-seed %d, step %d", *seed, step)
		a, b := ecs.NewWorld("a"), ecs.NewWorld("b")
		if m.IntN(3) == 0 { // ids are mapped
			a.Spawn(Health(1))
			b.Spawn(Health(1))
		}
		ia, err := NewImporter(a, sliceTerms...)
		if err != nil {
			t.Fatal(err)
		}
		m.next, m.noIDs = 0, m.IntN(4) == 0
		ib, _ := NewImporter(b, sliceTerms...)
		for range 1 + m.IntN(3) {
			step++
			part := m.batch(m.IntN(200))
			for range m.IntN(3) {
				lo := m.Int64N(part.NumRows() + 1)
				part = part.NewSlice(lo, lo+m.Int64N(part.NumRows()-lo+1))
			}
			before, waiting := a.Hash(), len(ia.late)
			other := copyBatch(part)
			ea := ia.Add(part)
			if ea != nil {
				if eb := ib.Add(other); fmt.Sprint(ea) != fmt.Sprint(eb) {
					t.Fatalf("%s: a slice says %v, a copy of it %v", at, ea, eb)
				}
			}
			for row := range other.NumRows() { // copies each row, so that only its values are imported
				if ea == nil {
					if eb := ib.Add(copyBatch(other.NewSlice(row, row+1))); eb != nil {
						t.Fatalf("%s: row %d alone: %v", at, row, eb)
					}
				}
			}
			if ea != nil {
				if m.fault == "" {
					t.Fatalf("%s: %v", at, ea)
				}
				refused[m.fault]++
				if !errors.Is(ea, ErrBatch) || a.Hash() != before || len(ia.late) != waiting {
					t.Fatalf("%s: hash %x after %v, want %x", at, a.Hash(), ea, before)
				}
			}
			rows, late = rows+int(part.NumRows()), late+len(ia.late)
			for i := range int(part.NumCols()) {
				overwrite(part.Column(i).Data())
			}
		}
		idsA, ea := ia.Close()
		idsB, eb := ib.Close()
		if ea != nil || eb != nil || !maps.Equal(idsA, idsB) {
			t.Fatalf("%s: Close: %v and %v, ids %v and %v", at, ea, eb, idsA, idsB)
		}
		if a.Hash() != b.Hash() || a.Len() != b.Len() {
			t.Fatalf("%s: hash %x of %d entities, of copies %x of %d", at, a.Hash(), a.Len(), b.Hash(), b.Len())
		}
		_, _ = a.Close(), b.Close()
	}
	t.Logf("%d steps, %d rows, %d batches waited, refused %v", *steps, rows, late, refused)
	if len(refused) < 2 || rows < *steps || late == 0 {
		t.Errorf("%d rows, %d waiting, refused %v: too few for a test", rows, late, refused)
	}
}
