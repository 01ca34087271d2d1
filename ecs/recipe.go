package ecs

import "reflect"

// recipe is what the world knows of a list of types of which it has made an entity: that
// of the arguments of Spawn, in their order, or of the fields of a bundle. It is for
// components that are lanes and nothing else. Archetypes last as long as the world, so
// it stays good.
type recipe struct {
	n       int            // how many types
	number  uint           // of them, or of the bundle
	bundle  bool           // types has the bundle's alone
	types   [maxRecipe]key // of the values, as typeWord has them
	arch    *archetype
	columns [maxRecipe]int16  // of the values; -1: a tag, which has none
	offsets [maxRecipe]uint32 // of the fields in a bundle
}

// maxRecipe is how many components an entity may have to be made by a recipe.
const maxRecipe = 12

// recipeCache is a table of recipes, each where its types say; its length is a power of two.
// One that meets another there takes its place, and makes the table longer, so that both
// have room next time.
type recipeCache []*recipe

const (
	minRecipes = 8
	maxRecipes = 512
)

// at returns the place of a number that types have. Nothing but speed may depend on it.
func (b recipeCache) at(h uint) **recipe { return &b[(h^h>>9)&uint(len(b)-1)] }

// numberOf returns the number of a list of types.
func numberOf(values []any) uint {
	h := uint(len(values))
	for i := range values {
		h = h*31 + typeWord(&values[i]).hash()
	}
	return h
}

// recipeFor returns the recipe of the types of values, or nil.
func (w *maker) recipeFor(values []any) *recipe {
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

// learn writes down how an entity of archetype a was made of values.
func (w *maker) learn(a *archetype, values []any) {
	p := newRecipe(a, len(values))
	if p == nil {
		return
	}
	for i := range values {
		p.types[i], p.columns[i] = typeWord(&values[i]), a.laneColumn(reflect.TypeOf(values[i]))
	}
	w.write(p, numberOf(values))
}

// newRecipe returns a recipe of n types; nil if entities of the archetype are not made by
// one.
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

// write puts a recipe where recipeFor or bundleFor will find it.
func (w *maker) write(p *recipe, number uint) {
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

// newRow begins a change that makes one entity, all of whose lanes the caller writes.
func (w *maker) newRow(op string, a *archetype) (span, error) {
	if err := w.change(op); err != nil {
		return span{}, err
	}
	s := w.claim(a, &a.groups.only, 1)
	w.entities.take(s.ids(), s.rec.id, s.first)
	w.touchAll(s.rec)
	return s, nil
}

// spawnBy makes an entity of values whose recipe it is given.
func (w *maker) spawnBy(op string, p *recipe, values []any) (Entity, error) {
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

// bundleFor returns the recipe of a bundle, or nil.
func (w *maker) bundleFor(k key) *recipe {
	if len(w.recipes) == 0 {
		return nil
	}
	if p := *w.recipes.at(k.hash()); p != nil && p.bundle && p.types[0] == k {
		return p
	}
	return nil
}

// makeFirst is SpawnBundle for a bundle that the world has no recipe for.
func (w *maker) makeFirst(op string, k key, t reflect.Type, bundle any) Entity {
	values, err := w.fieldsOf(op, t, bundle)
	if err != nil {
		panic(err)
	}
	e, err := w.spawnNew(op, values)
	if err != nil {
		panic(err)
	}
	a := w.records[w.entities.find(e).record].arch
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

// fieldsOf returns the components in a bundle of type t: one of an interface is none, for
// what is in it may be another type next time.
func (w *maker) fieldsOf(op string, t reflect.Type, bundle any) ([]any, error) {
	if t.Kind() != reflect.Struct {
		return nil, w.fault(ErrArgument, op, "the bundle is %v, which is no struct: declare one whose fields are the components", t.Kind())
	}
	values := make([]any, t.NumField())
	for i := range values {
		f := t.Field(i)
		if !f.IsExported() {
			return nil, w.fault(ErrArgument, op, "field %s of the bundle %v is not exported: a bundle is a struct whose fields are components, with names that begin with a capital", f.Name, t)
		}
		if _, err := w.componentOf(op, f.Type); err != nil {
			return nil, err
		}
		values[i] = reflect.ValueOf(bundle).Field(i).Interface()
	}
	return values, nil
}
