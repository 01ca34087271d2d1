package ecs

import (
	"reflect"
)

// Spawn creates one entity with the given components and returns its id. Use it for single entities,
// because it is slower than Create, which creates many. Without arguments the entity has no components.
//
// Spawn panics with an *Error if a value is not a component, two values have the same type, or the world
// cannot be changed now.
func (w *World) Spawn(values ...any) Entity {
	w.mustNotBeNil("Spawn")
	e, err := w.spawn("Spawn", values)
	if err != nil {
		panic(err)
	}
	w.endChange()
	return e
}

// spawn creates one entity with the given components. The caller must call endChange afterwards.
//
// The second Spawn of the same types makes these calls, in this order. A column is the data of one
// component in a chunk. A lane of a column is the array of one field, with an element for each row.
//
//	spawnPlanFor     finds the plan of these types: the archetype, and the column of each value
//	spawnFromPlan    makes the following calls
//	beginCreateRow   makes the next four
//	  beginChange    refuses the change or waits for all jobs; then all views of chunks are invalid (changes.go)
//	  claimRow       finds a free row in a chunk of the archetype (tables_rows.go)
//	  assignID       gives the row an id (tables_ids.go)
//	  markAllColumns sets the change versions of the chunk's columns (tables_rows.go)
//	planField.scatter writes the bytes of each value into the lanes of its column (below, and
//	                 Base.ScatterBytes in internal/table/place.go)
//
// The first Spawn of some types searches for the archetype instead (spawnWithoutPlan), and
// addSpawnPlan stores the plan.
func (w *World) spawn(op string, values []any) (Entity, error) {
	if p := w.spawnPlanFor(values); p != nil {
		return w.spawnFromPlan(op, p, values)
	}
	e, a, err := w.spawnWithoutPlan(op, values)
	if err == nil {
		w.addSpawnPlan(a, values)
	}
	return e, err
}

// spawnFromPlan creates an entity from values according to their plan.
func (w *World) spawnFromPlan(op string, p *spawnPlan, values []any) (Entity, error) {
	e, r, row, err := w.beginCreateRow(op, p.arch)
	if err != nil {
		return Entity{}, err
	}
	for i := range values {
		if f := &p.fields[i]; f.size > 0 {
			f.scatter(r, row, boxBytes(values[i], uintptr(f.size)))
		}
	}
	return e, nil
}

// beginCreateRow begins a structural change that creates one entity. The row is not cleared, because
// the caller writes all its lanes: the archetype of a plan has no shared or chunk components, and
// its columns are those of the values.
func (w *World) beginCreateRow(op string, a *archetype) (e Entity, r *chunkData, row int, err error) {
	if err = w.beginChange(op); err != nil {
		return e, nil, 0, err
	}
	r, row = w.tables.claimRow(a, &a.groups.single)
	e = w.tables.entities.assignID(r.id, row)
	*r.idAt(row) = e
	w.tables.markAllColumns(r)
	return e, r, row, nil
}

// spawnPlan stores how to create an entity from a list of types, so that a repeated Spawn or
// SpawnBundle needs no search. The types are the types of the arguments of Spawn, in their order,
// or the types of a bundle's fields. A plan supports only components whose data is in lanes. A
// plan stays valid because archetypes exist as long as their world. If a Restore removes
// archetypes from the list, it drops all plans.
type spawnPlan struct {
	typeCount int               // number of types
	hash      uint              // hash of the types, or of the bundle's type
	isBundle  bool              // types contains only the bundle's type
	types     [maxPlanTypes]key // types of the values, as interfaceTypeKey returns them
	arch      *archetype
	fields    [maxPlanTypes]planField // where each value goes
}

// planField tells where a plan writes one value, so that the plan need not read the column and the component.
type planField struct {
	offset    uint32 // of the field in the bundle
	size      uint32 // of the value; 0 for a tag
	firstLane uint32
	column    int16
	words     bool // the value consists of words in neighbouring lanes
}

// newPlanField returns the planField for the component of type t in archetype a. The offset is that
// of the value in the bundle.
func newPlanField(a *archetype, t reflect.Type, offset uintptr) planField {
	i := a.findColumnOfType(t)
	c := &a.columns[i]
	if len(c.lanes) == 0 {
		return planField{}
	}
	return planField{uint32(offset), uint32(c.comp.size), c.firstLane, int16(i), c.layoutKind == layoutWords}
}

// scatter writes the bytes of a value to the lanes of a row.
func (f *planField) scatter(r *chunkData, row int, value []byte) {
	if f.words {
		r.ScatterBytes(f.firstLane, row, value)
		return
	}
	r.arch.columns[f.column].scatter(&r.Place, row, value)
}

// maxPlanTypes is the largest number of components in a plan.
const maxPlanTypes = 12

// spawnPlanCache is a hash table of plans. Its length is a power of two. A new plan replaces an old
// one at the same index and doubles the size of the table, so that both fit the next time.
type spawnPlanCache []*spawnPlan

const (
	minSpawnPlans = 8
	maxSpawnPlans = 512
)

// entryFor returns the table entry for a hash. The hash contains addresses, which differ between
// runs. So the entry may affect only the speed, not the result.
func (b spawnPlanCache) entryFor(h uint) **spawnPlan { return &b[(h^h>>9)&uint(len(b)-1)] }

// hashTypes returns the hash of a list of types.
func hashTypes(values []any) uint {
	h := uint(len(values))
	for i := range values {
		h = h*31 + interfaceTypeKey(&values[i]).hash()
	}
	return h
}

// spawnPlanFor returns the plan for the types of values, or nil.
func (w *World) spawnPlanFor(values []any) *spawnPlan {
	if len(w.spawnPlans) == 0 || len(values) > maxPlanTypes {
		return nil
	}
	p := *w.spawnPlans.entryFor(hashTypes(values))
	if p == nil || p.typeCount != len(values) || p.isBundle {
		return nil
	}
	for i := range values {
		if interfaceTypeKey(&values[i]) != p.types[i] {
			return nil
		}
	}
	return p
}

// spawnWithoutPlan does the work of spawn for a list of types without a plan. spawnWithoutPlan also
// returns the archetype of the entity.
func (w *World) spawnWithoutPlan(op string, values []any) (Entity, *archetype, error) {
	if err := w.checkCanChange(op); err != nil {
		return Entity{}, nil, err
	}
	set := make([]*component, len(values))
	for i, v := range values {
		c, err := w.types.componentOf(op, reflect.TypeOf(v))
		if err == nil {
			err = w.checkBufferHandle(op, c, handleOf(c, v))
		}
		if err != nil {
			w.gate.endUnchanged()
			return Entity{}, nil, err
		}
		set[i] = c
	}
	if err := w.types.checkNoHeader(op, set...); err != nil {
		return Entity{}, nil, err
	}
	set, err := w.types.sortSet(op, set)
	if err != nil {
		return Entity{}, nil, err
	}
	a, err := w.tables.archetypeOf(op, set)
	if err != nil {
		return Entity{}, nil, err
	}
	g := &a.groups.single
	if a.sharedCount == 0 {
		err = w.beginAllowedChange(op)
	} else {
		g, err = w.beginCreateShared(op, a, values)
	}
	if err != nil {
		return Entity{}, nil, err
	}
	s := w.tables.claimRows(a, g, 1)
	w.tables.entities.assignIDs(s.ids(), s.chunk.id, s.first)
	s.zeroRows()
	w.tables.markAllColumns(s.chunk)
	for _, v := range values {
		w.tables.scatterBox(s.chunk, s.first, v)
	}
	return s.ids()[0], a, nil
}

// addSpawnPlan creates and stores a plan for the types of values. An entity with these values was
// just created in archetype a.
func (w *World) addSpawnPlan(a *archetype, values []any) {
	p := newSpawnPlan(a, len(values))
	if p == nil {
		return
	}
	for i := range values {
		p.types[i], p.fields[i] = interfaceTypeKey(&values[i]), newPlanField(a, reflect.TypeOf(values[i]), 0)
	}
	w.storeSpawnPlan(p, hashTypes(values))
}

// newSpawnPlan returns a plan for n types whose fields are not filled in yet. It returns nil if a
// plan cannot create entities of this archetype.
func newSpawnPlan(a *archetype, n int) *spawnPlan {
	if n > maxPlanTypes || !a.lanesOnly || a.sharedCount > 0 || a.meta != nil || a.isMeta {
		return nil
	}
	return &spawnPlan{typeCount: n, arch: a}
}

// storeSpawnPlan stores a plan in the table.
func (w *World) storeSpawnPlan(p *spawnPlan, number uint) {
	p.hash = number
	switch n := len(w.spawnPlans); {
	case n == 0:
		w.spawnPlans = make(spawnPlanCache, minSpawnPlans)
	case n < maxSpawnPlans && *w.spawnPlans.entryFor(number) != nil:
		old := w.spawnPlans
		w.spawnPlans = make(spawnPlanCache, 2*n)
		for _, p := range old {
			if p != nil {
				*w.spawnPlans.entryFor(p.hash) = p
			}
		}
	}
	*w.spawnPlans.entryFor(number) = p
}

// SpawnBundle creates one entity from the fields of a bundle, each of which is a component, and returns
// its id. SpawnBundle(w, b) has the same effect as w.Spawn(b.Place, b.Speed), but is faster and does
// not allocate. The bundle is a struct whose fields are exported; their names and order do not matter.
//
// SpawnBundle panics with an *Error if B is not such a struct, if a field is not a component or two have
// the same type, or if the world cannot be changed now.
func SpawnBundle[B any](w *World, bundle B) Entity {
	const op = "SpawnBundle"
	w.mustNotBeNil(op)
	k := keyOf[B]()
	p := w.bundlePlan(k)
	if p == nil {
		return w.spawnFirstBundle(op, k, reflect.TypeFor[B](), bundle)
	}
	e, r, row, err := w.beginCreateRow(op, p.arch)
	if err != nil {
		panic(err)
	}
	value := bytesOf(&bundle)
	for i := range p.typeCount {
		if f := &p.fields[i]; f.size > 0 {
			f.scatter(r, row, value[f.offset:][:f.size])
		}
	}
	w.endChange()
	return e
}

// bundlePlan returns the plan of a bundle type, or nil.
func (w *World) bundlePlan(k key) *spawnPlan {
	if len(w.spawnPlans) == 0 {
		return nil
	}
	if p := *w.spawnPlans.entryFor(k.hash()); p != nil && p.isBundle && p.types[0] == k {
		return p
	}
	return nil
}

// spawnFirstBundle does the work of SpawnBundle for a bundle without a plan.
func (w *World) spawnFirstBundle(op string, k key, t reflect.Type, bundle any) Entity {
	values, err := w.bundleValues(op, t, bundle)
	if err != nil {
		panic(err)
	}
	e, a, err := w.spawnWithoutPlan(op, values)
	if err != nil {
		panic(err)
	}
	if p := newSpawnPlan(a, len(values)); p != nil {
		p.isBundle, p.types[0] = true, k
		for i := range values {
			f := t.Field(i)
			p.fields[i] = newPlanField(a, f.Type, f.Offset)
		}
		w.storeSpawnPlan(p, k.hash())
	}
	w.endChange()
	return e
}

// bundleValues returns the components in a bundle of type t. It returns an error for a field of an
// interface type, because the next value in the field may have another type.
func (w *World) bundleValues(op string, t reflect.Type, bundle any) ([]any, error) {
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
