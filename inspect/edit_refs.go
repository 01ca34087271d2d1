package inspect

import (
	"maps"
	"weak"

	"github.com/lanewise/lanewise/ecs"
)

// An entityRef identifies an entity for the edits of a log. If an undo or a redo creates an entity that takes the place of another one,
// it changes now, so that all edits of the first one apply to the new one.
type entityRef struct {
	now   ecs.Entity // the null entity if there is no such entity in the world
	begin ecs.Entity // its id when the table began, if it existed then
}

// A refTable holds the references that edits use. A restored world may use an id for another entity than the world before. So each
// restore begins with an empty table, its undo brings back the table from before, and its redo the table from before the undo.
type refTable struct {
	// refs has the references by the present entity. The pointers are weak, so that the references of forgotten edits are forgotten too.
	refs    map[ecs.Entity]weak.Pointer[entityRef]
	pruneAt int // length of refs at which the forgotten references are removed

	// begin maps an entity that has taken the place of a destroyed one to the id of the first one when the table began. It is needed
	// because an edit that was undone and forgotten may have changed the id.
	begin map[ecs.Entity]ecs.Entity
}

func newRefTable() *refTable {
	return &refTable{refs: map[ecs.Entity]weak.Pointer[entityRef]{}, begin: map[ecs.Entity]ecs.Entity{}}
}

// refTo returns the reference to an entity.
func (t *refTable) refTo(e ecs.Entity) *entityRef {
	if e.IsZero() {
		return &entityRef{}
	}
	if r := t.refs[e].Value(); r != nil {
		return r
	}
	if len(t.refs) >= t.pruneAt {
		maps.DeleteFunc(t.refs, func(_ ecs.Entity, r weak.Pointer[entityRef]) bool { return r.Value() == nil })
		t.pruneAt = max(1000, 2*len(t.refs))
	}
	r := &entityRef{e, t.beginOf(e)}
	t.refs[e] = weak.Make(r)
	return r
}

// beginOf returns the id of an entity when the table began.
func (t *refTable) beginOf(e ecs.Entity) ecs.Entity {
	if begin, replaced := t.begin[e]; replaced {
		return begin
	}
	return e
}

// move notes that an entity takes the place of the entity of a reference.
func (t *refTable) move(r *entityRef, e ecs.Entity) {
	if t.refs[r.now].Value() == r {
		delete(t.refs, r.now)
	}
	r.now, t.refs[e] = e, weak.Make(r)
}

// replaceAll notes that copies take the places of destroyed entities.
func (t *refTable) replaceAll(gone, copies []ecs.Entity) {
	for k, old := range gone {
		t.begin[copies[k]] = t.beginOf(old)
		delete(t.begin, old)
		if r := t.refs[old].Value(); r != nil {
			t.move(r, copies[k])
		}
	}
}

// moveSpawned notes that a spawn was made again, and returns the references to the new group. If its size has changed, only the root
// takes the place of the root from before.
func (t *refTable) moveSpawned(before []*entityRef, group []ecs.Entity) (after []*entityRef) {
	if len(before) != len(group) {
		before = before[:min(1, len(before))]
	}
	for k, r := range before {
		t.move(r, group[k])
	}
	for _, e := range group {
		after = append(after, t.refTo(e))
	}
	return after
}

// rewind sets the references to the ids that their entities had when the table began, because a redo of the restore has just restored
// this state again. An entity that did not exist then has no id, because its id may soon be that of another entity.
func (t *refTable) rewind(w *ecs.World) {
	refs := map[ecs.Entity]weak.Pointer[entityRef]{}
	for _, p := range t.refs { //lanewise:inexact each reference is set by itself, because no two have one id
		r := p.Value()
		if r == nil {
			continue
		}
		if r.now = r.begin; w.Exists(r.now) {
			refs[r.now] = p
		} else {
			r.now = ecs.Entity{}
		}
	}
	t.refs, t.begin = refs, map[ecs.Entity]ecs.Entity{}
}
