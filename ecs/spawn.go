package ecs

import (
	"reflect"
)

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

// spawn creates one entity with the given components. The caller must call finish.
//
// The second Spawn of the same types, in the order of the calls:
//
//	recipeFor  the recipe of these types: the archetype, and the column of each value
//	change     refuses the change or waits for all jobs, then makes all views of chunks invalid
//	claim      a free row in a chunk of the archetype
//	take       the id of the row
//	touchAll   the change versions of the chunk's columns
//	scatter    writes the bytes of each value into the lanes of its column (table.PutWords)
//
// The first Spawn of some types searches the archetype instead (spawnNew), and learn stores the recipe.
func (w *World) spawn(op string, values []any) (Entity, error) {
	if p := w.recipeFor(values); p != nil {
		return w.spawnBy(op, p, values)
	}
	e, a, err := w.spawnNew(op, values)
	if err == nil {
		w.learn(a, values)
	}
	return e, err
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

// newRow begins a structural change that creates one entity. The row is not zeroed, because the
// caller writes all its lanes: the archetype of a recipe has no shared and no chunk components, and its
// columns are those of the values.
func (w *World) newRow(op string, a *archetype) (span, error) {
	if err := w.change(op); err != nil {
		return span{}, err
	}
	s := w.tables.claim(a, &a.groups.only, 1)
	w.tables.entities.take(s.ids(), s.rec.id, s.first)
	w.tables.touchAll(s.rec)
	return s, nil
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

// spawnNew is spawn for a list of types without a recipe. It also returns the archetype of the entity.
func (w *World) spawnNew(op string, values []any) (Entity, *archetype, error) {
	if err := w.canChange(op); err != nil {
		return Entity{}, nil, err
	}
	set := make([]*component, len(values))
	for i, v := range values {
		c, err := w.types.componentOf(op, reflect.TypeOf(v))
		if err == nil {
			err = w.foreign(op, c, handleOf(c, v))
		}
		if err != nil {
			w.gate.idle()
			return Entity{}, nil, err
		}
		set[i] = c
	}
	if err := w.types.mayGive(op, set...); err != nil {
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
	g := &a.groups.only
	if a.shared == 0 {
		err = w.commit(op)
	} else {
		g, err = w.commitWith(op, a, values)
	}
	if err != nil {
		return Entity{}, nil, err
	}
	s := w.tables.claim(a, g, 1)
	w.tables.entities.take(s.ids(), s.rec.id, s.first)
	s.zero()
	w.tables.touchAll(s.rec)
	for _, v := range values {
		w.tables.scatterBox(s.rec, s.first, v)
	}
	return s.ids()[0], a, nil
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
	e, a, err := w.spawnNew(op, values)
	if err != nil {
		panic(err)
	}
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
