package ecs

import (
	"reflect"
)

// SetArchetype moves e to archetype a: components of both archetypes keep their values, and new ones are
// zero. The error is of category [ErrArgument] if e does not exist, or if the move would remove a cleanup
// component from e.
func (w *World) SetArchetype(e Entity, a Archetype) error {
	const op = "SetArchetype"
	if w == nil {
		return noWorld(op)
	}
	to, err := w.tables.archetypeIn(op, a)
	if err != nil {
		return err
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	if r.arch == to {
		return nil
	}
	if err := w.tables.mayEdit(op, r.arch); err != nil {
		return err
	}
	for i := range r.arch.columns {
		c := r.arch.columns[i].comp
		if (c.kind.has(isCleanup) || c == w.types.cleanupTag) && !to.has(c) {
			return w.gate.fault(ErrArgument, op, "the new archetype %v lacks this cleanup component: Remove it when its cleanup is done", a).of(e).on(c)
		}
	}
	if err := w.change(op); err != nil {
		return err
	}
	m := r.arch.moveTo(to)
	w.tables.moveRows(m, span{r, int(s.row), 1}, m.group(r))
	w.finish()
	return nil
}

// SetActive removes [Inactive] from e, or adds it. Queries skip entities with Inactive, as Unity's queries
// skip those with Disabled. If e has a [LinkedGroup], it does the same for all existing entities of the
// group, except for destroyed ones that wait for their cleanup. It is a structural change, unless e has
// that state already. The error is of category [ErrArgument] if e does not exist, and of category
// [ErrState] if the world cannot be changed now.
func (w *World) SetActive(e Entity, active bool) error {
	const op = "SetActive"
	if w == nil {
		return noWorld(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	if has := r.arch.has(w.types.inactive); has != active {
		return nil
	}
	if !r.arch.kinds.has(isLinked) {
		return w.setActive(op, e, active)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.gate.idle()
	if err := w.complete(op); err != nil { // because jobs may be writing the group
		return err
	}
	w.edits.members = append(w.edits.members[:0], e)
	for _, l := range w.groupOf(r, int(s.row)) {
		s := w.tables.entities.find(l.Entity)
		if s == nil {
			continue
		}
		if a := w.tables.records[s.record].arch; !a.awaitsCleanup && a.has(w.types.inactive) == active {
			w.edits.members = append(w.edits.members, l.Entity)
			if _, err := w.rest(op, a, active); err != nil {
				return err
			}
		}
	}
	if len(w.edits.members) == 1 {
		return w.setActive(op, e, active)
	}
	if err := w.commit(op); err != nil { // once, so that a function of OnCommit that panics refuses the whole change
		return err
	}
	for _, member := range w.edits.members {
		s := w.tables.entities.find(member)
		r := w.tables.records[s.record]
		if r.arch.has(w.types.inactive) != active {
			continue // it is in the group twice
		}
		m, _ := w.rest(op, r.arch, active) // no error is possible after the check above
		w.tables.moveRows(m, span{r, int(s.row), 1}, m.group(r))
	}
	w.finish()
	return nil
}

// Swap exchanges the rows of two entities of one archetype with equal shared values. Each keeps its id and
// its values, with enabled bits, elements of buffers and managed components. Chunk components stay with
// their chunks. A program uses it to bring rows into an order, which is the order of loops and of memory.
//
// It is a structural change, though no row comes or goes: handles to buffers and views end, and both
// chunks count as changed. OrderChanged and OrderCount report it, because a program that has kept the
// places of rows must find them again. Swapping an entity with itself does none of that. The error is of
// category [ErrArgument], and nothing is changed, if one of the two does not exist, or if they have
// different components or shared values.
func (w *World) Swap(a, b Entity) error {
	const op = "Swap"
	if err := w.open(op); err != nil {
		return err
	}
	from, to := w.tables.entities.find(a), w.tables.entities.find(b)
	switch {
	case from == nil:
		return w.entityError(op, a)
	case to == nil:
		return w.entityError(op, b)
	}
	r, s := w.tables.records[from.record], w.tables.records[to.record]
	if err := w.tables.mayEdit(op, r.arch); err != nil {
		return err
	}
	if err := w.tables.mayEdit(op, s.arch); err != nil {
		return err
	}
	switch {
	case r.arch != s.arch:
		return w.gate.fault(ErrArgument, op, "it has %v and %v has %v: rows of one archetype change places", r.arch, b, s.arch).of(a)
	case r.group != s.group:
		return w.gate.fault(ErrArgument, op, "its shared values are not those of %v: rows of chunks with equal shared values change places", b).of(a)
	}
	if a == b {
		return w.may(op)
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if err := w.commit(op); err != nil {
		return err
	}
	r.swapRows(int(from.row), s, int(to.row))
	*from, *to = slot{from.version, to.record, to.row}, slot{to.version, from.record, from.row}
	w.tables.moved(r)
	w.tables.touchAll(r)
	if s != r {
		w.tables.moved(s)
		w.tables.touchAll(s)
	}
	w.finish()
	return nil
}

// SetEntityName gives e a name for people, like SetName of Unity: errors and tools show it beside the id.
// The name belongs to the entity and is no component. It is not part of the world's hash, ends with the
// entity, and stays with the entity when that moves to another world or is copied from one. An empty name
// removes the name. Two entities may have the same name. The error is of category [ErrArgument] if e does
// not exist.
func (w *World) SetEntityName(e Entity, name string) error {
	const op = "SetEntityName"
	if w == nil {
		return noWorld(op)
	}
	if err := w.may(op); err != nil {
		return err
	}
	if w.tables.entities.find(e) == nil {
		return w.entityError(op, e)
	}
	w.label(e, name)
	return nil
}

// EntityName returns the name that SetEntityName has given to e; "" if there is none, or e does not exist.
func (w *World) EntityName(e Entity) string {
	w.mustExist("EntityName")
	if w.tables.entities.find(e) == nil {
		w.gate.refuseLent("EntityName")
		return ""
	}
	return w.gate.labels.name(e)
}

// Spawn creates one entity with the given components and returns its id. It is the slow way, for single
// entities; Create makes many. Without arguments the entity has no components.
//
// It panics with an *Error if a value is no component, two values have the same type, or the world cannot
// be changed now.
func (w *World) Spawn(values ...any) Entity {
	w.mustExist("Spawn")
	e, err := w.spawn("Spawn", values)
	if err != nil {
		panic(err)
	}
	w.finish()
	return e
}

// Create makes n entities of archetype a. The rows go into the first free places; the result yields them
// chunk by chunk, for the caller to fill:
//
//	for c := range w.Create(a, n).Chunks() { … }
//
// It panics with an *Error if a is not an archetype of w, n is negative, or the world cannot be changed
// now.
func (w *World) Create(a Archetype, n int) Created {
	w.mustExist("Create")
	return w.make("Create", a, n, false)
}

// CreateChunks is Create in new chunks: no row goes into an older chunk, and all new chunks are full
// except the last.
func (w *World) CreateChunks(a Archetype, n int) Created {
	w.mustExist("CreateChunks")
	return w.make("CreateChunks", a, n, true)
}

// CreateInto makes len(ids) entities of archetype a and writes their ids to ids. Their components are
// zero. It returns an error in the cases in which Create panics.
func (w *World) CreateInto(a Archetype, ids []Entity) error {
	if w == nil {
		return noWorld("CreateInto")
	}
	arch, err := w.tables.archetypeIn("CreateInto", a)
	if err != nil {
		return err
	}
	return w.createRows("CreateInto", arch, len(ids), false, ids, nil)
}

// Instantiate makes n copies of e. A copy has the components of e with their values, except for Prefab and
// cleanup components. References to e in e's own data become references to the copy. It returns the copies
// in order.
//
// If e has a [LinkedGroup], the whole group is copied, member by member, and references between the
// members become references between the members of the same copy. The error is of category [ErrArgument],
// and nothing is made, if the group does not begin with e, or one of its members does not exist, is
// destroyed and waits for its cleanup, or comes twice.
func (w *World) Instantiate(e Entity, n int) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("Instantiate")
	}
	if n < 0 {
		return nil, w.gate.fault(ErrArgument, "Instantiate", "the number of copies is %d", n).of(e)
	}
	ids := make([]Entity, n)
	if err := w.instantiate("Instantiate", e, ids); err != nil {
		return nil, err
	}
	return ids, nil
}

// InstantiateInto is Instantiate for len(ids) copies, whose ids it writes to ids, so that the result needs
// no new memory. The errors are those of Instantiate.
func (w *World) InstantiateInto(e Entity, ids []Entity) error {
	if w == nil {
		return noWorld("InstantiateInto")
	}
	return w.instantiate("InstantiateInto", e, ids)
}

// InstantiateAll makes one copy of each of the entities ids, as Instantiate does, and returns the copies
// in that order. References between these entities become references between the copies. A LinkedGroup is
// copied as a component, without copies of its members. The error is of category [ErrArgument], and
// nothing is made, if one of the entities does not exist, is destroyed and waits for its cleanup, or comes
// twice.
func (w *World) InstantiateAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("InstantiateAll")
	}
	return w.copyAll("InstantiateAll", ids, w.types.prefab)
}

// CloneAll is InstantiateAll, except that copies of entities with Prefab have Prefab too. The errors are
// those of InstantiateAll.
func (w *World) CloneAll(ids []Entity) ([]Entity, error) {
	if w == nil {
		return nil, noWorld("CloneAll")
	}
	return w.copyAll("CloneAll", ids, nil)
}

// Destroy despawns (removes, deletes) e and the members of its [LinkedGroup]. An entity with cleanup
// components stays, with only these, until they are removed. The null entity and entities that no longer
// exist are ignored; an id that this world cannot have given is an error of category [ErrArgument].
func (w *World) Destroy(e Entity) error {
	const op = "Destroy"
	if w == nil {
		return noWorld(op)
	}
	s := w.tables.entities.find(e)
	if s == nil {
		return w.absent(op, e)
	}
	r := w.tables.records[s.record]
	if r.arch.awaitsCleanup {
		return nil
	}
	if err := w.tables.mayEdit(op, r.arch); err != nil {
		return err
	}
	if r.arch.kinds.has(isLinked) {
		return w.destroyAll(op, []Entity{e})
	}
	if err := w.change(op); err != nil {
		return err
	}
	if one := (span{r, int(s.row), 1}); !r.arch.kinds.has(isCleanup) {
		w.tables.entities.release(one.ids())
		w.tables.drop(one)
	} else if err := w.tables.destroyRows(op, one); err != nil {
		return err
	}
	w.finish()
	return nil
}

// SpawnBundle creates one entity from the fields of a bundle, each of which is a component, and returns
// its id. SpawnBundle(w, b) means w.Spawn(b.Place, b.Speed), but is faster and does not allocate. The
// bundle is a struct whose fields are exported; their names and order do not matter.
//
// It panics with an *Error if B is no such struct, if a field is no component or two have the same type,
// or if the world cannot be changed now.
func SpawnBundle[B any](w *World, bundle B) Entity {
	const op = "SpawnBundle"
	w.mustExist(op)
	k := keyOf[B]()
	p := w.bundleFor(k)
	if p == nil {
		return w.makeFirst(op, k, reflect.TypeFor[B](), bundle)
	}
	s, err := w.newRow(op, p.arch)
	if err != nil {
		panic(err)
	}
	value := bytesOf(&bundle)
	for i := range p.n {
		if at := p.columns[i]; at >= 0 {
			c := &p.arch.columns[at]
			c.scatter(&s.rec.Place, s.first, value[p.offsets[i]:][:c.comp.size])
		}
	}
	e := s.ids()[0]
	w.finish()
	return e
}
