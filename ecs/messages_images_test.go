package ecs

import (
	"math"
	"reflect"
)

// builders gives builders of images what is not right.
func (c *collector) builders() {
	_, err := dynamic{}.FindComponent("github.com/lanewise/lanewise/ecs.Prefap")
	c.err(err)
	_, err = dynamic{}.FindComponent("Prefab")
	c.err(err)
	RegisterComponent[twin]()
	func() {
		type twin struct{ N int32 }
		RegisterComponent[twin]()
	}()
	_, err = dynamic{}.FindComponent(fullName(reflect.TypeFor[twin]()))
	c.err(err)
	c.err(newBuilder().State(imageState{Free: []Entity{{-1, 1}}}))
	c.err(newBuilder().Shared(imageValues{Component: reflect.TypeFor[A]()}))
	c.err(newBuilder().Archetype(imageSet{Groups: []imageChunks{{Values: []int32{1}}}}))
	b := newBuilder()
	grump := imageValues{Component: reflect.TypeFor[grumpy](), Values: []any{grumpy{}, grumpy{N: 1}}}
	func() {
		defer func() { recover() }()
		b.Shared(grump)
	}()
	c.err(b.Shared(grump))
	_, err = newBuilder().Chunk(imageRows{}, 1)
	c.err(err)
	b = newBuilder()
	b.Close()
	c.err(b.State(imageState{}))
	b = newBuilder()
	must(c.t, b.Archetype(imageSet{Components: []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[Buf](), reflect.TypeFor[Buffer[bool]]()}}))
	chunk, err := b.Chunk(imageRows{}, 1)
	must(c.t, err)
	c.panics(func() { room.BufferOf(&chunk.Parts[0], 0) })
	c.panics(func() { room.HashOf(new(imagePart)) })
	c.panics(func() { room.BufferOf(&chunk.Parts[2], 1) })
	c.panics(func() { room.BufferOf(nil, 0) })
	c.err(room.SetBuffer(&chunk.Parts[2], 0, []byte{1}, 8))
	c.err(room.SetBuffer(&chunk.Parts[2], 0, make([]byte, 8), 1))
	c.err(room.SetBuffer(&chunk.Parts[1], 0, nil, math.MaxInt32)) // elements of one byte: the limit is the same on 32 bits
	chunk.Entities[0] = Entity{0, 1}
	chunk.Filled()
	c.panics(func() { room.SetBuffer(&chunk.Parts[2], 0, nil, 0) })
	m, err := b.Image()
	must(c.t, err)
	c.err(b.State(imageState{}))
	own := room.ChunkOf(m, 0, 0).Parts[2]
	c.panics(func() { room.SetBuffer(&own, 0, nil, 0) })
	c.panics(func() { room.ChunkOf(m, 0, 1) })
	b = newBuilder()
	must(c.t, b.Archetype(imageSet{}))
	_, err = b.Chunk(imageRows{}, 2)
	must(c.t, err)
	_, err = b.Image()
	c.err(err)
	c.buildersFor()
}

// buildersFor makes images for worlds that cannot have one, or not do everything meanwhile.
func (c *collector) buildersFor() {
	c.err(room.NoBuilder().State(imageState{}))
	w, b := newWorld(c.t, 1), newBuilder()
	must(c.t, b.State(imageState{For: w}))
	must(c.t, b.Archetype(imageSet{}))
	own, err := b.Chunk(imageRows{}, 2000)
	must(c.t, err)
	for i := range own.Entities {
		own.Entities[i] = Entity{int32(i), 1}
	}
	m, err := b.Image()
	must(c.t, err)
	c.err(mem.Compact(w))
	must(c.t, m.Release())
}

// arrivals lets arrive what, or where, it cannot.
func (c *collector) arrivals() {
	src, w := newWorld(c.t, 1), newWorld(c.t, 1)
	src.Spawn(A{})
	m, err := Capture(src, nil)
	must(c.t, err)
	c.err(come.NoArrival().Begin(w))
	errs[*arrival](c)(come.NewArrival(nil))
	errs[*arrival](c)(come.NewArrival(m, nil))
	errs[*arrival](c)(come.NewArrival(m, A{}))
	errs[*arrival](c)(come.NewArrival(m, Sh{}, Sh{}))
	a, err := come.NewArrival(m)
	must(c.t, err)
	errs[int](c)(a.Admit(1))
	c.err(a.Begin(nil))
	must(c.t, a.Begin(w))
	c.err(a.Begin(w))
	image, err := Capture(w, nil)
	must(c.t, err)
	must(c.t, Restore(w, image))
	clone := a.Clone().(*arrival)
	errs[int](c)(a.Admit(1))
	errs[int](c)(clone.Withdraw(1))
	b, err := come.NewArrival(m)
	must(c.t, err)
	d, err := come.NewArrival(m)
	must(c.t, err)
	must(c.t, b.Begin(w))
	must(c.t, m.Release())
	c.err(d.Begin(w))
	errs[int](c)(b.Admit(1))
	c.err(d.LoadState(w, nil))
	c.resumed()
}

// resumed makes arrivals go on where they cannot.
func (c *collector) resumed() {
	src, w := newWorld(c.t, 1), newWorld(c.t, 1)
	src.Spawn(A{})
	m, err := Capture(src, nil)
	must(c.t, err)
	a, err := come.NewArrival(m)
	must(c.t, err)
	c.err(a.Resume())
	c.err(a.LoadState(nil, nil))
	c.err(a.LoadState(w, []byte{1, 2}))
	must(c.t, a.Begin(w))
	c.err(a.LoadState(w, nil))
	reserved := a.AppendState(nil)
	before := newWorld(c.t, 1)
	before.Spawn(A{})
	b, err := come.NewArrival(m)
	must(c.t, err)
	c.err(b.LoadState(before, reserved))
	before.arrivals.all = false // as if it came out of a file
	c.err(b.LoadState(before, reserved))
	var none arrival
	must(c.t, none.LoadState(w, reserved))
	errs[int](c)(none.Admit(1))
	_, err = a.Admit(1)
	must(c.t, err)
	c.err(b.LoadState(w, reserved))
	more := arrival{ids: []Entity{a.ids[0], w.Spawn(A{})}, came: 2}
	c.err(come.NoArrival().LoadState(w, more.AppendState(nil)))
	of := newWorld(c.t, 1)
	meta := tools.MetaOf(of, of.Spawn(PerChunk[B]{}))
	came := arrival{ids: []Entity{meta}, came: 1}
	c.err(come.NoArrival().LoadState(of, came.AppendState(nil)))
}

// puts gives values of types that are known at run time only.
func (c *collector) puts() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{})
	c.err(tools.PutValueOf(nil, e, reflect.TypeFor[A](), A{}))
	c.err(tools.PutValueOf(w, e, nil, A{}))
	c.err(tools.PutValueOf(w, e, reflect.TypeFor[A](), B{}))
	c.err(tools.PutValueOf(w, e, reflect.TypeFor[Buf](), Buf{}))
	c.err(tools.PutValueOf(w, Entity{9, 9}, reflect.TypeFor[A](), A{}))
	c.err(tools.PutValueOf(w, e, reflect.TypeFor[*A](), &A{}))
	c.err(tools.PutValueOf(w, e, reflect.TypeFor[ChunkHeader](), ChunkHeader{}))
}

// restores asks for a Restore when, or of what, there is none.
func (c *collector) restores() {
	w := newWorld(c.t, 1)
	w.Spawn(A{})
	m, err := Capture(w, nil)
	must(c.t, err)
	c.err(Restore(nil, m))
	c.promisedRestores()
	gone := w.Commands().Parallel()
	must(c.t, Restore(w, m))
	c.panics(func() { gone.For(nil) })
	c.err(Restore(w, nil))
	plumb.BeginUpdate(w, "steer")
	c.err(Restore(w, m))
	plumb.EndUpdate(w, "")
	tx, err := lending.Begin(w)
	must(c.t, err)
	tx.Schedule(transactionFunc(func(inner *World) error {
		c.err(Restore(inner, m))
		c.err(newBuilder().State(imageState{For: inner}))
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
		if method != "Retain" || len(w.promises) == 0 {
			return
		}
		c.err(Restore(w, m))
		_, err := Capture(w, nil)
		c.err(err)
	}
	defer func() { barrier = func(string) {} }()
	var made Entity
	own := w.Commands()
	early(c.t, w, own, true, func(b *Commands) { made = returns1(b.Spawn(A{7})) }, func(b *Commands) {
		must(c.t, Add(b, at, two{made, made}))
		must(c.t, Add(b, at, gated{N: 3}))
	})
	must(c.t, own.Playback(w))
}

func returns1(e Entity, _ error) Entity { return e }
