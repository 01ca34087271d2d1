package system

import (
	"fmt"
	"os"
)

// A program that imports log/slog links encoding/json too, so this port has a small logger of its own.

// console is the logger of worlds without the option [WithLogger].
type console struct{ discard }

func (console) Warn(msg string, args ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"WARN", msg}, args...)...) // there is no remedy for an error
}

// defaultLogger returns that logger.
func defaultLogger() Logger { return console{} }

// debugs reports whether l may log at level Debug.
func debugs(l Logger) bool { return l != Logger(discard{}) && l != Logger(console{}) }
