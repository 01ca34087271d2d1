package roads

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Census holds the entities of a world with all components, independent of chunks and rows. A Road
// with Changes takes a census before and after, and so checks that the world has kept its contents.
type Census struct {
	ids []ecs.Entity
	of  map[ecs.Entity]facts
}

// facts are the components of one entity.
type facts struct {
	name   string
	types  []reflect.Type
	values []any
	on     []bool
}

var chunkHeader = reflect.TypeFor[ecs.ChunkHeader]()

// CensusOf reads all entities of a world, except the meta entities of chunks.
func CensusOf(w *ecs.World) (*Census, error) {
	c := &Census{of: map[ecs.Entity]facts{}}
	u := w.Untyped()
	for e := range w.Entities() {
		c.ids = append(c.ids, e)
	}
	for _, e := range c.ids {
		f := facts{name: w.EntityName(e), types: w.ArchetypeOf(e).Types()}
		for _, t := range f.types {
			v, err := u.Get(e, t)
			if err != nil {
				return nil, err
			}
			on, err := u.Enabled(e, t)
			if err != nil {
				return nil, err
			}
			f.values, f.on = append(f.values, v), append(f.on, on)
		}
		c.of[e] = f
	}
	return c, nil
}

// A rename returns the id in another world of an entity, and whether the entity is there too.
type rename func(ecs.Entity) (ecs.Entity, bool)

// renameBetween returns the rename of entities whose new ids are in the same places of a second list.
func renameBetween(from, to []ecs.Entity) rename {
	m := make(map[ecs.Entity]ecs.Entity, len(from))
	for i, e := range from {
		m[e] = to[i]
	}
	return func(e ecs.Entity) (ecs.Entity, bool) {
		n, ok := m[e]
		return n, ok
	}
}

// Entities returns the entities of the census.
func (c *Census) Entities() []ecs.Entity { return slices.Clone(c.ids) }

// Compare returns an error if an entity of the list differs in after: it has another name, another
// component or another value, in the same world or in another world. The function to returns the id
// that an entity has there, and whether it is there at all. References to entities must be renamed in
// the same way. The function skip says which components need not be there.
func (c *Census) Compare(ids []ecs.Entity, after *Census, to func(ecs.Entity) (ecs.Entity, bool), skip func(reflect.Type) bool) error {
	for _, e := range ids {
		n, ok := to(e)
		a, b := c.of[e], after.of[n]
		if _, there := after.of[n]; !ok || !there {
			return fmt.Errorf("entity %v is lost", e)
		}
		if a.name != b.name {
			return fmt.Errorf("entity %v has the name %q, and now, as %v, %q", e, a.name, n, b.name)
		}
		k := 0
		for i, t := range a.types {
			if skip(t) {
				continue
			}
			for k < len(b.types) && skip(b.types[k]) {
				k++
			}
			if k == len(b.types) || b.types[k] != t {
				return fmt.Errorf("entity %v has the components %v, and now, as %v, %v", e, a.types, n, b.types)
			}
			if a.on[i] != b.on[k] {
				return fmt.Errorf("entity %v: %v is on: %v, and now, as %v, %v", e, t, a.on[i], n, b.on[k])
			}
			if !c.equal(reflect.ValueOf(a.values[i]), reflect.ValueOf(b.values[k]), to, 0) {
				return fmt.Errorf("entity %v: %v is %+v, and now, as %v, %+v", e, t, a.values[i], n, b.values[k])
			}
			k++
		}
	}
	return nil
}

// find returns an entity itself, and whether it was in the census.
func (c *Census) find(e ecs.Entity) (ecs.Entity, bool) {
	_, ok := c.of[e]
	return e, ok
}

// checkAdded returns an error if the world has an entity that the census before does not have. The meta
// entity of a chunk that has lost its last row may wait for its cleanup.
func (c *Census) checkAdded(after *Census) error {
	dead := deadTag()
	for _, e := range after.ids {
		if _, ok := c.of[e]; !ok && !slices.Contains(after.of[e].types, dead) {
			return fmt.Errorf("the world has an entity %v with %v, which was not there before", e, after.of[e].types)
		}
	}
	return nil
}

// runKeeping runs f. f must keep all entities of the world and all values of their components, except
// for the components that skip selects.
func runKeeping(w *ecs.World, skip func(reflect.Type) bool, f func(*ecs.World) error) error {
	before, err := CensusOf(w)
	if err != nil {
		return err
	}
	if err := f(w); err != nil {
		return err
	}
	after, err := CensusOf(w)
	if err != nil {
		return err
	}
	return errors.Join(before.Compare(before.ids, after, before.find, skip), before.checkAdded(after))
}

// perChunk returns a function that reports whether the values of a component belong to a chunk.
func perChunk() func(reflect.Type) bool {
	found := map[reflect.Type]bool{}
	for _, c := range ecs.ComponentTypes() {
		found[c.Type] = c.PerChunk
	}
	return func(t reflect.Type) bool { return found[t] }
}

var entityType = reflect.TypeFor[ecs.Entity]()

// equal reports whether b is a with renamed references to entities. A reference to an entity that
// is not renamed is null, or unchanged if it was dead already.
func (c *Census) equal(a, b reflect.Value, to rename, depth int) bool {
	if a.IsValid() != b.IsValid() || !a.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	if a.Type() == entityType {
		return c.equalEntity(entityIn(a), entityIn(b), to)
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return x == y || hasNaN(x) && hasNaN(y)
	case reflect.Struct:
		for i := range a.NumField() {
			if !c.equal(a.Field(i), b.Field(i), to, depth+1) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !c.equal(a.Index(i), b.Index(i), to, depth+1) {
				return false
			}
		}
		return true
	case reflect.Map:
		return c.equalMaps(a, b, to, depth)
	case reflect.Interface:
		return c.equal(a.Elem(), b.Elem(), to, depth+1)
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() || depth > 50 {
			return true // the same object, or a circle of objects
		}
		return !a.IsNil() && !b.IsNil() && c.equal(a.Elem(), b.Elem(), to, depth+1)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return a.Pointer() == b.Pointer()
	}
	return a.Equal(b)
}

func (c *Census) equalMaps(a, b reflect.Value, to rename, depth int) bool {
	if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
		return false
	}
	for _, k := range a.MapKeys() { //lanewise:inexact the result does not depend on the order of keys
		v := b.MapIndex(k)
		if !v.IsValid() || !c.equal(a.MapIndex(k), v, to, depth+1) {
			return false
		}
	}
	return true
}

func (c *Census) equalEntity(a, b ecs.Entity, to rename) bool {
	if n, ok := to(a); ok {
		return b == n
	}
	_, alive := c.of[a]
	return b.IsZero() || !alive && a == b
}

// entityIn returns the entity in a field, which need not be exported.
func entityIn(v reflect.Value) ecs.Entity {
	return ecs.Entity{Index: int32(v.Field(0).Int()), Version: int32(v.Field(1).Int())}
}

// eachReference calls f for each entity in a value. It visits each object once.
func eachReference(v reflect.Value, seen map[uintptr]bool, f func(ecs.Entity)) {
	if !v.IsValid() {
		return
	}
	if v.Type() == entityType {
		f(entityIn(v))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachReference(v.Field(i), seen, f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachReference(v.Index(i), seen, f)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() { //lanewise:inexact f adds to a set
			eachReference(k, seen, f)
			eachReference(v.MapIndex(k), seen, f)
		}
	case reflect.Interface:
		eachReference(v.Elem(), seen, f)
	case reflect.Pointer:
		if !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			eachReference(v.Elem(), seen, f)
		}
	}
}

// drawPart returns about half of the entities, in a drawn order. For each entity, it also takes the
// entities that refer to it, so that the other entities keep no reference to an entity that has
// left. In half of the draws it first takes entities to which none refers, because the referrers of one
// entity may be half of the world.
func (c *Census) drawPart(rng *rand.Rand) []ecs.Entity {
	referrers := map[ecs.Entity][]ecs.Entity{}
	for _, e := range c.ids {
		for _, v := range c.of[e].values {
			eachReference(reflect.ValueOf(v), map[uintptr]bool{}, func(o ecs.Entity) {
				referrers[o] = append(referrers[o], e)
			})
		}
	}
	taken := map[ecs.Entity]bool{}
	var list []ecs.Entity
	alone := rng.IntN(2) == 0
	for _, i := range rng.Perm(len(c.ids)) {
		if e := c.ids[i]; alone && len(referrers[e]) == 0 && rng.IntN(2) == 0 {
			taken[e] = true
			list = append(list, e)
		}
	}
	for _, i := range rng.Perm(len(c.ids)) {
		if len(list) > len(c.ids)/2 {
			break
		}
		for queue := []ecs.Entity{c.ids[i]}; len(queue) > 0; {
			e := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			if !taken[e] {
				taken[e] = true
				list = append(list, e)
				queue = append(queue, referrers[e]...)
			}
		}
	}
	return list
}

// hasNaN reports whether a part of x is NaN.
func hasNaN(x complex128) bool { return math.IsNaN(real(x)) || math.IsNaN(imag(x)) }
