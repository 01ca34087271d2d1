package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/ecs"
)

// TestReadUnchanged checks that Read does not change the world, whatever fault a stream has and at
// whatever place.
func TestReadUnchanged(t *testing.T) {
	good := batch(map[string]arrow.Array{"entity": int64s(nil, 1<<32, 1<<32|1), "Health": int16s(nil, 1, 2)})
	bad := batch(map[string]arrow.Array{"entity": int64s(nil, 1<<32|2, 1<<32|3), "Health": int16s([]bool{true, false}, 1, 2)})
	for _, used := range []bool{false, true} {
		for _, list := range [][]arrow.RecordBatch{{good, bad}, {good, good}} {
			var out bytes.Buffer
			w := ipc.NewWriter(&out, ipc.WithSchema(good.Schema()))
			for _, b := range list {
				if err := w.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			whole := out.Bytes()
			to := newWorld(t)
			if used {
				to.Spawn(Health(3))
			}
			before := to.Hash()
			for n := range whole {
				if _, err := Read(to, bytes.NewReader(whole[:n]), ecs.Read[Health]()); err == nil && to.Len() > 4 {
					t.Fatalf("%d bytes of %d: %d entities", n, len(whole), to.Len())
				} else if err != nil && to.Hash() != before {
					t.Fatalf("%d bytes of %d: hash %x after %v, want %x", n, len(whole), to.Hash(), err, before)
				}
				before = to.Hash() // a stream that is cut between two batches keeps the earlier ones
			}
			if _, err := Read(to, bytes.NewReader(whole), ecs.Read[Health]()); !errors.Is(err, ErrBatch) || to.Hash() != before {
				t.Errorf("hash %x after %v, want %x", to.Hash(), err, before)
			}
		}
	}
}

// TestIDs checks that each id may occur in only one row, and that the null id may occur in none. It
// tries one batch and two batches, a new world and a used world, and sorted and unsorted ids.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		name string
		ids  [][]int64
		want string // rows of the last batch
	}{
		{"null", [][]int64{{0, 1 << 32}}, "row 0: entity 0 is the null id"},
		{"null later", [][]int64{{1 << 32, 1<<32 | 1}, {7, 0}}, "row 1: entity 0 is the null id"},
		{"twice", [][]int64{{5, 6, 5}}, "row 2: entity 5 was the id of a row before"},
		{"twice in a row", [][]int64{{1 << 32, 1<<32 | 1, 1<<32 | 1}}, "row 2: entity 4294967297 was"},
		{"in two batches", [][]int64{{5, 6}, {8, 6}}, "row 1: entity 6 was"},
		{"in two, of which the first has those of a new world", [][]int64{{1 << 32, 1<<32 | 1}, {1<<32 | 1}}, "row 0: entity 4294967297 was"},
		{"one index twice", [][]int64{{1<<32 | 7, 2<<32 | 7}}, ""},
		{"others", [][]int64{{5, 6}, {-8, math.MaxInt64}}, ""},
	} {
		for _, used := range []bool{false, true} {
			w := newWorld(t)
			if used {
				w.Spawn(Health(7))
			}
			im, _ := NewImporter(w, ecs.Read[Health](), ecs.Optional(ecs.Read[Target]()))
			rows := w.Len()
			var err error
			for i, ids := range c.ids {
				if err = im.Add(batch(map[string]arrow.Array{"entity": int64s(nil, ids...), "Target.Entity": int64s(nil, ids...)})); i < len(c.ids)-1 || c.want == "" {
					rows += len(ids)
				}
			}
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrBatch) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, used %v: %v, want %q", c.name, used, err, c.want)
			}
			// The importer remains usable: it accepts the same row with another id.
			if err := im.Add(batch(map[string]arrow.Array{"entity": int64s(nil, 1<<40), "Target.Entity": int64s(nil, 1<<40)})); err != nil {
				t.Errorf("%s, used %v: the next batch: %v", c.name, used, err)
			}
			ids, err := im.Close()
			if err != nil || w.Len() != rows+1 {
				t.Errorf("%s, used %v: %d entities, want %d: %v", c.name, used, w.Len(), rows+1, err)
			}
			for old, e := range ids { // each refers to itself
				if is, _ := ecs.Get[Target](w, e); is.Entity != e {
					t.Errorf("%s, used %v: %v is %v, and refers to %v", c.name, used, old, e, is.Entity)
				}
			}
		}
	}
}

// TestReadLimits checks that a false length in a stream allocates no memory beyond the limit.
func TestReadLimits(t *testing.T) {
	w := newMovingWorld(t, 3000)
	data := stream(t, w, moving...).Bytes()
	for _, c := range []struct {
		limit int64
		want  string
	}{{BatchLimit, ""}, {3000*44 + 4096, ""}, {3000 * 20, "read it with ReadLimited and a higher limit"}, {100, "read it with ReadLimited"}} {
		to := newWorld(t)
		if _, err := ReadLimited(to, bytes.NewReader(data), c.limit, moving...); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || to.Len() > 0) {
			t.Errorf("limit %d: %v and %d entities, want %q", c.limit, err, to.Len(), c.want)
		}
	}
	metadata := binary.LittleEndian.AppendUint32(bytes.Repeat([]byte{0xff}, 4), math.MaxInt32)
	var zipped bytes.Buffer // zeros that compress well
	many := batch(map[string]arrow.Array{"Health": int16s(nil, make([]int16, 1<<20)...)})
	f := ipc.NewWriter(&zipped, ipc.WithSchema(many.Schema()), ipc.WithZstd())
	if err := errors.Join(f.Write(many), f.Close()); err != nil {
		t.Fatal(err)
	}
	var none bytes.Buffer // rows without columns
	schema := arrow.NewSchema(nil, nil)
	f = ipc.NewWriter(&none, ipc.WithSchema(schema))
	if err := errors.Join(f.Write(array.NewRecordBatch(schema, nil, 1<<31-1)), f.Close()); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string][]byte{"metadata": metadata, "body": claim(t, data, 1<<60), "less": claim(t, data, 1<<31), "compressed": zipped.Bytes(), "rows": none.Bytes()} {
		to := newWorld(t)
		if _, err := ReadLimited(to, bytes.NewReader(in), 1<<20, ecs.Optional(ecs.Read[Health]())); err == nil || !strings.Contains(err.Error(), "exceeds limit") || to.Len() > 0 {
			t.Errorf("%s: %v and %d entities", name, err, to.Len())
		}
	}
}

// claim changes the body length of the second message of a stream, which is the first batch.
func claim(t *testing.T, data []byte, n int64) []byte {
	t.Helper()
	data = bytes.Clone(data)
	first := 8 + int(binary.LittleEndian.Uint32(data[4:]))
	length := int(binary.LittleEndian.Uint32(data[first+4:]))
	body := int64(len(data) - first - 8 - length - 8) // without the end of the stream
	at := bytes.Index(data[first:first+8+length], binary.LittleEndian.AppendUint64(nil, uint64(body)))
	if at < 0 {
		t.Fatalf("no length of %d in the metadata", body)
	}
	binary.LittleEndian.PutUint64(data[first+at:], uint64(n))
	return data
}

// TestReadOtherForms checks that other file formats are recognized, and that the error says how to
// read them.
func TestReadOtherForms(t *testing.T) {
	var file bytes.Buffer
	if err := newOf(t, newMovingWorld(t, 10), moving...).WriteFile(&file); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{file.String(): "file form of Arrow's IPC", "PAR1 and more": "a Parquet file"} {
		if _, err := Read(newWorld(t), strings.NewReader(in), moving...); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "to an Importer") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Touchy is a shared value whose methods panic at a chosen call.
type Touchy struct {
	ecs.Shared
	N int64
}

var touch, touchAt int

func (v Touchy) Hash() uint64 {
	if touch++; touch == touchAt {
		panic("a hash that panics")
	}
	return uint64(v.N % 3)
}

func (v Touchy) Equal(o Touchy) bool {
	if touch++; touch == touchAt {
		panic("a comparison that panics")
	}
	return v.N == o.N
}

// TestImportPanics lets each call of a shared value's method panic. No part of the batch may remain.
// The importer must accept the batch when it is added again, even if batches wait for Close.
func TestImportPanics(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "entity", Type: arrow.PrimitiveTypes.Int64}, {Name: "Touchy.N", Type: arrow.PrimitiveTypes.Int64}, {Name: "Target.Entity", Type: arrow.PrimitiveTypes.Int64}}, nil)
	part := func(ids ...int64) arrow.RecordBatch {
		n := make([]int64, len(ids))
		for i := range n {
			n[i] = int64(i % 4)
		}
		return array.NewRecordBatch(schema, []arrow.Array{int64s(nil, ids...), int64s(nil, n...), int64s(nil, ids...)}, int64(len(ids)))
	}
	caught := func(f func() error) (err error, panicked bool) {
		defer func() {
			if v := recover(); v != nil {
				panicked = true
			}
		}()
		return f(), false
	}
	one := func(i int64) int64 { return 1<<32 | i }
	for name, ids := range map[string][]int64{"in order": {one(2), one(3), one(4), one(5), one(6)}, "jumbled": {one(6), one(4), one(5), one(3), one(2)}, "others": {7, 5, 6, 8}} {
		panics := 0
		for k := 1; k < 60; k++ {
			w := newWorld(t)
			im, err := NewImporter(w, ecs.With[Touchy](), ecs.Read[Target]())
			if err != nil {
				t.Fatal(err)
			}
			touchAt = 0
			if err := im.Add(part(one(0), one(1))); err != nil {
				t.Fatal(err)
			}
			touch, touchAt = 0, k
			err, panicked := caught(func() error { return im.Add(part(ids...)) })
			touchAt = 0
			if err != nil || panicked && w.Len() != 2 {
				t.Fatalf("%s, call %d: %d entities, %v", name, k, w.Len(), err)
			}
			if panicked {
				panics++
				if err := im.Add(part(ids...)); err != nil {
					t.Fatalf("%s, call %d: again: %v", name, k, err)
				}
			}
			touch, touchAt = 0, k
			_, panicked = caught(func() error { _, err := im.Close(); return err })
			touchAt = 0
			if want := 2 + len(ids); !panicked && w.Len() != want || panicked && w.Len() != 2 {
				t.Fatalf("%s, call %d in Close, panic %v: %d entities", name, k, panicked, w.Len())
			}
			for e := range w.Entities() {
				if p, err := ecs.Get[Target](w, e); err != nil || !panicked && p.Entity != e {
					t.Fatalf("%s, call %d: %v refers to %v: %v", name, k, e, p.Entity, err)
				}
			}
			if panicked {
				panics++
			}
		}
		if panics < 3 {
			t.Errorf("%s: %d panics: too few for a test", name, panics)
		}
	}
}
