package ecs

import (
	"errors"
	"testing"
)

// meddler is a shared value whose methods may use the world, once.
type meddler struct {
	Shared
	N int
}

var meddle struct {
	in string
	f  func()
}

func meddles(in string) {
	if f := meddle.f; meddle.in == in && f != nil {
		meddle.f = nil
		f()
	}
}

func (v meddler) Equal(o meddler) bool { meddles("Equal"); return v.N == o.N }
func (v meddler) Hash() uint64         { meddles("Hash"); return 0 }
func (v meddler) Retain()              { meddles("Retain") }
func (v meddler) Release()             { meddles("Release") }

// Methods of shared values try to change the world in the middle of an operation. The rows of the
// operation must still exist when the operation continues. Hash and Equal are called before the first
// change of the operation, and cannot change the world. Retain and Release are called at the end, and may
// change the world.
func TestMethodsThatMeddle(t *testing.T) {
	operations := map[string]func(w *World, all []Entity) error{
		"Set":              func(w *World, all []Entity) error { return Set(w, all[0], meddler{N: 7}) },
		"Add":              func(w *World, all []Entity) error { return Add(w, all[9], meddler{N: 7}) },
		"Spawn":            func(w *World, _ []Entity) error { w.Spawn(A{1}, meddler{N: 8}); return nil },
		"AddAll":           func(w *World, all []Entity) error { return AddAll(w, Entities(all), meddler{N: 8}) },
		"AddAll(Matching)": func(w *World, _ []Entity) error { return AddAll(w, Matching(w.Query(With[A]())), meddler{N: 8}) },
		"Query":            func(w *World, _ []Entity) error { return w.Query(With[A](), WithShared(meddler{N: 8})).Close() },
		"Playback": func(w *World, all []Entity) error {
			c := w.NewCommands()
			made, err := c.Spawn(A{5}, meddler{N: 9})
			must(t, err)
			must(t, Add(c, all[10], Ref{To: made}))
			must(t, AddAll(c, Entities(all), meddler{N: 9}))
			must(t, Set(c, all[1], meddler{N: 2}))
			return c.Playback(w)
		},
		"CopyFrom": func(w *World, _ []Entity) error {
			src, ids := visitors(t)
			_, err := CopyEntities(w, src, ids)
			return err
		},
		"MoveEntities": func(w *World, _ []Entity) error {
			src, _ := visitors(t)
			return MoveEntities(w, src, nil)
		},
	}
	changes := map[string]func(w *World, all []Entity) error{
		"Destroy":    func(w *World, all []Entity) error { return w.Destroy(all[0]) },
		"DestroyAll": func(w *World, all []Entity) error { return DestroyAll(w, Entities(all[:8])) },
		"Create":     func(w *World, _ []Entity) error { return w.CreateInto(w.Archetype(With[A]()), make([]Entity, 5000)) },
		"Add": func(w *World, all []Entity) error {
			_, err := Remove[meddler](w, all[1])
			return errors.Join(Add(w, all[2], B{}), err)
		},
		"share": func(w *World, all []Entity) error { return Set(w, all[7], meddler{N: 20}) },
		"many values": func(w *World, all []Entity) (err error) {
			for i := range 50 {
				err = errors.Join(err, Set(w, all[3], meddler{N: 30 + i}))
			}
			return err
		},
		"Playback": func(w *World, all []Entity) error {
			c := w.NewCommands()
			_, err := c.Spawn(A{3}, meddler{N: 40})
			must(t, err)
			must(t, c.Destroy(all[6]))
			return c.Playback(w)
		},
	}
	for name, operation := range operations {
		for what, change := range changes {
			for _, method := range []string{"Hash", "Equal", "Retain", "Release"} {
				for _, update := range []bool{false, true} {
					w := newWorld(t, 1)
					var all []Entity
					for i := range 8 {
						all = append(all, w.Spawn(A{int32(i)}, meddler{N: 1 + i/4}))
					}
					for i := range 4 {
						all = append(all, w.Spawn(A{int32(10 + i)}))
					}
					end := func() {}
					if update {
						outer := w.Scheduler().BeginUpdate("system")
						end = func() { w.Scheduler().EndUpdate(outer) }
					}
					asked, refused := method == "Hash" || method == "Equal", false
					meddle.in, meddle.f = method, func() {
						err := change(w, all)
						refused = errors.Is(err, ErrState)
						if asked != refused {
							t.Errorf("%s in %s of %s, update %v: %v", what, method, name, update, err)
						}
					}
					err := operation(w, all)
					if meddle.f != nil && asked {
						t.Errorf("%s has not called %s", name, method)
					}
					meddle.f = nil
					if asked {
						must(t, err)
					}
					must(t, integrity(w))
					end()
					w.Spawn(A{1}, meddler{N: 1}) // the world continues
					must(t, integrity(w))
				}
			}
		}
	}
}

// Methods of shared values are called while entities move between two worlds. They can change
// neither of the worlds.
func TestMethodsThatMeddleElsewhere(t *testing.T) {
	for name, operation := range map[string]func(w, src *World, ids []Entity) error{
		"CopyFrom": func(w, src *World, ids []Entity) error {
			_, err := CopyEntities(w, src, ids)
			return err
		},
		"MoveEntities": func(w, src *World, _ []Entity) error { return MoveEntities(w, src, nil) },
		"MoveMatching": func(w, src *World, _ []Entity) error { return MoveMatching(w, src.Query(With[A]()), nil) },
	} {
		for _, method := range []string{"Hash", "Equal"} {
			w := newWorld(t, 1)
			w.Spawn(A{1}, meddler{N: 1})
			src, ids := visitors(t)
			meddle.in, meddle.f = method, func() {
				wantCategory(t, ErrState, DestroyAll(src, Entities(ids)))
				wantCategory(t, ErrState, src.CreateInto(src.Archetype(With[A]()), make([]Entity, 5000)))
			}
			must(t, operation(w, src, ids))
			if meddle.f != nil {
				t.Errorf("%s has not called %s", name, method)
			}
			meddle.f = nil
			checkWorlds(t, w, src)
			if n := w.Query(With[A]()).Count(); n != 3 {
				t.Errorf("%s: %d entities, want 3", name, n)
			}
			must(t, DestroyAll(src, Entities(ids)))
			must(t, integrity(src))
		}
	}
}

// visitors returns a world with two entities that have a meddler.
func visitors(t *testing.T) (*World, []Entity) {
	f := meddle.f
	meddle.f = nil
	defer func() { meddle.f = f }()
	w := newWorld(t, 1)
	return w, []Entity{w.Spawn(A{1}, meddler{N: 1}), w.Spawn(A{1}, meddler{N: 99})}
}
