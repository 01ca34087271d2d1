package ecs

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// wary is a shared value of which all methods can panic. Many different values have the same hash.
type wary struct {
	Shared
	N    int
	To   Entity
	told *map[int]int
}

func (v wary) Equal(o wary) bool { inform = false; spring(); return v.N == o.N && v.To == o.To }
func (v wary) Hash() uint64      { inform = false; spring(); return uint64(v.N % 2) }
func (v wary) Retain()           { (*v.told)[v.N]++; inform = true; spring() }
func (v wary) Release()          { (*v.told)[v.N]--; inform = true; spring() }

// inform is true if the last call of a method was Retain or Release, because these are called
// after the operation is complete.
var inform bool

// userTwin is one of two worlds that get the same operations. In one of them, methods of shared
// values panic.
type userTwin struct {
	w, src *World
	q      *Query
	cmd    *Commands
	told   map[int]int
	image  *Image
	here   *ImageStream
}

func newUserTwin(t *testing.T) *userTwin {
	x := &userTwin{w: newWorld(t, 1), src: newWorld(t, 1), told: map[int]int{}}
	for i := range 5 {
		x.src.Spawn(A{int32(i)}, x.of(i%3))
	}
	x.q, x.cmd = x.w.Query(With[A]()), x.w.NewCommands()
	x.image = mustCapture(t, x.w, nil)
	x.w.Hooks().OnCommit(func(string) { inform = false; spring() })
	return x
}

func (x *userTwin) of(n int) wary { return wary{N: 1 + n, told: &x.told} }

// pickSome returns some entities of the world. It returns the same entities for both twins. If there are none,
// it returns the null entity.
func (x *userTwin) pickSome(rng *rand.Rand, n int) []Entity {
	ids := slices.Collect(x.w.Entities())
	rng.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	return append(ids, Entity{})[:max(1, min(n, len(ids)))]
}

// step does a random operation, which is the same for both twins.
func (x *userTwin) step(rng *rand.Rand) (string, func() error) {
	errOf := func(_ any, err error) error { return err }
	w, v := x.w, x.of(rng.IntN(6))
	ids := x.pickSome(rng, 1+rng.IntN(6))
	e, n := ids[0], rng.IntN(4)
	if n == 0 {
		v.To = e
	}
	ops := []struct {
		name string
		do   func() error
	}{
		{"Spawn", func() error { w.Spawn(A{int32(n)}, v); return nil }},
		{"Spawn, plain", func() error { w.Spawn(A{int32(n)}, B{}); return nil }},
		{"CreateShared", func() error { return errOf(w.CreateShared(w.Archetype(With[A](), With[wary]()), n, v)) }},
		{"Add", func() error { return Add(w, e, v) }},
		{"Set", func() error { return Set(w, e, v) }},
		{"Untyped.Add", func() error { return w.Untyped().Add(e, reflect.TypeFor[wary](), v) }},
		{"Remove", func() error { return errOf(Remove[wary](w, e)) }},
		{"AddAll", func() error { return AddAll(w, Entities(ids), v) }},
		{"AddAll(Matching)", func() error { return AddAll(w, Matching(x.q), v) }},
		{"Exchange", func() error { return Exchange[wary](w, Entities(ids), D{int32(n)}) }},
		{"AddTypes", func() error { return AddTypes(w, Entities(ids), With[wary](), With[C]()) }},
		{"RemoveTypes", func() error { return RemoveTypes(w, Entities(ids), With[wary](), With[B]()) }},
		{"Destroy", func() error { return w.Destroy(e) }},
		{"DestroyAll", func() error { return DestroyAll(w, Entities(ids)) }},
		{"Instantiate", func() error { return errOf(w.Instantiate(e, n)) }},
		{"CloneAll", func() error { return errOf(w.CloneAll(ids)) }},
		{"SetActive", func() error { return w.SetActive(e, n > 1) }},
		{"CopyFrom", func() error {
			return errOf(CopyEntities(w, x.src, slices.Collect(x.src.Entities())[min(n, x.src.Len()):]))
		}},
		{"MoveEntities", func() error { return MoveEntities(w, x.src, nil) }},
		{"MoveBack", func() error { return MoveMatching(x.src, x.q, nil) }},
		{"Query", func() error { return w.Query(WithShared(v), With[A]()).Close() }},
		{"Swap", func() error { return w.Swap(e, ids[len(ids)-1]) }},
		{"Compact", func() error { return Compact(w) }},
		{"Capture", func() (err error) { x.image, err = Capture(w, x.image); return err }},
		{"Restore", func() error { return Restore(w, x.image) }},
		{"Fork", func() error {
			f, err := Fork(x.image, "fork")
			if err != nil {
				return err
			}
			return f.Close()
		}},
		{"ImageStream", func() (err error) {
			if x.here == nil {
				x.here, err = NewImageStream(x.image, v)
				return err
			}
			return x.here.Begin(w)
		}},
		{"Load", func() error { return errOf(x.here.Load(1 + n)) }},
		{"Unload", func() error { return errOf(x.here.Unload(10)) }},
		{"No stream", func() error { x.here = nil; return nil }},
		{"Excerpt", func() error {
			var own Excerpt
			if err := own.Extract(x.src, slices.Collect(x.src.Entities()), nil); err != nil {
				return err
			}
			return errOf(own.Insert(w, nil))
		}},
		{"Playback", func() error {
			x.cmd.Reset()
			if err := AddAll(x.cmd, Matching(x.q), v); err != nil {
				return err
			}
			return x.cmd.Playback(w)
		}},
	}
	op := ops[rng.IntN(len(ops))]
	if x.here == nil && (op.name == "Load" || op.name == "Unload") {
		return "nothing", func() error { return nil }
	}
	return op.name, op.do
}

// TestUserCodeModel runs random operations on two worlds. In one of them a method of a shared value, or a
// function of OnCommit, panics at a random call. The test then repeats the operation, unless Retain or
// Release has already been called, because then the operation is complete. Both worlds must be the same
// after each step, and the calls of Retain and Release must be right.
func TestUserCodeModel(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 28))
		a, b := newUserTwin(t), newUserTwin(t)
		panics, done, steps := 0, 0, *steps/40
		for i := range steps {
			x, k := rng.Uint64(), 1+rng.IntN(6)
			roll := func() *rand.Rand { return rand.New(rand.NewPCG(x, seed)) }
			name, op := a.step(roll())
			when := fmt.Sprintf("seed %d, step %d: %s, call %d", seed, i, name, k)
			open := (&scene{w: a.w, src: a.src})
			before := open.hash(t)
			panicked, err := callFailing(k, op)
			informed := inform
			if panicked {
				panics++
				if got := open.hash(t); !informed && got != before && name != "Fork" {
					t.Fatalf("%s: it panicked, and the worlds are %s, were %s", when, got, before)
				}
				if !informed {
					err = op()
				}
			} else if err == nil {
				done++
			}
			_, other := b.step(roll())
			if err2 := other(); (err == nil) != (err2 == nil) {
				t.Fatalf("%s: error %v, and without a panic %v", when, err, err2)
			}
			if got, want := open.hash(t), (&scene{w: b.w, src: b.src}).hash(t); got != want {
				t.Fatalf("%s, panicked: %v, told: %v: the worlds are %s, want %s", when, panicked, informed, got, want)
			}
			for _, y := range []*userTwin{a, b} {
				use := map[int]int{}
				for _, w := range []*World{y.w, y.src} {
					for k, v := range SharedValues[wary](w) {
						if k > 0 && v.told != nil {
							use[v.N]++
						}
					}
				}
				for n := range 8 {
					if use[n] != y.told[n] {
						t.Fatalf("%s: value %d is held %d times, and was told %d", when, n, use[n], y.told[n])
					}
				}
			}
			if a.w.Len() > 150 {
				ids := slices.Collect(a.w.Entities())
				must(t, DestroyAll(a.w, Entities(ids[20:])))
				must(t, DestroyAll(b.w, Entities(ids[20:])))
			}
		}
		t.Logf("seed %d: %d steps, %d panics, %d operations without one", seed, steps, panics, done)
	}
}
