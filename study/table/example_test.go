package table_test

import (
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/lanewise/lanewise/study/table"
)

// Day is a row of an epidemic: each exported field is a column.
type Day struct {
	Infected int     `help:"of all people"`
	MeanAge  float64 `unit:"years"`
	Town     string  `name:"place"`
	Over     bool
}

// Rows of a struct are encoded to bytes, as a study logs them, and the bytes are then written as a
// table in any format.
func Example() {
	shape, err := table.ShapeOf(reflect.TypeFor[Day]())
	if err != nil {
		fmt.Println(err)
		return
	}
	var log []byte
	for i, d := range []Day{{3, 41.5, "Ulm", false}, {0, 40, "Ulm", true}} {
		log, _ = shape.Append(log, i, reflect.ValueOf(d))
	}
	columns := append([]table.Column{{Name: "tick", Kind: table.KindInt}}, shape.Columns...)
	for _, format := range []string{"csv", "jsonl"} {
		var w table.Writer
		if w, err = table.New(format, os.Stdout, columns); err != nil {
			fmt.Println(err)
			return
		}
		var cells []table.Value
		for rest := log; len(rest) > 0; {
			if cells, rest, err = table.Decode(rest, shape.Columns, cells[:0]); err != nil {
				fmt.Println(err) // table.ErrShort: the bytes of a row end too early
				return
			}
			if err := w.Row(cells); err != nil {
				fmt.Println(err)
			}
		}
		if err := w.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// tick,infected,mean_age,place,over
	// 0,3,41.5,Ulm,false
	// 1,0,40,Ulm,true
	// {"tick":0,"infected":3,"mean_age":41.5,"place":"Ulm","over":false}
	// {"tick":1,"infected":0,"mean_age":40,"place":"Ulm","over":true}
}

// NewLines makes a table from names of columns, their kinds and single cells.
func ExampleNewLines() {
	columns := []table.Column{
		{Name: table.Snake("MaxSpeed"), Kind: table.KindFloat32, Unit: "m/s"},
		{Name: "steps", Kind: table.KindInt}, {Name: "note", Kind: table.KindText},
		{Name: "ok", Kind: table.KindBool}, {Name: "mean", Kind: table.KindFloat},
	}
	row := []table.Value{table.FloatValue(1.5), table.IntValue(7), table.TextValue("a \"b\""), table.BoolValue(true), table.FloatValue(0.1)}
	for _, open := range []table.Open{table.NewLines, table.NewCSV} {
		w, err := open(os.Stdout, columns)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := w.Row(row); err != nil {
			fmt.Println(err)
		}
		if err := w.Close(); err != nil {
			fmt.Println(err)
		}
	}
	kind, is := table.KindOf(reflect.TypeFor[uint8]())
	field, _ := reflect.TypeFor[Day]().FieldByName("Town")
	fmt.Println(kind == table.KindInt, is, table.NameOf(field))
	// Output:
	// {"max_speed":1.5,"steps":7,"note":"a \"b\"","ok":true,"mean":0.1}
	// max_speed,steps,note,ok,mean
	// 1.5,7,"a ""b""",true,0.1
	// true true place
}

// counting is a format that writes only the number of rows.
type counting struct{ rows int }

func (c *counting) About(a table.About)     { fmt.Println(a.Table, "of", a.Model) }
func (c *counting) Row([]table.Value) error { c.rows++; return nil }
func (c *counting) Close() error            { fmt.Println(c.rows, "rows"); return nil }

var _ table.Presenter = (*counting)(nil)

func ExampleRegister() {
	var open table.Open = func(_ io.Writer, _ []table.Column) (table.Writer, error) { return new(counting), nil }
	table.Register("count", open)
	w, err := table.New("count", os.Stdout, nil)
	if p, ok := w.(table.Presenter); ok {
		p.About(table.About{Model: "game.Epidemic", Table: "days"})
	}
	fmt.Println(err, w.Row(nil), len(table.Formats()))
	fmt.Println(w.Close())
	// Output:
	// days of game.Epidemic
	// <nil> <nil> 4
	// 1 rows
	// <nil>
}
