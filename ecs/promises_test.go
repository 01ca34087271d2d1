package ecs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

type (
	// two is a component with two references, pair an element with two.
	two  struct{ First, Second Entity }
	pair struct{ First, Second Entity }
	// shTo is a shared value with a reference.
	shTo struct {
		Shared
		To Entity
	}
)

// early lets f record commands that are played before those of late, which runs first. They have one
// writer for both, or one each.
func early(t *testing.T, w *World, c *Commands, oneWriter bool, late func(b *Commands), f func(b *Commands)) {
	t.Helper()
	q := w.Query(With[bulk]())
	if q.ChunkCount() < 2 {
		w.CreateChunks(w.Archetype(With[bulk]()), 2)
	}
	first, second := c.Parallel(), c.Parallel()
	if oneWriter {
		second = first
	}
	for k, record := range []func(b *Commands){late, f} {
		for chunk := range q.Chunks() {
			switch {
			case k == 0 && chunk.Index() == 1:
				record(second.For(chunk))
			case k == 1 && chunk.Index() == 0:
				record(first.For(chunk))
			}
		}
	}
}

// TestReferencesBeforeTheEntity: a reference that is played before the command that makes the entity
// refers to it. This holds for a reference in any place, for any command that makes the entity, and for
// new and reused ids.
func TestReferencesBeforeTheEntity(t *testing.T) {
	makers := map[string]func(w *World, model Entity, b *Commands) (Entity, error){
		"Create": func(w *World, _ Entity, b *Commands) (Entity, error) { return b.Create(w.Archetype(With[A]())) },
		"Create, PerChunk": func(w *World, _ Entity, b *Commands) (Entity, error) {
			return b.Create(w.Archetype(With[A](), With[PerChunk[D]]()))
		},
		"Spawn":       func(_ *World, _ Entity, b *Commands) (Entity, error) { return b.Spawn(A{}, Sh{Value: 4}) },
		"Instantiate": func(_ *World, model Entity, b *Commands) (Entity, error) { return b.Instantiate(model) },
	}
	places := map[string]struct {
		record func(b *Commands, at Entity, q *Query, x, y Entity) error
		read   func(w *World, at Entity) []Entity
	}{
		"Add": {
			func(b *Commands, at Entity, _ *Query, x, y Entity) error { return Add(b, at, two{x, y}) },
			func(w *World, at Entity) []Entity { v := get[two](t, w, at); return []Entity{v.First, v.Second} },
		},
		"AddAll": {
			func(b *Commands, at Entity, _ *Query, x, y Entity) error {
				return AddAll(b, Entities([]Entity{at}), two{x, y})
			},
			func(w *World, at Entity) []Entity { v := get[two](t, w, at); return []Entity{v.First, v.Second} },
		},
		"AddAll(Matching)": {
			func(b *Commands, _ Entity, q *Query, x, y Entity) error { return AddAll(b, Matching(q), two{x, y}) },
			func(w *World, at Entity) []Entity { v := get[two](t, w, at); return []Entity{v.First, v.Second} },
		},
		"AppendBuffer": {
			func(b *Commands, at Entity, _ *Query, x, y Entity) error {
				if err := Add(b, at, BufferOf(pair{x, y})); err != nil {
					return err
				}
				return AppendBuffer(b, at, make([]pair, 20)[0], pair{y, x}, pair{x, x})
			},
			func(w *World, at Entity) []Entity {
				v := get[Buffer[pair]](t, w, at).Slice()
				if v[0].First != v[2].Second || v[0].Second != v[2].First || v[3].First != v[3].Second || v[3].First != v[0].First {
					t.Errorf("the elements are %v", v)
				}
				return []Entity{v[0].First, v[0].Second}
			},
		},
		"shared": {
			func(b *Commands, at Entity, _ *Query, x, y Entity) error {
				if err := Add(b, at, shTo{To: x}); err != nil {
					return err
				}
				return Add(b, at, Obj{Self: y})
			},
			func(w *World, at Entity) []Entity {
				return []Entity{get[shTo](t, w, at).To, get[Obj](t, w, at).Self}
			},
		},
		"Spawn": {
			func(b *Commands, _ Entity, _ *Query, x, y Entity) error {
				_, err := b.Spawn(two{x, y}, Tag{}, BufferOf(pair{x, y}), shTo{To: y}, Obj{Self: x})
				return err
			},
			func(w *World, _ Entity) []Entity {
				for e := range w.Entities() {
					if Has[Tag](w, e) {
						v, b := get[two](t, w, e), get[Buffer[pair]](t, w, e).Slice()
						if b[0] != pair(v) || get[shTo](t, w, e).To != v.Second || get[Obj](t, w, e).Self != v.First {
							t.Errorf("the references are %v, %v and others", v, b)
						}
						return []Entity{v.First, v.Second}
					}
				}
				return nil
			},
		},
	}
	for maker, born := range makers {
		for place, ref := range places {
			for way := range 8 {
				w := newWorld(t, 1)
				at, model := w.Spawn(C{}), w.Spawn(Prefab{}, BufferOf[Linked](), two{})
				part := w.Spawn(Prefab{}, D{}, two{First: model})
				must(t, Set(w, model, BufferOf(Linked{model}, Linked{part})))
				must(t, Set(w, model, two{First: part, Second: model}))
				if way&1 != 0 {
					old := []Entity{w.Spawn(), w.Spawn(), w.Spawn()}
					must(t, DestroyAll(w, Entities(old[way&2:])))
				}
				c := w.NewCommands()
				q := w.Query(With[C]())
				var x, y Entity
				for range 2 { // the second time in the same chunks
					late := func(b *Commands) {
						var err error
						x, err = born(w, model, b)
						must(t, err)
						must(t, Add(b, x, D{1}))
						y, err = born(w, model, b)
						must(t, err)
						must(t, Add(b, y, D{2}))
					}
					early(t, w, c, way&4 != 0, late, func(b *Commands) { must(t, ref.record(b, at, q, x, y)) })
					must(t, c.Playback(w))
					c.Reset()
					got := ref.read(w, at)
					if len(got) != 2 || got[0] == got[1] || !w.Exists(got[0]) || !w.Exists(got[1]) {
						t.Fatalf("%s, %s, way %d: the references are %v", maker, place, way, got)
					}
					if get[D](t, w, got[0]).Value != 1 || get[D](t, w, got[1]).Value != 2 {
						t.Errorf("%s, %s, way %d: the references lead to others", maker, place, way)
					}
					if maker == "Instantiate" && get[two](t, w, get[two](t, w, got[1]).First).First != got[1] {
						t.Errorf("%s, %s, way %d: the parts of the copy refer to %v", maker, place, way, get[two](t, w, got[1]))
					}
					must(t, w.integrity())
				}
			}
		}
	}
}

// referring refers to entities that it makes.
type referring struct {
	p       ParallelCommands
	targets []Entity
	made    []Entity
	refs    bool
}

func (r *referring) RunRange(t *jobs.Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		if r.refs {
			_ = Add(r.p.ForKey(t, i), r.targets[i], two{r.made[i], r.made[len(r.made)-1-i]})
		} else {
			b := r.p.ForKey(t, 1000+i)
			r.made[i], _ = b.Spawn(D{int32(i)})
		}
	}
}

// TestReferencesBeforeTheEntityAndWorkers: ids and hash are the same for any number of workers, though
// with a single worker one writer records everything.
func TestReferencesBeforeTheEntityAndWorkers(t *testing.T) {
	const n = 300
	want := uint64(0)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		r := &referring{targets: make([]Entity, n), made: make([]Entity, n)}
		must(t, w.CreateInto(w.Archetype(With[A]()), r.targets))
		c := w.NewCommands()
		r.p = c.Parallel()
		h := w.Pool().ParallelFor(r, n, 7)
		must(t, h.Wait())
		again := *r
		again.refs = true
		h = w.Pool().ParallelFor(&again, n, 5)
		w.Scheduler().Track(&access.Access{}, h)
		must(t, c.Playback(w))
		for i, e := range r.targets {
			v := get[two](t, w, e)
			if get[D](t, w, v.First).Value != int32(i) || get[D](t, w, v.Second).Value != int32(n-1-i) {
				t.Fatalf("%d workers: target %d refers to %v", workers, i, v)
			}
		}
		must(t, w.integrity())
		must(t, w.Sync())
		if got := w.Hash(); want == 0 {
			want = got
		} else if got != want {
			t.Errorf("%d workers: the hash is %x, want %x", workers, got, want)
		}
	}
}

// TestBrokenPromises: a playback that stops takes back the promised ids of the failing command; entities
// that others have promised do not exist.
func TestBrokenPromises(t *testing.T) {
	for _, holes := range []int{0, 1, 2, 5} {
		for _, how := range []string{"error", "panic"} {
			prepare := func() (w *World, at, dead Entity) {
				w = newWorld(t, 1)
				at, dead = w.Spawn(C{}), w.Spawn()
				w.CreateChunks(w.Archetype(With[bulk]()), 2)
				var old []Entity
				for range holes {
					old = append(old, w.Spawn())
				}
				must(t, DestroyAll(w, Entities(append(old, dead))))
				if holes == 0 { // no free id at all
					w.Spawn()
				}
				return w, at, dead
			}
			w, at, dead := prepare()
			c := w.NewCommands()
			var x, y, z Entity
			late := func(b *Commands) {
				x, _ = b.Spawn(A{1})
				y, _ = b.Spawn(A{2})
				z, _ = b.Spawn(A{3})
			}
			for _, first := range []bool{true, false} {
				early(t, w, c, true, late, func(b *Commands) {
					if !first {
						must(t, Add(b, at, two{x, y}))
					}
					if how == "error" {
						must(t, AppendBuffer(b, at, pair{z, x}, pair{y, z})) // it has no such buffer
					} else {
						_, err := b.Spawn(two{z, y}, BufferOf(pair{z, x}, pair{y, z}), touchy{N: 1})
						must(t, err)
					}
				})
				before := w.Hash()
				panicked, err := caught(1, func() error { return c.Playback(w) })
				if how == "error" {
					fails(t, ErrState, err)
				} else if !panicked {
					t.Error("no panic")
				}
				c.Reset()
				must(t, w.integrity())
				if first && w.Hash() != before {
					t.Errorf("%d holes, %s: the first command has failed, but something was changed", holes, how)
				}
			}
			v := get[two](t, w, at)
			if w.Exists(v.First) || w.Exists(v.Second) || v.First == v.Second || v.First.IsZero() {
				t.Errorf("%d holes, %s: the references are %v", holes, how, v)
			}
			// The same with entities that were made and destroyed.
			o, at, _ := prepare()
			ids := []Entity{o.Spawn(), o.Spawn()}
			must(t, Add(o, at, two{ids[0], ids[1]}))
			must(t, DestroyAll(o, Entities(ids)))
			if o.Hash() != w.Hash() || get[two](t, o, at) != v {
				t.Errorf("%d holes, %s: the worlds differ, the references are %v and %v", holes, how, v, ids)
			}
			for range 5 {
				if e := w.Spawn(); e != o.Spawn() || e == v.First || e == v.Second {
					t.Errorf("%d holes, %s: %v was given out", holes, how, e)
				}
			}
			_ = dead
		}
	}
}

// TestCommandsBeforeTheEntity: a command for an entity that is made later is refused with a special
// message, and so are copies of a linked group with such a part.
func TestCommandsBeforeTheEntity(t *testing.T) {
	w := newWorld(t, 1)
	root := w.Spawn(BufferOf[Linked]())
	c := w.NewCommands()
	var x Entity
	late := func(b *Commands) {
		var err error
		x, err = b.Spawn(A{1})
		must(t, err)
	}
	for name, record := range map[string]func(b *Commands) error{
		"Add":         func(b *Commands) error { return Add(b, x, B{}) },
		"Destroy":     func(b *Commands) error { return b.Destroy(x) },
		"DestroyAll":  func(b *Commands) error { return DestroyAll(b, Entities([]Entity{root, x})) },
		"Instantiate": func(b *Commands) error { _, err := b.Instantiate(x); return err },
		"promised": func(b *Commands) error {
			if err := Add(b, root, two{First: x}); err != nil {
				return err
			}
			return b.Destroy(x)
		},
	} {
		early(t, w, c, name == "Add", late, func(b *Commands) { must(t, record(b)) })
		hash := w.Hash()
		err := c.Playback(w)
		fails(t, ErrState, err)
		if text := fmt.Sprint(err); !strings.Contains(text, "later command of this buffer") || strings.Contains(text, "another buffer") {
			t.Errorf("%s: %v", name, err)
		}
		if name != "promised" && w.Hash() != hash {
			t.Errorf("%s: something was changed", name)
		}
		c.Reset()
	}
	early(t, w, c, false, late, func(b *Commands) {
		must(t, AppendBuffer(b, root, Linked{root}, Linked{x}))
		_, err := b.Instantiate(root)
		must(t, err)
	})
	err := c.Playback(w)
	fails(t, ErrArgument, err)
	if !strings.Contains(err.Error(), "does not exist yet") {
		t.Error(err)
	}
	must(t, w.integrity())
}
