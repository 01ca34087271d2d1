package ecs

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// rebuild builds an image from the parts of another image, as a program that reads files does.
func rebuild(m *Image) (*Image, error) { return rebuiltBy(NewImageBuilder(), nil, m) }

// rebuiltBy does the work of rebuilt with a given builder. If w is not nil, the image is for w.
func rebuiltBy(b *ImageBuilder, w *World, m *Image) (*Image, error) {
	defer b.Close()
	s := m.State()
	s.For = w
	if err := b.AddState(s); err != nil {
		return nil, err
	}
	for _, s := range m.Shared() {
		if err := b.AddShared(s); err != nil {
			return nil, err
		}
	}
	for i, a := range m.Archetypes() {
		if err := b.AddArchetype(a); err != nil {
			return nil, err
		}
		for j := range a.Chunks {
			if err := rebuildChunk(b, m.Chunk(i, j)); err != nil {
				return nil, err
			}
		}
	}
	return b.Image()
}

func rebuildChunk(b *ImageBuilder, from ImageChunk) error {
	to, err := b.AddChunk(from, len(from.Entities))
	if err == nil {
		err = fillOf(&to, &from)
	}
	if err == nil && from.OrderVersion%2 == 0 { // it is optional
		to.Filled()
	}
	return err
}

// fillOf fills a chunk with the contents of another chunk.
func fillOf(to, from *ImageChunk) error {
	copy(to.Entities, from.Entities)
	for k := range to.Columns {
		p, q := &from.Columns[k], &to.Columns[k]
		q.Version, q.ThroughVersion = p.Version, p.ThroughVersion
		for l := range q.Lanes {
			copy(q.Lanes[l], p.Lanes[l])
		}
		copy(q.On, p.On)
		comp, _ := columnDataOf(p)
		if comp.kind.has(isManaged) && p.Value != nil {
			reflect.Copy(reflect.ValueOf(q.Value), reflect.ValueOf(p.Value))
		}
		for row := range to.Entities {
			if !comp.kind.has(isBuffer) {
				break
			}
			elements, capacity := p.Buffer(row)
			if err := q.SetBuffer(row, elements, capacity); err != nil {
				return err
			}
		}
	}
	return nil
}

// imageText returns the parts of an image as text.
func imageText(m *Image) string {
	var s strings.Builder
	fmt.Fprintln(&s, m.State(), m.Shared(), m.Archetypes())
	for i, a := range m.Archetypes() {
		for j := range a.Chunks {
			c := m.Chunk(i, j)
			fmt.Fprintln(&s, c.Group, c.OrderVersion, c.MetaEntity, c.Entities)
			for _, p := range c.Columns {
				fmt.Fprintln(&s, p.Component, p.On, p.Version, p.ThroughVersion)
				if comp, _ := columnDataOf(&p); comp.kind.has(isBuffer) {
					for row := range c.Entities {
						fmt.Fprintln(&s, fmt.Sprint(p.Buffer(row)))
					}
				}
			}
		}
	}
	return s.String()
}

// An image that is built from the parts of another image is equal to it.
func TestBuilderModel(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := newModel(t)
		for i := range *steps / 16 {
			var b [48]byte
			for k := range b {
				b[k] = byte(rng.Uint32())
			}
			m.step(b[:])
			if i%23 != 0 {
				continue
			}
			image := mustCapture(t, m.w, nil)
			again, err := rebuild(image)
			if err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if image.Hash() != again.Hash() || image.Len() != again.Len() {
				t.Fatalf("step %d: hash %#x of %d, want %#x of %d", i, again.Hash(), again.Len(), image.Hash(), image.Len())
			}
			if a, b := imageText(image), imageText(again); a != b {
				t.Fatalf("step %d: the image shows\n%s\nand should\n%s", i, b, a)
			}
			w, err := Fork(again, "fork", OnPool(m.w.Pool()))
			must(t, err)
			if err := integrity(w); err != nil {
				t.Fatalf("step %d: the fork: %v", i, err)
			}
			if a, b := imageText(image), imageText(mustCapture(t, w, nil)); trimVersion(a) != trimVersion(b) {
				t.Fatalf("step %d: an image of the fork shows\n%s\nand should\n%s", i, b, a)
			}
			must(t, w.Close())
		}
	}
}

// trimVersion removes the version of the image, which a fork increments.
func trimVersion(shown string) string { return shown[strings.IndexByte(shown, ' '):] }

// flags is a component with bools in a separate lane, and between other numbers.
type flags struct {
	On    bool
	Inner struct {
		N    int32
		Last [2]bool
	}
}

type flagElem struct {
	N  int32
	On bool
}

// A builder checks everything: each case is a valid world with one fault.
func TestBuilderRefuses(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, En{Value: 2}, Sh{Value: 3})
	w.Spawn(A{1}, En{Value: 2}, Sh{Value: 4})
	w.Spawn(flags{On: true}, BufferOf(flagElem{1, true}))
	w.Spawn(B{}, PerChunk[boundsOf]{})
	must(t, w.Destroy(w.Spawn(A{})))
	must(t, w.SetEntityName(e, "hero"))
	m := mustCapture(t, w, nil)
	if _, err := rebuild(m); err != nil {
		t.Fatal(err)
	}
	archetypes := m.Archetypes()
	at := func(types ...reflect.Type) int {
		return slices.IndexFunc(archetypes, func(a ImageArchetype) bool { return slices.Equal(a.Components, types) })
	}
	first := at(reflect.TypeFor[A](), reflect.TypeFor[En](), reflect.TypeFor[Sh]())
	flagged := at(reflect.TypeFor[flags](), reflect.TypeFor[Buffer[flagElem]]())
	heads := at(reflect.TypeFor[boundsOf](), reflect.TypeFor[ChunkHeader]())
	if first < 0 || flagged < 0 || heads < 0 {
		t.Fatal(archetypes)
	}
	for _, c := range []struct {
		name  string
		state func(*ImageState)
		share func(*ImageShared)
		arch  func(i int, a *ImageArchetype)
		chunk func(i int, c *ImageChunk)
		fill  func(i int, c *ImageChunk)
	}{
		{name: "free twice", state: func(s *ImageState) { s.Free = append(s.Free, s.Free[0]) }},
		{name: "free id out of range", state: func(s *ImageState) { s.Free[0].Index = 1 << 30 }},
		{name: "free id below zero", state: func(s *ImageState) { s.Free[0].Index = -1 }},
		{name: "free version", state: func(s *ImageState) { s.Free[0].Version = 0 }},
		{name: "retired out of order", state: func(s *ImageState) { s.Retired = []int32{2, 1} }},
		{name: "retired is alive", state: func(s *ImageState) { s.Retired = []int32{0} }},
		{name: "name of no entity", state: func(s *ImageState) { s.Names = append(s.Names, ImageName{Entity{99, 1}, "ghost"}) }},
		{name: "name of the dead", state: func(s *ImageState) { s.Names = []ImageName{{Entity{e.Index, e.Version + 1}, "ghost"}} }},
		{name: "names out of order", state: func(s *ImageState) { s.Names = append(s.Names, s.Names[0]) }},
		{name: "version older than chunks", state: func(s *ImageState) { s.Version -= 5 }},
		{name: "sum without a name", state: func(s *ImageState) { s.Sums = []NamedHash{{"", 1}} }},
		{name: "no component", share: func(s *ImageShared) { s.Component = reflect.TypeFor[*int]() }},
		{name: "not shared", share: func(s *ImageShared) { s.Component = reflect.TypeFor[A]() }},
		{name: "no values", share: func(s *ImageShared) { s.Values = nil }},
		{name: "not the default", share: func(s *ImageShared) { s.Values[0] = Sh{Value: 9} }},
		{name: "equal values", share: func(s *ImageShared) { s.Values[2] = s.Values[1] }},
		{name: "another type", share: func(s *ImageShared) { s.Values[1] = Sh2{} }},
		{name: "place free, value there", share: func(s *ImageShared) { s.Free = append(s.Free, 1) }},
		{name: "place free that is none", share: func(s *ImageShared) { s.Free = append(s.Free, 77) }},
		{name: "value missing", share: func(s *ImageShared) { s.Values[1] = nil }},
		{name: "component twice", arch: onArchetype(first, func(a *ImageArchetype) { a.Components[1] = a.Components[0] })},
		{name: "component that is none", arch: onArchetype(first, func(a *ImageArchetype) { a.Components[1] = reflect.TypeFor[int]() })},
		{name: "archetype twice", arch: onArchetype(flagged, func(a *ImageArchetype) { *a = archetypes[first] })},
		{name: "meta archetype missing", arch: onArchetype(heads, func(a *ImageArchetype) { a.Components = []reflect.Type{reflect.TypeFor[C]()} })},
		{name: "newest too short", arch: onArchetype(first, func(a *ImageArchetype) { a.NewestVersions = a.NewestVersions[1:] })},
		{name: "newest too old", arch: onArchetype(first, func(a *ImageArchetype) { a.OrderVersion, a.NewestVersions[0] = 1, 1 }), fill: onFill(first, func(c *ImageChunk) { c.Columns[0].Version = 3 })},
		{name: "newest from the future", arch: onArchetype(first, func(a *ImageArchetype) { a.NewestVersions[0] = 1 << 20 })},
		{name: "group with no such value", arch: onArchetype(first, func(a *ImageArchetype) { a.Groups[0].Values[0] = 7 })},
		{name: "group with too few values", arch: onArchetype(first, func(a *ImageArchetype) { a.Groups[0].Values = nil })},
		{name: "two equal groups", arch: onArchetype(first, func(a *ImageArchetype) { a.Groups[1].Values = a.Groups[0].Values })},
		{name: "group without chunks", arch: onArchetype(first, func(a *ImageArchetype) {
			a.Groups = append(a.Groups, ImageGroup{Values: []int32{0}})
		})},
		{name: "two groups, nothing shared", arch: onArchetype(flagged, func(a *ImageArchetype) { a.Groups = append(a.Groups, ImageGroup{}) })},
		{name: "room of another group", arch: onArchetype(first, func(a *ImageArchetype) { a.Groups[0].PartialChunks = []int32{1} })},
		{name: "list of another group", arch: onArchetype(first, func(a *ImageArchetype) { a.Groups[0].Chunks = []int32{0, 1} })},
		{name: "no such group", chunk: onChunk(first, func(c *ImageChunk) { c.Group = 2 })},
		{name: "meta entity without chunk components", chunk: onChunk(first, func(c *ImageChunk) { c.MetaEntity = e })},
		{name: "meta entity missing", chunk: onChunk(at(reflect.TypeFor[B](), reflect.TypeFor[PerChunk[boundsOf]]()), func(c *ImageChunk) { c.MetaEntity = Entity{} })},
		{name: "meta entity is none", chunk: onChunk(at(reflect.TypeFor[B](), reflect.TypeFor[PerChunk[boundsOf]]()), func(c *ImageChunk) { c.MetaEntity = e })},
		{name: "meta entity of another version", chunk: onChunk(at(reflect.TypeFor[B](), reflect.TypeFor[PerChunk[boundsOf]]()), func(c *ImageChunk) { c.MetaEntity.Version++ })},
		{name: "no rows", chunk: onChunk(first, func(c *ImageChunk) { c.Entities = nil })},
		{name: "too many rows", chunk: onChunk(first, func(c *ImageChunk) { c.Entities = make([]Entity, archetypes[first].Capacity+1) })},
		{name: "order from the future", chunk: onChunk(first, func(c *ImageChunk) { c.OrderVersion = 1 << 20 })},
		{name: "order newer than the archetype's", arch: onArchetype(first, func(a *ImageArchetype) { a.OrderVersion = 1 }), chunk: onChunk(first, func(c *ImageChunk) { c.OrderVersion = 2 }),
			state: func(s *ImageState) { s.Version = 50 }},
		{name: "entity twice", fill: onFill(flagged, func(c *ImageChunk) { c.Entities[0] = e })},
		{name: "entity null", fill: onFill(flagged, func(c *ImageChunk) { c.Entities[0] = Entity{} })},
		{name: "entity below zero", fill: onFill(flagged, func(c *ImageChunk) { c.Entities[0].Index = -5 })},
		{name: "column from the future", fill: onFill(first, func(c *ImageChunk) { c.Columns[0].Version = 1 << 20 })},
		{name: "through without meta entities", fill: onFill(first, func(c *ImageChunk) { c.Columns[0].ThroughVersion = 1 })},
		{name: "on behind the last row", fill: onFill(first, func(c *ImageChunk) { c.Columns[1].On[0] |= 2 })},
		{name: "bool in a lane", fill: onFill(flagged, func(c *ImageChunk) { c.Columns[0].Lanes[0][0] = 2 })},
		{name: "bool inside of a lane", fill: onFill(flagged, func(c *ImageChunk) { c.Columns[0].Lanes[1][5] = 255 })},
		{name: "bool of an element", fill: onFill(flagged, func(c *ImageChunk) {
			must(t, c.Columns[1].SetBuffer(0, []byte{1, 0, 0, 0, 3, 0, 0, 0}, 16))
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewImageBuilder()
			build := func() error {
				s := m.State()
				if c.state != nil {
					c.state(&s)
				}
				if err := b.AddState(s); err != nil {
					return err
				}
				for _, s := range m.Shared() {
					if c.share != nil && s.Component == reflect.TypeFor[Sh]() {
						c.share(&s)
					}
					if err := b.AddShared(s); err != nil {
						return err
					}
				}
				for i, a := range m.Archetypes() {
					if c.arch != nil {
						c.arch(i, &a)
					}
					if err := b.AddArchetype(a); err != nil {
						return err
					}
					for j := range a.Chunks {
						chunk := m.Chunk(i, j)
						if c.chunk != nil {
							c.chunk(i, &chunk)
						}
						if err := rebuildChunk(b, chunk); err != nil {
							return err
						}
						if c.fill != nil {
							last := b.image.byID[len(b.image.byID)-1]
							c.fill(i, &ImageChunk{Entities: last.ids, Columns: b.chunkColumns[len(b.chunkColumns)-1]})
						}
					}
				}
				_, err := b.Image()
				return err
			}
			err := build()
			wantCategory(t, ErrArgument, err)
			if err == nil {
				t.FailNow()
			}
			if again := b.AddState(ImageState{}); again != err {
				t.Errorf("after %v: %v", err, again)
			}
			if m, again := b.Image(); m != nil || again != err {
				t.Errorf("after %v there is an image: %v", err, again)
			}
		})
	}
}

// onArchetype returns a function that calls f only for the archetype with index at.
func onArchetype(at int, f func(*ImageArchetype)) func(int, *ImageArchetype) {
	return func(i int, a *ImageArchetype) {
		if i == at {
			f(a)
		}
	}
}

// onChunk and onFill do the same as onArchetype, for all chunks of that archetype.
func onChunk(at int, f func(*ImageChunk)) func(int, *ImageChunk) {
	return func(i int, c *ImageChunk) {
		if i == at {
			f(c)
		}
	}
}

func onFill(at int, f func(*ImageChunk)) func(int, *ImageChunk) { return onChunk(at, f) }

// boundsOf is the type of a chunk component, of which each chunk has one value.
type boundsOf struct{ Min, Max int32 }

// The builder computes missing optional fields. So if a world is created from a minimal image,
// an image of that world is complete.
func TestBuilderDefaults(t *testing.T) {
	b := NewImageBuilder()
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[En](), reflect.TypeFor[A](), reflect.TypeFor[Buf]()}}))
	const rows = 70
	c, err := b.AddChunk(ImageChunk{}, rows)
	must(t, err)
	for i := range c.Entities {
		c.Entities[i] = Entity{int32(i), 1}
	}
	m, err := b.Image()
	must(t, err)
	w, err := Fork(m, "made")
	must(t, err)
	must(t, integrity(w))
	if w.Len() != rows || w.Query(With[En]()).Count() != rows || w.Query(With[A](), Changed[A]()).Count() != rows {
		t.Errorf("%d entities, %d on", w.Len(), w.Query(With[En]()).Count())
	}
	if next := w.Spawn(); next != (Entity{rows, 1}) {
		t.Errorf("the next id is %v", next)
	}
	buf, err := GetBuffer[Elem](w, Entity{3, 1})
	must(t, err)
	if buf.Len() != 0 || buf.Cap() != 8 {
		t.Errorf("a buffer of %d, capacity %d", buf.Len(), buf.Cap())
	}
	must(t, w.Close())
	wantCategory(t, ErrState, b.AddState(ImageState{}))
	_, err = b.Image()
	wantCategory(t, ErrState, err)
	_, err = NewImageBuilder().AddChunk(ImageChunk{}, 1)
	wantCategory(t, ErrArgument, err)
	b = NewImageBuilder()
	must(t, b.AddState(ImageState{}))
	wantCategory(t, ErrArgument, b.AddState(ImageState{}))
	empty, err := NewImageBuilder().Image()
	must(t, err)
	if fresh := newWorld(t, 1); empty.Hash() != fresh.Hash() {
		t.Errorf("hash %#x of nothing, want %#x", empty.Hash(), fresh.Hash())
	}
}

func TestBuilderBuffers(t *testing.T) {
	b := NewImageBuilder()
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[Buf]()}}))
	c, err := b.AddChunk(ImageChunk{}, 2)
	must(t, err)
	c.Entities[0], c.Entities[1] = Entity{0, 1}, Entity{1, 5}
	p := &c.Columns[1]
	must(t, p.SetBuffer(0, sliceBytes([]Elem{{1}, {2}, {3}}), 2000)) // on the heap, then inline
	must(t, p.SetBuffer(0, sliceBytes([]Elem{{1}, {2}, {3}}), 4))
	must(t, p.SetBuffer(1, sliceBytes(make([]Elem, 20)), 33))
	wantCategory(t, ErrArgument, p.SetBuffer(1, []byte{1, 2, 3}, 33))
	wantCategory(t, ErrArgument, p.SetBuffer(1, sliceBytes(make([]Elem, 20)), 19)) // Conformance: 318
	wantCategory(t, ErrArgument, p.SetBuffer(1, nil, -1))
	wantCategory(t, ErrArgument, p.SetBuffer(1, nil, 1<<31-1))
	wantPanic(t, ErrRange, func() { p.Buffer(2) })
	wantPanic(t, ErrArgument, func() { c.Columns[0].Buffer(0) })
	wantPanic(t, ErrArgument, func() { (*ImageColumn)(nil).Buffer(0) })
	copied := *p
	m, err := b.Image()
	must(t, err)
	wantPanic(t, ErrArgument, func() { p.SetBuffer(0, nil, 0) }) // the builder no longer accepts writes
	hash := m.Hash()
	wantPanic(t, ErrState, func() { copied.SetBuffer(0, nil, 0) })
	if got, _ := copied.Buffer(0); len(got) != len(sliceBytes(make([]Elem, 3))) || m.Hash() != hash {
		t.Errorf("a part that was copied shows %d bytes, and the hash is %#x, want %#x", len(got), m.Hash(), hash)
	}
	own := m.Chunk(0, 0).Columns[1]
	wantPanic(t, ErrState, func() { own.SetBuffer(0, nil, 0) })
	wantPanic(t, ErrRange, func() { m.Chunk(0, 1) })
	wantPanic(t, ErrRange, func() { m.Chunk(-1, 0) })
	w, err := Fork(m, "made")
	must(t, err)
	must(t, integrity(w))
	for i, want := range []struct{ len, cap int }{{3, 4}, {20, 33}} {
		buf, err := GetBuffer[Elem](w, c.Entities[i])
		must(t, err)
		if buf.Len() != want.len || buf.Cap() != want.cap {
			t.Errorf("buffer %d has %d of %d, want %v", i, buf.Len(), buf.Cap(), want)
		}
	}
	must(t, w.Close())
}

// If a method of a shared value panics, the builder fails, but the program can continue.
func TestBuilderSurvivesPanics(t *testing.T) {
	b := NewImageBuilder()
	s := ImageShared{Component: reflect.TypeFor[grumpy](), Values: []any{grumpy{}, grumpy{N: 1}}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		b.AddShared(s)
	}()
	wantCategory(t, ErrArgument, b.AddShared(s))
	_, err := b.Image()
	wantCategory(t, ErrArgument, err)
	b = NewImageBuilder()
	wantCategory(t, ErrArgument, b.AddShared(ImageShared{Component: reflect.TypeFor[ShAny](), Values: []any{ShAny{}, ShAny{Value: []int{1}}}}))
}

// grumpy is a shared value whose Hash panics.
type grumpy struct {
	Shared
	N int32
}

func (g grumpy) Equal(o grumpy) bool { return g.N == o.N }

func (g grumpy) Hash() uint64 {
	if g.N > 0 {
		panic("not today")
	}
	return 0
}

func TestComponentByName(t *testing.T) {
	RegisterComponent[Position]()
	c, err := ComponentByName("github.com/lanewise/lanewise/ecs.Position")
	must(t, err)
	if c.Type != reflect.TypeFor[Position]() || len(c.Lanes) != 3 {
		t.Errorf("%+v", c)
	}
	_, err = ComponentByName("github.com/lanewise/lanewise/ecs.Positio")
	if wantCategory(t, ErrArgument, err); !strings.Contains(err.Error(), "there is github.com/lanewise/lanewise/ecs.Position") {
		t.Error(err)
	}
	_, err = ComponentByName("somebody.SomethingElseAltogether")
	if wantCategory(t, ErrArgument, err); strings.Contains(err.Error(), "there is") {
		t.Error(err)
	}
	_, err = ComponentByName("Position")
	if wantCategory(t, ErrArgument, err); !strings.HasSuffix(err.Error(), "write the full name: github.com/lanewise/lanewise/ecs.Position") {
		t.Error(err)
	}
	_, err = ComponentByName("")
	wantCategory(t, ErrArgument, err)
	wantPanic(t, ErrArgument, func() { RegisterComponent[*int]() })
	RegisterComponent[twin]()
	func() {
		type twin struct{ N int32 }
		RegisterComponent[twin]() // it has the name of the other one
	}()
	_, err = ComponentByName(fullName(reflect.TypeFor[twin]()))
	wantCategory(t, ErrArgument, err)
}

// A type that is declared inside a function has the same name as twin.
type twin struct{ N int32 }

// The values of a group, like versions, are in the order of the components that were passed to the
// builder.
func TestBuilderOrder(t *testing.T) {
	b := NewImageBuilder()
	must(t, b.AddShared(ImageShared{Component: reflect.TypeFor[Sh](), Values: []any{Sh{}, Sh{Value: 1}, Sh{Value: 2}}}))
	must(t, b.AddShared(ImageShared{Component: reflect.TypeFor[label](), Values: []any{label{}, label{text: "x"}}}))
	types := []reflect.Type{reflect.TypeFor[label](), reflect.TypeFor[A](), reflect.TypeFor[Sh]()}
	must(t, b.AddArchetype(ImageArchetype{Components: types, Groups: []ImageGroup{{Values: []int32{1, 2}}}}))
	c, err := b.AddChunk(ImageChunk{}, 1)
	must(t, err)
	c.Entities[0] = Entity{0, 1}
	m, err := b.Image()
	must(t, err)
	w, err := Fork(m, "fork")
	must(t, err)
	if sh, l := get[Sh](t, w, c.Entities[0]), get[label](t, w, c.Entities[0]); sh.Value != 2 || l.text != "x" {
		t.Errorf("got %v and %v", sh, l)
	}
	must(t, w.Close())
}
