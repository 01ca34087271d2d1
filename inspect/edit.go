package inspect

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Edited is the answer of the requests that change an entity.
type Edited struct {
	ID    string `json:"id"`
	Frame uint64 `json:"frame"` // the frame after which the value was changed
	Value any    `json:"value"` // the new value of the component
}

// set changes one number, bool, text or reference of a component of an entity. The path names
// a field, for example X or M.12, or 3.Entity in a buffer. If the component is itself a number, the
// path is empty. If the component is shared, the entity moves to the chunks with the new value.
func set(ctx context.Context, v *view, e ecs.Entity, component, path, value string) (*Edited, error) {
	t, err := typeNamed(component)
	if err != nil {
		return nil, err
	}
	if why := editRefusal(t); why != "" {
		return nil, &stateError{fmt.Sprintf("%s cannot be edited: %s", typeName(t.Type), why)}
	}
	if !t.Buffer { // check the path and the value before the owner is interrupted
		at, err := follow(reflect.New(t.Type).Elem(), path)
		if err != nil {
			return nil, err
		}
		if err := assign(at, value); err != nil {
			return nil, err
		}
	}
	var old, after any // the values of the field before and after
	var first any      // the value of the component after the edit; an undo must not write to it, because the request may be reading it
	frame, err := v.makeEdit(ctx, &edit{op: "Set", apply: func(x *editing, undo bool) error {
		now := x.log.current(e)
		box, err := x.valueOf(now, t.Type)
		if err != nil {
			return err
		}
		at, err := follow(box, path)
		if err != nil {
			return err
		}
		switch {
		case undo:
			at.Set(x.currentValue(old))
		case after == nil:
			old = at.Interface()
			if err := assign(at, value); err != nil {
				return err
			}
			if to, is := at.Interface().(ecs.Entity); is && !to.IsZero() && !x.world.Exists(to) {
				return notFound("entity " + entityText(to) + " does not exist any more, or never did")
			}
			after, first = at.Interface(), box.Interface()
			x.text = fmt.Sprintf("%s of %s: %s → %s", joinPath(typeName(t.Type), path), x.nameOf(now), describe(reflect.ValueOf(old), 2), describe(at, 2))
		default:
			at.Set(x.currentValue(after))
		}
		return x.commands.Untyped().Set(now, t.Type, box.Interface())
	}})
	if err != nil {
		return nil, err
	}
	return &Edited{ID: entityText(e), Frame: frame, Value: jsonValue(first, map[ecs.Entity]string{})}, nil
}

// currentValue returns a value of a field. A reference to an entity becomes a reference to the entity that takes its place.
func (x *editing) currentValue(value any) reflect.Value {
	if e, is := value.(ecs.Entity); is {
		value = x.log.current(e)
	}
	return reflect.ValueOf(value)
}

// joinPath returns the name of a field of a component.
func joinPath(component, path string) string {
	if path == "" {
		return component
	}
	return component + "." + path
}

// valueOf returns a copy of a component that can be changed.
func (x *editing) valueOf(e ecs.Entity, t reflect.Type) (reflect.Value, error) {
	value, err := x.world.Untyped().Get(e, t)
	if err != nil {
		return reflect.Value{}, err
	}
	box := reflect.New(reflect.TypeOf(value)).Elem()
	box.Set(reflect.ValueOf(value))
	return box, nil
}

// nameOf returns the name of an entity for a person.
func (x *editing) nameOf(e ecs.Entity) string {
	if name := x.world.EntityName(e); name != "" {
		return fmt.Sprintf("%s (%s)", name, entityText(e))
	}
	return entityText(e)
}

// follow returns the field of a value that has the given path.
func follow(v reflect.Value, path string) (reflect.Value, error) {
	if path == "" {
		return v, nil
	}
	for _, p := range strings.Split(path, ".") {
		switch v.Kind() {
		case reflect.Struct:
			f, ok := v.Type().FieldByName(p)
			if !ok || !f.IsExported() || len(f.Index) != 1 {
				return v, fmt.Errorf("inspect: %s has no exported field %s", shortName(v.Type().String()), clip(p, 60))
			}
			v = v.Field(f.Index[0])
		case reflect.Array, reflect.Slice:
			k, err := strconv.Atoi(p)
			if err != nil || k < 0 || k >= v.Len() {
				return v, fmt.Errorf("inspect: %s has no element %s", shortName(v.Type().String()), clip(p, 60))
			}
			v = v.Index(k)
		default:
			return v, fmt.Errorf("inspect: %s has no field %s", shortName(v.Type().String()), clip(p, 60))
		}
	}
	return v, nil
}

// assign sets a number, a bool, a text or an entity from a text. An empty text is the null entity.
func assign(v reflect.Value, value string) error {
	if v.Kind() == reflect.String {
		v.SetString(value)
		return nil
	}
	value = strings.TrimSpace(value)
	if v.Type() == reflect.TypeFor[ecs.Entity]() {
		e, err := parseReference(value)
		if err == nil {
			v.Set(reflect.ValueOf(e))
		}
		return err
	}
	wrong := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("inspect: %q is no %v", clip(value, 60), v.Type())
	}
	bits := 0
	if v.Kind() >= reflect.Int && v.Kind() <= reflect.Uint64 || v.Kind() == reflect.Float32 || v.Kind() == reflect.Float64 {
		bits = v.Type().Bits()
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		x, err := strconv.ParseFloat(value, bits)
		if err == nil {
			v.SetFloat(x)
		}
		return wrong(err)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x, err := strconv.ParseInt(value, 0, bits)
		if err == nil {
			v.SetInt(x)
		}
		return wrong(err)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x, err := strconv.ParseUint(value, 0, bits)
		if err == nil {
			v.SetUint(x)
		}
		return wrong(err)
	case reflect.Bool:
		x, err := strconv.ParseBool(value)
		if err == nil {
			v.SetBool(x)
		}
		return wrong(err)
	}
	return fmt.Errorf("inspect: a %s cannot be edited as a whole: name a number in it", shortName(v.Type().String()))
}

// rename gives an entity a name.
func rename(ctx context.Context, v *view, e ecs.Entity, name string) (*Edited, error) {
	name = clip(name, 200)
	var old *string
	frame, err := v.makeEdit(ctx, &edit{op: "Name", apply: func(x *editing, undo bool) error {
		now := x.log.current(e)
		if undo {
			return x.world.SetEntityName(now, *old)
		}
		if old == nil {
			before := x.world.EntityName(now)
			old, x.text = &before, fmt.Sprintf("name of %s: %q → %q", entityText(now), before, name)
		}
		return x.world.SetEntityName(now, name)
	}})
	return &Edited{ID: entityText(e), Frame: frame, Value: name}, err
}

// enable switches a system on or off. A request identifies the system by its full or its
// short name.
func enable(ctx context.Context, v *view, name string, on bool) (any, error) {
	var before *bool
	_, err := v.makeEdit(ctx, &edit{op: "Switch", apply: func(x *editing, undo bool) error {
		in, err := systemNamed(x.world, name)
		if err != nil {
			return err
		}
		if undo {
			in.SetEnabled(*before)
			return nil
		}
		if before == nil {
			was := in.Enabled()
			before, x.text = &was, fmt.Sprintf("system %s: %s → %s", shortName(in.Name()), onOff(was), onOff(on))
		}
		in.SetEnabled(on)
		return nil
	}})
	return struct {
		System string `json:"system"`
		On     bool   `json:"on"`
	}{name, on}, err
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// systemNamed returns the system of a world with a full or a short name.
func systemNamed(w *ecs.World, name string) (*system.Instance, error) {
	var found []*system.Instance
	for _, in := range system.Instances(w) {
		if in.Name() == name {
			return in, nil
		}
		if shortName(in.Name()) == name {
			found = append(found, in)
		}
	}
	switch len(found) {
	case 0:
		return nil, notFound("there is no system " + clip(name, 100))
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("inspect: there are %d systems %s: write the full name", len(found), clip(name, 100))
}

// Spawned is the answer of /api/spawn.
type Spawned struct {
	ID    string `json:"id"`   // the new entity
	From  string `json:"from"` // the prefab, or the entity that was copied
	Frame uint64 `json:"frame"`
}

// spawn creates an instance of a prefab, or a copy of another entity.
func spawn(ctx context.Context, v *view, from ecs.Entity) (*Spawned, error) {
	var made, first ecs.Entity // an undo must not write to first, because the request may be reading it
	frame, err := v.makeEdit(ctx, &edit{op: "Spawn", apply: func(x *editing, undo bool) error {
		if undo {
			return x.destroy(made)
		}
		source := x.log.current(from)
		if !x.world.Exists(source) {
			return notFound("entity " + entityText(source) + " does not exist any more, or never did")
		}
		id, err := x.commands.Instantiate(source)
		if err != nil {
			return err
		}
		x.played = func() error {
			next, err := x.commands.Created(id)
			if err != nil {
				return err
			}
			if first.IsZero() {
				first = next
			}
			x.log.replace(made, next)
			made, x.text = next, fmt.Sprintf("%s from %s", entityText(next), x.nameOf(source))
			return nil
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return &Spawned{ID: entityText(first), From: entityText(from), Frame: frame}, nil
}

// destroy records that an entity is destroyed, which must exist.
func (x *editing) destroy(e ecs.Entity) error {
	if !x.world.Exists(e) {
		return notFound("entity " + entityText(e) + " does not exist any more")
	}
	return x.commands.Destroy(e)
}
