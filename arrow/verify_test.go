package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/ecs"
)

// manyKinds returns a stream with columns of every kind that contains other columns, offsets or views.
func manyKinds(t *testing.T, options ...ipc.Option) []byte {
	t.Helper()
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: number, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.StringView, Nullable: true})
	list := []arrow.DataType{
		arrow.PrimitiveTypes.Int64, number, arrow.ListOf(text), inner, arrow.BinaryTypes.StringView, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}, arrow.FixedSizeListOf(2, number), arrow.MapOf(text, number),
		arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: number, Nullable: true}}, []arrow.UnionTypeCode{5}), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, number), arrow.FixedWidthTypes.Boolean,
	}
	names := []string{"entity", "Health"}
	var fields []arrow.Field
	for i, k := range list {
		if i >= len(names) {
			names = append(names, fmt.Sprint("column", i))
		}
		fields = append(fields, arrow.Field{Name: names[i], Type: k, Nullable: i > 0, Metadata: arrow.MetadataFrom(map[string]string{"unit": "m"})})
	}
	about := arrow.MetadataFrom(map[string]string{"made by": "a test"})
	schema := arrow.NewSchema(fields, &about)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
	const row = `{"entity":5,"Health":1,"column2":["a","b"],"column3":{"a":1,"b":"a text of more than twelve bytes"},"column4":"another text that is not short","column5":"2024-01-01 00:00:00Z","column6":"red","column7":[1,2],"column8":[{"key":"k","value":1}],"column9":[5,1],"column10":1,"column11":true}`
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+row+","+strings.Replace(row, ":5,", ":6,", 1)+"]"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(b), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// allocated returns the number of bytes that this process has allocated since its start.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// readHostile reads a stream with a limit of 1 MiB. Read must be fast, stay close to the memory limit,
// and leave the world unchanged if it fails.
func readHostile(t *testing.T, name string, in []byte) error {
	t.Helper()
	const limit = 1 << 20
	w := ecs.NewWorld("hostile")
	defer w.Close()
	hash, before, began := w.Hash(), allocated(), time.Now()
	_, err := ReadLimited(w, bytes.NewReader(in), limit, ecs.Optional(ecs.Read[Health]()), ecs.Optional(ecs.Read[Position]()))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%s: %v", name, took)
	}
	if took := allocated() - before; took > 20*limit+4*uint64(len(in)) {
		t.Errorf("%s: %d bytes allocated", name, took)
	}
	if err != nil && (w.Len() > 0 || w.Hash() != hash) {
		t.Errorf("%s: %d entities after %v", name, w.Len(), err)
	}
	return err
}

// TestReadDamaged changes each byte of a stream, or four bytes to a large number. Read must report an
// error or accept the stream. It must not allocate memory for data that the stream only claims to
// have.
func TestReadDamaged(t *testing.T) {
	streams := map[string][]byte{
		"own": stream(t, zoo(t, 5, true), ecs.Optional(ecs.Read[Health]()), ecs.Optional(ecs.Read[Position]())).Bytes(),
		"all": manyKinds(t), "zstd": manyKinds(t, ipc.WithZstd()), "lz4": manyKinds(t, ipc.WithLZ4()),
	}
	rng := rand.New(rand.NewPCG(*seed, 2))
	for name, whole := range streams {
		if err := readHostile(t, name, whole); err != nil {
			t.Fatalf("%s: the whole stream: %v", name, err)
		}
		for range max(1, *steps/60) {
			for at := range whole {
				bits := []byte{1 << rng.IntN(8), 0x80, 0xff}[rng.IntN(3)]
				in := bytes.Clone(whole)
				in[at] ^= bits
				_ = readHostile(t, fmt.Sprintf("%s: byte %d of %d, bits %x, -seed %d", name, at, len(whole), bits, *seed), in)
			}
		}
		for range 5 * *steps {
			in := bytes.Clone(whole)
			at := rng.IntN(len(in)/4) * 4
			for range 1 + rng.IntN(3) {
				large := uint32(rng.Uint64N(1<<32)) >> rng.IntN(32)
				binary.LittleEndian.PutUint32(in[at:], large)
				at = rng.IntN(len(in)/4) * 4
			}
			_ = readHostile(t, fmt.Sprintf("%s: -seed %d", name, *seed), in)
		}
	}
}

// pile returns a stream with a schema of nested lists or structs. Each level contains the next one the
// given number of times.
func pile(levels, times int) []byte {
	le := binary.LittleEndian
	var b []byte
	add := func(words ...uint32) {
		for _, w := range words {
			b = le.AppendUint32(b, w)
		}
	}
	half := func(words ...uint16) {
		for _, w := range words {
			b = le.AppendUint16(b, w)
		}
	}
	add(36)                         // offset of the message
	half(10, 16, 0, 4, 8)           // vtable of the message, at 4
	half(8, 8, 0, 4)                // vtable of the schema, at 14
	half(16, 16, 0, 0, 4, 8, 0, 12) // vtable of a column, at 22, and two bytes of padding
	half(0)                         // so that the message is at 40
	le.PutUint32(b, 40)
	add(40-4, schemaMessage, 8, 0) // the header is at 56
	le.PutUint32(b[48:], 56-48)
	add(56-14, 4, 1) // the schema, and its list at 64
	le.PutUint32(b[60:], 4)
	add(4) // the first column is at 72
	le.PutUint32(b[68:], 4)
	kind := uint32(12)
	if times > 1 {
		kind = 13
	}
	for range levels {
		at := uint32(len(b))
		end := at + 16 + 4 + 4*uint32(times)
		add(at-22, kind, 4, 4) // the vtable of the type, which is not read
		le.PutUint32(b[at+12:], 16-12)
		add(uint32(times))
		for range times {
			add(end - uint32(len(b)))
		}
	}
	at := uint32(len(b))
	add(at-22, 1, 8, 4, 0, 0, 0, 0)
	out := le.AppendUint32(le.AppendUint32(nil, 0xffffffff), uint32(len(b)))
	return append(out, b...)
}

// TestReadNested checks that a schema that is too deep is refused before it is decoded. A schema with
// shared columns is refused too, because it can describe more columns than it has bytes.
func TestReadNested(t *testing.T) {
	for _, c := range []struct {
		levels, times int
		want          string
	}{{60, 1, ""}, {100, 1, "more than 64 levels"}, {30_000, 1, "more than 64 levels"}, {60, 2, "exceeds limit"}, {3, 1000, "exceeds limit"}} {
		err := readHostile(t, fmt.Sprint(c), pile(c.levels, c.times))
		if c.want == "" && (err != nil && !errors.Is(err, io.EOF)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d levels of %d: %v, want %q", c.levels, c.times, err, c.want)
		}
	}
	w := newWorld(t)
	if _, err := Read(w, bytes.NewReader(pile(1_000_000, 1)), ecs.Read[Health]()); err == nil || !strings.Contains(err.Error(), "more than 64 levels") {
		t.Error(err)
	}
}

// TestZstdWindow checks that the largest window of several frames is found, even after a skippable
// frame. It also checks that a stream is refused if its window is above the limit.
func TestZstdWindow(t *testing.T) {
	frame := func(about byte, rest ...byte) []byte {
		return append(append([]byte{0x28, 0xb5, 0x2f, 0xfd, about}, rest...), 1<<3|1, 0, 0, 'x') // one block of one byte
	}
	large := frame(0, 16<<3)                                 // window of 64 MiB
	single := frame(32|2<<6, 0, 0, 0, 8)                     // claims 128 MiB
	skipped := []byte{0x51, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7} // nothing
	repeated := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 4, 0}, 0x80|1<<1|1, 0, 0, 'x', 1, 2, 3, 4)
	for _, c := range []struct {
		parts [][]byte
		want  uint64
	}{
		{[][]byte{large}, 64 << 20}, {[][]byte{frame(0, 0), large}, 64 << 20}, {[][]byte{skipped, single}, 128 << 20}, {[][]byte{repeated, large, single}, 128 << 20},
		{[][]byte{frame(0, 0), {1, 2, 3}, large}, 1 << 10}, {[][]byte{large[:6]}, 0}, {nil, 0},
	} {
		if got := zstdWindow(bytes.Join(c.parts, nil)); got != c.want {
			t.Errorf("%x: a window of %d, want %d", c.parts, got, c.want)
		}
	}
	whole := manyKinds(t, ipc.WithZstd())
	at := bytes.LastIndex(whole, []byte{0x28, 0xb5, 0x2f, 0xfd})
	whole[at+4], whole[at+5] = 0, 16<<3
	if err := readHostile(t, "window", whole); err == nil || !strings.Contains(err.Error(), "zstd needs a window of 67108864 bytes, which exceeds limit") {
		t.Error(err)
	}
}
