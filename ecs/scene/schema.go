package scene

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
)

// Schema returns a JSON schema (draft 2020-12) for scenes. The schema describes the components that
// are registered now. With the schema, an editor completes names and underlines errors. A schema
// cannot express every rule. For example, a reference must name an existing entity. [Parse] and
// [Document.Bake] check those rules.
func Schema() []byte {
	c := programCatalog()
	s := &schemaBuilder{defs: map[string]any{
		"reference": map[string]any{
			"type": []string{"string", "null"}, "pattern": "^@.+",
			"description": "\"@name\" of this scene, \"@scene:name\" of another one, \"@:name\" of the world, or null",
		},
	}}
	var enableable []string
	entity := map[string]any{
		"of":       map[string]any{"type": "string", "description": "the prefab that the components lie over"},
		"children": referenceSchema("entities"),
	}
	var names []string
	for name, own := range c.byName { //lanewise:inexact sorted below
		if own.componentInfo == nil {
			continue
		}
		names = append(names, name)
		if own.Enableable {
			enableable = append(enableable, name)
		}
		entity[name] = referenceSchema(own.Name)
		s.addComponent(own.componentInfo)
	}
	slices.Sort(names)
	slices.Sort(enableable)
	entity["remove"] = nameList(names)
	entity["disabled"], entity["enabled"] = nameList(enableable), nameList(enableable)
	s.defs["entity"] = map[string]any{"type": "object", "properties": entity, "additionalProperties": false}
	s.defs["entities"] = map[string]any{
		"type": "object", "additionalProperties": referenceSchema("entity"),
		"propertyNames": map[string]any{"pattern": "^[^@:][^:]*$"},
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	_ = e.Encode(map[string]any{ // cannot fail, because the maps contain only texts and numbers
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "scene",
		"type": "object", "additionalProperties": false,
		"properties": map[string]any{"prefabs": referenceSchema("entities"), "entities": referenceSchema("entities")},
		"$defs":      s.defs,
	})
	return out.Bytes()
}

// schemaBuilder collects the definitions of a schema.
type schemaBuilder struct{ defs map[string]any }

func referenceSchema(name string) map[string]any {
	return map[string]any{"$ref": "#/$defs/" + escapePointer(name)}
}

// escapePointer escapes a name for use in a JSON pointer in a URL fragment.
func escapePointer(name string) string {
	var out []byte
	for _, b := range []byte(name) {
		switch {
		case b == '~':
			out = append(out, "~0"...)
		case b == '/':
			out = append(out, "~1"...)
		case b == '[' || b == ']' || b == '%' || b == ' ' || b >= 0x80:
			out = append(out, '%', "0123456789ABCDEF"[b>>4], "0123456789ABCDEF"[b&15])
		default:
			out = append(out, b)
		}
	}
	return string(out)
}

func nameList(names []string) map[string]any {
	if len(names) == 0 {
		return map[string]any{"type": "array", "maxItems": 0}
	}
	return map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"enum": names}}
}

// addComponent adds the definition of a component.
func (s *schemaBuilder) addComponent(k *componentInfo) {
	if s.defs[k.Name] != nil {
		return
	}
	t := k.Type
	switch {
	case k.Buffer:
		slice, _ := t.MethodByName("Slice")
		s.defs[k.Name] = map[string]any{"type": "array", "items": s.typeSchema(slice.Type.Out(0).Elem())}
		return
	case k.PerChunk:
		t = t.Field(0).Type
	}
	s.defs[k.Name] = true // define a placeholder first, because the type may contain a pointer to itself
	s.defs[k.Name] = s.fieldSchema(t)
}

// typeSchema returns the schema of a type.
func (s *schemaBuilder) typeSchema(t reflect.Type) any {
	pointer := reflect.PointerTo(t)
	switch {
	case t == entityType:
		return referenceSchema("reference")
	case pointer.Implements(unmarshaler):
		return map[string]any{"type": "string"}
	case pointer.Implements(jsonUnmarshaler):
		return true
	case t.Kind() == reflect.Struct && t.Name() != "":
		name := t.PkgPath() + "." + t.Name()
		if s.defs[name] == nil {
			s.defs[name] = true
			s.defs[name] = s.fieldSchema(t)
		}
		return referenceSchema(name)
	}
	return s.fieldSchema(t)
}

// fieldSchema returns the schema for a type by its kind. It ignores the type's Unmarshal methods.
func (s *schemaBuilder) fieldSchema(t reflect.Type) any {
	array := func(n int, of any) any {
		return map[string]any{"type": "array", "minItems": n, "maxItems": n, "items": of}
	}
	orNull := func(of any) any { return map[string]any{"anyOf": []any{of, map[string]any{"type": "null"}}} }
	switch t.Kind() {
	case reflect.Struct:
		fields := map[string]any{}
		for _, f := range fieldsOnly(t) {
			fields[f.Name] = s.typeSchema(f.Type)
		}
		return map[string]any{"type": "object", "properties": fields, "additionalProperties": false}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return floatSchema()
	case reflect.Complex64, reflect.Complex128:
		return array(2, floatSchema())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		bits := t.Bits()
		return map[string]any{"type": "integer", "minimum": int64(math.MinInt64) >> (64 - bits), "maximum": int64(math.MaxInt64) >> (64 - bits)}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return map[string]any{"type": "integer", "minimum": 0, "maximum": uint64(math.MaxUint64) >> (64 - t.Bits())}
	case reflect.Array:
		return array(t.Len(), s.typeSchema(t.Elem()))
	case reflect.Slice:
		return orNull(map[string]any{"type": "array", "items": s.typeSchema(t.Elem())})
	case reflect.Map:
		return orNull(map[string]any{"type": "object", "additionalProperties": s.typeSchema(t.Elem())})
	case reflect.Pointer:
		return orNull(s.typeSchema(t.Elem()))
	}
	return false
}

func floatSchema() any {
	return map[string]any{"anyOf": []any{map[string]any{"type": "number"}, map[string]any{"enum": []string{"NaN", "+Inf", "-Inf"}}}}
}
