package inspect

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// existing returns the entity of the edit, or the one that takes its place. It must exist.
func (x *editing) existing() (ecs.Entity, error) { return x.living(x.of.now) }

// living returns an entity, or an error if it does not exist or waits for its cleanup.
func (x *editing) living(e ecs.Entity) (ecs.Entity, error) {
	switch {
	case !x.world.Exists(e):
		return e, noEntity(e)
	case x.awaitsCleanup(e):
		return e, &stateError{"entity " + e.String() + " is destroyed, and exists only until its cleanup components are removed"}
	}
	return e, nil
}

// awaitsCleanup reports whether an entity is destroyed, and exists only until its cleanup components are removed.
func (x *editing) awaitsCleanup(e ecs.Entity) bool {
	return slices.ContainsFunc(x.world.ArchetypeOf(e).Types(), func(t reflect.Type) bool {
		return t.Name() == "cleanupEntity" && t.PkgPath() == reflect.TypeFor[ecs.Entity]().PkgPath()
	})
}

// noEntity returns the error for an entity that does not exist.
func noEntity(e ecs.Entity) error {
	return notFound("entity " + e.String() + " does not exist any more, or never did")
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
	_, frame, err := v.makeEdit(ctx, &edit{op: "Add", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		switch {
		case err != nil:
			return err
		case undo:
			return x.removeTypes(now, t.Type)
		case x.has(now, t.Type):
			return &stateError{fmt.Sprintf("entity %s has %s already", now.String(), typeName(t.Type))}
		}
		x.text = fmt.Sprintf("%s to %s", typeName(t.Type), x.nameOf(now))
		return x.addTypes(now, t.Type)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: typeName(t.Type)}, err
}

// removeComponent removes a component. An undo adds it with the value that it had.
func removeComponent(ctx context.Context, v *view, e ecs.Entity, component string) (*Edited, error) {
	t, err := changeable(component)
	if err != nil {
		return nil, err
	}
	var value keptValue
	on := true
	_, frame, err := v.makeEdit(ctx, &edit{op: "Remove", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		if err != nil {
			return err
		}
		if undo {
			err := x.commands.Untyped().Add(now, t.Type, value.present())
			if err == nil && !on {
				err = x.commands.Untyped().SetEnabled(now, t.Type, false)
			}
			value, x.bytes = keptValue{}, 0
			return err
		}
		if !x.has(now, t.Type) {
			return &stateError{fmt.Sprintf("entity %s has no %s", now.String(), typeName(t.Type))}
		}
		removed, err := x.world.Untyped().Get(now, t.Type)
		if err != nil {
			return err
		}
		value = x.keep(removed)
		x.bytes = value.bytes()
		if on, err = x.world.Untyped().Enabled(now, t.Type); err != nil {
			return err
		}
		x.text = fmt.Sprintf("%s from %s", typeName(t.Type), x.nameOf(now))
		return x.removeTypes(now, t.Type)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: typeName(t.Type)}, err
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
	_, frame, err := v.makeEdit(ctx, &edit{op: "Enable", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		switch {
		case err != nil:
			return err
		case undo:
			return x.commands.Untyped().SetEnabled(now, t.Type, was)
		}
		if was, err = x.world.Untyped().Enabled(now, t.Type); err != nil {
			return err
		}
		if x.first && was == on {
			return errUnchanged
		}
		x.text = fmt.Sprintf("%s of %s: %s → %s", typeName(t.Type), x.nameOf(now), onOff(was), onOff(on))
		return x.commands.Untyped().SetEnabled(now, t.Type, on)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: on}, err
}

// activate makes an entity and its group active or inactive.
func activate(ctx context.Context, v *view, e ecs.Entity, active bool) (*Edited, error) {
	var before []*entityRef // the inactive entities of the group
	_, frame, err := v.makeEdit(ctx, &edit{op: "Activate", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		if err != nil {
			return err
		}
		if undo {
			if err := x.commands.SetActive(now, true); err != nil || len(before) == 0 {
				return err
			}
			return ecs.AddTypes(x.commands, ecs.Entities(x.livingOf(before)), with.OfType(reflect.TypeFor[ecs.Inactive]()))
		}
		if x.first && x.isInactive(now) != active {
			return errUnchanged
		}
		before = nil
		for _, k := range append(x.linkedTo(now), now) { // SetActive does not change the groups in the group
			if x.isInactive(k) {
				before = append(before, x.log.refTo(k))
			}
		}
		x.bytes = len(before) * refBytes
		x.text = fmt.Sprintf("%s: active → %v", x.nameOf(now), active)
		return x.commands.SetActive(now, active)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: active}, err
}

// isInactive reports whether an entity is inactive.
func (x *editing) isInactive(e ecs.Entity) bool { return x.has(e, reflect.TypeFor[ecs.Inactive]()) }

// livingOf returns those entities of a list that exist.
func (x *editing) livingOf(refs []*entityRef) (list []ecs.Entity) {
	for _, r := range refs {
		if e, err := x.living(r.now); err == nil {
			list = append(list, e)
		}
	}
	return list
}

// linkedTo returns the existing entities in the group of an entity. The groups of these entities do not belong to it.
func (x *editing) linkedTo(e ecs.Entity) (list []ecs.Entity) {
	if !x.has(e, reflect.TypeFor[ecs.LinkedGroup]()) {
		return nil
	}
	links, _ := x.world.Untyped().Get(e, reflect.TypeFor[ecs.LinkedGroup]()) // the entity has it
	parts, _ := links.([]ecs.Linked)
	for _, part := range parts {
		if now, err := x.living(part.Entity); err == nil {
			list = append(list, now)
		}
	}
	return list
}

// groupOf returns an entity and the entities that are destroyed with it.
func (x *editing) groupOf(e ecs.Entity) []ecs.Entity {
	list, seen := []ecs.Entity{e}, map[ecs.Entity]bool{e: true}
	for k := 0; k < len(list); k++ {
		for _, part := range x.linkedTo(list[k]) {
			if !seen[part] {
				seen[part] = true
				list = append(list, part)
			}
		}
	}
	return list
}

// destroyEntity destroys an entity and its group. An undo creates copies of them, which have other ids. References among the
// copies refer to the copies, but references of other entities to the destroyed ones stay invalid.
func destroyEntity(ctx context.Context, v *view, e ecs.Entity) (*Edited, error) {
	var copies *ecs.Excerpt
	var why error            // why there are no copies
	var gone []ecs.Entity    // the destroyed entities
	var outside []*entityRef // the other entities to which they refer, by the key in copies minus 1
	_, frame, err := v.makeEdit(ctx, &edit{op: "Destroy", id: e, apply: func(x *editing, undo bool) error {
		if undo {
			if why != nil {
				return why
			}
			list, err := copies.Insert(x.world, func(key uint64) (ecs.Entity, error) {
				now, err := x.living(outside[key-1].now)
				if err != nil {
					now = ecs.Entity{}
				}
				return now, nil
			})
			if err != nil {
				return err
			}
			x.log.refs.replaceAll(gone, list)
			copies, gone, outside, x.bytes = nil, nil, nil, 0
			return x.removeCleanups(list)
		}
		now, err := x.existing()
		if err != nil {
			return err
		}
		gone, copies = x.groupOf(now), new(ecs.Excerpt)
		outside, why = x.extract(copies, gone)
		x.bytes = excerptBytes(copies) + len(gone)*entityBytes + len(outside)*refBytes
		if x.text = x.nameOf(now); len(gone) > 1 {
			x.text += fmt.Sprintf(" and %d entities of its group", len(gone)-1)
		}
		return x.commands.Destroy(now)
	}})
	return &Edited{ID: e.String(), Frame: frame}, err
}

// extract copies entities to an excerpt. It returns the other entities to which they refer. The key of each is its index plus 1.
func (x *editing) extract(copies *ecs.Excerpt, list []ecs.Entity) (outside []*entityRef, err error) {
	keys := map[ecs.Entity]uint64{}
	err = copies.Extract(x.world, list, func(e ecs.Entity) (uint64, error) {
		key, known := keys[e]
		if !known {
			outside = append(outside, x.log.refTo(e))
			key = uint64(len(outside)) // 0 would be the null entity
			keys[e] = key
		}
		return key, nil
	})
	return outside, err
}

// removeCleanups records that the cleanup components of copies are removed, because they belong to the
// entities that were destroyed.
func (x *editing) removeCleanups(list []ecs.Entity) error {
	cleanups := map[reflect.Type]bool{}
	for _, t := range ecs.ComponentTypes() {
		cleanups[t.Type] = t.Cleanup
	}
	groups := map[int][]ecs.Entity{} // the copies by the index of their archetype
	for _, e := range list {
		at := x.world.ArchetypeOf(e).Index()
		groups[at] = append(groups[at], e)
	}
	for _, at := range slices.Sorted(maps.Keys(groups)) {
		types := slices.DeleteFunc(slices.Clone(x.world.ArchetypeAt(at).Types()), func(t reflect.Type) bool { return !cleanups[t] })
		if len(types) == 0 {
			continue
		}
		if err := ecs.RemoveTypes(x.commands, ecs.Entities(groups[at]), termsOf(types)...); err != nil {
			return err
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
	var old *entityRef       // nil: it had no Parent
	var target *entityRef    // the new parent
	var added []reflect.Type // the components that the edit has added to the child
	_, frame, err := v.makeEdit(ctx, &edit{op: "SetParent", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		if err != nil {
			return err
		}
		if undo {
			return x.undoParent(now, old, added)
		}
		if x.first {
			target = x.log.refTo(parent)
		}
		to := target.now
		if err := x.checkParent(now, to); err != nil {
			return err
		}
		old, added = nil, nil
		if p, err := ecs.Get[transform.Parent](x.world, now); err == nil {
			old = x.log.refTo(p.Entity)
		}
		if !to.IsZero() {
			added = x.missingForChild(now)
		}
		if x.first && len(added) == 0 && (old == nil && to.IsZero() || old != nil && old.now == to && !to.IsZero()) {
			return errUnchanged
		}
		x.text = fmt.Sprintf("parent of %s: %s → %s", x.nameOf(now), x.parentName(old), x.parentName(target))
		if len(added) > 0 {
			if err := x.addTypes(now, added...); err != nil {
				return err
			}
		}
		return x.recordParent(now, to)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: parent.String()}, err
}

// undoParent records that a child loses the components that setParent has added, and gets its old Parent again. If old is nil,
// the child had no Parent. The old Parent may hold the null entity.
func (x *editing) undoParent(child ecs.Entity, old *entityRef, added []reflect.Type) error {
	if len(added) > 0 {
		if err := x.removeTypes(child, added...); err != nil {
			return err
		}
	}
	if old != nil {
		return ecs.Add(x.commands, child, transform.Parent{Entity: old.now})
	}
	return x.removeTypes(child, reflect.TypeFor[transform.Parent]())
}

// recordParent records that an entity gets a parent, or that it has none if the parent is the null entity.
func (x *editing) recordParent(e, parent ecs.Entity) error {
	if parent.IsZero() {
		return x.removeTypes(e, reflect.TypeFor[transform.Parent]())
	}
	return ecs.Add(x.commands, e, transform.Parent{Entity: parent})
}

// parentName returns the name of a parent for a person; nil stands for no parent, as the null entity does.
func (x *editing) parentName(r *entityRef) string {
	if r == nil || r.now.IsZero() {
		return "none"
	}
	return x.nameOf(r.now)
}

// checkParent returns an error if an entity cannot be the child of another one.
func (x *editing) checkParent(e, parent ecs.Entity) error {
	if parent.IsZero() {
		return nil
	}
	if _, err := x.living(parent); err != nil {
		return err
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
