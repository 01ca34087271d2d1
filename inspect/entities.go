package inspect

import (
	"context"
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// Entities is the answer of /api/entities.
type Entities struct {
	Query   string   `json:"query"`
	Frame   uint64   `json:"frame"`
	Count   int      `json:"count"`   // how many match
	From    int      `json:"from"`    // the first row's place among them
	Columns []string `json:"columns"` // components with values
	Rows    []Row    `json:"rows"`
	Frames  int      `json:"frames"` // over how many frames the answer was put together
}

// Row is one entity of Entities.
type Row struct {
	ID        string         `json:"id"`
	Name      string         `json:"name,omitempty"`
	Archetype int            `json:"archetype"`
	Values    map[string]any `json:"values"` // by column
}

// most is how many rows a page has.
const most = 200

// copied is a row as the owner copies it.
type copied struct {
	e      ecs.Entity
	name   string
	arch   int
	values []any // by column; nil: there is none
}

func (v *view) entitiesPage(ctx context.Context, c *choice, from, limit int) (*Entities, error) {
	limit = min(max(limit, 1), most)
	out := &Entities{Query: c.text, From: max(from, 0), Rows: []Row{}, Columns: []string{}}
	rows := make([]copied, 0, limit) // what the owner fills is made here
	ids := make([]ecs.Entity, 0, 2048)
	columns := make([]reflect.Type, 0, 16)
	names := map[ecs.Entity]string{}
	counted, filled := false, 0
	w := walk{c: c, whole: func(n int) bool {
		if len(rows) < limit && out.Count+n > out.From {
			return false
		}
		out.Count += n
		return true
	}}
	frames, err := v.at(ctx, "entities", func(l *look) (bool, error) {
		if v.world.Lent() {
			return false, lent(v)
		}
		if !counted {
			if w.next(l, func(a ecs.Archetype, chunk, n int, mask []uint64) bool {
				before := out.Count
				out.Count += n
				if len(rows) == limit || out.Count <= out.From {
					return true
				}
				ids = a.AppendEntities(ids[:0], chunk, 0, 1)
				at := before
				each(len(ids), mask, func(row int) {
					if at >= out.From && len(rows) < limit {
						rows = append(rows, copied{e: ids[row]})
					}
					at++
				})
				return true
			}) {
				return true, nil
			}
			counted = true
		}
		out.Frame = v.number.Load()
		for filled < len(rows) {
			columns = v.fill(&rows[filled], columns, names)
			if filled++; filled < len(rows) && l.over() {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	out.Frames = frames
	for _, t := range columns {
		out.Columns = append(out.Columns, typeName(t))
	}
	for _, r := range rows {
		row := Row{ID: entityText(r.e), Name: r.name, Archetype: r.arch, Values: map[string]any{}}
		for k, value := range r.values {
			if value != nil {
				row.Values[out.Columns[k]] = shown(value, names)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// lent says that the world is not there.
func lent(v *view) error {
	return &stateError{"world " + v.world.Name() + " is lent to a transaction: its jobs have it now, ask again when that has ended"}
}

// fill copies the values of an entity, which may be gone by now.
func (v *view) fill(r *copied, columns []reflect.Type, names map[ecs.Entity]string) []reflect.Type {
	if !v.world.Exists(r.e) {
		return columns
	}
	r.name = v.world.NameOf(r.e)
	a := v.world.ArchetypeOf(r.e)
	r.arch = a.Index()
	for _, t := range a.Types() {
		if t.Size() == 0 || t.Size() > 64 || isBuffer(t) {
			continue
		}
		k := slices.Index(columns, t)
		if k < 0 {
			k, columns = len(columns), append(columns, t)
		}
		for len(r.values) <= k {
			r.values = append(r.values, nil)
		}
		r.values[k] = v.copyOf(r.e, t, names)
	}
	return columns
}

// text is a value that is told in words: it may hold Go pointers, which are the owner's.
type text string

// copyOf returns a copy of a component that needs the world no longer; nil if there is none.
func (v *view) copyOf(e ecs.Entity, t reflect.Type, names map[ecs.Entity]string) any {
	value, elements, err := ecs.HeadOf(v.world, e, t, mostElements)
	if err != nil {
		return nil
	}
	if !isPlain(t) {
		return text(clip(describe(reflect.ValueOf(value), 5), 400))
	}
	for _, to := range entitiesIn(reflect.ValueOf(value), nil) {
		if name := v.world.NameOf(to); name != "" {
			names[to] = name
		}
	}
	if elements > mostElements {
		return head{value, elements}
	}
	return value
}

// head is the first elements of a buffer that has more.
type head struct {
	first    any
	elements int
}

// shown is a copied value as JSON has it.
func shown(value any, names map[ecs.Entity]string) any {
	switch x := value.(type) {
	case text:
		return string(x)
	case head:
		return append(show(reflect.ValueOf(x.first), names).([]any), more(x.elements-mostElements))
	}
	return show(reflect.ValueOf(value), names)
}

// facts is what is known of a type, which takes a while to find out.
type facts struct{ buffer, plain bool }

// known is the facts of the types that were seen.
var known sync.Map // of reflect.Type to facts

func factsOf(t reflect.Type) facts {
	if f, ok := known.Load(t); ok {
		return f.(facts)
	}
	m, ok := t.MethodByName("Slice")
	f := facts{buffer: ok && t.PkgPath() == reflect.TypeFor[ecs.Entity]().PkgPath() && m.Type.NumIn() == 1}
	f.plain = f.buffer || !holdsPointers(t)
	known.Store(t, f)
	return f
}

// isPlain reports whether values of a component are copied whole by an assignment: they hold no
// Go pointers. A buffer comes as a slice that is the copy itself.
func isPlain(t reflect.Type) bool { return factsOf(t).plain }

// holdsPointers reports whether there are Go pointers in a value.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for k := range t.NumField() {
			if holdsPointers(t.Field(k).Type) {
				return true
			}
		}
		return false
	case reflect.Pointer, reflect.UnsafePointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.String, reflect.Chan, reflect.Func:
		return true
	}
	return false
}

// isBuffer reports whether a component is a growing array.
func isBuffer(t reflect.Type) bool { return factsOf(t).buffer }

// each calls f with the rows of a mask, which has all of n if it is nil.
func each(n int, mask []uint64, f func(row int)) {
	if mask == nil {
		for row := range n {
			f(row)
		}
		return
	}
	for i, word := range mask {
		for ; word != 0; word &= word - 1 {
			f(i<<6 + bits.TrailingZeros64(word))
		}
	}
}
