package ecs

import (
	"math"
	"reflect"
)

// misuseBuilders passes invalid parts to builders of images.
func (c *collector) misuseBuilders() {
	_, err := ComponentByName("github.com/lanewise/lanewise/ecs.Prefap")
	c.err(err)
	_, err = ComponentByName("Prefab")
	c.err(err)
	RegisterComponent[twin]()
	func() {
		type twin struct{ N int32 }
		RegisterComponent[twin]()
	}()
	_, err = ComponentByName(fullName(reflect.TypeFor[twin]()))
	c.err(err)
	c.err(NewImageBuilder().AddState(ImageState{Free: []Entity{{-1, 1}}}))
	c.err(NewImageBuilder().AddShared(ImageShared{Component: reflect.TypeFor[A]()}))
	c.err(NewImageBuilder().AddArchetype(ImageArchetype{Groups: []ImageGroup{{Values: []int32{1}}}}))
	b := NewImageBuilder()
	grump := ImageShared{Component: reflect.TypeFor[grumpy](), Values: []any{grumpy{}, grumpy{N: 1}}}
	func() {
		defer func() { recover() }()
		b.AddShared(grump)
	}()
	c.err(b.AddShared(grump))
	_, err = NewImageBuilder().AddChunk(ImageChunk{}, 1)
	c.err(err)
	b = NewImageBuilder()
	b.Close()
	c.err(b.AddState(ImageState{}))
	b = NewImageBuilder()
	must(c.t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[Buf](), reflect.TypeFor[Buffer[bool]]()}}))
	chunk, err := b.AddChunk(ImageChunk{}, 1)
	must(c.t, err)
	c.collectPanic(func() { chunk.Columns[0].Buffer(0) })
	c.collectPanic(func() { new(ImageColumn).Hash() })
	c.collectPanic(func() { chunk.Columns[2].Buffer(1) })
	c.collectPanic(func() { (*ImageColumn)(nil).Buffer(0) })
	c.err(chunk.Columns[2].SetBuffer(0, []byte{1}, 8))
	c.err(chunk.Columns[2].SetBuffer(0, make([]byte, 8), 1))
	c.err(chunk.Columns[1].SetBuffer(0, nil, math.MaxInt32)) // elements of one byte, so that the limit is the same for 32-bit ints
	chunk.Entities[0] = Entity{0, 1}
	chunk.Filled()
	c.collectPanic(func() { chunk.Columns[2].SetBuffer(0, nil, 0) })
	m, err := b.Image()
	must(c.t, err)
	c.err(b.AddState(ImageState{}))
	own := m.Chunk(0, 0).Columns[2]
	c.collectPanic(func() { own.SetBuffer(0, nil, 0) })
	c.collectPanic(func() { m.Chunk(0, 1) })
	b = NewImageBuilder()
	must(c.t, b.AddArchetype(ImageArchetype{}))
	_, err = b.AddChunk(ImageChunk{}, 2)
	must(c.t, err)
	_, err = b.Image()
	c.err(err)
	c.buildersFor()
}

// buildersFor builds images for worlds that must refuse them. It also calls operations that are
// refused while an image is being built.
func (c *collector) buildersFor() {
	c.err((&ImageBuilder{}).AddState(ImageState{}))
	w, b := newWorld(c.t, 1), NewImageBuilder()
	must(c.t, b.AddState(ImageState{For: w}))
	must(c.t, b.AddArchetype(ImageArchetype{}))
	own, err := b.AddChunk(ImageChunk{}, 2000)
	must(c.t, err)
	for i := range own.Entities {
		own.Entities[i] = Entity{int32(i), 1}
	}
	m, err := b.Image()
	must(c.t, err)
	c.err(Compact(w))
	must(c.t, m.Release())
}

// misuseStreams loads invalid images, and loads into worlds that refuse it.
func (c *collector) misuseStreams() {
	src, w := newWorld(c.t, 1), newWorld(c.t, 1)
	src.Spawn(A{})
	m, err := Capture(src, nil)
	must(c.t, err)
	c.err((&ImageStream{}).Begin(w))
	collectError[*ImageStream](c)(NewImageStream(nil))
	collectError[*ImageStream](c)(NewImageStream(m, nil))
	collectError[*ImageStream](c)(NewImageStream(m, A{}))
	collectError[*ImageStream](c)(NewImageStream(m, Sh{}, Sh{}))
	a, err := NewImageStream(m)
	must(c.t, err)
	collectError[int](c)(a.Load(1))
	c.err(a.Begin(nil))
	must(c.t, a.Begin(w))
	c.err(a.Begin(w))
	image, err := Capture(w, nil)
	must(c.t, err)
	must(c.t, Restore(w, image))
	clone := a.Clone()
	collectError[int](c)(a.Load(1))
	collectError[int](c)(clone.Unload(1))
	b, err := NewImageStream(m)
	must(c.t, err)
	d, err := NewImageStream(m)
	must(c.t, err)
	must(c.t, b.Begin(w))
	must(c.t, m.Release())
	c.err(d.Begin(w))
	collectError[int](c)(b.Load(1))
	c.err(d.LoadState(w, nil))
	c.err((*ImageStream)(nil).LoadState(w, nil))
	c.misuseResume()
}

// misuseResume resumes streams in worlds that refuse it.
func (c *collector) misuseResume() {
	src, w := newWorld(c.t, 1), newWorld(c.t, 1)
	src.Spawn(A{})
	m, err := Capture(src, nil)
	must(c.t, err)
	a, err := NewImageStream(m)
	must(c.t, err)
	c.err(a.Resume())
	c.err(a.LoadState(nil, nil))
	c.err(a.LoadState(w, []byte{1, 2}))
	must(c.t, a.Begin(w))
	c.err(a.LoadState(w, nil))
	reserved := a.AppendState(nil)
	before := newWorld(c.t, 1)
	before.Spawn(A{})
	b, err := NewImageStream(m)
	must(c.t, err)
	c.err(b.LoadState(before, reserved))
	before.streamMarks.knowsAll = false // as if the world came out of a file
	c.err(b.LoadState(before, reserved))
	var none ImageStream
	must(c.t, none.LoadState(w, reserved))
	collectError[int](c)(none.Load(1))
	_, err = a.Load(1)
	must(c.t, err)
	c.err(b.LoadState(w, reserved))
	more := ImageStream{newIDs: []Entity{a.newIDs[0], w.Spawn(A{})}, loadedCount: 2}
	c.err((&ImageStream{}).LoadState(w, more.AppendState(nil)))
	of := newWorld(c.t, 1)
	meta := of.MetaOf(of.Spawn(PerChunk[B]{}))
	came := ImageStream{newIDs: []Entity{meta}, loadedCount: 1}
	c.err((&ImageStream{}).LoadState(of, came.AppendState(nil)))
}

// misusePut passes wrong types and values to functions for types that are known only at run time.
func (c *collector) misusePut() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{})
	c.err((*World)(nil).Untyped().Add(e, reflect.TypeFor[A](), A{}))
	c.err(w.Untyped().Add(e, nil, A{}))
	c.err(w.Untyped().Add(e, reflect.TypeFor[A](), B{}))
	c.err(w.Untyped().Add(e, reflect.TypeFor[Buf](), Buf{}))
	c.err(w.Untyped().Add(Entity{9, 9}, reflect.TypeFor[A](), A{}))
	c.err(w.Untyped().Add(e, reflect.TypeFor[*A](), &A{}))
	c.err(w.Untyped().Add(e, reflect.TypeFor[ChunkHeader](), ChunkHeader{}))
}

// misuseRestore calls Restore when it is refused, or with invalid images.
func (c *collector) misuseRestore() {
	w := newWorld(c.t, 1)
	w.Spawn(A{})
	m, err := Capture(w, nil)
	must(c.t, err)
	c.err(Restore(nil, m))
	c.promisedRestores()
	gone := w.NewCommands().Parallel()
	must(c.t, Restore(w, m))
	c.collectPanic(func() { gone.For(nil) })
	c.err(Restore(w, nil))
	w.Scheduler().BeginUpdate("steer")
	c.err(Restore(w, m))
	w.Scheduler().EndUpdate("")
	tx, err := BeginTransaction(w)
	must(c.t, err)
	tx.Schedule(TransactionFunc(func(inner *World) error {
		c.err(Restore(inner, m))
		c.err(NewImageBuilder().AddState(ImageState{For: inner}))
		return nil
	}))
	must(c.t, tx.End())
	for range w.Query(With[A]()).Chunks() {
		c.err(Restore(w, m))
	}
	RegisterComponent[twin]()
	w.Spawn(twin{})
	func() {
		type twin struct{ N int32 }
		other := newWorld(c.t, 1)
		other.Spawn(twin{})
		m, err := Capture(other, nil)
		must(c.t, err)
		c.err(Restore(w, m))
	}()
}

// promisedRestores asks for a Restore in the middle of a playback.
func (c *collector) promisedRestores() {
	w := newWorld(c.t, 1)
	at := w.Spawn(Tag{})
	m, err := Capture(w, nil)
	must(c.t, err)
	barrier = func(method string) {
		if method != "Retain" || len(w.reservedIDs.list) == 0 {
			return
		}
		c.err(Restore(w, m))
		_, err := Capture(w, nil)
		c.err(err)
	}
	defer func() { barrier = func(string) {} }()
	var made Entity
	own := w.NewCommands()
	recordEarly(c.t, w, own, true, func(b *Commands) { made = returns1(b.Spawn(A{7})) }, func(b *Commands) {
		must(c.t, Add(b, at, two{made, made}))
		must(c.t, Add(b, at, gated{N: 3}))
	})
	must(c.t, own.Playback(w))
}

func returns1(e Entity, _ error) Entity { return e }
