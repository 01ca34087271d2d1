package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"

	arr "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// In Arrow a null list of fixed length still has values; in Parquet it has
// none. The writer of arrow-go supports such lists only if all of them are at
// one end of a batch. So columns with nulls are converted to lists of variable
// length, where a null list is empty.

// listSchema returns a schema in which lists that may be null have variable
// length. The metadata holds the original schema, with the lengths. Arrow
// readers restore the types from it.
func listSchema(s *arr.Schema) (*arr.Schema, error) {
	fields, origin, changed := s.Fields(), s.Fields(), false
	for i := range fields {
		if l, ok := fields[i].Type.(*arr.FixedSizeListType); ok && fields[i].Nullable {
			fields[i].Type, changed = arr.ListOfField(l.ElemField()), true
		}
		origin[i].Type = renameElements(origin[i].Type)
	}
	if !changed {
		return s, nil
	}
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(arr.NewSchema(origin, nil))).Close(); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	about := arr.MetadataFrom(map[string]string{"ARROW:schema": base64.StdEncoding.EncodeToString(out.Bytes())})
	return arr.NewSchema(fields, &about), nil
}

// renameElements returns a type whose list elements have the name that Parquet gives
// them.
func renameElements(dt arr.DataType) arr.DataType {
	if l, ok := dt.(*arr.FixedSizeListType); ok {
		return arr.FixedSizeListOfField(l.Len(), arr.Field{Name: "element", Type: renameElements(l.Elem()), Nullable: l.ElemField().Nullable})
	}
	return dt
}

// writeBatch writes a batch as a row group.
func writeBatch(f *pqarrow.FileWriter, s *arr.Schema, b arr.RecordBatch) error {
	list := make([]arr.Array, b.NumCols())
	for i := range list {
		list[i] = b.Column(i)
		if s.Field(i).Type.ID() != arr.LIST {
			continue
		}
		next, err := anyLength(b.Column(i).(*array.FixedSizeList), s.Field(i).Type)
		if err != nil {
			return err
		}
		defer next.Release()
		list[i] = next
	}
	next := array.NewRecordBatch(s, list, b.NumRows())
	defer next.Release()
	return f.Write(next) //lanewise:inexact its assembly fills memory with one byte
}

// anyLength converts lists of fixed length to lists of variable length. Null
// lists become empty. The lists must be of a gathered batch, so that they begin
// at the first value.
func anyLength(a *array.FixedSizeList, dt arr.DataType) (arr.Array, error) {
	per := int(a.DataType().(*arr.FixedSizeListType).Len())
	offsets := make([]int32, a.Len()+1)
	var there []arr.Array // the values of non-null lists, run by run
	defer func() {
		for _, v := range there {
			v.Release()
		}
	}()
	for lo := 0; lo < a.Len(); {
		hi := lo + 1
		for hi < a.Len() && a.IsNull(hi) == a.IsNull(lo) {
			hi++
		}
		step := int32(0)
		if a.IsValid(lo) {
			step = int32(per)
			there = append(there, array.NewSlice(a.ListValues(), int64(lo*per), int64(hi*per)))
		}
		for ; lo < hi; lo++ {
			offsets[lo+1] = offsets[lo] + step
		}
	}
	if there == nil {
		there = append(there, array.NewSlice(a.ListValues(), 0, 0))
	}
	values, err := array.Concatenate(there, memory.DefaultAllocator) //lanewise:inexact its assembly fills memory with one byte
	if err != nil {
		return nil, err
	}
	defer values.Release()
	valid := a.Data().Buffers()[0]
	d := array.NewData(dt, a.Len(), []*memory.Buffer{valid, memory.NewBufferBytes(arr.Int32Traits.CastToBytes(offsets))}, []arr.ArrayData{values.Data()}, a.NullN(), 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}
