//go:build lanewise_guard

package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// The guard build detects misuse of chunk memory. It fills unused rows with poison. It moves each
// chunk that a structural change has touched to a new address, and fills the old memory with
// poison. If this poison has changed when the memory is reused, the program has written through a
// stale view. And it compares read-only columns before and after each chunk body.
const guard = true

// poison fills memory that must not be read. It is a huge negative number both as a float and as an
// index, so that a use is visible.
const poison = 0xDB

// quarantine is the number of old places of chunks that stay poisoned before the first of them is
// reused.
const quarantine = 64

// poisonRows fills rows [from, to) of a chunk with poison.
func poisonRows(r *record, from, to int) {
	poisonPlace(r.arch.shape, &r.Place, from, to)
}

// poisonPlace fills rows [from, to) of all lanes with poison. It does not fill the memory between
// lanes, because that may belong to other chunks.
func poisonPlace(s *table.Shape, p *table.Place, from, to int) {
	for i, size := range s.Lanes() {
		b := p.Bytes(table.Lane{Index: uint32(i), Size: size}, from, to-from)
		for i := range b {
			b[i] = poison
		}
	}
}

// leftPlace is the old memory of a chunk that has moved.
type leftPlace struct {
	table.Place
	shape *table.Shape
}

// resettle moves the chunks that the structural change has touched.
func (t *tables) resettle() {
	for _, r := range t.disturbed {
		if r.Nil() || r.movedAt == t.gate.structural {
			continue
		}
		r.movedAt = t.gate.structural
		old := leftPlace{r.Place, r.arch.shape}
		r.Place = t.memory.Again(&old.Place, r.n)
		poisonRows(r, r.n, r.Rows())
		poisonPlace(old.shape, &old.Place, 0, old.Rows())
		t.left = append(t.left, old)
	}
	t.disturbed = t.disturbed[:0]
	t.release(quarantine)
}

// unquarantine checks all old places and frees them.
func (t *tables) unquarantine() { t.release(0) }

// release checks and frees old places, until only keep of them are left.
func (t *tables) release(keep int) {
	for len(t.left) > keep {
		old := t.left[0]
		t.left = t.left[1:]
		for k, size := range old.shape.Lanes() {
			for i, b := range old.Bytes(table.Lane{Index: uint32(k), Size: size}, 0, old.Rows()) {
				if b != poison {
					panic(t.gate.fault(ErrDisposed, "guard", "byte %d of lane %d of a chunk was written through a view from before a structural change: ask for the column again", i, k))
				}
			}
		}
		t.memory.Give(old.Place)
	}
}

// guardWorld is the part of a world that only the guard build has.
type guardWorld struct {
	disturbed []*record   // chunks that this structural change has touched
	left      []leftPlace // old places, filled with poison; oldest first
	written   int         // how often the owner got write access to a single entity
}

// guardRecord is the part of a chunk's data that only the guard build has.
type guardRecord struct{ movedAt uint32 }

// touched notes that a structural change touches r.
func (g *guardWorld) touched(r *record) { g.disturbed = append(g.disturbed, r) }

// wrote notes that the owner writes to a single entity. This is allowed while the owner loops over
// chunks, so inspect must not report it.
func (g *guardWorld) wrote() { g.written++ }

// quarantined returns the number of allocated places that no chunk uses.
func (g *guardWorld) quarantined() int { return len(g.left) }
