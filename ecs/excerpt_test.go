package ecs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Entities of all kinds are moved from one world of a model to its other world. The model then expects
// all of their components in the other world. The test inserts the entities in random order, among
// entities that the world already has, and does this repeatedly.
func TestExcerptModel(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 547))
			m := newModel(t)
			var x Excerpt
			for round := range *steps / 100 {
				for range 20 {
					var b [48]byte
					for k := range b {
						b[k] = byte(rng.Uint32())
					}
					m.step(b[:])
				}
				m.excerpt(&x, rng)
				for _, own := range []*model{m, m.peer} {
					if err := own.check(true); err != nil {
						t.Fatalf("round %d: %v", round, err)
					}
				}
			}
		})
	}
}

// excerpt moves some entities from the peer's world to the world of m.
func (m *model) excerpt(x *Excerpt, rng *rand.Rand) {
	src := m.peer
	var list []Entity
	for e := range src.w.Entities() {
		if rng.IntN(3) == 0 {
			list = append(list, e)
		}
	}
	rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	m.last = fmt.Sprint("Excerpt ", list)
	m.ok(x.Extract(src.w, list, nil))
	m.ok(x.DestroySource())
	became := map[Entity]Entity{}
	came, err := x.Insert(m.w, nil)
	m.ok(err)
	for i, e := range list {
		became[e] = came[i]
	}
	rows := make([]modelEntity, len(list))
	for i, e := range list {
		rows[i] = *src.rows[e]
		src.removeEntity(e)
	}
	for i := range rows {
		m.addEntity(came[i], rows[i])
	}
	for _, e := range came {
		m.rows[e].redirect(func(e Entity) Entity { return became[e] })
	}
}

// grim is a shared value whose methods panic at a call that the test chooses.
type grim struct {
	Shared
	N int32
}

var grimCalls int // calls left until the panic

func (v grim) Hash() uint64 {
	if grimCalls--; grimCalls == 0 {
		panic("grim")
	}
	return uint64(v.N % 3)
}
func (v grim) Equal(o grim) bool { _ = v.Hash(); return v.N == o.N }

// An excerpt is moved completely or not at all. If a function of the user returns an error or
// panics, at any call, neither world may change.
func TestExcerptWhole(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	grimCalls = 0
	out := src.Spawn(A{9})
	var ids []Entity
	for i := range int32(12) {
		ids = append(ids, src.Spawn(grim{N: i}, Ref{To: out}, BufferOf(Elem{i}), Cl{Value: i}, PerChunk[D]{}))
		w.Spawn(grim{N: i / 2}, A{i})
	}
	var x Excerpt
	no := errors.New("no")
	key := func(Entity) (uint64, error) { return 5, nil }
	hashes := [2]uint64{src.Hash(), w.Hash()}
	stays := func(what string) {
		t.Helper()
		grimCalls = 0
		if got := [2]uint64{src.Hash(), w.Hash()}; got != hashes {
			t.Fatalf("%s: a world has changed", what)
		}
	}
	tried := func(f func() error) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("%v", v)
			}
		}()
		return f()
	}
	for k := 1; ; k++ { // the k-th call
		calls := k
		err := tried(func() error {
			return x.Extract(src, ids, func(Entity) (uint64, error) {
				if calls--; calls == 0 {
					if k%2 == 0 {
						panic("outside")
					}
					return 0, no
				}
				return 5, nil
			})
		})
		stays(fmt.Sprint("outside, call ", k))
		if err == nil {
			break
		}
		if x.Len() != 0 {
			t.Fatal("something is left of what has failed")
		}
	}
	must(t, x.Extract(src, ids, key))
	wantCategory(t, ErrArgument, tried(func() error { _, err := x.Insert(w, func(uint64) (Entity, error) { return Entity{}, no }); return err }))
	stays("inside")
	n := 0
	for k := 1; ; k++ {
		grimCalls = k
		err := tried(func() error { _, err := x.Insert(w, nil); return err })
		if err == nil {
			break
		}
		stays(fmt.Sprint("methods, call ", k))
		n++
	}
	if grimCalls = 0; n < 12 || w.Len() != 24 {
		t.Errorf("%d calls have failed; then there were %d entities", n, w.Len())
	}
	hashes[1] = w.Hash()
	for c := range src.Query(With[A]()).Chunks() {
		_ = c
		wantCategory(t, ErrState, x.DestroySource())
	}
	stays("in a loop")
	must(t, x.DestroySource())
	if src.Len() != 1 {
		t.Errorf("%d entities are left", src.Len())
	}
	wantCategory(t, ErrState, x.DestroySource())
}

// Rows with chunk components must be inserted into a chunk with the same values of these
// components.
func TestExcerptChunks(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	var ids []Entity
	for i := range int32(40) {
		ids = append(ids, src.Spawn(A{i}))
	}
	q := src.Query(Write[PerChunk[D]]())
	must(t, AddAll(src, Entities(ids), PerChunk[D]{}))
	for c := range q.Chunks() {
		SetChunkValue(c, D{7})
	}
	other := w.Spawn(A{}, PerChunk[D]{Value: D{8}})
	var x Excerpt
	for i := 0; i < len(ids); i += 5 {
		must(t, x.Extract(src, ids[i:i+5], nil))
		_, err := x.Insert(w, nil)
		must(t, err)
	}
	byValue := map[int32]int{}
	chunks := 0
	for c := range w.Query(Read[PerChunk[D]]()).Chunks() {
		chunks++
		byValue[ChunkValue[D](c).Value] += c.Len()
	}
	if chunks != 2 || byValue[7] != 40 || byValue[8] != 1 || !w.Exists(other) {
		t.Errorf("%d chunks: %v", chunks, byValue)
	}
}

// TestHashRows checks that the sum depends on all values of rows, but not on their places.
func TestHashRows(t *testing.T) {
	type id struct{ N uint64 }
	key := reflect.TypeFor[id]()
	fill := func(w *World, from, to uint64, order func(i uint64) uint64) {
		ids := map[uint64]Entity{}
		for i := from; i < to; i++ {
			k := order(i)
			ids[k] = w.Spawn(id{k}, Ref{Value: int32(k)}, En{Value: int32(k)}, Sh{Value: int32(k % 3)}, BufferOf(make([]Elem, k%11)...))
			must(t, SetEnabled[En](w, ids[k], k%2 == 0))
		}
		for k, e := range ids { //lanewise:inexact each has a value of its own
			must(t, Set(w, e, Ref{Value: int32(k), To: ids[k^1]}))
		}
	}
	hash := func(w *World) uint64 {
		sum, err := w.Query(With[id]()).HashRows(key)
		must(t, err)
		return sum
	}
	const n = 5000
	var want uint64
	for workers := range 4 {
		w := newWorld(t, workers+1)
		fill(w, 0, n, func(i uint64) uint64 { return i })
		sum := hash(w)
		if workers == 0 {
			want = sum
		}
		if sum != want {
			t.Fatalf("%d workers: %#x, want %#x", workers+1, sum, want)
		}
	}
	const golden = 0x791f592d7ed72628 // of the rows above, on every machine
	if want != golden {
		t.Errorf("the hash is %#x, want %#x", want, uint64(golden))
	}
	a, b := newWorld(t, 1), newWorld(t, 2)
	for range 100 {
		b.Spawn(A{}) // other ids
	}
	fill(a, 0, n/2, func(i uint64) uint64 { return n/2 - 1 - i })
	fill(b, n/2, n, func(i uint64) uint64 { return n + n/2 - 1 - i })
	if sum := hash(a) + hash(b); sum != want {
		t.Errorf("two parts: %#x, want %#x", sum, want)
	}
	var e Entity
	for own := range a.Entities() {
		e = own
	}
	on, err := Enabled[En](a, e)
	must(t, err)
	ref, err := Get[Ref](a, e)
	must(t, err)
	for name, change := range map[string]func() error{ //lanewise:inexact each is undone
		"enabled":   func() error { on = !on; return SetEnabled[En](a, e, on) },
		"value":     func() error { ref.Value++; return Set(a, e, ref) },
		"reference": func() error { ref.To = e; return Set(a, e, ref) },
		"null":      func() error { ref.To = Entity{}; return Set(a, e, ref) },
		"shared":    func() error { return Set(a, e, Sh{Value: 77}) },
		"buffer":    func() error { return Set(a, e, BufferOf(Elem{1}, Elem{2})) },
		"tag":       func() error { return Add(a, e, Tag{}) },
	} {
		before := hash(a)
		must(t, change())
		if hash(a) == before {
			t.Errorf("%s: the hash is the same", name)
		}
	}
	before := hash(a)
	must(t, Add(a, e, Tag2{}))
	sum, err := a.Query(With[id]()).HashRows(key, reflect.TypeFor[Tag2]())
	if err != nil || sum != before {
		t.Errorf("without a type: %#x, want %#x: %v", sum, before, err)
	}
	must(t, Add(a, e, Ghost{}))
	if sum := hash(a); sum == before {
		t.Error("a ghost is hashed without having been asked for")
	}
}

// TestRowSet checks that a RowSet writes only to the given entities, and marks their chunks as
// changed. After a structural change the entities are looked up again.
func TestRowSet(t *testing.T) {
	type wide struct {
		A uint8
		B [3]float64
		C bool
	}
	src, w := newWorld(t, 1), newWorld(t, 1)
	var from, to []Entity
	for i := range int32(900) {
		values := []any{C{i, -i, 2 * i}, wide{uint8(i), [3]float64{float64(i)}, i%2 == 0}, D{i}}
		if i%3 == 0 {
			values = append(values, Tag{})
		}
		from = append(from, src.Spawn(values...))
		to = append(to, w.Spawn(C{}, wide{}, D{}, En{Value: i}, Ghost{}))
		must(t, SetEnabled[En](w, to[i], i%2 == 0))
	}
	plain := w.Query(Write[C]())
	rng := rand.New(rand.NewPCG(1, 1))
	out, err := NewRowSet(src, reflect.TypeFor[C](), reflect.TypeFor[wide](), reflect.TypeFor[D](), reflect.TypeFor[Tag2]())
	must(t, err)
	if _, err := out.Gather(nil, from[:1]); !errors.Is(err, ErrArgument) {
		t.Fatalf("without a tag: %v", err)
	}
	if out, err = NewRowSet(src, reflect.TypeFor[C](), reflect.TypeFor[wide](), reflect.TypeFor[D]()); err != nil {
		t.Fatal(err)
	}
	in, err := NewRowSet(w, reflect.TypeFor[C](), reflect.TypeFor[wide](), reflect.TypeFor[D]())
	must(t, err)
	seen := w.Query(Read[C](), Changed[C](), IncludeGhosts())
	var values []byte
	for round := range 12 {
		if round%3 == 0 {
			rng.Shuffle(len(from), func(i, k int) { from[i], from[k], to[i], to[k] = from[k], from[i], to[k], to[i] })
		}
		n := 1 + rng.IntN(len(from))
		if round%4 == 1 { // rows move
			w.Spawn(C{}, wide{}, D{}, En{}, Ghost{})
			must(t, Add(w, to[n/2], Tag{}))
			must(t, Add(src, from[n/3], B{1, 2}))
		}
		for i, e := range from[:n] {
			must(t, Set(src, e, C{int32(round), int32(i), 3}))
		}
		seen.SetSince(w.Version())
		w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("step"))
		values, err = out.Gather(values[:0], from[:n])
		must(t, err)
		if len(values) != n*out.RowBytes() || n*in.RowBytes() != len(values) {
			t.Fatalf("%d bytes for %d rows of %d", len(values), n, out.RowBytes())
		}
		must(t, in.Scatter(to[:n], values))
		for i, e := range to[:n] {
			c, _ := Get[C](w, e)
			own, _ := Get[wide](w, e)
			d, _ := Get[D](w, e)
			wantWide, _ := Get[wide](src, from[i])
			wantD, _ := Get[D](src, from[i])
			en, _ := Get[En](w, e)
			on, _ := Enabled[En](w, e)
			if c != (C{int32(round), int32(i), 3}) || own != wantWide || d != wantD || on != (en.Value%2 == 0) {
				t.Fatalf("round %d, row %d: %v %v %v %v, want %v %v", round, i, c, own, d, on, wantWide, wantD)
			}
		}
		if seen.Count() < n {
			t.Fatalf("round %d: %d rows of %d count as changed", round, seen.Count(), n)
		}
	}
	if plain.Count() != 0 {
		t.Error("a query has seen ghosts")
	}
	values, err = out.Gather(values[:0], from) // all of them
	must(t, err)
	must(t, in.Scatter(to, values))
	if !raceEnabled && !guard {
		if n := testing.AllocsPerRun(10, func() {
			values, _ = out.Gather(values[:0], from)
			_ = in.Scatter(to, values)
		}); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
	old := slices.Clone(values)
	values, _ = out.Gather(values[:0], from)
	wantCategory(t, ErrArgument, in.Scatter(append(slices.Clone(to), Entity{}), append(values, make([]byte, in.RowBytes())...)))
	if again, _ := in.Gather(nil, to); !slices.Equal(again, old) {
		t.Error("what was refused has written something")
	}
}

// BenchmarkExcerptBuffers shows that inserting a row with a buffer takes the same time for many rows as
// for few.
func BenchmarkExcerptBuffers(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			src, w := NewWorld("from"), NewWorld("to")
			defer func() { must(b, errors.Join(src.Close(), w.Close())) }()
			list := make([]Entity, n)
			must(b, src.CreateInto(src.Archetype(With[Buffer[Elem]]()), list))
			for i, e := range list {
				own, err := GetBuffer[Elem](src, e)
				must(b, err)
				for k := range i % 4 {
					own.Append(Elem{int32(k)})
				}
			}
			var x Excerpt
			must(b, x.Extract(src, list, nil))
			once := func() {
				_, err := x.Insert(w, nil)
				must(b, err)
				must(b, DestroyAll(w, Matching(w.Query())))
			}
			for b.Loop() {
				once()
			}
			perThing(b, n, "ns/row")
		})
	}
}

// TestExcerptBuffers checks that inserted rows get their buffer elements. The rows go to many
// chunks, are inserted repeatedly, and have their elements inline or on the heap.
func TestExcerptBuffers(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	list := make([]Entity, 1000)
	must(t, src.CreateInto(src.Archetype(With[Buffer[Elem]]()), list))
	for i, e := range list {
		own, err := GetBuffer[Elem](src, e)
		must(t, err)
		for k := range i % 40 {
			own.Append(Elem{int32(i*100 + k)})
		}
	}
	var x Excerpt
	must(t, x.Extract(src, list, nil))
	for round := range 3 {
		ids, err := x.Insert(w, nil)
		must(t, err)
		for i, e := range ids {
			own, err := GetBuffer[Elem](w, e)
			must(t, err)
			if own.Len() != i%40 || own.Len() > 0 && own.Slice()[own.Len()-1] != (Elem{int32(i*100 + i%40 - 1)}) {
				t.Fatalf("round %d: row %d has %d elements, want %d, or others", round, i, own.Len(), i%40)
			}
		}
	}
}
