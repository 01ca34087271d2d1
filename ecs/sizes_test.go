package ecs

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The tests in this file repeat other tests at a larger size. They use values with two references, more
// rows than a word has bits, two chunks, or two frames.

// shTwo is a shared value with two references.
type shTwo struct {
	Shared
	First, Second Entity
}

// TestTwoDeferredReferences checks that playback replaces all references in a value, and in all
// elements of a buffer.
func TestTwoDeferredReferences(t *testing.T) {
	w := newWorld(t, 1)
	c := w.NewCommands()
	at := []Entity{w.Spawn(), w.Spawn(), w.Spawn()}
	x, err := c.Spawn(D{1})
	must(t, err)
	y, err := c.Spawn(D{2}, two{x, x})
	must(t, err)
	z, err := c.Spawn(D{3}, two{x, y}, BufferOf(pair{x, y}, pair{y, x}))
	must(t, err)
	must(t, Add(c, at[0], two{x, y}))
	must(t, Add(c, at[0], shTwo{First: x, Second: y}))
	must(t, Set(c, at[0], two{y, z}))
	must(t, AddAll(c, Entities(at[1:]), two{z, y}))
	must(t, Add(c, at[0], BufferOf(pair{x, y}, pair{z, x})))
	must(t, AppendBuffer(c, at[0], pair{y, z}, pair{y, x}))
	must(t, c.Playback(w))
	number := func(e Entity) int32 { return get[D](t, w, e).Value }
	for i, want := range [][2]int32{{2, 3}, {3, 2}, {3, 2}} {
		if v := get[two](t, w, at[i]); number(v.First) != want[0] || number(v.Second) != want[1] {
			t.Errorf("entity %d refers to %v", i, v)
		}
	}
	if v := get[shTwo](t, w, at[0]); number(v.First) != 1 || number(v.Second) != 2 {
		t.Errorf("a shared value refers to %v", v)
	}
	var got []int32
	for _, v := range get[Buffer[pair]](t, w, at[0]).Slice() {
		got = append(got, number(v.First), number(v.Second))
	}
	if want := []int32{1, 2, 3, 1, 2, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the elements refer to %v, want %v", got, want)
	}
	last := w.Query(With[Buffer[pair]](), With[D]()).AppendEntities(nil)[0]
	if v, b := get[two](t, w, last), get[Buffer[pair]](t, w, last).Slice(); number(v.First) != 1 || number(v.Second) != 2 || b[0] != pair(v) || b[1] != (pair{v.Second, v.First}) {
		t.Errorf("what was spawned refers to %v and %v", v, b)
	}
}

// TestWorldLookupOfLaterFrames checks that a job's write through a Lookup stores the version of the
// present frame, even if there was no structural change since the last frame.
func TestWorldLookupOfLaterFrames(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{}, BufferOf(elems(1)...))
	w.Spawn(B{})
	q := w.Query(Read[B](), Anywhere(Write[A]()), Anywhere(Write[Buf]()))
	look, list := NewLookup[A](q), NewLookup[Buf](q)
	changed, grown := w.Query(Read[A](), Changed[A]()), w.Query(Read[Buf](), Changed[Buf]())
	last := uint32(0)
	for frame := range 5 {
		outer := w.Scheduler().BeginUpdate("write")
		must(t, q.ParallelFor(chunkFunc(func(*Chunk) {
			look.Set(e, A{int32(frame)})
			if frame%2 == 0 {
				b, _ := list.Get(e)
				b.Append(Elem{int32(frame)})
			}
		})).Wait())
		version := w.Version()
		w.Scheduler().EndUpdate(outer)
		changed.SetSince(last)
		grown.SetSince(last)
		if n := changed.Count(); n != 1 || ChangeVersion[A](w, e) != version {
			t.Errorf("frame %d: %d rows have changed, the version is %d, want %d", frame, n, ChangeVersion[A](w, e), version)
		}
		if n := grown.Count(); last > 0 && n != (frame+1)%2 {
			t.Errorf("frame %d: %d buffers have changed", frame, n)
		}
		last = w.Version()
		bump(w)
	}
	must(t, w.Sync())
	checkElements(t, get[Buf](t, w, e), 1, 0, 2, 4)
}

// TestOwnedLookupOfABuffer checks that a lookup with write access marks a buffer as written,
// and that a lookup with read access does not.
func TestOwnedLookupOfABuffer(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{}, BufferOf(elems(1)...))
	look := NewWorldLookup[Buf](w)
	setVersion(w, 50)
	if _, ok := look.Get(e); !ok || ChangeVersion[Buf](w, e) != 50 {
		t.Errorf("the version is %d, want 50", ChangeVersion[Buf](w, e))
	}
	q := w.Query(Read[A](), Anywhere(Read[Buf]()))
	reads := NewLookup[Buf](q)
	setVersion(w, 51)
	must(t, q.Run(chunkFunc(func(*Chunk) { reads.Get(e) })))
	if v := ChangeVersion[Buf](w, e); v != 50 {
		t.Errorf("reading has made version %d", v)
	}
}

// TestSingleAmongOthers checks that if all entities but one are off, that one is the singleton.
func TestSingleAmongOthers(t *testing.T) {
	for _, n := range []int32{2, 63, 64, 65, 130} {
		for _, on := range []int32{0, 1, n / 2, n - 1} {
			w := newWorld(t, 1)
			var ids []Entity
			for i := range n {
				ids = append(ids, w.Spawn(A{i}, En{}))
				must(t, SetEnabled[En](w, ids[i], i == on))
			}
			q := w.Query(Write[A](), With[En]())
			e, err := q.Single()
			v, err2 := Singleton[A](q)
			if e != ids[on] || v.Value != on || err != nil || err2 != nil {
				t.Errorf("%d of %d is on: got %v and %v, %v, %v", on, n, e, v, err, err2)
			}
			must(t, SetSingleton(q, A{-1}))
			if got := get[A](t, w, ids[on]); got.Value != -1 {
				t.Errorf("%d of %d is on: another was set", on, n)
			}
		}
	}
}

// TestDestroyAllAsksAllGroups checks that DestroyAll notices a linked group with a member that does
// not match, no matter which chunk contains the root of the group.
func TestDestroyAllAsksAllGroups(t *testing.T) {
	for _, at := range []int{0, 70, 299, 399} {
		w := newWorld(t, 1)
		roots := make([]Entity, 400)
		a := w.Archetype(With[A](), With[Matrix](), With[LinkedGroup]())
		must(t, w.CreateInto(a, roots))
		if a.ChunkCount() < 3 {
			t.Fatalf("%d chunks", a.ChunkCount())
		}
		other := w.Spawn(B{})
		for i, root := range roots {
			part := w.Spawn(A{})
			if i == at {
				part = other
			}
			must(t, Set(w, root, BufferOf(Linked{root}, Linked{part})))
		}
		n, hash := w.Len(), w.Hash()
		q := w.Query(With[A]())
		wantCategory(t, ErrArgument, DestroyAll(w, Matching(q)))
		if w.Len() != n || w.Hash() != hash {
			t.Errorf("root %d: half of a group was destroyed", at)
		}
		must(t, DestroyAll(w, Matching(w.Query(AnyOf(With[A](), With[B]())))))
		if w.Len() != 0 {
			t.Errorf("%d entities are left", w.Len())
		}
	}
}

// TestManyCopiesOfWhatIsOff copies a row whose component is off. The component must be off in
// all copies, even if the chunk has other rows before them.
func TestManyCopiesOfWhatIsOff(t *testing.T) {
	for _, before := range []int{0, 1, 40, 64, 70} {
		for _, on := range []bool{false, true} {
			w := newWorld(t, 1)
			model := w.Spawn(A{}, En{}, Prefab{})
			must(t, SetEnabled[En](w, model, on))
			ids := make([]Entity, before)
			must(t, w.CreateInto(w.Archetype(With[A](), With[En]()), ids))
			copies, err := w.Instantiate(model, 200)
			must(t, err)
			for i, e := range copies {
				if got := enabled[En](t, w, e); got != on {
					t.Fatalf("%d rows before: copy %d is on: %v", before, i, got)
				}
			}
			for i, e := range ids {
				if !enabled[En](t, w, e) {
					t.Fatalf("row %d before the copies is off", i)
				}
			}
			must(t, integrity(w))
		}
	}
}

// TestSharingAWholeChunkMarks checks a whole chunk that gets another shared value in place. The shared
// component must be marked as changed, as it is if rows move.
func TestSharingAWholeChunkMarks(t *testing.T) {
	for _, n := range []int{1, 2, 70} {
		for name, share := range map[string]func(w *World, ids []Entity, q *Query) error{
			"AddAll(Matching)": func(w *World, _ []Entity, q *Query) error { return AddAll(w, Matching(q), Sh{Value: 2}) },
			"AddAll":           func(w *World, ids []Entity, _ *Query) error { return AddAll(w, Entities(ids), Sh{Value: 2}) },
			"one by one": func(w *World, ids []Entity, _ *Query) error {
				for _, e := range ids {
					if err := Set(w, e, Sh{Value: 2}); err != nil {
						return err
					}
				}
				return nil
			},
		} {
			w := newWorld(t, 1)
			ids := make([]Entity, n)
			must(t, w.CreateInto(w.Archetype(With[A](), With[Sh]()), ids))
			changed := w.Query(With[Sh](), Changed[Sh]())
			setVersion(w, 50)
			changed.SetSince(49)
			must(t, share(w, ids, w.Query(With[A]())))
			if v := ChangeVersion[Sh](w, ids[0]); v != 50 || changed.Count() != n || ChangeVersion[A](w, ids[0]) != 1 {
				t.Errorf("%s of %d: version %d, %d rows have changed", name, n, v, changed.Count())
			}
			must(t, integrity(w))
		}
	}
}

// TestHashSeesEverySwitch checks that turning off any row changes the hash, in a chunk whose
// enabled bits need several words.
func TestHashSeesEverySwitch(t *testing.T) {
	const n = 201
	w := newWorld(t, 1)
	ids := make([]Entity, n)
	must(t, w.CreateInto(w.Archetype(With[A](), With[En]()), ids))
	seen := map[uint64]int{w.Hash(): -1}
	for i, e := range ids {
		must(t, SetEnabled[En](w, e, false))
		h := w.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("rows %d and %d off: the same hash", i, other)
		}
		seen[h] = i
		must(t, SetEnabled[En](w, e, true))
	}
}

// listHash computes the hash of one list according to the text of World.Hash.
func listHash(numbers []byte) uint64 {
	s := [4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}
	for i := 0; len(numbers) > 0; i++ {
		var pair [16]byte
		numbers = numbers[copy(pair[:], numbers):]
		a := s[i%4] ^ binary.LittleEndian.Uint64(pair[:])
		hi, lo := bits.Mul64(a, 0x452821e638d01377^binary.LittleEndian.Uint64(pair[8:]))
		s[i%4] = hi ^ lo ^ a
	}
	h := s[0]
	for _, v := range s[1:] {
		h = mixBits(h) ^ v
	}
	return mixBits(h)
}

// TestHashOfLongLists checks that lists of any length are hashed as World.Hash describes, for
// numbers of any width.
func TestHashOfLongLists(t *testing.T) {
	type odd struct {
		A int8
		B int64
		C [3]int16
	}
	rng := rand.New(rand.NewPCG(4, 12))
	for _, n := range []int{0, 1, 2, 200, 273, 274, 275, 512, 1000, 4096} {
		list := make([]odd, n)
		var want []byte
		for i := range list {
			v := odd{int8(rng.Uint32()), int64(rng.Uint64()), [3]int16{int16(rng.Uint32()), int16(i), -1}}
			list[i] = v
			want = append(want, byte(v.A))
			want = binary.LittleEndian.AppendUint64(want, uint64(v.B))
			for _, c := range v.C {
				want = binary.LittleEndian.AppendUint16(want, uint16(c))
			}
		}
		d := newDigest()
		d.addRows(sliceBytes(list), numberRunsOf(reflect.TypeFor[odd]()))
		if got := d.sum(); got != listHash(want) {
			t.Errorf("%d elements: got %x, want %x", n, got, listHash(want))
		}
		d = newDigest()
		numbers := make([]byte, 0, 4*n)
		for i := range n {
			numbers = binary.LittleEndian.AppendUint32(numbers, uint32(i*i))
		}
		d.addInt32s(n, func(i int) int32 { return int32(i * i) })
		if got := d.sum(); got != listHash(numbers) {
			t.Errorf("%d numbers: got %x, want %x", n, got, listHash(numbers))
		}
	}
}

// TestMarksWrap checks that later writes to an archetype are noticed even if the versions have
// wrapped around since an earlier write.
func TestMarksWrap(t *testing.T) {
	w := newWorld(t, 1)
	setVersion(w, math.MaxUint32-1)
	e := w.Spawn(A{})
	q := w.Query(Read[A](), Changed[A]())
	for step := range 5 {
		since := w.Version()
		bump(w)
		q.SetSince(since)
		if step > 0 && !q.Unchanged() || q.Count() != 0 {
			t.Errorf("step %d, version %d: something has changed", step, w.Version())
		}
		must(t, Set(w, e, A{int32(step)}))
		if n := q.Count(); n != 1 || q.Unchanged() || w.ArchetypeOf(e).arch.newestVersions[0] != w.Version() {
			t.Errorf("step %d, version %d: %d rows have changed, quiet: %v", step, w.Version(), n, q.Unchanged())
		}
	}
}

// TestRoster checks that a sparse set finds the index of each of its entities, if it is used
// repeatedly with other orders and lengths.
func TestRoster(t *testing.T) {
	var r sparseSet
	rng := rand.New(rand.NewPCG(1, 8))
	for round := range 300 {
		n := []int{8, 9, 10, 1, 7, 30}[round%6]
		list := make([]Entity, 0, n)
		r.reset(40)
		for _, i := range rng.Perm(40)[:n] {
			e := Entity{int32(i), int32(1 + round%3)}
			list = append(list, e)
			if !r.add(e) || r.add(e) {
				t.Fatalf("round %d: %v is new and then known", round, e)
			}
		}
		for i := range int32(40) {
			e := Entity{i, int32(1 + round%3)}
			if got, want := r.indexOf(e), slices.Index(list, e); got != want {
				t.Fatalf("round %d, %d entities: %v is at %d, want %d", round, n, e, got, want)
			}
			if old := (Entity{i, 9}); r.indexOf(old) >= 0 {
				t.Fatalf("round %d: %v was never there", round, old)
			}
		}
	}
}

// TestLayoutsOfOtherComponents checks that a chunk cannot change its archetype in place if the
// components differ, even if their sizes are equal.
func TestLayoutsOfOtherComponents(t *testing.T) {
	w := newWorld(t, 1)
	a, d := w.Archetype(With[A](), With[B]()), w.Archetype(With[D](), With[B]())
	if a.Capacity() != d.Capacity() || canRelabel(a, d) || canRelabel(d, a) {
		t.Errorf("capacities %d and %d, compatible: %v", a.Capacity(), d.Capacity(), canRelabel(a, d))
	}
	if canRelabel(w.Archetype(With[A]()), w.Archetype(With[D]())) {
		t.Error("a chunk of A is one of D, of the same size and as many lanes")
	}
	if tagged := w.Archetype(With[A](), With[B](), With[Tag]()); !canRelabel(a, tagged) || canRelabel(a, w.Archetype(With[A](), With[Tag]())) {
		t.Error("tags take no room, and other columns do")
	}
}

// A component must be on in a copy if it is on in the source, whatever the neighbouring rows are.
func TestCopiesOfSwitches(t *testing.T) {
	w := newWorld(t, 1)
	list := make([]Entity, 200)
	for i := range list {
		list[i] = w.Spawn(A{int32(i)}, En{})
		must(t, SetEnabled[En](w, list[i], i%3 == 0))
	}
	copies := make([]Entity, 130)
	for _, i := range []int{0, 1, 63, 64, 66, 127, 128, 199} {
		must(t, w.InstantiateInto(list[i], copies))
		must(t, integrity(w))
		for k, e := range copies {
			if enabled[En](t, w, e) != (i%3 == 0) || get[A](t, w, e).Value != int32(i) {
				t.Fatalf("copy %d of entity %d is on: %v", k, i, enabled[En](t, w, e))
			}
		}
	}
}
