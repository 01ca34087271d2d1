package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// spawn creates one entity with the given components. The caller must call finish.
func (w *World) spawn(op string, values []any) (Entity, error) {
	if p := w.recipeFor(values); p != nil {
		return w.spawnBy(op, p, values)
	}
	e, err := w.spawnNew(op, values)
	if err == nil {
		w.learn(w.tables.records[w.tables.entities.slots[e.Index].record].arch, values)
	}
	return e, err
}

// spawnNew is spawn for a list of types without a recipe.
func (w *World) spawnNew(op string, values []any) (Entity, error) {
	if err := w.canChange(op); err != nil {
		return Entity{}, err
	}
	set := make([]*component, len(values))
	for i, v := range values {
		c, err := w.types.componentOf(op, reflect.TypeOf(v))
		if err == nil {
			err = w.foreign(op, c, handleOf(c, v))
		}
		if err != nil {
			w.gate.idle()
			return Entity{}, err
		}
		set[i] = c
	}
	if err := w.types.mayGive(op, set...); err != nil {
		return Entity{}, err
	}
	set, err := w.types.sortSet(op, set)
	if err != nil {
		return Entity{}, err
	}
	a, err := w.tables.archetypeOf(op, set)
	if err != nil {
		return Entity{}, err
	}
	g := &a.groups.only
	if a.shared == 0 {
		err = w.commit(op)
	} else {
		g, err = w.commitWith(op, a, values)
	}
	if err != nil {
		return Entity{}, err
	}
	s := w.tables.claim(a, g, 1)
	w.tables.entities.take(s.ids(), s.rec.id, s.first)
	s.zero()
	w.tables.touchAll(s.rec)
	for _, v := range values {
		w.tables.scatterBox(s.rec, s.first, v)
	}
	e := s.ids()[0]
	return e, nil
}

func (w *World) make(op string, a Archetype, n int, own bool) Created {
	arch, err := w.tables.archetypeIn(op, a)
	if err == nil {
		err = w.createRows(op, arch, n, own, nil, nil)
	}
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return Created{}
	}
	return Created{w, w.gate.structural}
}

// createRows creates n entities of archetype a and stores their rows in w.spans. If ids is not nil,
// createRows copies the new ids into it.
func (w *World) createRows(op string, a *archetype, n int, own bool, ids []Entity, values []any) error {
	switch {
	case n < 0:
		return w.gate.fault(ErrArgument, op, "the number of entities is %d", n)
	case n == 0:
		return w.may(op)
	}
	g, err := w.changeIn(op, a, values)
	if err != nil {
		return err
	}
	w.tables.created = w.tables.created[:0]
	w.tables.entities.reserve(n)
	for n > 0 {
		var s span
		if own {
			s = w.tables.claimIn(w.tables.newRecord(a, g, n), n)
		} else {
			s = w.tables.claim(a, g, n)
		}
		w.tables.entities.take(s.ids(), s.rec.id, s.first)
		if ids != nil {
			copy(ids, s.ids())
			ids = ids[s.n:]
		}
		s.zero()
		w.tables.touchAll(s.rec)
		w.tables.created = append(w.tables.created, s)
		n -= s.n
	}
	w.finish()
	return nil
}

// changeIn begins a structural change that creates entities of an archetype. It returns their chunk
// group: the one with the given shared values, or the default group.
func (w *World) changeIn(op string, a *archetype, values []any) (*group, error) {
	if len(values) == 0 || a.shared == 0 {
		if err := w.change(op); err != nil {
			return nil, err
		}
		return a.defaultGroup(), nil
	}
	if err := w.canChange(op); err != nil {
		return nil, err
	}
	return w.commitWith(op, a, values)
}

// recipe stores how to create an entity from a list of types, so that a repeated Spawn or
// SpawnBundle needs no search. The types are those of the arguments of Spawn, in their order, or
// those of a bundle's fields. It supports only components whose data is in lanes. A recipe stays
// valid because archetypes exist as long as their world; a Restore that takes archetypes out of the
// order drops all recipes.
type recipe struct {
	n       int            // number of types
	number  uint           // hash of the types, or of the bundle's type
	bundle  bool           // types contains only the bundle's type
	types   [maxRecipe]key // types of the values, as typeWord returns them
	arch    *archetype
	columns [maxRecipe]int16  // column of each value; -1 for a tag
	offsets [maxRecipe]uint32 // offset of each field in the bundle
}

// maxRecipe is the largest number of components in a recipe.
const maxRecipe = 12

// recipeCache is a hash table of recipes; its length is a power of two. A new recipe replaces an
// old one at the same index and doubles the table, so that both fit the next time.
type recipeCache []*recipe

const (
	minRecipes = 8
	maxRecipes = 512
)

// at returns the table entry for a hash. Only speed may depend on the hash, because it contains
// addresses, which differ between runs.
func (b recipeCache) at(h uint) **recipe { return &b[(h^h>>9)&uint(len(b)-1)] }

// numberOf returns the hash of a list of types.
func numberOf(values []any) uint {
	h := uint(len(values))
	for i := range values {
		h = h*31 + typeWord(&values[i]).hash()
	}
	return h
}

// recipeFor returns the recipe for the types of values, or nil.
func (w *World) recipeFor(values []any) *recipe {
	if len(w.recipes) == 0 || len(values) > maxRecipe {
		return nil
	}
	p := *w.recipes.at(numberOf(values))
	if p == nil || p.n != len(values) || p.bundle {
		return nil
	}
	for i := range values {
		if typeWord(&values[i]) != p.types[i] {
			return nil
		}
	}
	return p
}

// learn stores the recipe for values, which have just become an entity of archetype a.
func (w *World) learn(a *archetype, values []any) {
	p := newRecipe(a, len(values))
	if p == nil {
		return
	}
	for i := range values {
		p.types[i], p.columns[i] = typeWord(&values[i]), a.laneColumn(reflect.TypeOf(values[i]))
	}
	w.write(p, numberOf(values))
}

// newRecipe returns an empty recipe for n types, or nil if a recipe cannot create entities of this
// archetype.
func newRecipe(a *archetype, n int) *recipe {
	if n > maxRecipe || !a.plain || a.shared > 0 || a.meta != nil || a.isMeta {
		return nil
	}
	return &recipe{n: n, arch: a}
}

// laneColumn returns the column of the component of type t, or -1 if it is a tag.
func (a *composition) laneColumn(t reflect.Type) int16 {
	i := a.findType(t)
	if len(a.columns[i].lanes) == 0 {
		return -1
	}
	return int16(i)
}

// write stores a recipe in the table.
func (w *World) write(p *recipe, number uint) {
	p.number = number
	switch n := len(w.recipes); {
	case n == 0:
		w.recipes = make(recipeCache, minRecipes)
	case n < maxRecipes && *w.recipes.at(number) != nil:
		old := w.recipes
		w.recipes = make(recipeCache, 2*n)
		for _, p := range old {
			if p != nil {
				*w.recipes.at(p.number) = p
			}
		}
	}
	*w.recipes.at(number) = p
}

// newRow begins a structural change that creates one entity. The row is not zeroed, because the
// caller writes all its lanes.
func (w *World) newRow(op string, a *archetype) (span, error) {
	if err := w.change(op); err != nil {
		return span{}, err
	}
	s := w.tables.claim(a, &a.groups.only, 1)
	w.tables.entities.take(s.ids(), s.rec.id, s.first)
	w.tables.touchAll(s.rec)
	return s, nil
}

// spawnBy creates an entity from values by their recipe.
func (w *World) spawnBy(op string, p *recipe, values []any) (Entity, error) {
	s, err := w.newRow(op, p.arch)
	if err != nil {
		return Entity{}, err
	}
	for i := range values {
		if at := p.columns[i]; at >= 0 {
			c := &p.arch.columns[at]
			c.scatter(&s.rec.Place, s.first, boxBytes(values[i], c.comp.size))
		}
	}
	return s.ids()[0], nil
}

// bundleFor returns the recipe of a bundle type, or nil.
func (w *World) bundleFor(k key) *recipe {
	if len(w.recipes) == 0 {
		return nil
	}
	if p := *w.recipes.at(k.hash()); p != nil && p.bundle && p.types[0] == k {
		return p
	}
	return nil
}

// makeFirst is SpawnBundle for a bundle without a recipe.
func (w *World) makeFirst(op string, k key, t reflect.Type, bundle any) Entity {
	values, err := w.fieldsOf(op, t, bundle)
	if err != nil {
		panic(err)
	}
	e, err := w.spawnNew(op, values)
	if err != nil {
		panic(err)
	}
	a := w.tables.records[w.tables.entities.find(e).record].arch
	if p := newRecipe(a, len(values)); p != nil {
		p.bundle, p.types[0] = true, k
		for i := range values {
			f := t.Field(i)
			p.columns[i], p.offsets[i] = a.laneColumn(f.Type), uint32(f.Offset)
		}
		w.write(p, k.hash())
	}
	w.finish()
	return e
}

// fieldsOf returns the components in a bundle of type t. It refuses a field of an interface type,
// because the next value in it may have another type.
func (w *World) fieldsOf(op string, t reflect.Type, bundle any) ([]any, error) {
	if t.Kind() != reflect.Struct {
		return nil, w.gate.fault(ErrArgument, op, "the bundle is %v, which is no struct: declare one whose fields are the components", t.Kind())
	}
	values := make([]any, t.NumField())
	for i := range values {
		f := t.Field(i)
		if !f.IsExported() {
			return nil, w.gate.fault(ErrArgument, op, "field %s of the bundle %v is not exported: a bundle is a struct whose fields are components, with names that begin with a capital", f.Name, t)
		}
		if _, err := w.types.componentOf(op, f.Type); err != nil {
			return nil, err
		}
		values[i] = reflect.ValueOf(bundle).Field(i).Interface()
	}
	return values, nil
}

// copyAll creates one copy of each of the entities ids. The copies lack the component less.
func (w *World) copyAll(op string, ids []Entity, less *component) ([]Entity, error) {
	if err := w.canChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return nil, err
	}
	w.edits.set.reset(len(w.tables.entities.slots))
	w.edits.sources = w.edits.sources[:0]
	for _, e := range ids {
		if err := w.addSource(op, e, less); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		w.gate.idle()
		return nil, nil
	}
	if err := w.commit(op); err != nil {
		return nil, err
	}
	return append([]Entity(nil), w.copySources(1)...), nil
}

// instantiate creates copies of e, or of its whole LinkedGroup, and writes the ids of the copies of
// e to ids.
func (w *World) instantiate(op string, e Entity, ids []Entity) error {
	if err := w.canChange(op); err != nil { // before the scratch memory is used, because it belongs to the owner
		return err
	}
	w.edits.set.reset(len(w.tables.entities.slots))
	w.edits.sources = w.edits.sources[:0]
	if err := w.addSource(op, e, w.types.prefab); err != nil {
		return err
	}
	if root := w.edits.sources[0]; root.rec.arch.has(w.types.group) {
		if err := w.complete(op); err != nil { // because jobs may be writing the group
			return err
		}
		group := w.groupOf(root.rec, root.row)
		if len(group) == 0 || group[0].Entity != e {
			return w.gate.fault(ErrArgument, op, "the first element of its LinkedGroup is not the entity itself: a group begins with its root").of(e)
		}
		for _, l := range parts(group) {
			if err := w.addSource(op, l.Entity, w.types.prefab); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 {
		w.gate.idle()
		return nil
	}
	if err := w.commit(op); err != nil {
		return err
	}
	copy(ids, w.copySources(len(ids)))
	return nil
}

// source is one of the entities that a call copies.
type source struct {
	rec    *record
	row    int
	move   *move // from the source's archetype to that of the copies
	target int   // index of the copies' archetype, if they are in another world
}

// addSource adds e to the entities to copy. The copies lack its cleanup components, and the
// component less.
func (w *World) addSource(op string, e Entity, less *component) error {
	s, err := w.sourceOf(op, e)
	if err != nil {
		return err
	}
	s.move, err = w.toCopy(op, s.rec.arch, less)
	w.edits.sources = append(w.edits.sources, s)
	return err
}

// sourceOf returns e as a source, or an error if it cannot be copied.
func (w *World) sourceOf(op string, e Entity) (source, error) {
	s := w.tables.entities.find(e)
	if s == nil {
		return source{}, w.entityError(op, e)
	}
	r := w.tables.records[s.record]
	if r.arch.awaitsCleanup {
		return source{}, w.gate.fault(ErrArgument, op, "the entity was destroyed and waits for its cleanup: it cannot be copied").of(e)
	}
	if err := w.tables.mayEdit(op, r.arch); err != nil {
		return source{}, err
	}
	if !w.edits.set.add(e) {
		return source{}, w.gate.fault(ErrArgument, op, "the entity is to be copied twice at once: it stands in the list, or in the LinkedGroup, more than once").of(e)
	}
	return source{rec: r, row: int(s.row)}, nil
}

// toCopy returns the move from an archetype to the archetype of its copies.
func (w *World) toCopy(op string, a *archetype, less *component) (*move, error) {
	var drop []*component
	alone := a.has(w.types.omit) && a.has(w.types.group)
	for i := range a.columns {
		if c := a.columns[i].comp; c.kind.has(isCleanup) || c == less || alone && (c == w.types.omit || c == w.types.group) {
			drop = append(drop, c)
		}
	}
	m, err := w.tables.edit(op, a, nil, drop)
	if m == nil && err == nil {
		m = a.moveTo(a)
	}
	return m, err
}

// copySources creates n copies of each source: first all copies of the first source, then all of
// the next. It returns their ids in this order; the slice is valid until the next call. A reference
// from one source to another becomes, in copy number i, a reference to copy number i.
func (w *World) copySources(n int) []Entity {
	w.tables.entities.reserve(n * len(w.edits.sources))
	w.edits.copies = w.edits.copies[:0]
	for k := range w.edits.sources {
		s := &w.edits.sources[k]
		g := s.move.group(s.rec)
		for left := n; left > 0; {
			dst := w.tables.claim(s.move.to, g, left)
			w.tables.entities.take(dst.ids(), dst.rec.id, dst.first)
			w.edits.copies = append(w.edits.copies, dst.ids()...)
			s.move.spread(dst, s.rec, s.row)
			w.tables.touchAll(dst.rec)
			left -= dst.n
		}
	}
	for at := 0; at < len(w.edits.copies); {
		s, k := w.tables.run(w.edits.copies[at:])
		if s.rec.arch.refs {
			w.redirect(s, at, n)
		}
		at += k
	}
	w.finish()
	return w.edits.copies
}

// redirect replaces the references between sources in a span of copies. The span starts at index at
// of w.copies.
func (w *World) redirect(s span, at, n int) {
	s.mapRefs(func(i int, id Entity) Entity {
		if k := w.edits.set.find(id); k >= 0 {
			return w.edits.copies[k*n+(at+i)%n]
		}
		return id
	})
}

// spread copies one row to all rows of dst.
func (m *move) spread(dst span, r *record, row int) {
	m.copy.Rows(&dst.rec.Place, dst.first, &r.Place, row, 1)
	for _, l := range m.copy.Pairs() {
		repeat(dst.rec.Bytes(table.Lane{Index: l.To, Size: l.Size}, dst.first, dst.n), int(l.Size))
	}
	for _, pair := range m.spills {
		for i := range dst.n {
			dst.rec.spills[pair[0]].clone(dst.rec, dst.first+i, &r.spills[pair[1]], row)
		}
	}
	for _, pair := range m.bits {
		if r.switches[pair[1]].on(row) {
			dst.rec.switches[pair[0]].fill(dst.first, dst.n)
		} else {
			dst.rec.switches[pair[0]].clear(dst.first, dst.n)
		}
	}
	m.spreadObjects(dst, r, row)
}
