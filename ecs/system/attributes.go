package system

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// The types below are attributes. A system has them as blank fields of its type, which take no
// memory. They are read once for each type, by reflection:
//
//	type Move struct {
//		_ system.In[Physics]
//		_ system.After[Steer]
//	}
//
// Only the blank fields of the type itself are attributes. A system does not inherit the attributes
// of a type that it embeds.
type (
	// In puts the system into group G. A system may be in several groups. A system without In,
	// First or Last is in [Simulation].
	In[G any] struct{}

	// First puts the system into group G, into the part that runs before the rest of the group.
	First[G any] struct{}

	// Last puts the system into group G, into the part that runs after the rest of the group.
	Last[G any] struct{}

	// Before orders the system before system or group S in each update.
	Before[S any] struct{}

	// After orders the system after system or group S in each update.
	After[S any] struct{}

	// CreateBefore creates the system before system S. It does not order updates.
	CreateBefore[S any] struct{}

	// CreateAfter creates the system after system S. It does not order updates.
	CreateAfter[S any] struct{}

	// Manual keeps the system out of new worlds. A program creates such a system with [Create], or
	// names it in [Only].
	Manual struct{}

	// MatchingOnly makes the system update only while at least one of its queries has chunks.
	MatchingOnly struct{}

	// For restricts the system to worlds of kind K. Several fields add kinds; for example, a system
	// with For[ServerWorld] and For[ClientWorld] is in both. A system without For is in
	// simulations, games, servers and clients.
	For[K WorldKind] struct{}
)

// groupPart is the part of a group to which a member belongs. The parts run in the order of these
// numbers.
type groupPart int8

const (
	partFirst groupPart = iota
	partNormal
	partLast
)

func (o groupPart) String() string {
	switch o {
	case partFirst:
		return "First"
	case partNormal:
		return "In"
	case partLast:
		return "Last"
	}
	return fmt.Sprintf("order(%d)", int8(o))
}

// groupPlacement is a group of a system type, together with the part of the group that the type runs in.
type groupPlacement struct {
	Group       *Type
	First, Last bool
}

func (p groupPlacement) part() groupPart {
	switch {
	case p.First:
		return partFirst
	case p.Last:
		return partLast
	}
	return partNormal
}

// attributes holds the attributes of a system type, each list in the order of the fields.
type attributes struct {
	Places                    []groupPlacement
	Before, After             []*Type
	CreateBefore, CreateAfter []*Type
	Manual, MatchingOnly      bool
	For                       []WorldKind

	runsLate bool // among unordered members of its group it runs last
}

// attribute is the type of an attribute field.
type attribute interface{ apply(*attributes) }

func (In[G]) apply(a *attributes) { a.addPlacement(groupPlacement{Group: typeFor[G]()}) }
func (First[G]) apply(a *attributes) {
	a.addPlacement(groupPlacement{Group: typeFor[G](), First: true})
}
func (Last[G]) apply(a *attributes)         { a.addPlacement(groupPlacement{Group: typeFor[G](), Last: true}) }
func (Before[S]) apply(a *attributes)       { a.Before = append(a.Before, typeFor[S]()) }
func (After[S]) apply(a *attributes)        { a.After = append(a.After, typeFor[S]()) }
func (CreateBefore[S]) apply(a *attributes) { a.CreateBefore = append(a.CreateBefore, typeFor[S]()) }
func (CreateAfter[S]) apply(a *attributes)  { a.CreateAfter = append(a.CreateAfter, typeFor[S]()) }
func (Manual) apply(a *attributes)          { a.Manual = true }
func (MatchingOnly) apply(a *attributes)    { a.MatchingOnly = true }
func (For[K]) apply(a *attributes)          { var k K; a.For = append(a.For, k) }

func (a *attributes) addPlacement(p groupPlacement) { a.Places = append(a.Places, p) }

// partOf returns the part of group g that the type runs in. If several fields name g, the last one
// decides.
func (a *attributes) partOf(g *Type) groupPart {
	o := partNormal
	for _, p := range a.Places {
		if p.Group == g {
			o = p.part()
		}
	}
	return o
}

// readAttributes reads the attribute fields of t.
func readAttributes(t reflect.Type) (a attributes) {
	if t.Kind() != reflect.Struct {
		return a
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name != "_" {
			continue
		}
		if f.Type == reflect.TypeFor[driver.Late]() {
			a.runsLate = true
		}
		if m, ok := reflect.Zero(f.Type).Interface().(attribute); ok {
			m.apply(&a)
		}
	}
	return a
}
