// Command lanewise demonstrates the library and examines its files and
// programs.
//
//	lanewise orrery   the solar system in motion: catalogue, pictures, table
//	lanewise new      a new module with a program, its tests and a picture
//	lanewise hash     the hash of a fixed world after some frames
//	lanewise inspect  the worlds of a running program, as tables
//	lanewise scene    scene files: check, bake, format
//	lanewise snapshot snapshot files: info, verify, diff, export as CSV
//	lanewise replay   recordings: their contents, and the first difference of two
//	lanewise doctor   the kernels on this machine: equal bits on all paths, speed, goals
//	lanewise version  the version, revision and modules of this program, for bug reports
//
// Run each with -h for its flags. The exit status is 0 on success, 1 for an
// error in data or on the machine, and 2 for an error in the command line. If
// a signal ended the program, the status is 128 plus the number of the signal,
// as for other programs: 130 after Ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/kept"
	_ "github.com/lanewise/lanewise/ecs/render" // scenes have its components
	"github.com/lanewise/lanewise/ecs/scene"
	_ "github.com/lanewise/lanewise/ecs/transform" // and the component types of this package
	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Exit codes.
const (
	exitOK         = 0
	exitError      = 1
	exitUsage      = 2
	exitStopped    = 130 // by Ctrl-C: 128 + SIGINT
	exitTerminated = 143 // by SIGTERM: 128 + 15
)

// A usageError is a mistake in a command line.
type usageError struct{ error }

// A terminal is the output of a command: results go to out, progress and errors
// to err. live reports whether err is a terminal.
type terminal struct {
	out, err io.Writer
	live     bool
}

// say writes a line to err. It ignores a failure, because err is the only place
// to report it. It escapes the arguments, because texts of files must not
// control the terminal.
func (t *terminal) say(format string, args ...any) {
	_, _ = fmt.Fprintln(t.err, printable.Lines(fmt.Sprintf(format, args...)))
}

// A command is a subcommand, which parses its arguments and runs.
type command struct {
	name, does string
	run        func(ctx context.Context, args []string, t *terminal) error
}

var commands = []command{
	{"orrery", "put the solar system in motion; write pictures and a table", orreryCommand},
	{"new", "begin a module that uses the library", newCommand},
	{"hash", "step a fixed world and print its hash", hashCommand},
	{"inspect", "show a running program's worlds in the terminal", inspectCommand},
	{"scene", "check, bake and format texts of scenes", sceneCommand},
	{"snapshot", "show, verify, compare and export snapshots", ofFiles(kept.Snapshot)},
	{"replay", "show a recording, and where two part", ofFiles(kept.Replay)},
	{"doctor", "compare and measure the kernels on this machine", doctorCommand},
	{"version", "print the version of this program and of its modules", versionCommand},
}

func main() {
	ctx, stop := untilSignal(context.Background())
	info, err := os.Stderr.Stat()
	t := &terminal{out: os.Stdout, err: os.Stderr, live: err == nil && info.Mode()&os.ModeCharDevice != 0}
	code := run(ctx, os.Args[1:], t)
	stop()
	os.Exit(code)
}

// run implements main. It gets the arguments and the terminal as parameters,
// and returns the exit status, so that tests can call it.
func run(ctx context.Context, args []string, t *terminal) (code int) {
	if len(args) == 0 {
		usage(t.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) == 1 {
			usage(t.out)
			return exitOK
		}
		args = []string{args[1], "-h"}
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:], t)
		if err == nil || errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		t.say("lanewise %s: %v", c.name, err)
		if ctx.Err() != nil {
			return stopCode(ctx)
		}
		if _, ok := errors.AsType[usageError](err); ok {
			t.say("Run 'lanewise help %s' for its flags.", c.name)
			return exitUsage
		}
		return exitError
	}
	t.say("lanewise: there is no command %q\nRun 'lanewise help' for those that there are.", args[0])
	return exitUsage
}

// ofFiles makes a subcommand of a function that only reads files.
func ofFiles(do func(args []string, out io.Writer) error) func(context.Context, []string, *terminal) error {
	return func(ctx context.Context, args []string, t *terminal) error {
		err := orStopped(ctx, t, func(t *terminal) error { return do(args, t.out) })
		if u, ok := errors.AsType[kept.Usage](err); ok {
			return usageError{u}
		}
		return err
	}
}

func usage(w io.Writer) {
	text := "lanewise shows the library at work.\n\nUsage: lanewise <command> [flags]\n\n"
	for _, c := range commands {
		text += fmt.Sprintf("  %-8s %s\n", c.name, c.does)
	}
	_, _ = io.WriteString(w, text+"\nlanewise help <command> lists a command's flags.\n")
}

// newFlags returns an empty set of flags. It prints help to t.
func newFlags(name, does string, t *terminal) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(t.out)
	fs.Usage = func() {
		_, _ = fmt.Fprintf(t.out, "Usage: lanewise %s [flags]\n\n%s\n\n", name, does)
		fs.PrintDefaults()
	}
	return fs
}

// parse parses flags, and returns an error if there are other arguments. The
// error is a usageError, or flag.ErrHelp if parse has printed help.
func parse(fs *flag.FlagSet, args []string) error {
	if err := parseFlags(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return newUsageError("%q is no flag; a flag's value follows its name", fs.Arg(0))
	}
	return nil
}

// parseFlags parses flags up to the first other argument.
func parseFlags(fs *flag.FlagSet, args []string) error {
	out, help := fs.Output(), fs.Usage
	fs.SetOutput(io.Discard) // print help only on request, because it would hide the error message
	fs.Usage = func() {}
	err := fs.Parse(args)
	fs.SetOutput(out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		help()
		return err
	case err != nil:
		return usageError{err}
	}
	return nil
}

// newUsageError returns a usage error for a command line that can be parsed but is not valid.
func newUsageError(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// text adds a flag for a text. The flag refuses an empty text, because the
// cause is usually a shell variable that is not set.
func text(fs *flag.FlagSet, dst *string, name, usage string) {
	fs.Func(name, usage, func(s string) error {
		if s == "" {
			return errors.New("want a value: leave the flag out for the default")
		}
		*dst = s
		return nil
	})
}

// A machine holds the flags that all commands share: the path and the number of workers.
type machine struct {
	workers int
	path    string
}

func (m *machine) flags(fs *flag.FlagSet) {
	fs.IntVar(&m.workers, "workers", 0, "compute on `N` goroutines; 0 is one for each CPU. No result depends on it.")
	text(fs, &m.path, "path", "compute with kernels of this `path`: "+fmt.Sprint(kernels.Paths())+". No result depends on it.")
}

// pool returns a pool with the number of workers that the flags set.
func (m *machine) pool() *jobs.Pool {
	if m.workers == 0 {
		return jobs.New()
	}
	return jobs.New(jobs.Workers(m.workers))
}

// use checks the flags and selects the path of the kernels.
func (m *machine) use() error {
	if m.workers < 0 || m.workers > 1024 {
		return newUsageError("-workers %d: want 0 to 1024", m.workers)
	}
	if m.path == "" {
		return nil
	}
	if err := kernels.Use(m.path); err != nil {
		return newUsageError("-path %s: this machine has %v", m.path, kernels.Paths())
	}
	return nil
}

// sceneCommand checks, bakes and formats scene files. It knows only the
// components of the library. A project writes its own command in three lines;
// see [scene.Main].
func sceneCommand(ctx context.Context, args []string, t *terminal) error {
	if len(args) == 0 {
		return usageError{errors.New("say what to do: check, bake, fmt or schema")}
	}
	if slices.Contains(args, "-h") || slices.Contains(args, "-help") || slices.Contains(args, "--help") {
		scene.Main("lanewise scene", nil, t.out, t.out)
		_, _ = fmt.Fprint(t.out, "\nIt knows the components of the library alone. A project has a command of its own, with scene.Main.\n")
		return nil
	}
	return orStopped(ctx, t, func(t *terminal) error {
		switch scene.Main("lanewise scene", args, t.out, t.err) {
		case exitOK:
			return nil
		case exitUsage:
			return usageError{errors.New("the arguments are wrong")}
		}
		return errors.New("not all texts are right")
	})
}
