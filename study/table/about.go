package table

// About says what the rows of a table are of, for formats that make something of them.
type About struct {
	Model  string   // the type of the model, with its package
	Table  string   // the name of the table
	Runs   int      // how many the study has, whether they have rows or not
	Params []string // the columns that are parameters
}

// A Presenter is a Writer that wants to know what it writes. Study tells it before the first
// row.
type Presenter interface {
	Writer
	About(a About)
}

// A Checker is a Writer that refuses some rows, for example because of a text that its format has no room for. Study asks it
// about all rows before it opens the table, so that nothing is written of a table that is refused.
type Checker interface {
	Writer
	// Check returns the error that Row would return for the cells. It writes nothing.
	Check(cells []Value) error
}
