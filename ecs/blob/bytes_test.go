package blob

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"unsafe"
)

// TestBytes writes blobs to bytes and loads them at other addresses.
func TestBytes(t *testing.T) {
	for n := range 12 {
		ref := newTrack(n)
		data, err := ref.Bytes()
		must(t, err)
		again, err := Load[circuit](append(make([]byte, n), data...)[n:]) // unaligned
		must(t, err)
		must(t, ref.Dispose())
		checkTrack(t, again, n)
		if same, err := again.Bytes(); err != nil || !bytes.Equal(same, data) {
			t.Errorf("circuit %d: other bytes the second time, error %v", n, err)
		}
		if d := blobTable.lookup(again.id).data; &data[len(data)-1] == &d[len(d)-1] || again == ref {
			t.Error("the blob is the old one")
		}
		must(t, again.Dispose())
	}
}

type (
	trackLater  struct{ circuit } // the fields of a circuit, at another offset in the hash
	trackReal   struct{ X, Y float64 }
	trackOthers struct{ To Ref[circuit] }
)

func TestWrongBytes(t *testing.T) {
	before := Count()
	ref := newTrack(3)
	defer ref.Dispose()
	data, err := ref.Bytes()
	must(t, err)
	pieces := int(binary.LittleEndian.Uint32(data[16:]))
	body := headerBytes + pieces*pieceBytes
	for _, c := range []struct {
		name string
		at   int
		put  []byte
	}{
		{"another beginning", 0, []byte{'x'}},
		{"another version", 7, []byte{9}},
		{"another type", 8, []byte{data[8] + 1}},
		{"fewer pieces", 16, []byte{data[16] - 1}},
		{"as many as fit 32 bits", 16, []byte{255, 255, 255, 255}},
		{"more data", 20, []byte{data[20] + 16}},
		{"as much as fits 32 bits", 20, []byte{255, 255, 255, 255}},
		{"a root elsewhere", headerBytes, []byte{16}},
		{"two roots", headerBytes + 4, []byte{2}},
		{"a root of another type", headerBytes + 8, []byte{1}},
		{"a piece inside another", headerBytes + pieceBytes, []byte{0, 0, 0, 0}},
		{"a piece past the end", headerBytes + pieceBytes*(pieces-1), []byte{0, 0, 0, 1}},
		{"a piece of none", headerBytes + pieceBytes + 4, []byte{0, 0, 0, 0}},
		{"a piece of too many", headerBytes + pieceBytes*(pieces-1) + 4, []byte{255, 255, 255, 255}},
		{"a piece of no type", headerBytes + pieceBytes + 8, []byte{99}},
		{"a field that leads elsewhere", body, []byte{data[body] + 1}},
		{"a longer field", body + 4, []byte{data[body+4] + 1}},
		{"an empty field with a place", body + 4, []byte{0, 0, 0, 0}},
		{"a field of another blob", body + 8, []byte{1}},
	} {
		wrong := slices.Clone(data)
		if copy(wrong[c.at:], c.put); bytes.Equal(wrong, data) {
			t.Errorf("%s: nothing was changed", c.name)
		}
		if got, err := Load[circuit](wrong); !errors.Is(err, ErrArgument) || got != (Ref[circuit]{}) {
			t.Errorf("%s: got %v, %v", c.name, got, err)
		}
	}
	for n := range data { // every prefix
		if _, err := Load[circuit](data[:n]); !errors.Is(err, ErrArgument) {
			t.Errorf("%d bytes of %d: error %v", n, len(data), err)
		}
	}
	_, err = Load[ring](data)
	wantCategory(t, ErrArgument, err)
	_, err = Load[trackReal](data)
	wantCategory(t, ErrArgument, err)
	_, err = Load[trackLater](data)
	wantCategory(t, ErrArgument, err)
	_, err = Load[struct{ Name string }](data)
	wantCategory(t, ErrArgument, err)
	_, err = Load[trackOthers](data)
	wantCategory(t, ErrArgument, err)
	if got := Count(); got != before+1 {
		t.Errorf("%d blobs, want %d: wrong bytes have made some", got, before+1)
	}
}

// FuzzLoad loads a blob from arbitrary bytes, and reads it to its last element. No element may be
// outside of the blob.
func FuzzLoad(f *testing.F) {
	for n := range 4 {
		ref := newTrack(n)
		data, err := ref.Bytes()
		must(f, err)
		must(f, ref.Dispose())
		f.Add(uint16(0), byte(0), data)
		for at := range data[8:] {
			if at%29 == 0 {
				f.Add(uint16(8+at), byte(1), data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, at uint16, by byte, data []byte) {
		if len(data) == 0 {
			return
		}
		data = slices.Clone(data)
		data[int(at)%len(data)] += by
		ref, err := Load[circuit](data)
		if err != nil {
			wantCategory(t, ErrArgument, err)
			return
		}
		defer ref.Dispose()
		v, room := ref.Get(), uintptr(len(blobTable.lookup(ref.id).data))
		start := addressOf(v)
		inside := func(p []byte) {
			if len(p) > 0 && addressOf(&p[0])-start+uintptr(len(p)) > room {
				t.Errorf("%d bytes lie outside", len(p))
			}
		}
		inside(bytesOf(v.Spare.Slice()))
		inside(bytesOf(v.Rings.Slice()))
		for i := range v.Rings.Len() {
			r := v.Rings.At(i)
			inside(bytesOf(r.Points.Slice()))
			inside(bytesOf(r.Tags.Slice()))
			for j := range r.Tags.Slice() {
				tag := r.Tags.At(j).String()
				inside(unsafe.Slice(unsafe.StringData(tag), len(tag)))
			}
		}
		for p, n := v.First.Get(), 0; p != nil && n < 100; p, n = p.Next.Get(), n+1 {
			inside(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
		}
		if p := v.Best.Get(); p != nil {
			inside(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
		}
	})
}

func TestContains(t *testing.T) {
	// These pointers point to fields of fields, and to elements of arrays in such fields.
	type (
		inner struct {
			A int32
			P [4]point
		}
		outer struct {
			Name  String
			Inner [2]inner
			To    Ptr[point]
			Text  Ptr[String]
			Other Ptr[inner]
			Blob  Ref[circuit]
		}
		plain struct {
			Name  String
			Inner [2]inner
			To    Ptr[point]
			Text  Ptr[String]
			Other Ptr[inner]
		}
	)
	ref := New(func(b *Builder, v *plain) {
		v.Name.Set(b, "name")
		v.Inner[1].P[3] = point{1, 2}
		v.To.Set(b, &v.Inner[1].P[3])
		v.Text.Set(b, &v.Name)
		v.Other.Set(b, &v.Inner[1])
	})
	defer ref.Dispose()
	data, err := ref.Bytes()
	must(t, err)
	again, err := Load[plain](data)
	must(t, err)
	defer again.Dispose()
	if v := again.Get(); *v.To.Get() != (point{1, 2}) || v.Text.Get().String() != "name" || v.Other.Get().P[3] != (point{1, 2}) {
		t.Error("pointers lead elsewhere")
	}
	refs := New(func(_ *Builder, v *outer) { v.Inner[0].A = 1 })
	defer refs.Dispose()
	_, err = refs.Bytes()
	wantCategory(t, ErrState, err)

	for _, c := range []struct {
		at   uintptr
		want bool
	}{{0, false}, {16, false}, {20, true}, {24, false}, {28, true}, {52, false}, {56, true}, {88, false}, {96, false}, {4000, false}} {
		l, err := layoutOf[plain]("test")
		must(t, err)
		if got := contains(l.types[0].typ, c.at, l.types[l.types[0].fields[1].elem].typ); got != c.want {
			t.Errorf("a point at %d: %v", c.at, got)
		}
	}
}
