package blob

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// portableRoot has every kind of field that a blob can have, and padding.
type portableRoot struct {
	On    bool
	Wide  float64
	Names Array[portableName]
	Text  String
	First Ptr[portableName]
	Deep  Ptr[int16]
	Self  Ptr[portableRoot]
	C     complex64
	Many  [3]struct {
		A int8
		B uint32
	}
}

type portableName struct {
	K    uint8
	In   struct{ N [4]int16 }
	Text String
}

func newPortable(t testing.TB) Ref[portableRoot] {
	b := New(func(b *Builder, r *portableRoot) {
		r.On, r.Wide, r.C = true, 0.1, complex(1, 2)
		names := r.Names.Make(b, 3)
		for i := range names {
			names[i].K = uint8(i)
			names[i].In.N = [4]int16{1, 2, 3, int16(i)}
			names[i].Text.Set(b, strings.Repeat("x", i))
		}
		r.Text.Set(b, "root")
		r.First.Set(b, &names[1])
		r.Deep.Set(b, &names[2].In.N[3])
		r.Self.Set(b, r)
		r.Many[1].B = 77
	})
	t.Cleanup(func() { _ = b.Dispose() })
	return b
}

func TestPortable(t *testing.T) {
	b := newPortable(t)
	own := Of(b)
	shape, data, err := own.Portable()
	if err != nil {
		t.Fatal(err)
	}
	if want := "b1f8a1,s2,p1,p3,p0,c8i1u4i1u4i1u4;u1i2*4s2,;u1;i2"; shape != want {
		t.Errorf("the shape is %q, want %q", shape, want)
	}
	back, err := LoadPortable(reflect.TypeFor[Ref[portableRoot]](), shape, data)
	if err != nil {
		t.Fatal(err)
	}
	again := back.Value().(Ref[portableRoot])
	r := again.Get()
	names := r.Names.Slice()
	if r.Text.String() != "root" || r.First.Get() != &names[1] || r.Deep.Get() != &names[2].In.N[3] || r.Self.Get() != r || names[2].Text.String() != "xx" {
		t.Errorf("got %v", r)
	}
	one, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := again.Bytes(); err != nil || !bytes.Equal(one, two) {
		t.Errorf("it has other bytes, %v", err)
	}
	var memory [8]byte
	back.Put(memory[:])
	if At(back.Type(), memory[:]) != back || !back.Exists() || back.Null() || back == own {
		t.Error("it is not what it was made of")
	}
	live := Count()
	for i := range data { // no cut and no change causes a panic
		if _, err := LoadPortable(back.Type(), shape, data[:i]); !errors.Is(err, ErrArgument) {
			t.Errorf("cut at %d: %v", i, err)
		}
		for _, v := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(data)
			bad[i] ^= v
			if got, err := LoadPortable(back.Type(), shape, bad); err == nil {
				_ = got.Value().(Ref[portableRoot]).Get().Names.Len()
				must(t, got.Dispose())
			}
		}
	}
	if n := Count(); n != live {
		t.Errorf("%d blobs are left over", n-live)
	}
	if _, err := LoadPortable(reflect.TypeFor[Ref[int32]](), shape, data); !errors.Is(err, ErrState) {
		t.Error(err)
	}
	must(t, back.Dispose())
	if err := back.Dispose(); !errors.Is(err, ErrDisposed) {
		t.Error(err)
	}
	if _, _, err := back.Portable(); !errors.Is(err, ErrDisposed) {
		t.Error(err)
	}
}
