package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/lanewise/lanewise/ecs"
)

// find finds the column in a batch. A missing column has no array.
func (c *column) find(b arrow.RecordBatch) (source, error) {
	at := b.Schema().FieldIndices(c.name)
	switch {
	case len(at) == 0:
		return source{}, nil
	case len(at) > 1:
		return source{}, fmt.Errorf("arrow: %w: %d columns are named %s", ErrBatch, len(at), c.name)
	}
	a := b.Column(at[0])
	if a.Len() > math.MaxInt32 {
		return source{}, fmt.Errorf("arrow: column %s has %d rows: %w: a world has room for 2^31 entities", c.name, a.Len(), ErrBatch)
	}
	if got, want := a.DataType(), c.arrow; !sameType(got, want) {
		return source{}, fmt.Errorf("arrow: column %s is %v, want %v: %w", c.name, got, want, ErrBatch)
	}
	s := source{array: a, offset: a.Data().Offset()}
	if a.Len() == 0 {
		return s, nil
	}
	var err error
	if s.valid, err = c.validBits(a.Data()); err != nil {
		return source{}, err
	}
	if c.arrow == arrow.BinaryTypes.String {
		if at := a.(*array.String).ValueOffsets(); at[0] < 0 || !slices.IsSorted(at) { // Arrow checks only the last offset
			return source{}, fmt.Errorf("arrow: column %s has strings outside of its text: %w", c.name, ErrBatch)
		}
		return s, nil
	}
	// A buffer stores lists of fixed length one after another. Its field first is the index
	// of the first value, and per is the number of values in a row.
	d, first, per := a.Data(), a.Data().Offset(), 1
	for len(d.Children()) > 0 {
		n := int(d.DataType().(*arrow.FixedSizeListType).Len())
		d = d.Children()[0]
		first, per = first*n+d.Offset(), per*n
		if err := c.checkNulls(d, &s, a.Len(), first, per); err != nil {
			return source{}, err
		}
	}
	if b := d.Buffers()[1]; b != nil {
		s.values = b.Bytes()
	}
	if c.width == 0 {
		s.bit = first
		if len(s.values)*8 < first+a.Len()*per {
			return source{}, fmt.Errorf("arrow: column %s has fewer values than rows: %w", c.name, ErrBatch)
		}
		if c.what == ofTag && s.valid != nil { // a null means no tag
			s.values, s.bit, s.valid = firstBits(&s, a.Len()), 0, nil
		}
		return s, nil
	}
	size := c.width / per
	if len(s.values) < first*size+a.Len()*c.width {
		return source{}, fmt.Errorf("arrow: column %s has fewer values than rows: %w", c.name, ErrBatch)
	}
	s.values = s.values[first*size:]
	return s, nil
}

// checkNulls returns an error if there are nulls inside the lists of the given
// rows. Values below a null list are ignored, because Arrow's builders and
// readers of Parquet write nulls there, and other writers write zeros. Each row
// has per values, beginning at index first.
func (c *column) checkNulls(d arrow.ArrayData, s *source, rows, first, per int) error {
	bits, err := c.validBits(d)
	if bits == nil || err != nil {
		return err
	}
	if len(bits)*8 < first+rows*per {
		return fmt.Errorf("arrow: column %s has fewer bits for nulls than rows: %w", c.name, ErrBatch)
	}
	for row := range rows {
		if s.valid != nil && !bitutil.BitIsSet(s.valid, s.offset+row) {
			continue
		}
		if bitutil.CountSetBits(bits, first+row*per, per) != per {
			return fmt.Errorf("arrow: row %d: column %s has nulls inside its lists: %w: fill them, or make the whole list null", row, c.name, ErrBatch)
		}
	}
	return nil
}

// validBits returns the validity bits of an array; nil if all values are valid.
func (c *column) validBits(d arrow.ArrayData) ([]byte, error) {
	if d.NullN() == 0 || d.Buffers()[0] == nil {
		return nil, nil
	}
	bits := d.Buffers()[0].Bytes()
	if len(bits)*8 < d.Offset()+d.Len() {
		return nil, fmt.Errorf("arrow: column %s has fewer bits for nulls than rows: %w", c.name, ErrBatch)
	}
	if bitutil.CountSetBits(bits, d.Offset(), d.Len()) == d.Len() {
		return nil, nil
	}
	return bits, nil
}

// sameType reports whether two types have the same memory layout. The names and the
// nullability of list elements are ignored, because different writers set them differently.
func sameType(a, b arrow.DataType) bool {
	x, ok := a.(*arrow.FixedSizeListType)
	y, too := b.(*arrow.FixedSizeListType)
	if ok && too {
		return x.Len() == y.Len() && sameType(x.Elem(), y.Elem())
	}
	return arrow.TypeEqual(a, b)
}

// isPresent reports whether row lo has a value. It also returns the end of the range of
// rows, up to hi, for which the answer is the same. It remembers its answer, because the
// caller asks for the same rows again if another column ends the range earlier.
func (s *source) isPresent(c *column, lo, hi int) (bool, int) {
	bits, at := s.valid, s.offset
	if c.what == ofTag {
		bits, at = s.values, s.bit
	}
	if bits == nil {
		return true, hi
	}
	if lo >= s.until {
		s.has = bitutil.BitIsSet(bits, at+lo)
		for s.until = lo + 1; s.until < s.array.Len() && bitutil.BitIsSet(bits, at+s.until) == s.has; {
			s.until++
		}
	}
	return s.has, min(hi, s.until)
}

// firstBits returns a bitmap of the first n rows. A bit is set if the row is valid and true.
func firstBits(s *source, n int) []byte {
	out := make([]byte, bitutil.BytesForBits(int64(n)))
	for k := range n {
		bitutil.SetBitTo(out, k, bitutil.BitIsSet(s.valid, s.offset+k) && bitutil.BitIsSet(s.values, s.bit+k))
	}
	return out
}

// EntityOf returns the entity that a column of entities stores as this number.
func EntityOf(id int64) ecs.Entity { return ecs.Entity{Index: int32(id), Version: int32(id >> 32)} }

// IDOf returns the number that a column of entities stores for an entity.
func IDOf(e ecs.Entity) int64 { return int64(e.Version)<<32 | int64(uint32(e.Index)) }

// sharedOf returns the shared value of row lo, and the end of the range of rows
// with the same value.
func (im *Importer) sharedOf(t reflect.Type, from []source, lo, hi int) (any, int, error) {
	box := reflect.New(t).Elem()
	for i := range im.columns {
		c, s := &im.columns[i], &from[i]
		if c.what != ofShared || c.typ != t || s.array == nil {
			continue
		}
		v := box
		for _, k := range c.index {
			v = v.Field(k)
		}
		if lo >= s.equalUntil {
			for s.equalUntil = lo + 1; s.equalUntil < s.array.Len() && s.equal(c, lo, s.equalUntil); {
				s.equalUntil++
			}
		}
		hi = min(hi, s.equalUntil)
		s.set(c, lo, v)
		if v.Kind() == reflect.String && !utf8.ValidString(v.String()) {
			return nil, 0, fmt.Errorf("arrow: row %d: %s is %q, which is not UTF-8: %w: a column of bytes is no text", lo, c.name, v.String(), ErrBatch)
		}
	}
	return box.Interface(), hi, nil
}

// equal reports whether two rows of a shared column are the same.
func (s *source) equal(c *column, a, b int) bool {
	switch {
	case c.arrow == arrow.BinaryTypes.String:
		text := s.array.(*array.String)
		return text.Value(a) == text.Value(b)
	case c.width == 0:
		return bitutil.BitIsSet(s.values, s.bit+a) == bitutil.BitIsSet(s.values, s.bit+b)
	}
	w := c.width
	return string(s.values[a*w:(a+1)*w]) == string(s.values[b*w:(b+1)*w])
}

// set copies a row of a shared column into a field of a Go value.
func (s *source) set(c *column, row int, v reflect.Value) {
	if c.arrow == arrow.BinaryTypes.String {
		v.SetString(strings.Clone(s.array.(*array.String).Value(row))) // a copy, because the batch's memory is reused
		return
	}
	if c.width == 0 {
		v.SetBool(bitutil.BitIsSet(s.values, s.bit+row))
		return
	}
	var word uint64
	b, e := s.values[row*c.width:], binary.NativeEndian
	switch c.width {
	case 1:
		word = uint64(b[0])
	case 2:
		word = uint64(e.Uint16(b))
	case 4:
		word = uint64(e.Uint32(b))
	default:
		word = e.Uint64(b)
	}
	switch {
	case c.leaf.entity:
		v.Set(reflect.ValueOf(EntityOf(int64(word))))
	case v.CanUint():
		v.SetUint(word)
	case v.Kind() == reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(word))))
	case v.Kind() == reflect.Float64:
		v.SetFloat(math.Float64frombits(word))
	default: // sign-extend
		shift := 64 - 8*c.width
		v.SetInt(int64(word<<shift) >> shift)
	}
}

// refer replaces references to entities of the batches by the new entities, in
// all components that contain references.
func (im *Importer) refer() error {
	mine := make(map[ecs.Entity]bool, len(im.made))
	for _, e := range im.made {
		mine[e] = true
	}
	for i := range im.columns {
		c := &im.columns[i]
		if c.what != ofLane || !c.leaf.entity {
			continue
		}
		term := ecs.Write[struct{}]().OfType(c.typ)
		const owner = "an import of package arrow"
		q := im.world.Scheduler().Query(owner, term, ecs.IgnoreEnabled(), ecs.IncludeHidden())
		for chunk := range q.Chunks() {
			ids := chunk.Entities()
			var lane []byte
			for row, e := range ids {
				if !mine[e] {
					continue
				}
				if lane == nil {
					lane = chunk.WriteLaneBytes(c.typ, c.lane)
				}
				size := len(lane) / len(ids)
				c.leaf.each(lane[row*size:(row+1)*size], func(b []byte) {
					old := ecs.Entity{Index: int32(binary.NativeEndian.Uint32(b)), Version: int32(binary.NativeEndian.Uint32(b[4:]))}
					next := im.ids[old] // or null
					binary.NativeEndian.PutUint32(b, uint32(next.Index))
					binary.NativeEndian.PutUint32(b[4:], uint32(next.Version))
				})
			}
		}
		if err := im.world.Scheduler().CloseQueries(owner); err != nil {
			return fmt.Errorf("arrow: %w", err)
		}
	}
	for _, t := range im.refs {
		if err := im.referShared(t); err != nil {
			return err
		}
	}
	return nil
}

// referShared does the work of refer for the shared values of a type. A new
// value moves an entity to another chunk.
func (im *Importer) referShared(t reflect.Type) error {
	var paths [][]int
	for _, c := range im.columns {
		if c.what == ofShared && c.leaf.entity && c.typ == t {
			paths = append(paths, c.index)
		}
	}
	if paths == nil {
		return nil
	}
	for _, e := range im.made {
		if !slices.Contains(im.world.ArchetypeOf(e).Types(), t) {
			continue
		}
		old, err := im.world.Untyped().Get(e, t)
		if err != nil {
			return fmt.Errorf("arrow: %w", err)
		}
		v := reflect.New(t).Elem()
		v.Set(reflect.ValueOf(old))
		changed := false
		for _, path := range paths {
			field := v
			for _, k := range path {
				field = field.Field(k)
			}
			before := field.Interface().(ecs.Entity)
			next := im.ids[before] // or null
			field.Set(reflect.ValueOf(next))
			changed = changed || next != before
		}
		if !changed {
			continue
		}
		if err := im.world.Untyped().Add(e, t, v.Interface()); err != nil {
			return fmt.Errorf("arrow: %w", err)
		}
	}
	return nil
}
