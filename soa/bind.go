package soa

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrView reports that a view does not match the lanes. There are three possible reasons. First,
// the view is neither a struct of slices nor a slice. Second, a field names a lane that does not
// exist. Third, the type of an element differs from the type of the lane. The errors of Bind for
// such a view wrap ErrView.
var ErrView = errors.New("view does not match the lanes")

// Bind matches a view to lanes. For each slice of the view, in field order, it
// returns the index of its lane.
//
// A view is a struct whose fields are exported slices. A field of the view shows the lane with the
// same name, and its elements have the lane's underlying type. For example, both `Speed []float32`
// and `Speed []Metres` show a lane `Speed Metres` of `type Metres float32`. A view may show a
// subset of the lanes, in any order.
//
// If there is only one lane, a plain slice is a view too. The elements of such a slice have the
// type of the lane, or are structs that consist of that lane alone. For example, []Entity and
// []Parent both show `type Parent struct{ Entity Entity }`.
//
// If the view does not match, Bind returns an error that wraps ErrView and names
// the field and the lanes.
func Bind(view reflect.Type, lanes []Lane) ([]int, error) {
	if view == nil {
		return nil, fmt.Errorf("soa: Bind: view is nil: %w", ErrView)
	}
	switch view.Kind() {
	case reflect.Slice:
		if err := bindSlice(view.Elem(), lanes); err != nil {
			return nil, fmt.Errorf("soa: view %v: %w: %w", view, err, ErrView)
		}
		return []int{0}, nil
	case reflect.Struct:
		index := make([]int, view.NumField())
		for i := range index {
			f := view.Field(i)
			j, err := bindField(f, lanes)
			if err != nil {
				return nil, fmt.Errorf("soa: view %v: field %s %w: %w", view, f.Name, err, ErrView)
			}
			index[i] = j
		}
		return index, nil
	default:
		return nil, fmt.Errorf("soa: view %v is neither a struct of slices nor a slice: %w", view, ErrView)
	}
}

// bindField returns the index of the lane that one field of a view shows.
func bindField(f reflect.StructField, lanes []Lane) (int, error) {
	switch {
	case f.Anonymous:
		return 0, fmt.Errorf("is embedded; name it after its lane")
	case !isExported(f.Name):
		return 0, fmt.Errorf("is not exported, so it names no lane")
	case f.Type.Kind() != reflect.Slice:
		return 0, fmt.Errorf("has type %v, not a slice", f.Type)
	}
	for i, l := range lanes {
		switch {
		case l.Name != f.Name:
			continue
		case !sameUnderlying(f.Type.Elem(), l.Type):
			return 0, fmt.Errorf("has type %v, its lane is made of %v", f.Type, l.Type)
		}
		return i, nil
	}
	return 0, fmt.Errorf("has no lane among %s", laneNames(lanes))
}

// bindSlice returns nil if a plain slice with elements of type elem shows the lanes.
func bindSlice(elem reflect.Type, lanes []Lane) error {
	if len(lanes) != 1 {
		return fmt.Errorf("a plain slice shows one lane, not %s", laneNames(lanes))
	}
	if !sameUnderlying(elem, lanes[0].Type) && !wrapsLane(elem, lanes[0]) {
		return fmt.Errorf("its elements do not match the lane %v", lanes[0])
	}
	return nil
}

// wrapsLane reports whether t is a struct that consists of the lane l and nothing else.
func wrapsLane(t reflect.Type, l Lane) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	inner, err := Lanes(t)
	size, _ := size64(t)
	return err == nil && len(inner) == 1 && inner[0].Name == l.Name && sameUnderlying(inner[0].Type, l.Type) && size == l.Size
}

// sameUnderlying reports whether a and b have the same underlying type, apart
// from tags. It relies on a rule of Go: two types of the same kind that contain no pointers are
// convertible to each other exactly when their underlying types are the same.
func sameUnderlying(a, b reflect.Type) bool { return a.Kind() == b.Kind() && a.ConvertibleTo(b) }

// isExported reports whether a Go name is visible outside its package.
func isExported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// laneNames returns the names of lanes for a message.
func laneNames(lanes []Lane) string {
	if len(lanes) == 0 {
		return "none at all"
	}
	s := make([]string, len(lanes))
	for i, l := range lanes {
		s[i] = l.String()
	}
	return strings.Join(s, ", ")
}
