package study

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// An Engine adds a command to the program. The command hands out runs to other machines, or does
// runs that another machine hands out. A program imports the package of an engine with a blank
// import to register the engine.
type Engine struct {
	Name string // name of the command
	Help string // one line for the usage
	// Run executes the command. When Run is called, the study is neither open nor adopted yet.
	Run func(ctx context.Context, s *Study, args []string, console Console) error
}

// A Console holds the outputs of a command: results go to Out, and everything else goes to Err.
type Console struct {
	Out, Err io.Writer
	Live     bool // Err is a terminal
}

var engines []Engine

// RegisterEngine adds an engine. Call RegisterEngine in an init function. It panics if another
// command has the same name.
func RegisterEngine(e Engine) {
	if e.Name == "" || e.Run == nil || slices.ContainsFunc(engines, func(o Engine) bool { return o.Name == e.Name }) || slices.ContainsFunc(commands(), func(c command) bool { return c.name == e.Name }) {
		panic(fmt.Sprintf("study: RegisterEngine: the command %q has no name or no Run, or is there already", e.Name))
	}
	engines = append(engines, e)
}
