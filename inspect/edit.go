package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
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
	var old, after keptValue // the values of the field before and after
	shown, frame, err := v.makeEdit(ctx, &edit{op: "Set", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		if err != nil {
			return err
		}
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
			at.Set(reflect.ValueOf(old.present()))
		case x.first:
			if old, after, err = x.assignFirst(at, value); err != nil {
				x.answer = box.Interface()
				return err
			}
			x.text = fmt.Sprintf("%s of %s: %s → %s", joinPath(typeName(t.Type), path), x.nameOf(now), describe(reflect.ValueOf(old.value), 2), describe(at, 2))
			x.answer, x.bytes = box.Interface(), old.bytes()+after.bytes()+len(x.text)
		default:
			at.Set(reflect.ValueOf(after.present()))
		}
		if p, is := box.Interface().(transform.Parent); is && !undo {
			if err := x.checkParent(now, p.Entity); err != nil {
				return err
			}
		}
		return x.commands.Untyped().Set(now, t.Type, box.Interface())
	}})
	if err != nil {
		return nil, err
	}
	return &Edited{ID: e.String(), Frame: frame, Value: jsonValue(shown, map[ecs.Entity]string{})}, nil
}

// assignFirst assigns the text of a request to a field, and returns the values before and after.
func (x *editing) assignFirst(at reflect.Value, value string) (old, after keptValue, err error) {
	old = x.keep(at.Interface())
	if err := assign(at, value); err != nil {
		return old, after, err
	}
	if to, is := at.Interface().(ecs.Entity); is && !to.IsZero() && !x.world.Exists(to) {
		return old, after, noEntity(to)
	}
	if after = x.keep(at.Interface()); isSame(old.value, after.value) {
		return old, after, errUnchanged
	}
	return old, after, nil
}

// isSame reports whether two values of a field are the same. Floats are the same if they have the same bits.
func isSame(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.CanFloat() {
		return math.Float64bits(x.Float()) == math.Float64bits(y.Float())
	}
	return a == b
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
		return fmt.Sprintf("%s (%s)", name, e.String())
	}
	return e.String()
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

// assign sets a number, a bool, a text or an entity from a text. The text of an integer with a method String may be its name, unless it is
// a number. An empty text is the null entity.
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
	err := assignNumber(v, value)
	if err == nil || !isEnum(v.Type()) || errors.Is(err, strconv.ErrRange) {
		return err
	}
	n, other := enumNumber(v.Type(), value)
	if other != nil {
		return fmt.Errorf("%w, and %w", err, other)
	}
	return assignNumber(v, strconv.FormatInt(n, 10))
}

// assignNumber sets a number or a bool from a text. An integer that does not fit is an ErrRange of package strconv.
func assignNumber(v reflect.Value, value string) error {
	wrong := func(err error) error {
		switch {
		case err == nil:
			return nil
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("inspect: %q is no %v: %w", clip(value, 60), v.Type(), strconv.ErrRange)
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
	var old string
	_, frame, err := v.makeEdit(ctx, &edit{op: "Name", id: e, apply: func(x *editing, undo bool) error {
		now, err := x.existing()
		switch {
		case err != nil:
			return err
		case undo:
			return x.world.SetEntityName(now, old)
		case x.first:
			if old = x.world.EntityName(now); old == name {
				return errUnchanged
			}
			x.text = fmt.Sprintf("name of %s: %q → %q", now.String(), old, name)
		}
		return x.world.SetEntityName(now, name)
	}})
	return &Edited{ID: e.String(), Frame: frame, Value: name}, err
}

// switched is the answer of /api/system.
type switched struct {
	System string `json:"system"`
	On     bool   `json:"on"`
	Frame  uint64 `json:"frame"` // the frame after which the system was switched
}

// enable switches a system on or off. A request identifies the system by its full or its
// short name.
func enable(ctx context.Context, v *view, name string, on bool) (*switched, error) {
	var before bool
	_, frame, err := v.makeEdit(ctx, &edit{op: "Switch", apply: func(x *editing, undo bool) error {
		in, err := systemNamed(x.world, name)
		switch {
		case err != nil:
			return err
		case undo:
			in.SetEnabled(before)
			return nil
		case x.first:
			if before = in.Enabled(); before == on {
				return errUnchanged
			}
			x.text = fmt.Sprintf("system %s: %s → %s", shortName(in.Name()), onOff(before), onOff(on))
		}
		in.SetEnabled(on)
		return nil
	}})
	return &switched{name, on, frame}, err
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
	var made []*entityRef // the new entity and its group
	id, frame, err := v.makeEdit(ctx, &edit{op: "Spawn", id: from, apply: func(x *editing, undo bool) error {
		if undo {
			return x.destroySpawned(made)
		}
		source, err := x.existing()
		if err != nil {
			return err
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
			group := x.groupOf(next)
			made = x.log.refs.moveSpawned(made, group)
			x.bytes, x.answer = len(group)*refBytes, next.String()
			x.text = fmt.Sprintf("%s from %s", next.String(), x.nameOf(source))
			return nil
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return &Spawned{ID: id.(string), From: from.String(), Frame: frame}, nil
}

// destroySpawned records that a spawned entity and its group are destroyed. The root must exist. A member that was destroyed and has
// come back is no longer in the group, so it is destroyed on its own.
func (x *editing) destroySpawned(made []*entityRef) error {
	gone := map[ecs.Entity]bool{}
	for k, r := range made {
		now, err := x.living(r.now)
		if err != nil && k == 0 {
			return err
		}
		if err != nil || gone[now] {
			continue
		}
		for _, e := range x.groupOf(now) {
			gone[e] = true
		}
		if err := x.commands.Destroy(now); err != nil {
			return err
		}
	}
	return nil
}
