package frames

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/lanewise/lanewise/ecs"
)

// writeFrames returns four bytes of head followed by two frames, of which the second is long.
func writeFrames(t *testing.T, long int) []byte {
	t.Helper()
	b := bytes.NewBufferString("head")
	var o Out
	o.Begin(7)
	o.U32(1)
	o.F64(2.5)
	o.Text("text")
	o.Flag(true)
	o.Maybe(nil)
	o.Maybe([]byte{3})
	o.Entity(ecs.Entity{Index: 4, Version: 5})
	o.Places([]int32{6, -1})
	if err := o.Send(b); err != nil {
		t.Fatal(err)
	}
	o.Begin(8)
	o.Buf = append(o.Buf, make([]byte, long)...)
	if err := o.Send(b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readAll(from io.Reader) (list []Frame, err error) {
	r := &Reader{Source: from, MaxPayload: 4 * firstAllocation}
	if err := r.Full(make([]byte, 4)); err != nil {
		return nil, err
	}
	for {
		at := r.Offset
		f, err := r.Next(make([]byte, 3, 1000)) // a memory of any length will do
		if err == io.EOF && r.Received == at {
			return list, r.End()
		}
		if err != nil {
			return list, err
		}
		if !f.Whole() {
			return list, io.ErrNoProgress
		}
		list = append(list, f)
	}
}

func TestFrames(t *testing.T) {
	b := writeFrames(t, 3*firstAllocation)
	for _, from := range []io.Reader{bytes.NewReader(b), iotest.HalfReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
		list, err := readAll(from)
		if err != io.EOF || len(list) != 2 || list[0].Kind() != 7 || list[1].Kind() != 8 || list[0].Offset != 4 || len(list[1].Body().Rest) != 3*firstAllocation {
			t.Fatalf("%d frames, %v", len(list), err)
		}
		d := list[0].Body()
		if d.U32() != 1 || d.F64() != 2.5 || d.Text() != "text" || !d.Flag() || d.Maybe() != nil || !bytes.Equal(d.Maybe(), []byte{3}) ||
			!slices.Equal(d.Entities(1), []ecs.Entity{{Index: 4, Version: 5}}) || !slices.Equal(d.Places(), []int32{6, -1}) || !d.Done() {
			t.Error("other values")
		}
	}
}

// The reader must notice a file that is cut at any byte, and each changed byte.
func TestDamage(t *testing.T) {
	b := writeFrames(t, 300)
	for cut := range 200 {
		if _, err := readAll(bytes.NewReader(b[:cut])); !Ended(err) || (cut == 4 || cut == 77) != (err == io.EOF) && cut > 0 {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	for at := 4; at < 200; at++ {
		c := slices.Clone(b)
		c[at] ^= 0x10
		if list, err := readAll(bytes.NewReader(c)); err == io.EOF || len(list) > 1 {
			t.Errorf("changed at %d: %d frames, %v", at, len(list), err)
		}
	}
	bad := errors.New("bad disk")
	if _, err := readAll(io.MultiReader(bytes.NewReader(b[:50]), iotest.ErrReader(bad))); err != bad || Ended(err) {
		t.Error(err)
	}
}

// For a frame with a false large length, the reader must allocate memory only for the bytes that
// arrive.
func TestTooLong(t *testing.T) {
	var o Out
	for _, size := range []uint64{1 << 30, 1 << 60, math.MaxUint64} {
		o.Buf = o.Buf[:0]
		o.U32(1)
		o.U64(size)
		r := Reader{Source: bytes.NewReader(o.Buf), MaxPayload: math.MaxInt64, MaxBytes: 1 << 29}
		long := (*TooLong)(nil)
		if _, err := r.Next(nil); !errors.As(err, &long) || long.Bytes != size || long.Error() == "" {
			t.Error(err)
		}
	}
	o.Buf = o.Buf[:0]
	o.U32(1)
	o.U64(1 << 28)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := (&Reader{Source: bytes.NewReader(o.Buf), MaxPayload: 1 << 30}).Next(nil)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 || !Ended(err) {
		t.Errorf("%d bytes, %v", used, err)
	}
}

// Lent must return frames in memory without a copy. Lent must not return a frame that is incomplete
// or too long, and must not move past it, so that Next can return the error.
func TestLent(t *testing.T) {
	b := writeFrames(t, 300)
	from := bytes.NewBuffer(b)
	r := &Reader{Source: from, MaxPayload: 1000}
	if err := r.Full(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if _, lent := r.Lent(8); lent {
		t.Error("a frame of another kind is lent")
	}
	first, lent := r.Lent(7, 8)
	if !lent || !first.Whole() || first.Offset != 4 || &first.Bytes[0] != &b[4] {
		t.Error("the first frame is not lent")
	}
	second, err := r.Next(nil)
	if err != nil || !second.Whole() || second.Offset != 4+int64(len(first.Bytes)) || r.Offset != int64(len(b)) || r.Received != r.Offset {
		t.Error(err)
	}
	for _, own := range []*Reader{
		{Source: bytes.NewBuffer(b[4:]), MaxPayload: 10}, {Source: bytes.NewBuffer(b[4:]), MaxPayload: 1000, MaxBytes: 20},
		{Source: bytes.NewBuffer(b[4:20]), MaxPayload: 1000}, {Source: bytes.NewBuffer(nil)}, {Source: bytes.NewReader(b[4:]), MaxPayload: 1000},
	} {
		if _, lent := own.Lent(7); lent || own.Offset != 0 {
			t.Error("it is lent")
		}
	}
}

func TestNames(t *testing.T) {
	var o Out
	o.Count(2)
	for i, name := range []string{"wheel", ""} {
		o.Entity(ecs.Entity{Index: int32(i), Version: 3})
		o.Text(name)
	}
	want := []ecs.ImageName{{Entity: ecs.Entity{Version: 3}, Name: "wheel"}, {Entity: ecs.Entity{Index: 1, Version: 3}}}
	if d := (&In{Rest: o.Buf}); !slices.Equal(d.Names(nil, string(o.Buf)), want) || !d.Done() {
		t.Error("other names")
	}
	for cut := 4; cut < len(o.Buf); cut++ {
		if d := (&In{Rest: o.Buf[:cut]}); d.Names(nil, string(o.Buf[:cut])) != nil && !d.Failed {
			t.Errorf("cut at %d", cut)
		}
	}
}

// If the bytes end too early, a read must return zero, and all later reads must return zero too.
func TestIn(t *testing.T) {
	for _, read := range []func(d *In){
		func(d *In) { d.U64() }, func(d *In) { d.Text() }, func(d *In) { d.Count(1) }, func(d *In) { d.Flag() },
		func(d *In) { d.Maybe() }, func(d *In) { d.Places() }, func(d *In) { d.Take(5) },
	} {
		d := &In{Rest: []byte{9, 0, 0, 0}}
		if read(d); !d.Failed || d.U32() != 0 || d.U64() != 0 || d.Take(1) != nil || d.Text() != "" || d.Done() {
			t.Error("it goes on")
		}
	}
	var o Out
	o.F64(math.Inf(1))
	if d := (&In{Rest: o.Buf}); d.F64() == 0 || !d.Failed {
		t.Error("an infinite number")
	}
}
