package study

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/study/table"
)

// rows holds the rows that a run has emitted into one table.
type rows struct {
	name    string
	columns []table.Column
	row     reflect.Type // nil if all rows were emitted before the run was saved
	shape   *table.Shape
	n       int
	bytes   []byte
}

// part returns the description of the rows that a record stores.
func (t *rows) part() part { return part{t.name, t.columns, t.n, len(t.bytes)} }

// These are the names of the tables that the study itself writes.
const (
	resultTable = "result" // the results of Result
	runsTable   = "runs"   // how each run ended
	timesTable  = "times"  // how long each run took; the only table that differs each time
)

// The study adds these columns: the first ones to every table, and tickColumn to tables whose rows
// have a tick.
var (
	headColumns = []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "seed", Kind: table.KindUint}, {Name: "state", Kind: table.KindText}, {Name: "hash", Kind: table.KindText}}
	tickColumn  = table.Column{Name: "tick", Kind: table.KindInt}
)

// Emit adds a row to a table of the run. The name of the table is the name of
// the row's type, in lower case. Only the goroutine that steps the run may call
// it. Emit is meant for one row per tick, not for one row per entity, because all rows are kept in
// memory until the run ends. During Load, Emit does nothing.
//
// Emit panics in three cases: T is not a struct of numbers, bools and strings; T has no name; or T
// has a name that the study uses (result, runs, times).
func Emit[T any](r *Run, row T) {
	if r.loading {
		return // the run has the rows that its Setup emitted
	}
	t := reflect.TypeFor[T]()
	i := slices.IndexFunc(r.tables, func(tab *rows) bool { return tab.row == t })
	if i < 0 {
		i = r.open(t)
	}
	r.add(r.tables[i], reflect.ValueOf(row))
}

// open adds the table of a row type.
func (r *Run) open(t reflect.Type) int {
	name := table.Snake(t.Name())
	if name == "" || slices.Contains([]string{resultTable, runsTable, timesTable}, name) {
		panic(fmt.Sprintf("study: Emit: the table of %s would be named %q, which is the study's own, or none: rename the type", t, name))
	}
	shape, err := table.ShapeOf(t)
	if err != nil {
		panic(fmt.Sprintf("study: Emit: %v", err))
	}
	i := slices.IndexFunc(r.tables, func(tab *rows) bool { return tab.name == name })
	switch {
	case i < 0:
		i = len(r.tables)
		r.tables = append(r.tables, &rows{name: name, columns: shape.Columns})
	case r.tables[i].row != nil || !slices.Equal(r.tables[i].columns, shape.Columns):
		panic(fmt.Sprintf("study: Emit: another type than %s has the table %q: rename one of them", t, name))
	}
	r.tables[i].row, r.tables[i].shape = t, shape
	return i
}

func (r *Run) add(tab *rows, row reflect.Value) {
	var bad int
	tab.bytes, bad = tab.shape.Append(tab.bytes, r.Tick, row)
	if tab.n++; bad >= 0 && r.notFinite == "" {
		r.notFinite = fmt.Sprintf("%s.%s at tick %d is no finite number", tab.name, tab.shape.Columns[bad].Name, r.Tick)
	}
}
