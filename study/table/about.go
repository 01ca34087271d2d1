package table

// About describes the contents of a table, for formats that use it, for example
// in a title.
type About struct {
	Model  string   // type of the model, with its package
	Table  string   // name of the table
	Runs   int      // number of runs of the study, with and without rows
	Params []string // names of the columns that are parameters

	// The rest is chosen by the user of a plot.
	Columns []string // names of the columns to show; empty: all
	Log     []string // names of the columns whose axes are logarithmic
	Fit     string   // name of the parameter h of a fit ~ h^p for each column; "": none
}

// A Presenter is a Writer that needs a description of the table. Study calls it
// before the first row.
type Presenter interface {
	Writer
	About(a About)
}

// A Checker is a Writer that refuses some rows, for example because its format
// cannot represent a text. Study checks all rows before it opens the table, so
// that a refused table leaves no partial output.
type Checker interface {
	Writer
	// Check returns the error that Row would return for the cells. It writes
	// nothing.
	Check(cells []Value) error
}
