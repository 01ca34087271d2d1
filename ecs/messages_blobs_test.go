package ecs

import "reflect"

// blobs misuses blobs.
func (c *collector) blobs() {
	ref := newTrack(3)
	v := ref.Get()
	var none Blob[circuit]
	c.err(none.Dispose())
	c.panics(func() { (Blob[ring]{id: ref.id}).Get() })
	loose := v.Rings
	c.panics(func() { loose.Slice() })
	c.panics(func() { new(BlobString).Len() })
	c.panics(func() { v.Rings.At(99) })
	var foreign point
	for _, build := range []func(b *BlobBuilder, v *circuit){
		func(b *BlobBuilder, v *circuit) { v.Rings.Make(b, 1); v.Rings.Slice() },
		func(b *BlobBuilder, v *circuit) { r := v.Rings; r.Make(b, 1) },
		func(_ *BlobBuilder, v *circuit) { *v = *ref.Get() },
		func(b *BlobBuilder, v *circuit) { v.Best.Set(b, &foreign) },
		func(b *BlobBuilder, v *circuit) { v.Best.Set(b, nil) },
		func(b *BlobBuilder, _ *circuit) { new(BlobArray[uint16]).Make(b, 1) },
		func(b *BlobBuilder, v *circuit) { v.Rings.Make(b, -1) },
		func(b *BlobBuilder, v *circuit) { v.Spare.Make(b, 1<<28) },
		func(_ *BlobBuilder, v *circuit) { v.Rings.Make(nil, 1) },
		func(b *BlobBuilder, _ *circuit) { ref.Get().Rings.Make(b, 1) },
	} {
		c.panics(func() { NewBlob(build) })
	}
	c.panics(func() { NewBlob(func(*BlobBuilder, *struct{ N int }) {}) })
	c.panics(func() { NewBlob(func(*BlobBuilder, *struct{ S string }) {}) })
	c.panics(func() { NewBlob(func(*BlobBuilder, *struct{ A [2]struct{ S []byte } }) {}) })
	c.panics(func() { NewBlob(func(*BlobBuilder, *struct{ A BlobArray[*int32] }) {}) })
	c.panics(func() { NewBlob(func(*BlobBuilder, *struct{ M map[int32]int32 }) {}) })
	c.panics(func() { NewBlob(func(*BlobBuilder, *Tag) {}) })
	c.blobBytes()
	must(c.t, ref.Dispose())
	c.err(ref.Dispose())
	c.panics(func() { ref.Get() })
	c.panics(func() { v.Best.Get() })
}

// blobBytes loads what is not the bytes of a blob.
func (c *collector) blobBytes() {
	type list struct {
		Values BlobArray[int32] // first, and as large on every CPU
		On     bool
	}
	other := NewBlob(func(*BlobBuilder, *trackOthers) {})
	errs[[]byte](c)(other.Bytes())
	must(c.t, other.Dispose())
	errs[Blob[trackOthers]](c)(LoadBlob[trackOthers](nil))
	ref := NewBlob(func(b *BlobBuilder, v *list) { v.Values.Set(b, 1, 2, 3) })
	data, err := ref.Bytes()
	must(c.t, err)
	must(c.t, ref.Dispose())
	body := blobHeader + 2*pieceBytes
	for _, at := range []int{
		0, 8, 20, // the beginning, the type, the length
		blobHeader, body - pieceBytes + 2, // where pieces are
		body, body + 16, // what is in them
	} {
		data[at] += 16
		errs[Blob[list]](c)(LoadBlob[list](data))
		data[at] -= 16
	}
	c.anyBlobs()
}

// anyBlobs misuses blobs of which the type is not known.
func (c *collector) anyBlobs() {
	type wide struct {
		N int8
		_ [1 << 21]int8
	}
	type list struct{ Wide BlobArray[wide] }
	of := reflect.TypeFor[Blob[list]]()
	c.panics(func() { BlobOf(1) })
	c.panics(func() { BlobAt(reflect.TypeFor[int](), nil) })
	c.err(AnyBlob{}.Dispose())
	ref := NewBlob(func(b *BlobBuilder, v *list) { v.Wide.Make(b, 1) })
	own := BlobOf(ref)
	shape, data, err := own.Portable()
	must(c.t, err)
	load := func(t reflect.Type, shape string, data []byte) {
		_, err := LoadPortable(t, shape, data)
		c.err(err)
	}
	load(reflect.TypeFor[int](), shape, data)
	load(of, "f4", data)
	load(of, shape, data[:7])
	load(of, shape, []byte{1, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0})
	load(of, shape, append([]byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0}, make([]byte, 1028)...))
	data[20] = 9
	load(of, shape, data)
	must(c.t, ref.Dispose())
	c.err(own.Dispose())
	failed := func(_ string, _ []byte, err error) { c.err(err) }
	failed(AnyBlob{}.Portable())
	failed(own.Portable())
	other := NewBlob(func(*BlobBuilder, *trackOthers) {})
	failed(BlobOf(other).Portable())
	load(reflect.TypeFor[Blob[trackOthers]](), "", nil)
	must(c.t, other.Dispose())
	type refers struct{ To Blob[list] }
	b := NewBuilder()
	must(c.t, b.Archetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[refers]()}}))
	chunk, err := b.Chunk(ImageChunk{}, 1)
	must(c.t, err)
	chunk.Entities[0] = Entity{0, 1}
	own.Put(chunk.Parts[0].Lanes[0])
	_, err = b.Image()
	c.err(err)
}
