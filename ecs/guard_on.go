//go:build lanewise_guard

package ecs

import (
	"slices"

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
func (w *tables) resettle() {
	for _, r := range w.disturbed {
		if r.Nil() || r.movedAt == w.gate.structural {
			continue
		}
		r.movedAt = w.gate.structural
		old := leftPlace{r.Place, r.arch.shape}
		r.Place = w.memory.Again(&old.Place, r.n)
		poisonRows(r, r.n, r.Rows())
		poisonPlace(old.shape, &old.Place, 0, old.Rows())
		w.left = append(w.left, old)
	}
	w.disturbed = w.disturbed[:0]
	w.release(quarantine)
}

// unquarantine looks at all places that chunks have left, and gives them back.
func (w *tables) unquarantine() { w.release(0) }

// release gives back places that chunks have left until few are kept.
func (w *tables) release(keep int) {
	for len(w.left) > keep {
		old := w.left[0]
		w.left = w.left[1:]
		for k, size := range old.shape.Lanes() {
			for i, b := range old.Bytes(table.Lane{Index: uint32(k), Size: size}, 0, old.Rows()) {
				if b != poison {
					panic(w.gate.fault(ErrDisposed, "guard", "byte %d of lane %d of a chunk was written through a view from before a structural change: ask for the column again", i, k))
				}
			}
		}
		w.memory.Give(old.Place)
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
func (w *guardWorld) touched(r *record) { w.disturbed = append(w.disturbed, r) }

// guardLookup is what the guard build keeps with a look-up of an Elsewhere term.
type guardLookup struct{ of *Query }

// keep notes the query of a look-up that reaches d.
func (g *guardLookup) keep(q *Query, d data) {
	if d.apart {
		g.of = q
	}
}

// apart panics if a job of the query reaches a row that the query matches in another chunk than its own. Loops
// of the owner do one chunk after the other, so they may.
func (g *guardLookup) apart(op string, comp *component, r *record, row int) {
	q := g.of
	if q == nil || op == "Lookup.Has" {
		return
	}
	pool := q.world.gate.workers()
	task := pool.Caller().TaskOf(pool)
	if task == nil {
		return
	}
	c := slotOf(task.Worker(), &q.workers).last()
	if c == nil || c.rec == r || slices.ContainsFunc(c.more, func(l listed) bool { return l.rec == r }) {
		return
	}
	m := q.matchOf(r.arch)
	if m == nil || !m.shares(r.group) || m.rows != nil && !m.rows.passes(r, row) {
		return
	}
	if !slices.ContainsFunc(q.data, func(d data) bool { return d.comp == comp }) {
		return
	}
	panic(q.world.gate.fault(ErrState, "guard", "%s in the job of chunk %d reaches a row that the query matches in another chunk, whose job may be under way, though its term says Elsewhere: read a copy that an earlier job has made", op, c.index).of(r.ids()[row]).on(comp))
}

// wrote notes that the owner writes to a single entity, which it may do while it
// visits chunks.
func (w *guardWorld) wrote() { w.written++ }

// quarantined returns how many places no chunk has though they are handed out.
func (w *guardWorld) quarantined() int { return len(w.left) }
