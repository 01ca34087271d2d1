package ecs

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A builder uses the memory of a released image that was built before, but none of the old contents
// is visible.
func TestBuilderMemory(t *testing.T) {
	w := NewWorld("game")
	defer func() { must(t, w.Close()) }()
	ids := make([]Entity, 3000)
	must(t, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), ids))
	for i, e := range ids {
		must(t, Set(w, e, Position{X: float32(i), Y: -1, Z: 1}))
	}
	image := mustCapture(t, w, nil)
	build := func() *Image {
		m, err := rebuild(image)
		must(t, err)
		if m.Hash() != image.Hash() {
			t.Fatalf("the hash is %#x, want %#x", m.Hash(), image.Hash())
		}
		return m
	}
	first := build()
	pool := first.pool
	must(t, first.Release())
	if err := first.Release(); err == nil {
		t.Error("it is released twice")
	}
	if pool.usedBytes != 0 || pool.idleBytes < 3000*(24+8) || pool.idleBytes != pool.worldBytes {
		t.Errorf("%d bytes are kept of %d, and %d are in images", pool.idleBytes, pool.worldBytes, pool.usedBytes)
	}

	b := NewImageBuilder() // gets that memory, unless the collector has run in between
	must(t, b.AddState(ImageState{}))
	must(t, b.AddArchetype(image.Archetypes()[0]))
	c, err := b.AddChunk(ImageChunk{}, 100)
	must(t, err)
	for _, p := range c.Columns {
		for _, l := range p.Lanes {
			if slices.ContainsFunc(l, func(v byte) bool { return v != 0 }) {
				t.Errorf("a lane of %v is not zero", p.Component)
			}
		}
	}
	if slices.ContainsFunc(c.Entities, func(e Entity) bool { return e != Entity{} }) {
		t.Error("an id is not null")
	}
	for range 3 {
		must(t, build().Release())
	}
	b = NewImageBuilder(OnPool(w.Pool()))
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Buf](), reflect.TypeFor[Position]()}}))
	c, err = b.AddChunk(ImageChunk{Overwrite: true}, 70)
	must(t, err)
	for i := range c.Entities {
		c.Entities[i] = Entity{int32(i), 1}
	}
	for _, p := range c.Columns {
		for _, l := range p.Lanes {
			clear(l)
		}
	}
	m, err := b.Image()
	must(t, err)
	fork, err := Fork(m, "made")
	must(t, err)
	defer func() { must(t, fork.Close()) }()
	buf, err := GetBuffer[Elem](fork, Entity{69, 1})
	if at, _ := Get[Position](fork, Entity{69, 1}); err != nil || buf.Len() != 0 || at != (Position{}) || m.Hash() != fork.Hash() {
		t.Errorf("%v; a buffer of %d, at %v", err, buf.Len(), at)
	}
}

// A builder finds ids that occur twice and ids that are in no slot, whatever their order and
// number.
func TestBuilderIDs(t *testing.T) {
	run := func(first, n int32) (list []Entity) {
		for i := range n {
			list = append(list, Entity{first + i, 1 + i%3})
		}
		return list
	}
	turned := func(list []Entity) []Entity { slices.Reverse(list); return list }
	for name, c := range map[string]struct {
		free    []Entity
		retired []int32
		chunks  [][]Entity
		good    bool
	}{
		"runs":                   {nil, nil, [][]Entity{run(0, 100), run(100, 100), run(200, 3)}, true},
		"runs in another order":  {nil, nil, [][]Entity{run(137, 63), run(0, 64), run(64, 73)}, true},
		"no runs":                {run(50, 1), []int32{51}, [][]Entity{turned(run(0, 50)), turned(run(52, 77))}, true},
		"one twice":              {nil, nil, [][]Entity{run(0, 100), run(99, 100)}, false},
		"one twice, one by one":  {nil, nil, [][]Entity{turned(run(0, 100)), turned(run(99, 100))}, false},
		"one twice in a chunk":   {nil, nil, [][]Entity{append(run(0, 10), Entity{3, 1})}, false},
		"a run is free":          {run(5, 1), nil, [][]Entity{run(0, 9)}, false},
		"a row is retired":       {nil, []int32{8}, [][]Entity{run(0, 9)}, false},
		"free twice":             {append(run(9, 1), Entity{9, 2}), nil, [][]Entity{run(0, 9)}, false},
		"behind the last":        {nil, nil, [][]Entity{run(1, 100)}, false},
		"behind, one by one":     {nil, nil, [][]Entity{turned(run(1, 100))}, false},
		"before the first":       {nil, nil, [][]Entity{run(-1, 100)}, false},
		"before, one by one":     {nil, nil, [][]Entity{turned(run(-1, 100))}, false},
		"a version of 0":         {nil, nil, [][]Entity{append(run(0, 10), Entity{10, 0})}, false},
		"a version of less":      {nil, nil, [][]Entity{{{0, 1}, {1, -1}}}, false},
		"the last of all chunks": {nil, nil, [][]Entity{run(0, 64), run(64, 64), append(run(128, 63), Entity{0, 1})}, false},
	} {
		for _, filled := range []int{0, 1, 2} { // Filled is called for none, for all, for every other chunk
			t.Run(fmt.Sprint(name, ", filled ", filled), func(t *testing.T) {
				b := NewImageBuilder()
				must(t, b.AddState(ImageState{Free: c.free, Retired: c.retired}))
				must(t, b.AddArchetype(ImageArchetype{Components: nil}))
				for i, ids := range c.chunks {
					own, err := b.AddChunk(ImageChunk{}, len(ids))
					must(t, err)
					copy(own.Entities, ids)
					if filled > 0 && i%filled == 0 {
						own.Filled()
					}
				}
				m, err := b.Image()
				if (err == nil) != c.good {
					t.Fatal(err)
				}
				if owners, err := b.slotOwners(b.image.slotCount); (err == nil) != c.good {
					t.Errorf("the table of slots finds %v and %v", fmt.Sprint(len(owners)), err)
				}
				if c.good {
					must(t, m.Release())
				}
			})
		}
	}
}

// Faults in a chunk are found whether or not Filled was called. The hash of a valid image is the
// same in both cases.
func TestFilled(t *testing.T) {
	type flag struct {
		On bool
		Enableable
	}
	w := NewWorld("game")
	defer func() { must(t, w.Close()) }()
	for i := range 100 {
		w.Spawn(Position{X: float32(i)}, flag{On: i%3 == 0}, BufferOf(make([]Elem, i%5)...))
	}
	image := mustCapture(t, w, nil)
	from := image.Chunk(0, 0)
	for name, c := range map[string]struct {
		spoil func(c *ImageChunk)
		wrong string
	}{
		"nothing": {func(*ImageChunk) {}, ""},
		"a bool":  {func(c *ImageChunk) { partOf[flag](c).Lanes[0][7] = 2 }, "a bool of lane On of column"},
		"a bit":   {func(c *ImageChunk) { partOf[flag](c).On[1] |= 1 << 40 }, "has rows on behind the last of 100"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, filled := range []bool{false, true} {
				b := NewImageBuilder()
				must(t, b.AddState(image.State()))
				must(t, b.AddArchetype(image.Archetypes()[0]))
				to, err := b.AddChunk(from, len(from.Entities))
				must(t, err)
				must(t, fillOf(&to, &from))
				c.spoil(&to)
				if filled {
					to.Filled()
				}
				m, err := b.Image()
				if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("filled %v: %v", filled, err)
				}
				if err == nil && m.Hash() != image.Hash() {
					t.Errorf("filled %v: the hash is %#x, want %#x", filled, m.Hash(), image.Hash())
				}
			}
		})
	}
}

// TestBuilderForgetsLargeImages checks that a builder does not keep the memory of a large image
// if the next images are small.
func TestBuilderForgetsLargeImages(t *testing.T) {
	build := func(chunks int) *imagePool {
		b := NewImageBuilder()
		must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Position]()}}))
		next := int32(0)
		for range chunks {
			c, err := b.AddChunk(ImageChunk{Overwrite: true}, 512)
			must(t, err)
			for i := range c.Entities {
				c.Entities[i] = Entity{next, 1}
				next++
			}
		}
		m, err := b.Image()
		must(t, err)
		pool := m.pool
		must(t, m.Release())
		return pool
	}
	const chunks = 1000
	if pool := build(chunks); pool.idleBytes < chunks*512*8 {
		t.Errorf("%d bytes are kept of a large image", pool.idleBytes)
	}
	for range 8 {
		build(1)
	}
	if pool := NewImageBuilder().image.pool; pool.idleBytes > 6<<20 {
		t.Errorf("%d bytes are kept for small images", pool.idleBytes)
	}
}

// TestBuilderClose checks that after Close the list of names is no longer read.
func TestBuilderClose(t *testing.T) {
	names := make([]ImageName, asyncNamesMin)
	for i := range names {
		names[i] = ImageName{Entity{int32(i), 1}, "name"}
	}
	b := NewImageBuilder()
	must(t, b.AddState(ImageState{Names: names}))
	if b.namePages == nil {
		t.Fatal("the names are not laid out meanwhile")
	}
	b.Close()
	clear(names)
	if _, err := b.Image(); !errors.Is(err, ErrState) || err.Error() != b.AddArchetype(ImageArchetype{}).Error() {
		t.Errorf("after Close: %v", err)
	}
	b.Close()

	b = NewImageBuilder()
	want := b.AddShared(ImageShared{})
	b.Close()
	if _, err := b.Image(); want == nil || err != want {
		t.Errorf("the error is %v, want %v", err, want)
	}

	b = NewImageBuilder()
	m, err := b.Image()
	must(t, err)
	_, want = b.Image()
	b.Close()
	if _, err := b.Image(); err != want || m.Hash() == 0 {
		t.Errorf("Close after Image: %v, want %v", err, want)
	}
}

// partOf returns the column of a component.
func partOf[T any](c *ImageChunk) *ImageColumn {
	return &c.Columns[slices.IndexFunc(c.Columns, func(p ImageColumn) bool { return p.Component == reflect.TypeFor[T]() })]
}

// TestRunBehindTheLastIndex adds consecutive ids beyond the largest index. They must not be
// accepted as a range of slots of an image, even if int has 32 bits.
func TestRunBehindTheLastIndex(t *testing.T) {
	const slots = 64
	ids := []Entity{{math.MaxInt32, 1}, {math.MinInt32, 1}, {math.MinInt32 + 1, 1}}
	if make(slotSet, 1).addIDs(ids, slots) {
		t.Error("they are taken")
	}
	b := NewImageBuilder()
	must(t, b.AddArchetype(ImageArchetype{Components: []reflect.Type{reflect.TypeFor[Position]()}}))
	c, err := b.AddChunk(ImageChunk{}, len(ids))
	must(t, err)
	copy(c.Entities, ids)
	c.Filled()
	if _, err := b.Image(); !errors.Is(err, ErrArgument) {
		t.Errorf("an image has them: %v", err)
	}
}
