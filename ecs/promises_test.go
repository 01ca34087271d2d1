package ecs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

type (
	// two is a component with two references, and pair is a buffer element with two references.

	// shTo is a shared value with a reference.
	shTo struct {
		ecs.Shared
		To ecs.Entity
	}
)

// TestReferencesBeforeTheEntity plays a reference to an entity before the command that creates the
// entity. The reference must refer to the new entity. The test tries every place that can hold a
// reference, every command that creates an entity, and new and reused ids.
func TestReferencesBeforeTheEntity(t *testing.T) {
	makers := map[string]func(w *ecs.World, model ecs.Entity, b *ecs.Commands) (ecs.Entity, error){
		"Create": func(w *ecs.World, _ ecs.Entity, b *ecs.Commands) (ecs.Entity, error) {
			return b.Create(w.Archetype(ecs.With[A]()))
		},
		"Create, PerChunk": func(w *ecs.World, _ ecs.Entity, b *ecs.Commands) (ecs.Entity, error) {
			return b.Create(w.Archetype(ecs.With[A](), ecs.With[ecs.PerChunk[D]]()))
		},
		"Spawn": func(_ *ecs.World, _ ecs.Entity, b *ecs.Commands) (ecs.Entity, error) {
			return b.Spawn(A{}, Sh{Value: 4})
		},
		"Instantiate": func(_ *ecs.World, model ecs.Entity, b *ecs.Commands) (ecs.Entity, error) { return b.Instantiate(model) },
	}
	places := map[string]struct {
		record func(b *ecs.Commands, at ecs.Entity, q *ecs.Query, x, y ecs.Entity) error
		read   func(w *ecs.World, at ecs.Entity) []ecs.Entity
	}{
		"Add": {
			func(b *ecs.Commands, at ecs.Entity, _ *ecs.Query, x, y ecs.Entity) error {
				return ecs.Add(b, at, two{x, y})
			},
			func(w *ecs.World, at ecs.Entity) []ecs.Entity {
				v := get[two](t, w, at)
				return []ecs.Entity{v.First, v.Second}
			},
		},
		"AddAll": {
			func(b *ecs.Commands, at ecs.Entity, _ *ecs.Query, x, y ecs.Entity) error {
				return ecs.AddAll(b, ecs.Entities([]ecs.Entity{at}), two{x, y})
			},
			func(w *ecs.World, at ecs.Entity) []ecs.Entity {
				v := get[two](t, w, at)
				return []ecs.Entity{v.First, v.Second}
			},
		},
		"AddAll(Matching)": {
			func(b *ecs.Commands, _ ecs.Entity, q *ecs.Query, x, y ecs.Entity) error {
				return ecs.AddAll(b, ecs.Matching(q), two{x, y})
			},
			func(w *ecs.World, at ecs.Entity) []ecs.Entity {
				v := get[two](t, w, at)
				return []ecs.Entity{v.First, v.Second}
			},
		},
		"AppendBuffer": {
			func(b *ecs.Commands, at ecs.Entity, _ *ecs.Query, x, y ecs.Entity) error {
				if err := ecs.Add(b, at, ecs.BufferOf(pair{x, y})); err != nil {
					return err
				}
				return ecs.AppendBuffer(b, at, make([]pair, 20)[0], pair{y, x}, pair{x, x})
			},
			func(w *ecs.World, at ecs.Entity) []ecs.Entity {
				v := get[ecs.Buffer[pair]](t, w, at).Slice()
				if v[0].First != v[2].Second || v[0].Second != v[2].First || v[3].First != v[3].Second || v[3].First != v[0].First {
					t.Errorf("the elements are %v", v)
				}
				return []ecs.Entity{v[0].First, v[0].Second}
			},
		},
		"shared": {
			func(b *ecs.Commands, at ecs.Entity, _ *ecs.Query, x, y ecs.Entity) error {
				if err := ecs.Add(b, at, shTo{To: x}); err != nil {
					return err
				}
				return ecs.Add(b, at, Obj{Self: y})
			},
			func(w *ecs.World, at ecs.Entity) []ecs.Entity {
				return []ecs.Entity{get[shTo](t, w, at).To, get[Obj](t, w, at).Self}
			},
		},
		"Spawn": {
			func(b *ecs.Commands, _ ecs.Entity, _ *ecs.Query, x, y ecs.Entity) error {
				_, err := b.Spawn(two{x, y}, Tag{}, ecs.BufferOf(pair{x, y}), shTo{To: y}, Obj{Self: x})
				return err
			},
			func(w *ecs.World, _ ecs.Entity) []ecs.Entity {
				for e := range w.Entities() {
					if ecs.Has[Tag](w, e) {
						v, b := get[two](t, w, e), get[ecs.Buffer[pair]](t, w, e).Slice()
						if b[0] != pair(v) || get[shTo](t, w, e).To != v.Second || get[Obj](t, w, e).Self != v.First {
							t.Errorf("the references are %v, %v and others", v, b)
						}
						return []ecs.Entity{v.First, v.Second}
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
				at, model := w.Spawn(C{}), w.Spawn(ecs.Prefab{}, ecs.BufferOf[ecs.Linked](), two{})
				part := w.Spawn(ecs.Prefab{}, D{}, two{First: model})
				must(t, ecs.Set(w, model, ecs.BufferOf(ecs.Linked{model}, ecs.Linked{part})))
				must(t, ecs.Set(w, model, two{First: part, Second: model}))
				if way&1 != 0 {
					old := []ecs.Entity{w.Spawn(), w.Spawn(), w.Spawn()}
					must(t, ecs.DestroyAll(w, ecs.Entities(old[way&2:])))
				}
				c := w.NewCommands()
				q := w.Query(ecs.With[C]())
				var x, y ecs.Entity
				for range 2 { // the second time in the same chunks
					late := func(b *ecs.Commands) {
						var err error
						x, err = born(w, model, b)
						must(t, err)
						must(t, ecs.Add(b, x, D{1}))
						y, err = born(w, model, b)
						must(t, err)
						must(t, ecs.Add(b, y, D{2}))
					}
					early(t, w, c, way&4 != 0, late, func(b *ecs.Commands) { must(t, ref.record(b, at, q, x, y)) })
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
					must(t, integrity(w))
				}
			}
		}
	}
}

// referring is a job that creates entities and stores references to them.
type referring struct {
	p       ecs.ParallelCommands
	targets []ecs.Entity
	made    []ecs.Entity
	refs    bool
}

func (r *referring) RunRange(t *jobs.Task, lo, hi int) {
	for i := lo; i < hi; i++ {
		if r.refs {
			_ = ecs.Add(r.p.ForKey(t, i), r.targets[i], two{r.made[i], r.made[len(r.made)-1-i]})
		} else {
			b := r.p.ForKey(t, 1000+i)
			r.made[i], _ = b.Spawn(D{int32(i)})
		}
	}
}

// TestReferencesBeforeTheEntityAndWorkers checks that ids and hash are the same for any number of
// workers. With a single worker, all commands are recorded by the same writer.
func TestReferencesBeforeTheEntityAndWorkers(t *testing.T) {
	const n = 300
	want := uint64(0)
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		r := &referring{targets: make([]ecs.Entity, n), made: make([]ecs.Entity, n)}
		must(t, w.CreateInto(w.Archetype(ecs.With[A]()), r.targets))
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
		must(t, integrity(w))
		must(t, w.Sync())
		if got := w.Hash(); want == 0 {
			want = got
		} else if got != want {
			t.Errorf("%d workers: the hash is %x, want %x", workers, got, want)
		}
	}
}

// TestBrokenPromises checks a playback that stops at a command that fails. The ids that were
// reserved for the failing command must be free again. Entities for which other commands have
// reserved ids must not exist.
func TestBrokenPromises(t *testing.T) {
	for _, holes := range []int{0, 1, 2, 5} {
		for _, how := range []string{"error", "panic"} {
			prepare := func() (w *ecs.World, at, dead ecs.Entity) {
				w = newWorld(t, 1)
				at, dead = w.Spawn(C{}), w.Spawn()
				w.CreateChunks(w.Archetype(ecs.With[bulk]()), 2)
				var old []ecs.Entity
				for range holes {
					old = append(old, w.Spawn())
				}
				must(t, ecs.DestroyAll(w, ecs.Entities(append(old, dead))))
				if holes == 0 { // no free id at all
					w.Spawn()
				}
				return w, at, dead
			}
			w, at, dead := prepare()
			c := w.NewCommands()
			var x, y, z ecs.Entity
			late := func(b *ecs.Commands) {
				x, _ = b.Spawn(A{1})
				y, _ = b.Spawn(A{2})
				z, _ = b.Spawn(A{3})
			}
			for _, first := range []bool{true, false} {
				early(t, w, c, true, late, func(b *ecs.Commands) {
					if !first {
						must(t, ecs.Add(b, at, two{x, y}))
					}
					if how == "error" {
						must(t, ecs.AppendBuffer(b, at, pair{z, x}, pair{y, z})) // it has no such buffer
					} else {
						_, err := b.Spawn(two{z, y}, ecs.BufferOf(pair{z, x}, pair{y, z}), touchy{N: 1})
						must(t, err)
					}
				})
				before := w.Hash()
				panicked, err := caught(1, func() error { return c.Playback(w) })
				if how == "error" {
					fails(t, ecs.ErrState, err)
				} else if !panicked {
					t.Error("no panic")
				}
				c.Reset()
				must(t, integrity(w))
				if first && w.Hash() != before {
					t.Errorf("%d holes, %s: the first command has failed, but something was changed", holes, how)
				}
			}
			v := get[two](t, w, at)
			if w.Exists(v.First) || w.Exists(v.Second) || v.First == v.Second || v.First.IsZero() {
				t.Errorf("%d holes, %s: the references are %v", holes, how, v)
			}
			// The second world gets the same ids by creating entities and destroying them.
			o, at, _ := prepare()
			ids := []ecs.Entity{o.Spawn(), o.Spawn()}
			must(t, ecs.Add(o, at, two{ids[0], ids[1]}))
			must(t, ecs.DestroyAll(o, ecs.Entities(ids)))
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

// TestCommandsBeforeTheEntity checks two operations: a command for an entity that is created later,
// and a copy of a linked group with such a member. Both operations must fail, with a message for
// this case.
func TestCommandsBeforeTheEntity(t *testing.T) {
	w := newWorld(t, 1)
	root := w.Spawn(ecs.BufferOf[ecs.Linked]())
	c := w.NewCommands()
	var x ecs.Entity
	late := func(b *ecs.Commands) {
		var err error
		x, err = b.Spawn(A{1})
		must(t, err)
	}
	for name, record := range map[string]func(b *ecs.Commands) error{
		"Add":         func(b *ecs.Commands) error { return ecs.Add(b, x, B{}) },
		"Destroy":     func(b *ecs.Commands) error { return b.Destroy(x) },
		"DestroyAll":  func(b *ecs.Commands) error { return ecs.DestroyAll(b, ecs.Entities([]ecs.Entity{root, x})) },
		"Instantiate": func(b *ecs.Commands) error { _, err := b.Instantiate(x); return err },
		"promised": func(b *ecs.Commands) error {
			if err := ecs.Add(b, root, two{First: x}); err != nil {
				return err
			}
			return b.Destroy(x)
		},
	} {
		early(t, w, c, name == "Add", late, func(b *ecs.Commands) { must(t, record(b)) })
		hash := w.Hash()
		err := c.Playback(w)
		fails(t, ecs.ErrState, err)
		if text := fmt.Sprint(err); !strings.Contains(text, "later command of this buffer") || strings.Contains(text, "another buffer") {
			t.Errorf("%s: %v", name, err)
		}
		if name != "promised" && w.Hash() != hash {
			t.Errorf("%s: something was changed", name)
		}
		c.Reset()
	}
	early(t, w, c, false, late, func(b *ecs.Commands) {
		must(t, ecs.AppendBuffer(b, root, ecs.Linked{root}, ecs.Linked{x}))
		_, err := b.Instantiate(root)
		must(t, err)
	})
	err := c.Playback(w)
	fails(t, ecs.ErrArgument, err)
	if !strings.Contains(err.Error(), "does not exist yet") {
		t.Error(err)
	}
	must(t, integrity(w))
}
