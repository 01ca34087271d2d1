package ecs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// ElemHeap is the element type of buffers without inline capacity, and ElemWide of buffers with an
// inline capacity of three.
type (
	ElemHeap struct{ Value int32 }
	ElemWide struct {
		Value int32
		More  [2]int32
	}
)

func (ElemHeap) InlineCapacity() int { return 0 }
func (ElemWide) InlineCapacity() int { return 3 }

// A part of a buffer may be inserted into the same buffer. The inserted elements must have the
// values that they had before the call, at any position, even if the elements of the buffer
// move.
func TestBufferInsertsItself(t *testing.T) {
	for name, tc := range map[string]struct {
		list   []int32
		room   int
		i      int
		lo, hi int
		want   []int32
	}{
		"behind":          {[]int32{1, 2, 3, 4}, 0, 1, 2, 4, []int32{1, 3, 4, 2, 3, 4}},
		"before":          {[]int32{1, 2, 3, 4}, 0, 3, 0, 2, []int32{1, 2, 3, 1, 2, 4}},
		"across":          {[]int32{1, 2, 3, 4}, 0, 2, 1, 3, []int32{1, 2, 2, 3, 3, 4}},
		"all":             {[]int32{1, 2, 3, 4}, 0, 0, 0, 4, []int32{1, 2, 3, 4, 1, 2, 3, 4}},
		"out of the room": {[]int32{1, 2, 3, 4, 5, 6}, 0, 2, 1, 5, []int32{1, 2, 2, 3, 4, 5, 3, 4, 5, 6}},
		"on the heap":     {[]int32{1, 2, 3, 4, 5, 6}, 40, 1, 0, 5, []int32{1, 1, 2, 3, 4, 5, 2, 3, 4, 5, 6}},
		"heap to heap":    {[]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9, 4, 3, 6, []int32{1, 2, 3, 4, 4, 5, 6, 5, 6, 7, 8, 9}},
	} {
		w := newWorld(t, 1)
		before := newBuffer(t, w, 70, 71)
		e, f := w.Spawn(BufferOf(elems(tc.list...)...)), w.Spawn(BufferOf(elems(80)...))
		b, err := GetBuffer[Elem](w, e)
		must(t, err)
		after := get[Buf](t, w, f)
		before = get[Buf](t, w, *before.place.chunk.idAt(int(before.place.row)))
		own := BufferOf(elems(tc.list...)...)
		for _, b := range []Buf{b, own} {
			if tc.room > 0 {
				b.SetCap(tc.room)
			}
			b.Insert(tc.i, b.Slice()[tc.lo:tc.hi]...)
			if got := b.Slice(); !slices.Equal(got, elems(tc.want...)) {
				t.Errorf("%s: got %v, want %v", name, got, tc.want)
			}
		}
		checkElements(t, before, 70, 71)
		checkElements(t, after, 80)
		must(t, integrity(w))
	}
}

// BufferOf copies the elements, so later changes of the slice do not affect the buffer, and changes
// of the buffer do not affect the slice.
func TestBufferOfOwnsItsElements(t *testing.T) {
	list := make([]Elem, 3, 8)
	copy(list, elems(1, 2, 3))
	b := BufferOf(list[:2]...)
	b.Append(elems(9)...)
	if list[2].Value != 3 {
		t.Errorf("Append has written to the slice that BufferOf was given: %v", list)
	}
	list[0].Value = 7
	checkElements(t, b, 1, 2, 9)
	b.Slice()[1].Value = 8
	if list[1].Value != 2 {
		t.Errorf("the slice that BufferOf was given is now %v", list)
	}
	w := newWorld(t, 1)
	kept := newBuffer(t, w, 1, 2)
	for _, b := range []Buf{b, kept} {
		mine := append(b.Slice(), Elem{50})
		b.Append(Elem{60})
		if mine[len(mine)-1].Value != 50 {
			t.Errorf("a slice that was appended to has changed with the buffer: %v", mine)
		}
	}
}

// Every method is compared with the same operation on a plain slice. The arguments may be a part of the
// buffer's elements, or of memory that the buffer used before it grew.
func TestBufferAgainstSlice(t *testing.T) {
	t.Run("inline and heap", func(t *testing.T) { againstSlice(t, func(n int32) Elem { return Elem{n} }) })
	t.Run("heap", func(t *testing.T) { againstSlice(t, func(n int32) ElemHeap { return ElemHeap{n} }) })
	t.Run("three inline", func(t *testing.T) { againstSlice(t, func(n int32) ElemWide { return ElemWide{n, [2]int32{-n, n}} }) })
}

func againstSlice[T comparable](t *testing.T, elem func(int32) T) {
	for name, make := range map[string]func(w *World) Buffer[T]{
		"of an entity": func(w *World) Buffer[T] {
			var e [3]Entity
			for i := range e {
				e[i] = w.Spawn(BufferOf(elem(int32(i))))
			}
			b, err := GetBuffer[T](w, e[1])
			must(t, err)
			return b
		},
		"of no entity": func(*World) Buffer[T] { return BufferOf(elem(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1)
			b := make(w)
			model := []T{elem(1)}
			rng := rand.New(rand.NewPCG(5, 6))
			var older [4][]T // older slices of the buffer
			next := int32(100)
			part := func(list []T) []T {
				lo := rng.IntN(len(list) + 1)
				return list[lo : lo+rng.IntN(len(list)-lo+1)]
			}
			given := func() []T {
				switch rng.IntN(4) {
				case 0:
					return part(older[rng.IntN(len(older))])
				case 1:
					var list []T
					for range rng.IntN(4) {
						next++
						list = append(list, elem(next))
					}
					return list
				}
				return part(b.Slice())
			}
			for step := range *steps / 30 {
				values := given()
				was := slices.Clone(values) // the caller's elements
				n := len(model)
				i := rng.IntN(n + 1)
				j := i + rng.IntN(n-i+1)
				what := ""
				switch op := rng.IntN(12); {
				case op < 3:
					what = "Append"
					b.Append(values...)
					model = append(model, was...)
				case op < 7:
					what = "Insert"
					b.Insert(i, values...)
					model = slices.Insert(model, i, was...)
				case op == 7:
					what = "Remove"
					b.Remove(i, j)
					model = slices.Delete(model, i, j)
				case op == 8:
					what = "RemoveSwap"
					b.RemoveSwap(i, j)
					tail := slices.Clone(model[max(j, n-(j-i)):])
					model = slices.Concat(model[:i], tail, model[min(i+len(tail), n):])[:n-(j-i)]
				case op == 9 && len(values) > 0:
					what = "CopyFrom"
					b.CopyFrom(values)
					model = was
				case op == 10:
					what = "Resize"
					b.Resize(i)
					b.Resize(j)
					model = append(model[:i:i], slices.Repeat([]T{*new(T)}, j-i)...)
				default:
					what = [...]string{"Reserve", "SetCap", "Trim"}[step%3]
					switch what {
					case "Reserve":
						b.Reserve(n + i)
					case "SetCap":
						b.SetCap(n + i)
					default:
						b.Trim()
					}
				}
				if len(model) > 60 {
					b.Resize(5)
					model = model[:5:5]
				}
				if got := b.Slice(); !slices.Equal(got, model) {
					t.Fatalf("step %d: %s(%d) of %v: got %v, want %v", step, what, i, was, got, model)
				}
				older[rng.IntN(len(older))] = b.Slice()
				if step%100 == 0 {
					must(t, integrity(w))
				}
			}
			if b.ownElements == nil {
				for r, want := range [...]int32{0: 0, 2: 2} {
					s := bufferAt(b.place.chunk, &b.place.chunk.arch.columns[b.place.column], r)
					if got := bufferElements[T](s.elementBytes()); r != 1 && !slices.Equal(got, []T{elem(want)}) {
						t.Errorf("the buffer of row %d is now %v", r, got)
					}
				}
			}
		})
	}
}
