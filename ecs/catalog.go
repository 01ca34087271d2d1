package ecs

import (
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// listings is what of a catalog is lent to a transaction.
type listings struct {
	archetypes []*archetype
	bySet      map[string]*archetype
	having     []archetypeSet   // those that have a component, by its index
	summaries  []*changeSummary // when each archetype changed
	names      map[string]*component
	admitted   []bool // components in names, by index
	memory     *table.Memory
	returns    returns
}

// catalog is the archetypes of a world, and the ways between them. A set of components
// has one archetype, which is there as long as the world.
type catalog struct {
	shares
	listings
	home *tables // of the world, or of the one that lends to it: whose the archetypes are

	cleanupTag *component // the tag of destroyed entities that wait for their cleanup
	header     *component // of meta entities
	prefab     *component
	inactive   *component
	ghost      *component
	group      *component // LinkedGroup
	omit       *component

	readers readers
	setKey  []byte       // scratch of archetypeOf
	fit     archetypeSet // scratch of matching.candidates
	types   []*component // scratch of typesOf
}

// readers is what looks at archetypes and at chunks all the time: the queries.
type readers interface {
	// made is told of each archetype that is new.
	made(a *archetype)
	// forget drops what leads to memory that has gone.
	forget()
}

// admit notes that w uses c. Two types of one name would have no order, so the
// second is refused.
func (w *catalog) admit(op string, c *component) error {
	if c.index < len(w.admitted) && w.admitted[c.index] {
		return nil
	}
	if other := w.names[c.name]; other != nil && other != c {
		return w.fault(ErrArgument, op, "another type has the same name in this world: types declared inside functions share names, declare one of them outside").on(c)
	}
	w.names[c.name] = c
	for len(w.admitted) <= c.index {
		w.admitted = append(w.admitted, false)
	}
	w.admitted[c.index] = true
	return nil
}

// componentOf returns the component of type t for an operation of w.
func (w *catalog) componentOf(op string, t reflect.Type) (*component, error) {
	c, err := componentOf(op, t)
	if err != nil {
		e := err.(*Error)
		e.World, e.System = w.name, w.callingSystem()
		return nil, e
	}
	return c, nil
}

// archetypeKnown is archetypeIn for commands, which change nothing before they are played.
func (w *catalog) archetypeKnown(op string, a Archetype) (*archetype, error) {
	switch {
	case a.a == nil:
		return nil, w.fault(ErrArgument, op, "the archetype is the zero Archetype: make it with World.Archetype")
	case a.a.world != w.home:
		return nil, w.fault(ErrArgument, op, "the archetype %v belongs to world %q: make it with this world's Archetype", a, a.a.world.name)
	case a.a.isMeta:
		return nil, w.fault(ErrArgument, op, "the archetype %v is that of meta entities, which only the world makes", a)
	}
	return a.a, nil
}

// archetypesOf returns the archetypes that have a component.
func (w *catalog) archetypesOf(c *component) archetypeSet {
	if c.index < len(w.having) {
		return w.having[c.index]
	}
	return nil
}

// declaredOf returns the component that a term is for, or the Worldwide type that it
// declares access to.
func (w *catalog) declaredOf(op string, t Term) (*component, error) {
	if c := worldwideOf(op, t); c != nil {
		return c, nil
	}
	return w.componentOf(op, t.typ)
}

// returns is what a world keeps for Restore.
type returns struct {
	shift     uint32                // from versions of the last image to those of the world
	unlisted  map[string]*archetype // those that have left the order, by their keys in bySet
	reordered uint32                // how often archetypes have left it
	scratch   any                   // of Restore
}

// unlisted is the index of an archetype that has left the order: no list has it.
const unlisted = math.MaxInt32

// cut takes the archetypes from an index on out of the set.
func (s *archetypeSet) cut(first int) {
	if word := first >> 6; word < len(*s) {
		(*s)[word] &= 1<<(first&63) - 1
		*s = (*s)[:word+1]
	}
	for n := len(*s); n > 0 && (*s)[n-1] == 0; n-- {
		*s = (*s)[:n-1]
	}
}

// shifted moves a version on.
func shifted(v, shift uint32) uint32 {
	if v == 0 || shift == 0 {
		return v
	}
	if v += shift; v == 0 {
		return 1
	}
	return v
}
