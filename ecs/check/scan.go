package check

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// column is a component that contains floats.
type column struct {
	name        string
	typ         reflect.Type
	lanes       []lane
	unreported  int        // number of lanes without a reported fault
	query       *ecs.Query // matches all entities with the component, in chunks whose column was written
	lastVersion uint32     // version of the world at the last scan
}

// lane is a lane of a component that contains floats.
type lane struct {
	index, size int
	name        string
	floats      []floatPlace // the floats of an element
	reported    bool
	old         map[ecs.Entity]struct{} // with OnlyNew, the entities whose element was odd at the start, and has been since
}

// floatPlace is the offset and the size of a float in an element.
type floatPlace struct{ offset, size int }

// columnOf returns the column of the component with the given name, or nil if the component has no
// floats.
func (c *Check) columnOf(name string) *column {
	for _, t := range ecs.ComponentTypes() {
		if t.Name != name || t.Shared || t.Managed || t.Buffer || t.PerChunk || slices.Contains(c.exceptTypes, t.Type) {
			continue
		}
		own := &column{name: name, typ: t.Type}
		for i, l := range t.Lanes {
			if numbers := appendFloats(nil, l.Type, 0); len(numbers) > 0 {
				own.lanes = append(own.lanes, lane{index: i, size: int(l.Type.Size()), name: l.Name, floats: numbers})
			}
		}
		if own.unreported = len(own.lanes); own.unreported == 0 {
			continue
		}
		own.query = c.world.Query(ecs.Read[struct{}]().OfType(t.Type), ecs.Changed[struct{}]().OfType(t.Type), ecs.IncludePrefabs(), ecs.IncludeInactive(), ecs.IgnoreEnabled())
		return own
	}
	return nil
}

// appendFloats appends the floats that a value of type t contains.
func appendFloats(list []floatPlace, t reflect.Type, at int) []floatPlace {
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return append(list, floatPlace{at, int(t.Size())})
	case reflect.Complex64, reflect.Complex128:
		half := int(t.Size()) / 2
		return append(list, floatPlace{at, half}, floatPlace{at + half, half})
	case reflect.Array:
		for i := range t.Len() {
			list = appendFloats(list, t.Elem(), at+i*int(t.Elem().Size()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				list = appendFloats(list, f.Type, at+int(f.Offset))
			}
		}
	}
	return list
}

// scanWritten scans the chunks that were written since a version.
func (own *column) scanWritten(c *Check, since uint32, system string) {
	own.query.SetSince(since)
	for chunk := range own.query.Chunks() {
		for i := range own.lanes {
			l := &own.lanes[i]
			if l.reported {
				continue
			}
			row, index, value, odd := l.firstFault(chunk, own.typ, c.allowInfinite)
			if !odd {
				continue
			}
			l.reported = true
			own.unreported--
			c.addFault(Fault{System: system, Component: own.name, Lane: l.name, Index: index, Entity: chunk.Entities()[row], Value: value})
		}
	}
}

// recordOld records the odd elements of all chunks.
func (own *column) recordOld(c *Check) {
	own.query.SetSince(0)
	for chunk := range own.query.Chunks() {
		for i := range own.lanes {
			l := &own.lanes[i]
			l.eachRow(chunk, own.typ, c.allowInfinite, func(row, index int, value float64) bool {
				if index >= 0 {
					if l.old == nil {
						l.old = map[ecs.Entity]struct{}{}
						c.skipped = append(c.skipped, Fault{Frame: system.FrameNumber(c.world), Component: own.name, Lane: l.name, Index: index, Entity: chunk.Entities()[row], Value: value})
					}
					l.old[chunk.Entities()[row]] = struct{}{}
				}
				return true
			})
		}
	}
}

// firstFault returns the first number of a lane in a chunk that is NaN, or infinite unless
// infinities are accepted. It skips old elements. An old element that is finite again is no longer old.
func (l *lane) firstFault(c *ecs.Chunk, t reflect.Type, infinite bool) (row, index int, value float64, odd bool) {
	l.eachRow(c, t, infinite, func(r, i int, x float64) bool {
		if len(l.old) > 0 {
			e := c.Entities()[r]
			if _, old := l.old[e]; old && i >= 0 {
				return true
			}
			delete(l.old, e)
		}
		row, index, value, odd = r, i, x, i >= 0
		return !odd
	})
	return row, index, value, odd
}

// eachRow calls f for the rows of a chunk until f returns false: with the index and the value of the first number of the element that
// is NaN, or infinite unless infinities are accepted, or with the index -1 if there is none. If all numbers of the chunk are finite, it
// calls f only if the lane has old elements.
func (l *lane) eachRow(c *ecs.Chunk, t reflect.Type, infinite bool, f func(row, index int, value float64) bool) {
	single, double := c.Floats(t, l.index)
	if len(l.old) == 0 && (single != nil && kernels.AllFinite(single) || double != nil && kernels.AllFinite(double)) {
		return
	}
	row := 0
	for b := c.LaneBytes(t, l.index); len(b) > 0; b = b[l.size:] {
		index, value := -1, 0.0
		for i, n := range l.floats {
			if x := n.value(b); math.IsNaN(x) || math.IsInf(x, 0) && !infinite {
				index, value = i, x
				break
			}
		}
		if !f(row, index, value) {
			return
		}
		row++
	}
}

// value returns the number n of an element, given the bytes of the element.
func (n floatPlace) value(b []byte) float64 {
	if n.size == 4 {
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b[n.offset:])))
	}
	return math.Float64frombits(binary.NativeEndian.Uint64(b[n.offset:]))
}
