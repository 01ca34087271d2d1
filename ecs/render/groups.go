package render

import (
	"math"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// span is how many rows of groups are a block of work.
const span = 256

// refresh brings the table up to date.
func (t *groups) refresh(f *system.Frame, q *ecs.Query) error {
	t.scene.open(f)
	if t.scene.feed != nil {
		return nil
	}
	orders, moved, due := t.begin(f, q)
	if !due {
		return nil
	}
	if moved {
		t.offsets = q.AppendOffsets(t.offsets[:0])
		n := t.offsets[len(t.offsets)-1]
		t.ids, t.before = grow(t.before, n), t.ids
		t.resize(n)
		t.nested.Store(false)
	}
	if err := f.ParallelFor(q, t).Wait(); err != nil {
		t.forget()
		return err
	}
	if moved {
		t.moves++
		t.index()
		for _, e := range t.scene.eyes {
			e.levels.follow(t)
		}
	}
	t.end(f, orders)
	return nil
}

// resize makes room for n rows.
func (t *groups) resize(n int) {
	t.places.X, t.places.Y, t.places.Z = grow(t.places.X, n), grow(t.places.Y, n), grow(t.places.Z, n)
	t.ends, t.leaves, t.parents = grow(t.ends, n), grow(t.leaves, n), grow(t.parents, n)
	t.touched = grow(t.touched, (n+span-1)/span)
}

// index finds where the groups are, and where they were.
func (t *groups) index() {
	most := -1
	for _, id := range t.ids {
		most = max(most, int(id.Index))
	}
	if most >= len(t.at) {
		t.at = grow(t.at, most+1)
	}
	t.from = grow(t.from, len(t.ids))
	for r, id := range t.ids {
		t.from[r] = -1
		if o := int(t.at[id.Index]) - 1; o >= 0 && o < len(t.before) && t.before[o] == id {
			t.from[r] = int32(o)
		}
	}
	for _, id := range t.before {
		t.at[id.Index] = 0
	}
	for r, id := range t.ids {
		t.at[id.Index] = int32(r + 1)
		if len(t.reported) > 0 {
			delete(t.reported, id)
		}
	}
}

// forget drops all groups when a refresh has failed, so that none is found until the next index.
func (t *groups) forget() {
	clear(t.at)
	t.ids = t.ids[:0]
}

// row returns the row of a group, or -1 if an entity is none.
func (t *groups) row(id ecs.Entity) int {
	if uint(id.Index) >= uint(len(t.at)) {
		return -1
	}
	r := int(t.at[id.Index]) - 1
	if r < 0 || t.ids[r] != id {
		return -1
	}
	return r
}

// Chunk fills the rows of a chunk.
func (t *groups) Chunk(c *ecs.Chunk) {
	first := t.offsets[c.Index()]
	m, l := ecs.Column[matrices](c).M, ecs.Column[Levels](c)
	copy(t.ids[first:], c.Entities())
	for i := range m {
		r := first + i
		t.places.X[r], t.places.Y[r], t.places.Z[r] = m[i][12], m[i][13], m[i][14]
		t.ends[r], t.leaves[r] = borders(&l.Distances[i], l.Hysteresis[i])
		t.parents[r] = l.Parent[i]
		if !l.Parent[i].Group.Null() {
			t.nested.Store(true)
		}
	}
	for k := first / span; k <= (first+len(m)-1)/span; k++ {
		atomic.StoreUint64(&t.touched[k], t.build)
	}
}

// borders are where levels end and where they are left outwards.
func borders(distances *[8]float32, hysteresis float32) (ends, leaves [8]float32) {
	nan := float32(math.NaN())
	last := float32(0)
	for k, d := range distances {
		if !(d > last) { // NaN ends the list too
			for ; k < len(ends); k++ {
				ends[k], leaves[k] = nan, nan
			}
			break
		}
		ends[k], leaves[k], last = d, d, d
		if hysteresis > 0 {
			leaves[k] = d * (1 + hysteresis)
		}
	}
	return ends, leaves
}

// follow takes levels along to the rows where their groups are now.
func (l *choices) follow(t *groups) {
	l.level, l.spare = grow(l.spare, len(t.ids)), l.level
	for r, o := range t.from {
		l.level[r] = 0
		if o >= 0 && int(o) < len(l.spare) {
			l.level[r] = l.spare[o]
		}
	}
	l.renew = true
}
