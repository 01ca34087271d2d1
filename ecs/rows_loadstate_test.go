package ecs_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// imageOf returns an image with n entities.
func imageOf(t *testing.T, n int) *ecs.Image {
	src := ecs.NewWorld("from")
	for i := range n {
		src.Spawn(owned{int32(i)})
	}
	m, err := ecs.Capture(src, nil)
	must(t, err)
	return m
}

// This test uses an ImageStream, and a second ImageStream that is created from its bytes in the
// same world. The first of the two streams that continues must be accepted, and the other must be
// refused, so that no id is used twice.
func TestLoadStateBeside(t *testing.T) {
	m := imageOf(t, 10)
	for k := range 8 {
		w := ecs.NewWorld("to")
		a, err := ecs.NewImageStream(m)
		must(t, err)
		must(t, a.Begin(w))
		_, err = a.Load(3)
		must(t, err)
		b, err := ecs.NewImageStream(m)
		must(t, err)
		must(t, b.LoadState(w, a.AppendState(nil)))
		first, second := a, b
		if k&1 != 0 {
			first, second = b, a
		}
		go1, go2 := first.Load, second.Load
		if k&2 != 0 {
			go1 = first.Unload
		}
		if k&4 != 0 {
			go2 = second.Unload
		}
		_, err = go1(100)
		must(t, err)
		_, err = go2(100)
		if !errors.Is(err, ecs.ErrState) {
			t.Errorf("way %d: error %v, want one of category ErrState", k, err)
		}
		came := w.Len()
		for range 40 {
			w.Spawn(owned{})
		}
		seen := map[ecs.Entity]bool{}
		for e := range w.Entities() {
			seen[e] = true
		}
		if want := 10 * (1 - k>>1&1); came != want || w.Len() != came+40 || len(seen) != w.Len() {
			t.Errorf("way %d: %d have come, want %d; there are %d entities with %d ids", k, came, want, w.Len(), len(seen))
		}
	}
}

// Bytes from another moment than the state of the world must be refused, because the ids may
// belong to other entities.
func TestLoadStateElsewhere(t *testing.T) {
	m, w := imageOf(t, 10), ecs.NewWorld("to")
	before, err := ecs.Capture(w, nil)
	must(t, err)
	a, err := ecs.NewImageStream(m)
	must(t, err)
	must(t, a.Begin(w))
	var states [][]byte
	for range 3 {
		_, err = a.Load(5)
		must(t, err)
		states = append(states, a.AppendState(nil))
	}
	refused := func(what string) {
		t.Helper()
		hash, n := w.Hash(), w.Len()
		for i, s := range states {
			var b ecs.ImageStream
			if err := b.LoadState(w, s); !errors.Is(err, ecs.ErrArgument) || w.Hash() != hash || w.Len() != n {
				t.Errorf("%s, state %d: error %v, want one of category ErrArgument", what, i, err)
			}
		}
	}
	_, err = a.Unload(1)
	must(t, err)
	refused("one is unloaded")
	must(t, ecs.Restore(w, before))
	for range 20 {
		w.Spawn(owned{7})
	}
	refused("others have the ids")
	must(t, ecs.Restore(w, before))
	c, err := ecs.NewImageStream(imageOf(t, 12))
	must(t, err)
	must(t, c.Begin(w))
	refused("another stream has the ids")
	_, err = c.Load(12)
	must(t, err)
	refused("what came with another stream has the ids")
}

// An ImageStream without an image loads nothing and returns a clear error, and the world stays usable.
func TestLoadStateZero(t *testing.T) {
	m, w := imageOf(t, 10), ecs.NewWorld("to")
	a, err := ecs.NewImageStream(m)
	must(t, err)
	must(t, a.Begin(w))
	_, err = a.Load(3)
	must(t, err)
	var b ecs.ImageStream
	must(t, b.LoadState(w, a.AppendState(nil)))
	for _, most := range []int{5, 100} {
		if n, err := b.Load(most); n != 0 || !errors.Is(err, ecs.ErrState) {
			t.Errorf("%d came, error %v, want one of category ErrState", n, err)
		}
	}
	w.Spawn(owned{1})
	if left, err := b.Unload(100); left != 0 || err != nil || w.Len() != 1 {
		t.Errorf("%d are left of %d: %v", left, w.Len(), err)
	}
}
