//go:build lanewise_guard

package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// The guard build makes misuse of plain memory visible: rows that are not live
// are poisoned, chunks that a structural change has touched move to a new
// address and leave poison behind, which must be untouched when the memory is
// used again, and columns that are only read are compared before and after each
// chunk body.
const guard = true

// poison fills what must not be read: a huge negative number, as a float and
// as an index.
const poison = 0xDB

// quarantine is how many places that chunks have left are kept poisoned before
// they are used again.
const quarantine = 64

// poisonRows fills rows [from, to).
func poisonRows(r *record, from, to int) {
	poisonPlace(r.arch.shape, &r.Place, from, to)
}

// poisonPlace poisons rows [from, to) of all lanes, and nothing between lanes: there may be
// those of other chunks.
func poisonPlace(s *table.Shape, p *table.Place, from, to int) {
	for i, size := range s.Lanes() {
		b := p.Bytes(table.Lane{Index: uint32(i), Size: size}, from, to-from)
		for i := range b {
			b[i] = poison
		}
	}
}

// leftPlace is where a chunk has been.
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

// unquarantine looks at all places that chunks have left, and gives them back.
func (t *tables) unquarantine() { t.release(0) }

// release gives back places that chunks have left until few are kept.
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

// guardWorld is what the guard build keeps with a world.
type guardWorld struct {
	disturbed []*record   // touched by this structural change
	left      []leftPlace // poisoned, oldest first
	written   int         // how often the owner was given write access to an entity
}

// guardRecord is what the guard build keeps with a chunk.
type guardRecord struct{ movedAt uint32 }

// touched notes that a structural change touches r.
func (g *guardWorld) touched(r *record) { g.disturbed = append(g.disturbed, r) }

// wrote notes that the owner writes to a single entity, which it may do while it
// visits chunks.
func (g *guardWorld) wrote() { g.written++ }

// quarantined returns how many places no chunk has though they are handed out.
func (g *guardWorld) quarantined() int { return len(g.left) }
