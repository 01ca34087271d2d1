package system

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// The following types are attributes. To give an attribute to a system, add a blank field to the
// system's type. Such fields take no memory. Attributes are read by reflection, once for each type:
//
//	type Move struct {
//		_ system.In[Physics]
//		_ system.After[Steer]
//	}
//
// Only blank fields of the type itself are attributes. If a type embeds another type, it does not
// inherit the attributes of that type.
type (
	// In adds the system to group G. A system may be in several groups. A system without In, First
	// or Last is in [Simulation].
	In[G any] struct{}

	// First adds the system to the first part of group G, which runs before the rest of the group.
	First[G any] struct{}

	// Last adds the system to the last part of group G, which runs after the rest of the group.
	Last[G any] struct{}

	// Before makes the system update before the system or group S.
	Before[S any] struct{}

	// After makes the system update after the system or group S.
	After[S any] struct{}

	// CreateBefore makes a world create the system before system S. CreateBefore does not affect the
	// order of updates.
	CreateBefore[S any] struct{}

	// CreateAfter makes a world create the system after system S. CreateAfter does not affect the order
	// of updates.
	CreateAfter[S any] struct{}

	// Manual keeps the system out of new worlds. To use such a system, call [Create] or list it in
	// [Only].
	Manual struct{}

	// MatchingOnly makes the system update only while at least one of its queries matches chunks.
	MatchingOnly struct{}

	// For restricts the system to worlds of kind K. Several fields allow several kinds. For
	// example, a system with For[ServerWorld] and For[ClientWorld] is in worlds of both kinds. A
	// system without For is in worlds of the kinds simulation, game, server and client.
	For[K WorldKind] struct{}
)

// groupPart says whether a member is in the first, the middle or the last part of a group. The
// parts run in increasing order.
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

// groupPlacement is a group to which a system type belongs, and the part of that group.
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

// attributes holds the attributes of a system type. Each list is in the order of the fields.
type attributes struct {
	Places                    []groupPlacement
	Before, After             []*Type
	CreateBefore, CreateAfter []*Type
	Manual, MatchingOnly      bool
	For                       []WorldKind

	runsLate bool // among the members of its group that no attribute orders, the system runs last
}

// attribute is the interface of the types that a program uses as attribute fields, such as In and
// Before.
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

// partOf returns the part of group g in which the type runs. If several fields name g, the last field
// applies.
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
