package ecs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// newPeopledWorld returns a world of entities in several archetypes and chunks, and a list of them.
func newPeopledWorld(t *testing.T) (*World, []Entity) {
	w := newWorld(t, 1)
	var list []Entity
	for i := range int32(700) {
		list = append(list, w.Spawn(A{i}))
		switch {
		case i%9 == 0:
			list = append(list, w.Spawn(A{i}, B{i, i}), w.Spawn(A{i}, Tag{}), w.Spawn(A{i}, BufferOf(elems(2)...)))
		case i%50 == 1:
			list = append(list, w.Spawn(A{i}, Sh{Value: i % 3}), w.Spawn(A{i}, Cl{Value: i}), w.Spawn(C{i, i, i}))
		}
	}
	return w, list
}

// edited describes one change of one entity, which is made directly or by a command.
type edited struct {
	e    Entity
	what int
	n    int32
}

func editOf[D WorldOrCommands](to D, c edited) (err error) {
	switch c.what {
	case 0:
		err = Add(to, c.e, B{c.n, -c.n})
	case 1:
		_, err = Remove[B](to, c.e)
	case 2:
		err = Add(to, c.e, Spin{1, 2, 3, float32(c.n)})
	case 3:
		_, err = Remove[Spin](to, c.e)
	case 4:
		err = Add(to, c.e, Tag{})
	case 5:
		_, err = Remove[Tag](to, c.e)
	case 6:
		err = Add(to, c.e, C{c.n, 1, 2})
	case 7:
		_, err = Remove[C](to, c.e)
	case 8:
		err = Set(to, c.e, A{c.n})
	case 9:
		err = Add(to, c.e, Wide{P: float64(c.n), Q: uint8(c.n)})
	case 10:
		_, err = Remove[Wide](to, c.e)
	case 11:
		err = Add(to, c.e, Sh{Value: c.n % 3})
	case 12:
		err = Add(to, c.e, BufferOf(elems(3)...))
	}
	return err
}

// Wide has lanes of several sizes.
type Wide struct {
	P float64
	Q uint8
}

// TestRowsOfOnePlayback changes single entities in two ways: one by one, and by commands that playback
// joins to a few changes. Rows, values, versions and counts must be the same.
func TestRowsOfOnePlayback(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 17))
		one, list := newPeopledWorld(t)
		many, _ := newPeopledWorld(t)
		c := many.NewCommands()
		commits := 0
		many.Hooks().OnCommit(func(string) { commits++ })
		for range 3 { // the second time all moves are cached
			var edits []edited
			for range 1500 {
				e := edited{list[rng.IntN(len(list))], rng.IntN(13), rng.Int32N(1000)}
				if e.what >= 11 && rng.IntN(8) > 0 {
					e.what = rng.IntN(11)
				}
				if e.what == 8 && !Has[A](one, e.e) {
					continue
				}
				edits = append(edits, e)
				if rng.IntN(3) == 0 { // for a moment
					edits = append(edits, edited{e.e, 2, 7}, edited{e.e, 3, 0})
				}
			}
			one.Scheduler().BeginUpdate("one")
			many.Scheduler().BeginUpdate("many")
			one.Scheduler().EndUpdate("")
			many.Scheduler().EndUpdate("")
			for _, e := range edits {
				must(t, editOf(one, e))
				must(t, editOf(c, e))
			}
			commits = 0
			must(t, c.Playback(many))
			if commits > len(edits)/2 {
				t.Errorf("%d commits for %d commands", commits, len(edits))
			}
			c.Reset()
			must(t, integrity(many))
			if one.Hash() != many.Hash() {
				t.Fatalf("seed %d: the hash is %x, want %x", seed, many.Hash(), one.Hash())
			}
			counts := func(w *World) []uint32 {
				return []uint32{orderCount[A](w), orderCount[B](w), orderCount[C](w), orderCount[Tag](w), orderCount[Spin](w), orderCount[Wide](w)}
			}
			if a, b := counts(one), counts(many); !slices.Equal(a, b) {
				t.Errorf("seed %d: rows came and went %v times, want %v", seed, b, a)
			}
			for _, e := range list {
				a := [...]uint32{ChangeVersion[A](one, e), ChangeVersion[B](one, e), ChangeVersion[C](one, e), ChangeVersion[Spin](one, e), ChangeVersion[Wide](one, e), orderVersion(one, e)}
				b := [...]uint32{ChangeVersion[A](many, e), ChangeVersion[B](many, e), ChangeVersion[C](many, e), ChangeVersion[Spin](many, e), ChangeVersion[Wide](many, e), orderVersion(many, e)}
				if a != b {
					t.Fatalf("seed %d: %v has versions %v, want %v", seed, e, b, a)
				}
			}
			if a, b := one.Stats(), many.Stats(); a.Chunks != b.Chunks {
				t.Errorf("seed %d: %d chunks, want %d", seed, b.Chunks, a.Chunks)
			}
		}
	}
}

// TestRowsFailWhereTheyDo plays a sequence of commands for single entities, one of which fails. The
// error must name the failing command, the changes of the earlier commands must remain, and a chunk
// that has lost its rows must be freed.
func TestRowsFailWhereTheyDo(t *testing.T) {
	w := newWorld(t, 1)
	e, f := w.Spawn(A{1}), w.Spawn(A{2})
	must(t, Add(w, e, B{1, 1}))
	_, err := Remove[B](w, e)
	must(t, err)
	c := w.NewCommands()
	must(t, Add(c, e, B{3, 4}))
	_, err = Remove[B](c, e)
	must(t, err)
	must(t, Set(c, f, A{5}))
	must(t, Set(c, f, C{}))
	must(t, Set(c, e, A{6}))
	err = c.Playback(w)
	wantCategory(t, ErrArgument, err)
	if !strings.Contains(err.Error(), "command 3, Set") || get[A](t, w, f).Value != 5 || get[A](t, w, e).Value != 1 {
		t.Errorf("got %v; %v and %v", err, get[A](t, w, e), get[A](t, w, f))
	}
	if n := w.Archetype(With[A](), With[B]()).ChunkCount(); n != 0 {
		t.Errorf("%d chunks are left", n)
	}
	must(t, integrity(w))
}

// TestPanicBeforeRows checks a function of OnCommit that panics at the first of several joined commands.
// Nothing may have changed.
func TestPanicBeforeRows(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	must(t, Add(w, e, B{1, 1}))
	_, err := Remove[B](w, e)
	must(t, err)
	c := w.NewCommands()
	must(t, Add(c, e, B{3, 4}))
	calls := 0
	w.Hooks().OnCommit(func(string) {
		if calls++; calls == 2 { // the first call is for the playback itself
			panic("no")
		}
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = c.Playback(w)
	}()
	if Has[B](w, e) {
		t.Error("the component was added")
	}
	must(t, integrity(w))
	must(t, Add(w, e, B{5, 6}))
}
