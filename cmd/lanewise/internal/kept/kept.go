// Package kept implements the subcommands snapshot and replay. They show the contents of files, and do not
// need the program that wrote the files.
package kept

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
)

// Usage is a mistake in a command line.
type Usage struct{ error }

func usage(format string, args ...any) error { return Usage{fmt.Errorf(format, args...)} }

// ErrDiffers is the error of a comparison if the two files differ.
var ErrDiffers = errors.New("they differ")

const snapshotHelp = `Usage: lanewise snapshot <what> [flags] FILE…

  info FILE           what is in a snapshot: components, archetypes, sizes
  verify FILE…        are all bytes those that were written
  diff FILE FILE      where two snapshots differ, entity by entity; exit 1 if they do
  export FILE         the values of a component as CSV

These read the file alone. What takes the types of the program that wrote it:
whether the hash is that of the contents, and what managed and shared values mean,
which are bytes here. See package snapshot.

`

// Snapshot implements the subcommand snapshot.
func Snapshot(args []string, out io.Writer) error {
	if len(args) == 0 {
		return usage("want info, verify, diff or export")
	}
	what, args := args[0], args[1:]
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, what) {
		_, err := io.WriteString(out, snapshotHelp)
		return err
	}
	fs := flag.NewFlagSet(what, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	switch what {
	case "info":
		return runWithFiles(fs, args, out, 1, 1, func(list []string) error { return info(list[0], out) })
	case "verify":
		return runWithFiles(fs, args, out, 1, 1<<20, func(list []string) error { return verify(list, out) })
	case "diff":
		most := fs.Int("most", 20, "show so many `N` differences")
		return runWithFiles(fs, args, out, 2, 2, func(list []string) error { return runDiff(list[0], list[1], *most, out) })
	case "export":
		component := fs.String("component", "", "the component's `name`, as far as it is the only one")
		return runWithFiles(fs, args, out, 1, 1, func(list []string) error { return export(list[0], *component, out) })
	}
	return usage("there is no %q: want info, verify, diff or export", what)
}

// runWithFiles parses a command line and runs the command. Flags may come before and after the names of files.
func runWithFiles(fs *flag.FlagSet, args []string, out io.Writer, least, most int, run func([]string) error) error {
	var list []string
	for len(args) > 0 {
		err := fs.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			fs.SetOutput(out)
			_, _ = io.WriteString(out, snapshotHelp)
			fs.PrintDefaults()
			return nil
		case err != nil:
			return Usage{err}
		}
		if args = fs.Args(); len(args) > 0 {
			list, args = append(list, args[0]), args[1:]
		}
	}
	if len(list) < least || len(list) > most {
		return usage("%s: %d files: want %d", fs.Name(), len(list), least)
	}
	return run(list)
}
