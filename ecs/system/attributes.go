package system

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// The types below are attributes. They stand on a system's type as blank
// fields, take no room in it and are read once, by reflection:
//
//	type Move struct {
//		_ system.In[Physics]
//		_ system.After[Steer]
//	}
//
// Only the blank fields of the type itself count; those of a type it embeds do not.
type (
	// In puts the system into group G. A system may stand in several groups;
	// one without In, First or Last stands in [Simulation].
	In[G any] struct{}

	// First puts the system into group G, among those that run before the rest of it.
	First[G any] struct{}

	// Last puts the system into group G, among those that run after the rest of it.
	Last[G any] struct{}

	// Before makes the system run before system or group S.
	Before[S any] struct{}

	// After makes the system run after system or group S.
	After[S any] struct{}

	// CreateBefore has the system created before S. It says nothing about updates.
	CreateBefore[S any] struct{}

	// CreateAfter has the system created after S. It says nothing about updates.
	CreateAfter[S any] struct{}

	// Manual keeps the system out of new worlds: whoever wants it creates it.
	Manual struct{}

	// MatchingOnly lets the system update only while one of its queries has chunks.
	MatchingOnly struct{}

	// For restricts the system to worlds of a kind. Several widen it; without
	// one the system is for simulations and games.
	For[K WorldKind] struct{}
)

// order is the part of a group in which a member stands, in the order in which they run.
type order int8

const (
	orderFirst order = iota
	orderNormal
	orderLast
)

func (o order) String() string {
	switch o {
	case orderFirst:
		return "First"
	case orderNormal:
		return "In"
	case orderLast:
		return "Last"
	}
	return fmt.Sprintf("order(%d)", int8(o))
}

// place is a group in which a system type stands, and where: among its first or last members, or between them.
type place struct {
	Group       *Type
	First, Last bool
}

func (p place) order() order {
	switch {
	case p.First:
		return orderFirst
	case p.Last:
		return orderLast
	}
	return orderNormal
}

// attributes is what the marker fields of a system type say, in field order.
type attributes struct {
	Places                    []place
	Before, After             []*Type
	CreateBefore, CreateAfter []*Type
	Manual, MatchingOnly      bool
	For                       []WorldKind

	late bool // it comes after the members of its group that no attribute orders
}

// attribute is a marker field's type.
type attribute interface{ apply(*attributes) }

func (In[G]) apply(a *attributes)           { a.place(place{Group: typeFor[G]()}) }
func (First[G]) apply(a *attributes)        { a.place(place{Group: typeFor[G](), First: true}) }
func (Last[G]) apply(a *attributes)         { a.place(place{Group: typeFor[G](), Last: true}) }
func (Before[S]) apply(a *attributes)       { a.Before = append(a.Before, typeFor[S]()) }
func (After[S]) apply(a *attributes)        { a.After = append(a.After, typeFor[S]()) }
func (CreateBefore[S]) apply(a *attributes) { a.CreateBefore = append(a.CreateBefore, typeFor[S]()) }
func (CreateAfter[S]) apply(a *attributes)  { a.CreateAfter = append(a.CreateAfter, typeFor[S]()) }
func (Manual) apply(a *attributes)          { a.Manual = true }
func (MatchingOnly) apply(a *attributes)    { a.MatchingOnly = true }
func (For[K]) apply(a *attributes)          { var k K; a.For = append(a.For, k) }

func (a *attributes) place(p place) { a.Places = append(a.Places, p) }

// order returns where the type stands in group g: the last place that names g wins.
func (a *attributes) order(g *Type) order {
	o := orderNormal
	for _, p := range a.Places {
		if p.Group == g {
			o = p.order()
		}
	}
	return o
}

// readAttributes reads the marker fields of t.
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
			a.late = true
		}
		if m, ok := reflect.Zero(f.Type).Interface().(attribute); ok {
			m.apply(&a)
		}
	}
	return a
}
