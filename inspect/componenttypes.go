package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/spell"
)

// typeNamed finds a component type by a name that a person has typed. If there
// is no such type, the error lists similar names. If several types have the
// name, the error lists them.
func typeNamed(word string) (ecs.ComponentType, error) {
	all := ecs.ComponentTypes()
	return chooseType(all, word)
}

// chooseType is typeNamed for a given list of types.
func chooseType(all []ecs.ComponentType, word string) (ecs.ComponentType, error) {
	if word == "" {
		return ecs.ComponentType{}, fmt.Errorf("inspect: a name is missing")
	}
	for _, same := range []func(t ecs.ComponentType) bool{
		func(t ecs.ComponentType) bool { return t.Name == word },
		func(t ecs.ComponentType) bool {
			return typeName(t.Type) == word || shortName(t.Type.String()) == word || t.Type.String() == word
		},
		func(t ecs.ComponentType) bool { return baseName(t.Type) == word },
		func(t ecs.ComponentType) bool {
			return strings.EqualFold(baseName(t.Type), word) || strings.EqualFold(typeName(t.Type), word)
		},
	} {
		var found []ecs.ComponentType
		for _, t := range all {
			if same(t) {
				found = append(found, t)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		var names []string
		for _, t := range found {
			name := typeName(t.Type)
			if slices.ContainsFunc(found, func(o ecs.ComponentType) bool { return o.Type != t.Type && typeName(o.Type) == name }) {
				name = t.Name
			}
			names = append(names, name)
		}
		return ecs.ComponentType{}, fmt.Errorf("inspect: %s may be %s: write one of them", clip(word, 60), strings.Join(names, " or "))
	}
	text := fmt.Sprintf("inspect: there is no component %s", clip(word, 60))
	if near := nearestName(all, word); near != "" {
		text += "; did you mean " + near + "?"
	}
	return ecs.ComponentType{}, fmt.Errorf("%s", text)
}

// baseName returns the name of a type without its package.
func baseName(t reflect.Type) string {
	name := typeName(t)
	end := strings.IndexByte(name, '[')
	if end < 0 {
		end = len(name)
	}
	return name[strings.LastIndexByte(name[:end], '.')+1:]
}

// nearestName returns the name that is most similar to a word, or "" if none is
// similar.
func nearestName(all []ecs.ComponentType, word string) string {
	best, name := len(word)/3+2, ""
	for _, t := range all {
		if d := spell.Distance(strings.ToLower(clip(word, 40)), strings.ToLower(clip(baseName(t.Type), 40))); d < best {
			best, name = d, baseName(t.Type)
		}
	}
	return name
}

// hasNumbers reports whether each row of a component contains numbers.
func hasNumbers(t ecs.ComponentType) bool { return len(t.Lanes) > 0 && !t.Buffer && !t.PerChunk }

// TypeInfo is one component type in the answer of /api/types.
type TypeInfo struct {
	Name   string   `json:"name"`  // short name
	Full   string   `json:"full"`  // name with the whole import path
	Kinds  []string `json:"kinds"` // shared, cleanup, enableable, managed, buffer, perChunk, tag
	Fields []string `json:"fields"`
	Lanes  []string `json:"lanes"`  // numbers that can be drawn and watched, for example Translation.X
	Floats []string `json:"floats"` // the lanes whose numbers may be NaN
}

// maxFloats is the largest number of numbers of a component among which Floats lists the floats.
const maxFloats = 1000

func typesPage() []TypeInfo {
	out := []TypeInfo{}
	for _, t := range ecs.ComponentTypes() {
		one := TypeInfo{Name: typeName(t.Type), Full: t.Name, Kinds: kindsOf(t), Fields: []string{}, Lanes: []string{}, Floats: []string{}}
		if t.Type.Kind() == reflect.Struct && !t.Buffer {
			for k := range t.Type.NumField() {
				if f := t.Type.Field(k); f.Name != "_" && f.Type.Size() > 0 {
					one.Fields = append(one.Fields, f.Name)
				}
			}
		}
		if hasNumbers(t) {
			one.Lanes = appendNumbers(one.Lanes, typeName(t.Type), t.Type, 20)
			for _, lane := range appendNumbers(nil, typeName(t.Type), t.Type, maxFloats) {
				var path []string
				if rest := strings.TrimPrefix(lane, one.Name+"."); rest != lane {
					path = strings.Split(rest, ".")
				}
				if n, err := numbersIn(lane, t, path); err == nil && (n.kind == reflect.Float32 || n.kind == reflect.Float64) {
					one.Floats = append(one.Floats, lane)
				}
			}
		}
		out = append(out, one)
	}
	return out
}

func kindsOf(t ecs.ComponentType) []string {
	kinds := []string{}
	for _, k := range []struct {
		is   bool
		name string
	}{{t.Shared, "shared"}, {t.Cleanup, "cleanup"}, {t.Enableable, "enableable"}, {t.Managed, "managed"}, {t.Buffer, "buffer"}, {t.PerChunk, "perChunk"}, {t.Tag, "tag"}} {
		if k.is {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// editRefusal returns the reason why a component cannot be edited, or "" if it can be edited.
func editRefusal(t ecs.ComponentType) string {
	switch {
	case t.Managed:
		return "it is managed: it may hold Go pointers"
	case t.PerChunk:
		return "it belongs to the chunk"
	case t.Cleanup:
		return "it is a cleanup component: its system believes what it says"
	case t.Tag:
		return "it is a tag, which has no value"
	}
	return ""
}
