package arrow

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// stream returns the rows of a world as a stream.
func stream(t testing.TB, w *ecs.World, terms ...ecs.Term) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	if err := newOf(t, w, terms...).WriteStream(&out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestRoundTrip exports and imports a world in which no id was ever freed. The imported world must
// be equal bit for bit.
// Conformance: 537
func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 700, 100_000} {
		from, to := newMovingWorld(t, n), newWorld(t)
		ids, err := Read(to, stream(t, from, moving...), moving...)
		if err != nil || ids != nil {
			t.Fatalf("%d rows: %d ids differ, %v", n, len(ids), err)
		}
		if from.Hash() != to.Hash() || to.Len() != n {
			t.Errorf("%d rows: hash %x of %d entities, want %x", n, to.Hash(), to.Len(), from.Hash())
		}
	}
	for _, mixed := range []bool{false, true} { // one kind after another, and mixed
		from, to := zoo(t, 600, mixed), newWorld(t)
		ids, err := Read(to, stream(t, from, zooTerms...), zooTerms...)
		if err != nil || ids != nil {
			t.Fatalf("mixed %v: %d ids differ, %v", mixed, len(ids), err)
		}
		if from.Hash() != to.Hash() {
			t.Errorf("mixed %v: hash %x, want %x", mixed, to.Hash(), from.Hash())
		}
	}
}

// TestRoundTripMapped exports a world with freed ids, or imports into a world in use. Lanes must be
// equal, ids must be mapped, and references must lead to the new entities.
// Conformance: 537
func TestRoundTripMapped(t *testing.T) {
	from := zoo(t, 500, true)
	var gone []ecs.Entity
	k := 0
	for e := range from.Entities() {
		if k++; k%7 == 0 {
			gone = append(gone, e)
		}
	}
	if err := ecs.DestroyAll(from, ecs.Entities(gone)); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		from.Spawn(Health(9), Frozen{}, Target{})
	}
	to := newWorld(t)
	mine := to.Spawn(Health(77), Target{}, Frozen{})
	ids, err := Read(to, stream(t, from, zooTerms...), zooTerms...)
	if err != nil || len(ids) != from.Len() || to.Len() != from.Len()+1 {
		t.Fatalf("%d ids of %d, %d entities: %v", len(ids), from.Len(), to.Len(), err)
	}
	led := 0
	for e := range from.Entities() {
		was, _ := ecs.Get[Body](from, e)
		if is, _ := ecs.Get[Body](to, ids[e]); is != was {
			t.Fatalf("%v is %v here: body %v, want %v", e, ids[e], is, was)
		}
		a, _ := ecs.Get[Target](from, e)
		b, _ := ecs.Get[Target](to, ids[e])
		want := ecs.Entity{} // also for destroyed entities
		if from.Exists(a.Entity) {
			want = ids[a.Entity]
			led++
		}
		if b.Entity != want {
			t.Fatalf("%v refers to %v, here %v to %v, want %v", e, a.Entity, ids[e], b.Entity, want)
		}
		x, _ := ecs.Enabled[Burning](from, e)
		if y, _ := ecs.Enabled[Burning](to, ids[e]); x != y {
			t.Fatalf("%v: on is %v, want %v", e, y, x)
		}
	}
	if led < 100 {
		t.Errorf("%d references: too few for a test", led)
	}
	if h, _ := ecs.Get[Health](to, mine); h != 77 {
		t.Errorf("the entity that was there has %v now", h)
	}
}

// batch makes a batch from columns by name.
func batch(columns map[string]arrow.Array) arrow.RecordBatch {
	var fields []arrow.Field
	var list []arrow.Array
	n := 0
	for _, name := range []string{"entity", "Health", "Position.X", "Target.Entity", "Frozen", "Velocity.X", "other"} {
		if a := columns[name]; a != nil {
			fields = append(fields, arrow.Field{Name: name, Type: a.DataType(), Nullable: true})
			list, n = append(list, a), a.Len()
		}
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), list, int64(n))
}

func int16s(valid []bool, v ...int16) arrow.Array {
	b := array.NewInt16Builder(memory.DefaultAllocator)
	b.AppendValues(v, valid)
	return b.NewArray()
}

func floats(valid []bool, v ...float32) arrow.Array {
	b := array.NewFloat32Builder(memory.DefaultAllocator)
	b.AppendValues(v, valid)
	return b.NewArray()
}

func int64s(valid []bool, v ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(v, valid)
	return b.NewArray()
}

func bools(valid []bool, v ...bool) arrow.Array {
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	b.AppendValues(v, valid)
	return b.NewArray()
}

// TestImport imports batches of other programs, with nulls, slices and additional columns.
func TestImport(t *testing.T) {
	w := newWorld(t)
	im, err := NewImporter(w, ecs.Read[Health](), ecs.Optional(ecs.Read[Position]()), ecs.AnyOf(ecs.With[Frozen](), ecs.Read[Velocity]()))
	if err != nil {
		t.Fatal(err)
	}
	some := []bool{true, false, true, true, false}
	b := batch(map[string]arrow.Array{
		"Health": int16s(nil, 1, 2, 3, 4, 5), "Position.X": floats(some, 10, 0, 30, 40, 0),
		"Frozen": bools([]bool{true, true, false, true, true}, true, true, true, false, true), "other": floats(nil, 1, 2, 3, 4, 5),
	})
	for _, part := range []arrow.RecordBatch{b, b.NewSlice(1, 4), b.NewSlice(2, 2)} {
		if err := im.Add(part); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := im.Close(); ids != nil || err != nil {
		t.Errorf("ids of batches without them: %v, %v", ids, err)
	}
	var got []string
	for _, e := range slices.SortedFunc(w.Entities(), ecs.Entity.Compare) {
		h, _ := ecs.Get[Health](w, e)
		p, err := ecs.Get[Position](w, e)
		line := strings.Repeat("I", int(h))
		if err == nil {
			line += strings.Repeat("p", int(p.X/10))
		}
		if ecs.Has[Frozen](w, e) {
			line += "f"
		}
		got = append(got, line)
	}
	if want := "Ipf IIf IIIppp IIIIpppp IIIIIf IIf IIIppp IIIIpppp"; strings.Join(got, " ") != want {
		t.Errorf("entities %v, want %s", got, want)
	}
	if err := im.Add(b); err == nil {
		t.Error("a closed importer takes a batch")
	}
	if _, err := im.Close(); err != nil {
		t.Error(err)
	}
}

// TestImportRefused checks that a batch that does not fit creates no entity.
func TestImportRefused(t *testing.T) {
	list := func(n int32) arrow.Array { // int32 values with a null inside
		b := array.NewFixedSizeListBuilder(memory.DefaultAllocator, n, arrow.PrimitiveTypes.Int16)
		b.Append(true)
		for range n {
			b.ValueBuilder().AppendNull()
		}
		return b.NewArray()
	}
	for _, c := range []struct {
		name string
		b    arrow.RecordBatch
		want string
	}{
		{"type", batch(map[string]arrow.Array{"Health": floats(nil, 1)}), "column Health is float32, want int16"},
		{"null", batch(map[string]arrow.Array{"Health": int16s([]bool{true, true, false}, 1, 2, 3)}), "row 2: Health is null"},
		{"ids", batch(map[string]arrow.Array{"entity": int64s([]bool{false}, 1)}), "column entity has nulls"},
		{"half", batch(map[string]arrow.Array{"Position.X": floats([]bool{false, true}, 1, 2), "Health": int16s(nil, 1, 2), "entity": int64s(nil, 1, 2)}), ""},
		{"list", batch(map[string]arrow.Array{"Health": list(2)}), "want int16"},
	} {
		w := newWorld(t)
		im, _ := NewImporter(w, ecs.Read[Health](), ecs.Optional(ecs.Read[Position]()), ecs.Optional(ecs.Read[Target]()))
		err := im.Add(c.b)
		if c.want == "" && err == nil {
			continue
		}
		if !errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), c.want) || w.Len() != 0 {
			t.Errorf("%s: %v and %d entities, want %q", c.name, err, w.Len(), c.want)
		}
	}
	w := newWorld(t)
	im, _ := NewImporter(w, ecs.Optional(ecs.Read[Pair]()))
	schema := arrow.NewSchema([]arrow.Field{{Name: "Pair.A", Type: arrow.PrimitiveTypes.Int16}, {Name: "Pair.B", Type: list(3).DataType()}}, nil)
	b := array.NewRecordBatch(schema, []arrow.Array{int16s([]bool{false}, 1), list(3)}, 1)
	if err := im.Add(b); !errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), "nulls inside its lists") {
		t.Errorf("a list with nulls: %v", err)
	}
	whole := array.NewFixedSizeListBuilder(memory.DefaultAllocator, 3, arrow.PrimitiveTypes.Int16)
	whole.Append(true)
	whole.ValueBuilder().(*array.Int16Builder).AppendValues([]int16{1, 2, 3}, nil)
	b = array.NewRecordBatch(schema, []arrow.Array{int16s([]bool{false}, 1), whole.NewArray()}, 1)
	if err := im.Add(b); !errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), "none of arrow.Pair's columns") || w.Len() != 0 {
		t.Errorf("half a component: %v", err)
	}
	twice := arrow.NewSchema([]arrow.Field{{Name: "Pair.A", Type: arrow.PrimitiveTypes.Int16}, {Name: "Pair.A", Type: arrow.PrimitiveTypes.Int16}}, nil)
	if err := im.Add(array.NewRecordBatch(twice, []arrow.Array{int16s(nil, 1), int16s(nil, 1)}, 1)); !errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), "2 columns are named") {
		t.Errorf("two columns of one name: %v", err)
	}
	if _, err := NewImporter(w, ecs.Read[Notes]()); err == nil {
		t.Error("a managed component is imported")
	}
	good := batch(map[string]arrow.Array{"Health": int16s(nil, 1)})
	im, _ = NewImporter(w, ecs.Read[Health]())
	for range w.Query(ecs.Read[Position]()).Chunks() {
		t.Error("an entity with a position")
	}
	w.Spawn(Position{})
	for range w.Query(ecs.Read[Position]()).Chunks() {
		if err := im.Add(good); !errors.Is(err, ecs.ErrState) {
			t.Errorf("in a loop over chunks: %v", err)
		}
	}
}

// Pair is a number and an array of three.
type Pair struct {
	A int16
	B [3]int16
}

// TestReadRefused checks that a broken stream is an error, and that the errors of Read describe the
// data.
func TestReadRefused(t *testing.T) {
	w := newMovingWorld(t, 3000)
	data := stream(t, w, moving...).Bytes()
	for _, n := range []int{0, 4, 100, len(data) / 2} {
		to := newWorld(t)
		if _, err := Read(to, bytes.NewReader(data[:n]), moving...); err == nil {
			t.Errorf("%d bytes of %d are read", n, len(data))
		}
	}
	if _, err := Read(w, bytes.NewReader(data), ecs.Read[Health](), ecs.Read[Notes]()); err == nil {
		t.Error("a managed component is read")
	}
	to := newWorld(t)
	type Position struct{ X int32 }
	if _, err := Read(to, bytes.NewReader(data), ecs.Read[Position]()); !errors.Is(err, ErrBatch) {
		t.Errorf("a column of another type: %v", err)
	}
	if err := newOf(t, w, moving...).WriteStream(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk: %v", err)
	}
	if err := newOf(t, w, moving...).WriteFile(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a full disk: %v", err)
	}
	var out bytes.Buffer
	if err := newOf(t, w, moving...).WriteFile(&out); err != nil {
		t.Fatal(err)
	}
	f, err := ipc.NewFileReader(bytes.NewReader(out.Bytes()))
	if err != nil || f.NumRecords() != 1 {
		t.Fatalf("a file: %v", err)
	}
}

// full is a writer that fails like a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestImportHostile checks that arrays with inconsistent parts are refused without a panic.
func TestImportHostile(t *testing.T) {
	bytesOf := func(n int, b ...byte) *memory.Buffer {
		return memory.NewBufferBytes(append(b, make([]byte, n-len(b))...))
	}
	numbers := func(dt arrow.DataType, n, nulls int, buffers ...*memory.Buffer) arrow.Array {
		return array.MakeFromData(array.NewData(dt, n, buffers, nil, nulls, 0))
	}
	list := func(in arrow.Array) arrow.Array {
		dt := arrow.FixedSizeListOf(3, in.DataType())
		return array.MakeFromData(array.NewData(dt, in.Len()/3, []*memory.Buffer{nil}, []arrow.ArrayData{in.Data()}, 0, 0))
	}
	text := func(at ...int32) arrow.Array {
		return numbers(arrow.BinaryTypes.String, len(at)-1, 0, nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(at)), bytesOf(3, 'a', 'b', 'c'))
	}
	some := int16s([]bool{true, false, true, true}, 1, 2, 3, 4)
	int16Type, boolType := arrow.PrimitiveTypes.Int16, arrow.FixedWidthTypes.Boolean
	for _, c := range []struct {
		name, column string
		a            arrow.Array
		want         string
	}{
		{"few bits for nulls", "Health", numbers(int16Type, 100, 1, bytesOf(1, 0xff), bytesOf(200)), "fewer bits for nulls than rows"},
		{"few bits, and not counted", "Health", numbers(int16Type, 100, array.UnknownNullCount, bytesOf(1, 0xff), bytesOf(200)), "fewer bits for nulls than rows"},
		{"no booleans", "Frozen", numbers(boolType, 9, 0, nil, nil), "fewer values than rows"},
		{"few booleans", "Frozen", numbers(boolType, 9, 0, nil, bytesOf(1)), "fewer values than rows"},
		{"a string before its text", "Team.Name", text(-1, 2, 3), "strings outside of its text"},
		{"a string behind its text", "Team.Name", text(0, 100, 3), "strings outside of its text"},
		{"a string that ends before it begins", "Team.Name", text(0, 3, 1, 3), "strings outside of its text"},
		{"nulls in lists that are not counted", "Pair.B", list(array.NewSlice(some, 0, 3)), "nulls inside its lists"},
		{"lists of nothing", "Pair.B", list(numbers(int16Type, 3, 1, bytesOf(0), bytesOf(6))), "fewer bits for nulls"},
	} {
		w := newWorld(t)
		im, err := NewImporter(w, ecs.Read[Health](), ecs.Optional(ecs.With[Frozen]()), ecs.Optional(ecs.Read[Pair]()), ecs.AnyOf(ecs.With[Team]()))
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: c.column, Type: c.a.DataType(), Nullable: true}}, nil), []arrow.Array{c.a}, int64(c.a.Len()))
		if err := im.Add(b); !errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), c.want) || w.Len() != 0 {
			t.Errorf("%s: %v and %d entities, want %q", c.name, err, w.Len(), c.want)
		}
	}
}
