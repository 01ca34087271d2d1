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

// Edited is the answer of /api/set and /api/name.
type Edited struct {
	ID    string `json:"id"`
	Frame uint64 `json:"frame"` // the frame after which the value was changed
	Value any    `json:"value"` // the new value of the component
}

// set changes one number or bool of a component of an entity. The path names
// a field, for example X or M.12. If the component is itself a number, the
// path is empty.
func set(ctx context.Context, v *view, e ecs.Entity, component, path, value string) (*Edited, error) {
	t, err := typeNamed(component)
	if err != nil {
		return nil, err
	}
	if why := editRefusal(t); why != "" {
		return nil, &stateError{fmt.Sprintf("%s cannot be edited: %s", typeName(t.Type), why)}
	}
	probe := reflect.New(t.Type).Elem() // check the path and the value before the owner is interrupted
	at, err := follow(probe, path)
	if err != nil {
		return nil, err
	}
	if err := assign(at, value); err != nil {
		return nil, err
	}
	out := &Edited{ID: entityText(e)}
	var after any
	names := map[ecs.Entity]string{}
	_, err = v.runBetween(ctx, "set", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		old, err := v.world.Untyped().Get(e, t.Type)
		if err != nil {
			return false, err
		}
		box := reflect.New(t.Type).Elem()
		box.Set(reflect.ValueOf(old))
		at, _ := follow(box, path)
		_ = assign(at, value)
		if err := v.world.Untyped().Set(e, box.Interface()); err != nil {
			return false, err
		}
		after, out.Frame = box.Interface(), v.lastFrame.Load()
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	out.Value = jsonValue(after, names)
	return out, nil
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
		case reflect.Array:
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

// assign sets a number, a bool or an entity from a text.
func assign(v reflect.Value, value string) error {
	value = strings.TrimSpace(value)
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
	out := &Edited{ID: entityText(e), Value: clip(name, 200)}
	_, err := v.runBetween(ctx, "name", func(l *ownerSlice) (bool, error) {
		if err := l.checkNotLent(); err != nil {
			return false, err
		}
		out.Frame = v.lastFrame.Load()
		return false, v.world.SetEntityName(e, clip(name, 200))
	})
	return out, err
}

// enable switches a system on or off. A request identifies the system by its full or its
// short name.
func enable(ctx context.Context, v *view, name string, on bool) (any, error) {
	_, err := v.runBetween(ctx, "system", func(*ownerSlice) (bool, error) {
		var found []*system.Instance
		for _, in := range system.Instances(v.world) {
			if in.Name() == name {
				found = []*system.Instance{in}
				break
			}
			if shortName(in.Name()) == name {
				found = append(found, in)
			}
		}
		switch len(found) {
		case 0:
			return false, notFound("there is no system " + clip(name, 100))
		case 1:
			found[0].SetEnabled(on)
			return false, nil
		}
		return false, fmt.Errorf("inspect: there are %d systems %s: write the full name", len(found), clip(name, 100))
	})
	return struct {
		System string `json:"system"`
		On     bool   `json:"on"`
	}{name, on}, err
}
