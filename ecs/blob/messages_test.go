package blob

import (
	"flag"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// TestMessages causes every error by a misuse, and compares the messages with testdata. It
// fails if the source contains a message that no misuse in this file causes.
func TestMessages(t *testing.T) {
	c := &collector{messages.List{T: t}}
	c.misuseRefs()
	c.Compare(*updateMessages, 30)
}

// collector misuses the package.
type collector struct{ messages.List }

// collectError keeps the message of an error and ignores the value.
func collectError[T any](c *collector) func(T, error) {
	return func(_ T, err error) {
		c.T.Helper()
		c.Err(err)
	}
}

// misuseRefs misuses references and builders.
func (c *collector) misuseRefs() {
	ref := newTrack(3)
	v := ref.Get()
	var none Ref[circuit]
	c.Err(none.Dispose())
	c.Panics(func() { (Ref[ring]{id: ref.id}).Get() })
	loose := v.Rings
	c.Panics(func() { loose.Slice() })
	c.Panics(func() { new(String).Len() })
	c.Panics(func() { v.Rings.At(99) })
	var foreign point
	for _, build := range []func(b *Builder, v *circuit){
		func(b *Builder, v *circuit) { v.Rings.Make(b, 1); v.Rings.Slice() },
		func(b *Builder, v *circuit) { r := v.Rings; r.Make(b, 1) },
		func(_ *Builder, v *circuit) { *v = *ref.Get() },
		func(b *Builder, v *circuit) { v.Best.Set(b, &foreign) },
		func(b *Builder, v *circuit) { v.Best.Set(b, nil) },
		func(b *Builder, _ *circuit) { new(Array[uint16]).Make(b, 1) },
		func(b *Builder, v *circuit) { v.Rings.Make(b, -1) },
		func(b *Builder, v *circuit) { v.Spare.Make(b, 1<<28) },
		func(_ *Builder, v *circuit) { v.Rings.Make(nil, 1) },
		func(b *Builder, _ *circuit) { ref.Get().Rings.Make(b, 1) },
	} {
		c.Panics(func() { New(build) })
	}
	c.Panics(func() { New(func(*Builder, *struct{ N int }) {}) })
	c.Panics(func() { New(func(*Builder, *struct{ S string }) {}) })
	c.Panics(func() { New(func(*Builder, *struct{ A [2]struct{ S []byte } }) {}) })
	c.Panics(func() { New(func(*Builder, *struct{ A Array[*int32] }) {}) })
	c.Panics(func() { New(func(*Builder, *struct{ M map[int32]int32 }) {}) })
	c.Panics(func() { New(func(*Builder, *struct{}) {}) })
	c.maxBytes()
	must(c.T, ref.Dispose())
	c.Err(ref.Dispose())
	c.Panics(func() { ref.Get() })
	c.Panics(func() { v.Best.Get() })
}

// blobSizeLimit loads bytes that are not a blob.
func (c *collector) maxBytes() {
	type list struct {
		Values Array[int32] // first, and of the same size on every CPU
		On     bool
	}
	other := New(func(*Builder, *trackOthers) {})
	collectError[[]byte](c)(other.Bytes())
	must(c.T, other.Dispose())
	collectError[Ref[trackOthers]](c)(Load[trackOthers](nil))
	ref := New(func(b *Builder, v *list) { v.Values.Set(b, 1, 2, 3) })
	data, err := ref.Bytes()
	must(c.T, err)
	must(c.T, ref.Dispose())
	body := headerBytes + 2*pieceBytes
	for _, at := range []int{
		0, 8, 20, // the magic, the type, the length
		headerBytes, body - pieceBytes + 2, // the places of pieces
		body, body + 16, // the contents of pieces
	} {
		data[at] += 16
		collectError[Ref[list]](c)(Load[list](data))
		data[at] -= 16
	}
	c.anyBlobs()
}

// anyBlobs misuses blobs through Any, which hides their type.
func (c *collector) anyBlobs() {
	type wide struct {
		N int8
		_ [1 << 21]int8
	}
	type list struct{ Wide Array[wide] }
	of := reflect.TypeFor[Ref[list]]()
	c.Panics(func() { Of(1) })
	c.Panics(func() { At(reflect.TypeFor[int](), nil) })
	c.Err(Any{}.Dispose())
	ref := New(func(b *Builder, v *list) { v.Wide.Make(b, 1) })
	own := Of(ref)
	shape, data, err := own.Portable()
	must(c.T, err)
	load := func(t reflect.Type, shape string, data []byte) {
		_, err := LoadPortable(t, shape, data)
		c.Err(err)
	}
	load(reflect.TypeFor[int](), shape, data)
	load(of, "f4", data)
	load(of, shape, data[:7])
	load(of, shape, []byte{1, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0})
	load(of, shape, append([]byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0}, make([]byte, 1028)...))
	data[20] = 9
	load(of, shape, data)
	must(c.T, ref.Dispose())
	c.Err(own.Dispose())
	failed := func(_ string, _ []byte, err error) { c.Err(err) }
	failed(Any{}.Portable())
	failed(own.Portable())
	other := New(func(*Builder, *trackOthers) {})
	failed(Of(other).Portable())
	load(reflect.TypeFor[Ref[trackOthers]](), "", nil)
	must(c.T, other.Dispose())
}
