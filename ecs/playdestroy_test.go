package ecs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// newDestroyWorld returns a world with entities in several chunks. They are of all the kinds that Destroy
// treats differently. It also returns a list of some of them, with ids of destroyed entities and with repeated
// ids.
func newDestroyWorld(t *testing.T, seed uint64) (*ecs.World, []ecs.Entity) {
	w := newWorld(t, 1)
	var list []ecs.Entity
	for i := range int32(900) {
		list = append(list, w.Spawn(A{i}), w.Spawn(A{i}, Spin{}))
		if i%30 == 0 {
			part := w.Spawn(B{X: i})
			list = append(list, w.Spawn(A{i}, Cl{Value: i}), w.Spawn(A{i}, Sh{Value: i % 3}), w.Spawn(A{i}, ecs.BufferOf(ecs.Linked{part})), part)
		}
	}
	must(t, ecs.DestroyAll(w, ecs.Entities(list[:3])))
	rng := rand.New(rand.NewPCG(seed, 4))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return w, append(list[:len(list)/2], list[:9]...)
}

// TestDestroysOfOnePlayback destroys entities in two ways: one by one, and by commands that playback
// joins to a few changes. Afterwards rows, ids and versions must be the same.
func TestDestroysOfOnePlayback(t *testing.T) {
	for seed := range uint64(4) {
		one, list := newDestroyWorld(t, seed)
		for _, e := range list {
			must(t, one.Destroy(e))
		}
		many, list := newDestroyWorld(t, seed)
		c := many.NewCommands()
		for _, e := range list {
			must(t, c.Destroy(e))
		}
		commits := 0
		many.Hooks().OnCommit(func(string) { commits++ })
		must(t, c.Playback(many))
		must(t, integrity(many))
		if one.Hash() != many.Hash() {
			t.Errorf("the hash is %x, want %x", many.Hash(), one.Hash())
		}
		if commits > len(list)/4 {
			t.Errorf("%d commits for %d commands", commits, len(list))
		}
		for range 5 { // slots are used again in the same order
			if a, b := one.Spawn(A{}), many.Spawn(A{}); a != b {
				t.Errorf("%v, want %v", b, a)
			}
		}
	}
}

// TestDestroysFailWhereTheyDo plays a sequence of Destroy commands, one of which fails. The error
// must name the failing command, and the changes of the commands before it must remain.
func TestDestroysFailWhereTheyDo(t *testing.T) {
	w := newWorld(t, 1)
	list := []ecs.Entity{w.Spawn(A{1}), w.Spawn(A{2}), {1 << 20, 1}, w.Spawn(A{3})}
	c := w.NewCommands()
	must(t, ecs.Set(c, list[0], A{7}))
	for _, e := range list {
		must(t, c.Destroy(e))
	}
	err := c.Playback(w)
	fails(t, ecs.ErrArgument, err)
	if !strings.Contains(err.Error(), "command 3, Destroy") || w.Exists(list[0]) || w.Exists(list[1]) || !w.Exists(list[3]) {
		t.Errorf("got %v; %d entities are left", err, w.Len())
	}
	must(t, integrity(w))
}
