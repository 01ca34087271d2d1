package inspect

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// structureRefusal returns the reason why a component cannot be added or removed, or "" if it can be.
func structureRefusal(t ecs.ComponentType) string {
	switch {
	case t.Cleanup:
		return "it is a cleanup component: its system adds and removes it"
	case t.PerChunk:
		return "it belongs to the chunk"
	}
	return ""
}

// changeable returns the component type with a name, unless it cannot be added or removed.
func changeable(component string) (ecs.ComponentType, error) {
	t, err := typeNamed(component)
	if err != nil {
		return t, err
	}
	if why := structureRefusal(t); why != "" {
		return t, &stateError{fmt.Sprintf("%s cannot be added or removed: %s", typeName(t.Type), why)}
	}
	return t, nil
}

// existing returns the entity that takes the place of an entity. It must exist.
func (x *editing) existing(e ecs.Entity) (ecs.Entity, error) {
	now := x.log.current(e)
	if !x.world.Exists(now) {
		return now, notFound("entity " + entityText(now) + " does not exist any more, or never did")
	}
	return now, nil
}

// has reports whether an entity has a component.
func (x *editing) has(e ecs.Entity, t reflect.Type) bool {
	return slices.Contains(x.world.ArchetypeOf(e).Types(), t)
}

// addTypes and removeTypes record that components are added to an entity or removed from it.
func (x *editing) addTypes(e ecs.Entity, types ...reflect.Type) error {
	return ecs.AddTypes(x.commands, ecs.One(e), termsOf(types)...)
}

func (x *editing) removeTypes(e ecs.Entity, types ...reflect.Type) error {
	return ecs.RemoveTypes(x.commands, ecs.One(e), termsOf(types)...)
}

func termsOf(types []reflect.Type) (terms []ecs.Term) {
	for _, t := range types {
		terms = append(terms, with.OfType(t))
	}
	return terms
}

// addComponent adds a component with its zero value.
func addComponent(ctx context.Context, v *view, e ecs.Entity, component string) (*Edited, error) {
	t, err := changeable(component)
	if err != nil {
		return nil, err
	}
	frame, err := v.makeEdit(ctx, &edit{op: "Add", apply: func(x *editing, undo bool) error {
		now, err := x.existing(e)
		switch {
		case err != nil:
			return err
		case undo:
			return x.removeTypes(now, t.Type)
		case x.has(now, t.Type):
			return &stateError{fmt.Sprintf("entity %s has %s already", entityText(now), typeName(t.Type))}
		}
		x.text = fmt.Sprintf("%s to %s", typeName(t.Type), x.nameOf(now))
		return x.addTypes(now, t.Type)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: typeName(t.Type)}, err
}

// removeComponent removes a component. An undo adds it with the value that it had.
func removeComponent(ctx context.Context, v *view, e ecs.Entity, component string) (*Edited, error) {
	t, err := changeable(component)
	if err != nil {
		return nil, err
	}
	var value any
	on := true
	frame, err := v.makeEdit(ctx, &edit{op: "Remove", apply: func(x *editing, undo bool) error {
		now, err := x.existing(e)
		if err != nil {
			return err
		}
		if undo {
			err := x.commands.Untyped().Add(now, t.Type, value)
			if err == nil && !on {
				err = x.commands.Untyped().SetEnabled(now, t.Type, false)
			}
			return err
		}
		if !x.has(now, t.Type) {
			return &stateError{fmt.Sprintf("entity %s has no %s", entityText(now), typeName(t.Type))}
		}
		if value, err = x.world.Untyped().Get(now, t.Type); err != nil {
			return err
		}
		if on, err = x.world.Untyped().Enabled(now, t.Type); err != nil {
			return err
		}
		x.text = fmt.Sprintf("%s from %s", typeName(t.Type), x.nameOf(now))
		return x.removeTypes(now, t.Type)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: typeName(t.Type)}, err
}

// enableComponent turns a component on or off.
func enableComponent(ctx context.Context, v *view, e ecs.Entity, component string, on bool) (*Edited, error) {
	t, err := typeNamed(component)
	if err != nil {
		return nil, err
	}
	if !t.Enableable {
		return nil, &stateError{typeName(t.Type) + " is never off: it does not embed ecs.Enableable"}
	}
	was := on
	frame, err := v.makeEdit(ctx, &edit{op: "Enable", apply: func(x *editing, undo bool) error {
		now, err := x.existing(e)
		switch {
		case err != nil:
			return err
		case undo:
			return x.commands.Untyped().SetEnabled(now, t.Type, was)
		}
		if was, err = x.world.Untyped().Enabled(now, t.Type); err != nil {
			return err
		}
		x.text = fmt.Sprintf("%s of %s: %s → %s", typeName(t.Type), x.nameOf(now), onOff(was), onOff(on))
		return x.commands.Untyped().SetEnabled(now, t.Type, on)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: on}, err
}

// activate makes an entity and its group active or inactive.
func activate(ctx context.Context, v *view, e ecs.Entity, active bool) (*Edited, error) {
	var before []ecs.Entity // the inactive entities of the group
	frame, err := v.makeEdit(ctx, &edit{op: "Activate", apply: func(x *editing, undo bool) error {
		now, err := x.existing(e)
		if err != nil {
			return err
		}
		if undo {
			if err := x.commands.SetActive(now, true); err != nil {
				return err
			}
			for _, k := range before {
				if k = x.log.current(k); x.world.Exists(k) {
					if err := x.addTypes(k, reflect.TypeFor[ecs.Inactive]()); err != nil {
						return err
					}
				}
			}
			return nil
		}
		before = slices.DeleteFunc(x.groupOf(now), func(k ecs.Entity) bool { return !x.has(k, reflect.TypeFor[ecs.Inactive]()) })
		x.text = fmt.Sprintf("%s: active → %v", x.nameOf(now), active)
		return x.commands.SetActive(now, active)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: active}, err
}

// groupOf returns an entity and the entities that are destroyed with it.
func (x *editing) groupOf(e ecs.Entity) []ecs.Entity {
	list := []ecs.Entity{e}
	for k := 0; k < len(list); k++ {
		links, _ := x.world.Untyped().Get(list[k], reflect.TypeFor[ecs.LinkedGroup]()) // an error means that it has no group
		parts, _ := links.([]ecs.Linked)
		for _, part := range parts {
			if x.world.Exists(part.Entity) && !slices.Contains(list, part.Entity) {
				list = append(list, part.Entity)
			}
		}
	}
	return list
}

// destroyEntity destroys an entity and its group. An undo creates copies of them, which have other ids. References among the
// copies refer to the copies, but references of other entities to the destroyed ones stay invalid.
func destroyEntity(ctx context.Context, v *view, e ecs.Entity) (*Edited, error) {
	var copies ecs.Excerpt
	var why error // why there are no copies
	var gone []ecs.Entity
	frame, err := v.makeEdit(ctx, &edit{op: "Destroy", apply: func(x *editing, undo bool) error {
		if undo {
			if why != nil {
				return why
			}
			list, err := copies.Insert(x.world, x.outside)
			if err != nil {
				return err
			}
			for k, old := range gone {
				x.log.replace(old, list[k])
			}
			return x.removeCleanups(list)
		}
		now, err := x.existing(e)
		if err != nil {
			return err
		}
		gone = x.groupOf(now)
		why = copies.Extract(x.world, gone, func(e ecs.Entity) (uint64, error) {
			return uint64(uint32(e.Index))<<32 | uint64(uint32(e.Version)), nil
		})
		if x.text = x.nameOf(now); len(gone) > 1 {
			x.text += fmt.Sprintf(" and %d entities of its group", len(gone)-1)
		}
		return x.destroy(now)
	}})
	return &Edited{ID: entityText(e), Frame: frame}, err
}

// outside returns the entity for a key of an excerpt, or the null entity if it does not exist any more.
func (x *editing) outside(key uint64) (ecs.Entity, error) {
	e := x.log.current(ecs.Entity{Index: int32(key >> 32), Version: int32(uint32(key))})
	if !x.world.Exists(e) {
		return ecs.Entity{}, nil
	}
	return e, nil
}

// removeCleanups records that the cleanup components of copies are removed, because they belong to the
// entities that were destroyed.
func (x *editing) removeCleanups(list []ecs.Entity) error {
	for _, e := range list {
		types := slices.DeleteFunc(slices.Clone(x.world.ArchetypeOf(e).Types()), func(t reflect.Type) bool {
			known, err := ecs.ComponentByName(fullNameOf(t))
			return err != nil || !known.Cleanup
		})
		if len(types) > 0 {
			if err := x.removeTypes(e, types...); err != nil {
				return err
			}
		}
	}
	return nil
}

// fullNameOf returns the name of a component type, with its whole import path.
func fullNameOf(t reflect.Type) string {
	all := ecs.ComponentTypes()
	if i := slices.IndexFunc(all, func(o ecs.ComponentType) bool { return o.Type == t }); i >= 0 {
		return all[i].Name
	}
	return ""
}

// setParent makes an entity the child of another one, or a root if parent is the null entity. A child gets the matrix that
// package transform needs for it.
func setParent(ctx context.Context, v *view, e, parent ecs.Entity) (*Edited, error) {
	var old *transform.Parent // nil: it had none
	var added []reflect.Type  // the components that the edit has added to the child
	frame, err := v.makeEdit(ctx, &edit{op: "SetParent", apply: func(x *editing, undo bool) error {
		now, err := x.existing(e)
		if err != nil {
			return err
		}
		if undo {
			if len(added) > 0 {
				if err := x.removeTypes(now, added...); err != nil {
					return err
				}
			}
			if old != nil { // it may be the null entity
				return ecs.Add(x.commands, now, transform.Parent{Entity: x.log.current(old.Entity)})
			}
			return x.removeTypes(now, reflect.TypeFor[transform.Parent]())
		}
		to := x.log.current(parent)
		if err := x.checkParent(now, to); err != nil {
			return err
		}
		old, added = nil, nil
		if p, err := ecs.Get[transform.Parent](x.world, now); err == nil {
			old = &p
		}
		x.text = fmt.Sprintf("parent of %s: %s → %s", x.nameOf(now), x.parentName(parentEntity(old)), x.parentName(to))
		if added = x.missingForChild(now); to.IsZero() || len(added) == 0 {
			added = nil
			return x.recordParent(now, to)
		}
		if err := x.addTypes(now, added...); err != nil {
			return err
		}
		return x.recordParent(now, to)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: entityText(parent)}, err
}

// recordParent records that an entity gets a parent, or that it has none if the parent is the null entity.
func (x *editing) recordParent(e, parent ecs.Entity) error {
	if parent.IsZero() {
		return x.removeTypes(e, reflect.TypeFor[transform.Parent]())
	}
	return ecs.Add(x.commands, e, transform.Parent{Entity: parent})
}

// parentEntity returns the entity of a Parent, or the null entity if there is no Parent.
func parentEntity(p *transform.Parent) ecs.Entity {
	if p == nil {
		return ecs.Entity{}
	}
	return p.Entity
}

// parentName returns the name of a parent for a person.
func (x *editing) parentName(e ecs.Entity) string {
	if e.IsZero() {
		return "none"
	}
	return x.nameOf(e)
}

// checkParent returns an error if an entity cannot be the child of another one.
func (x *editing) checkParent(e, parent ecs.Entity) error {
	if parent.IsZero() {
		return nil
	}
	if !x.world.Exists(parent) {
		return notFound("entity " + entityText(parent) + " does not exist any more, or never did")
	}
	for up, hops := parent, 0; hops < 1000; hops++ {
		if up == e {
			return errors.New("inspect: " + x.nameOf(parent) + " is " + x.nameOf(e) + " or below it: an entity cannot be below itself")
		}
		p, err := ecs.Get[transform.Parent](x.world, up)
		if err != nil {
			break
		}
		up = p.Entity
	}
	return nil
}

// missingForChild returns the components that an entity lacks to be a child.
func (x *editing) missingForChild(e ecs.Entity) (types []reflect.Type) {
	for _, own := range [][3]reflect.Type{
		{reflect.TypeFor[transform.LocalToWorld](), reflect.TypeFor[transform.LocalTransform](), reflect.TypeFor[transform.LocalToParent]()},
		{reflect.TypeFor[transform.LocalToWorld64](), reflect.TypeFor[transform.LocalTransform64](), reflect.TypeFor[transform.LocalToParent64]()},
	} {
		if x.has(e, own[0]) && !x.has(e, own[1]) && !x.has(e, own[2]) {
			types = append(types, own[2])
		}
	}
	return types
}
