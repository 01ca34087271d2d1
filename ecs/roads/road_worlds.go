package roads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
)

// twin makes a second world of the same kind, on the same pool or on another pool. It runs both
// worlds in turn, tick by tick, or at the same time on two goroutines.
func twin(t *Trip) error {
	pool := t.pool
	if t.Rand.IntN(2) == 0 {
		pool = t.NewPool(1 + t.Rand.IntN(3))
	}
	w, err := t.NewWorld(pool)
	if err != nil {
		return err
	}
	n := 1 + t.Rand.IntN(4)
	if t.Rand.IntN(2) == 0 {
		for range n {
			if err := errors.Join(t.Tick(1), t.subject.tick(w)); err != nil {
				return err
			}
		}
	} else {
		done := make(chan error)
		go func() {
			var err error
			for range n {
				err = errors.Join(err, t.subject.tick(w))
			}
			done <- err
		}()
		if err := errors.Join(t.Tick(n), <-done); err != nil {
			return err
		}
	}
	if t.check != nil {
		if err := t.check(n, w); err != nil {
			return fmt.Errorf("the second world: %w", err)
		}
	}
	return t.drop(w)
}

// transaction lends the world to a job that reads it. Then it changes the world twice, as its owner and in a
// transaction, and restores it each time. Both must have the same result.
func transaction(t *Trip) error {
	x, err := ecs.BeginTransaction(t.World)
	if err != nil {
		return err
	}
	n, want := 0, -1
	x.Schedule(ecs.TransactionFunc(func(w *ecs.World) error {
		want = w.Len()
		for range w.Entities() {
			n++
		}
		return nil
	}))
	fails := t.Rand.IntN(2) == 0
	if fails {
		x.Schedule(ecs.TransactionFunc(func(*ecs.World) error { panic(errBoom) }))
	}
	err = x.End()
	if fails != errors.Is(err, errBoom) || !fails && err != nil {
		return fmt.Errorf("a transaction with a job that panics (%v) ends with the error %v", fails, err)
	}
	if n != want {
		return fmt.Errorf("the transaction has listed %d of %d entities", n, want)
	}
	m, err := t.Mark()
	if err != nil {
		return err
	}
	seed := t.Rand.Uint64()
	var sums [2]string
	for i, lend := range []bool{false, true} {
		if sums[i], err = changed(t.World, seed, lend); err != nil {
			return err
		}
		if err := t.Back(m); err != nil {
			return err
		}
	}
	if sums[0] != sums[1] {
		return fmt.Errorf("changes by the owner lead to %s; the same changes in a transaction, to %s", sums[0], sums[1])
	}
	return nil
}

// loan is a component that only the changes of road transaction have.
type loan struct{ Of ecs.Entity }

// changed changes a world, as its owner or in a transaction, and returns a text with the result.
func changed(w *ecs.World, seed uint64, lend bool) (sum string, err error) {
	loans := w.Query(ecs.With[loan]()) // must find the entities in the end, although it does not know their archetype yet
	came, version := awaitArrivals(w), w.Version()
	rng := rand.New(rand.NewPCG(seed, 4))
	var e edits
	if !lend {
		err = e.make(w, rng)
	} else {
		var x *ecs.Transaction
		if x, err = ecs.BeginTransaction(w); err != nil {
			return "", err
		}
		x.Schedule(ecs.TransactionFunc(func(w *ecs.World) error { return e.make(w, rng) }))
		err = x.End()
	}
	if err != nil {
		return "", fmt.Errorf("changes of the world, in a transaction (%v): %w", lend, err)
	}
	if lend {
		came.version++ // the writes of a transaction are newer than everything before it
	}
	if err := came.check(e.created, false); err != nil {
		return "", fmt.Errorf("changes of the world, in a transaction (%v): %w", lend, err)
	}
	n := loans.Count()
	if err := loans.Close(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d entities, the hash %016x, %d of %d loans, a newer version: %v, and the refusals %q",
		w.Len(), w.Hash(), n, e.loans, int32(w.Version()-version) > 0, e.refusals), nil
}

// edits makes drawn changes of any world.
type edits struct {
	created  []ecs.Entity // that are alive
	loans    int
	refusals []string // the errors of changes that the world refuses
}

// make destroys and copies entities, switches components, sets values and names, and plays commands.
func (e *edits) make(w *ecs.World, rng *rand.Rand) error {
	dead := deadTag()
	var list []ecs.Entity
	for id := range w.Entities() {
		if !slices.Contains(w.ArchetypeOf(id).Types(), dead) {
			list = append(list, id)
		}
	}
	for range min(len(list), 24) {
		id := list[rng.IntN(len(list))]
		if !w.Exists(id) || slices.Contains(w.ArchetypeOf(id).Types(), dead) {
			continue
		}
		var err error
		switch rng.IntN(5) {
		case 0:
			err = w.Destroy(id)
		case 1:
			var copies []ecs.Entity
			copies, err = w.Instantiate(id, 1+rng.IntN(2))
			e.created = append(e.created, copies...)
		case 2:
			err = w.SetEntityName(id, fmt.Sprint("changed ", rng.IntN(100)))
		default:
			err = touch(w, id, rng)
		}
		if err != nil {
			e.refusals = append(e.refusals, err.Error())
		}
	}
	later := w.NewCommands()
	first, err := later.Spawn(loan{})
	if err != nil {
		return err
	}
	if _, err := later.Spawn(loan{Of: first}); err != nil {
		return err
	}
	if err := later.Playback(w); err != nil {
		return err
	}
	e.loans = 2
	e.created = slices.DeleteFunc(e.created, func(id ecs.Entity) bool { return !w.Exists(id) })
	return nil
}

// touch sets a component of an entity to its value, or switches it.
func touch(w *ecs.World, id ecs.Entity, rng *rand.Rand) error {
	types := w.ArchetypeOf(id).Types()
	if len(types) == 0 {
		return nil
	}
	u, of := w.Untyped(), types[rng.IntN(len(types))]
	v, err := u.Get(id, of)
	if err != nil {
		return err
	}
	on, err := u.Enabled(id, of)
	if err != nil {
		return err
	}
	return errors.Join(u.Set(id, v), u.SetEnabled(id, of, !on))
}

// reload closes all sub-scenes, and loads them again.
func reload(t *Trip) error {
	w := t.World
	q := w.Query(ecs.With[scene.SubScene](), ecs.IgnoreEnabled())
	defer q.Close()
	if q.Empty() {
		t.Idle("the world has no sub-scenes")
		return nil
	}
	if err := scene.Wait(w); err != nil { // which loads sub-scenes of sub-scenes, and unloads others
		return err
	}
	scenes := q.AppendEntities(nil)
	before, err := CensusOf(w)
	if err != nil {
		return err
	}
	var again []func() error
	for _, e := range scenes {
		if ecs.Has[scene.Request](w, e) {
			on, err := ecs.Enabled[scene.Request](w, e)
			if err != nil {
				return err
			}
			if err := ecs.SetEnabled[scene.Request](w, e, false); err != nil {
				return err
			}
			again = append(again, func() error { return ecs.SetEnabled[scene.Request](w, e, on) })
			continue
		}
		sub, err := ecs.Get[scene.SubScene](w, e)
		if err != nil {
			return err
		}
		if _, err := ecs.Remove[scene.SubScene](w, e); err != nil {
			return err
		}
		again = append(again, func() error { return ecs.Add(w, e, sub) })
	}
	if err := scene.Wait(w); err != nil {
		return err
	}
	for _, e := range scenes {
		if s, err := ecs.Get[scene.Status](w, e); err == nil && s.Phase != scene.Unloaded {
			return fmt.Errorf("the scene of %v is %v after it was closed", e, s.Phase)
		}
	}
	for i, f := range again {
		if !w.Exists(scenes[i]) {
			continue // it was part of another scene, which brings it again
		}
		if err := f(); err != nil {
			return err
		}
	}
	if err := scene.Wait(w); err != nil { // for example, a scene that cannot be loaded
		return err
	}
	after, err := CensusOf(w)
	if err != nil {
		return err
	}
	return before.compareOutside(after)
}

// compareOutside returns an error if the components of an entity that no scene owns have changed.
// The components of package scene, and references to entities of scenes, may be others.
func (c *Census) compareOutside(after *Census) error {
	tag := reflect.TypeFor[scene.SceneTag]()
	var outside []ecs.Entity
	for _, e := range c.ids {
		if !slices.Contains(c.of[e].types, tag) {
			outside = append(outside, e)
		}
	}
	ofChunk := perChunk()
	skip := func(t reflect.Type) bool { return t.PkgPath() == tag.PkgPath() || ofChunk(t) }
	return c.Compare(outside, after, c.find, skip)
}
