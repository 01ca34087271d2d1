package roads

import (
	"errors"
	"fmt"
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

// transaction lends the world to a job that reads it.
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
	return nil
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

// compareOutside returns an error if an entity that no scene owns has other components than before.
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
	return c.Compare(outside, after, c.same, skip)
}
