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
