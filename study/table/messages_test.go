package table

import (
	"flag"
	"io"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// TestMessages compares the messages about misuse with testdata. It also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	l := &messages.List{T: t}
	for _, row := range []any{
		1, struct{ P *int }{}, struct{ U uint64 }{}, struct {
			A int
			B int `name:"a"`
		}{},
	} {
		_, err := ShapeOf(reflect.TypeOf(row))
		l.Err(err)
	}
	s := rowShape(t)
	l.Panics(func() { s.Append(nil, 0, reflect.ValueOf(1)) })
	l.Panics(func() { AppendRow(nil, s.Columns, nil) })
	_, _, err := Decode(nil, s.Columns, nil)
	l.Err(err)
	_, err = Kind('x').MarshalText()
	l.Err(err)
	l.Err(new(Kind).UnmarshalText([]byte("xy")))
	for _, k := range []Kind{KindInt, KindUint, KindFloat, KindFloat32, KindBool} {
		_, err := k.Parse("x")
		l.Err(err)
	}
	l.Panics(func() { Register("csv", NewCSV) })
	l.Panics(func() { Register("none", nil) })
	_, err = New("none", nil, nil)
	l.Err(err)
	for _, format := range []string{"csv", "jsonl"} {
		w, err := New(format, io.Discard, s.Columns)
		if err != nil {
			t.Fatal(err)
		}
		l.Err(w.Row(nil))
	}
	l.Compare(*updateMessages, 12)
}
