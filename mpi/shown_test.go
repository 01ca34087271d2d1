package mpi

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestSee applies lists of visible rows one after the other. A ghost must stay as long as its row is
// seen, and truncated messages must be refused.
func TestSee(t *testing.T) {
	w := ecs.NewWorld("see")
	defer w.Close()
	h := &halo[float32]{}
	p := &peer[float32]{}
	kind := w.Archetype(ecs.With[ecs.Ghost]())
	change := func(was, ids []uint64) []byte { return h.appendChange([]byte{0}, was, ids) }
	var was []uint64
	for _, ids := range [][]uint64{{}, {5, 7, 9}, {5, 7, 9, 11}, {1, 7, 8, 11}, {}, {3}, {2, 3, 4}, {2, 4}} {
		message := change(was, ids)
		for n := range message {
			q := &peer[float32]{seen: was, ghosts: make([]ecs.Entity, len(was))}
			if err := h.see(q.receive(message[:n])); err == nil {
				t.Errorf("%v after %v: %d bytes of %d are taken", ids, was, n, len(message))
			}
		}
		if err := h.see((&peer[float32]{seen: was, ghosts: make([]ecs.Entity, len(was))}).receive(append(message, 1))); err == nil {
			t.Error("a byte too many is taken")
		}
		h.gone = h.gone[:0]
		before := map[uint64]ecs.Entity{}
		for i, id := range p.seen {
			before[id] = p.ghosts[i]
		}
		if err := h.see(p.receive(message)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.seen, ids) || len(p.ghosts) != len(ids) {
			t.Fatalf("%v after %v: seen %v", ids, was, p.seen)
		}
		for i, id := range ids {
			if e := p.ghosts[i]; e != before[id] {
				t.Errorf("%v after %v: row %d has ghost %v, and had %v", ids, was, id, e, before[id])
			}
			if delete(before, id); p.ghosts[i] == (ecs.Entity{}) {
				for c := range w.Create(kind, 1).Chunks() {
					p.ghosts[i] = c.Entities()[0]
				}
			}
		}
		if len(h.gone) != len(before) {
			t.Errorf("%v after %v: %v are gone, want %v", ids, was, h.gone, before)
		}
		was = ids
	}
}

// receive makes a peer receive a message.
func (p *peer[T]) receive(b []byte) *peer[T] {
	p.in.bytes = b
	return p
}
