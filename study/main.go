package study

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/lanewise/lanewise/internal/printable"
	"github.com/lanewise/lanewise/internal/progress"
)

// Main is the whole main function of a model:
//
//	func main() { study.Main[*Epidemic]() }
//
// Main provides the commands run, sweep, params, resume, worker, table, certify, verify and test, and
// the commands of imported engines. Without a command, Main lists all commands. Main does not return.
//
// Main panics if the model's parameters or rows are not valid.
func Main[P Model[R], R any]() {
	p := programOf[P, R]("Main")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	c := Console{Out: os.Stdout, Err: os.Stderr, Live: progress.IsTerminal(os.Stderr)}
	os.Exit(p.main(ctx, os.Args[1:], c, os.Stdin, os.Exit))
}

// The exit statuses.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2
)

// A usageError reports a mistake in a command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A command is one command of the program.
type command struct {
	name, args, help string
	run              func(p *program, ctx context.Context, args []string, c Console) error
}

func commands() []command {
	return []command{
		{"params", "", "list the parameters of the model", (*program).paramsCommand},
		{"run", "[name=value …]", "do one run and print its result", (*program).runCommand},
		{"sweep", "-out dir [name=axis …]", "do all runs of a design", (*program).sweepCommand},
		{"resume", "-out dir", "continue an interrupted study", (*program).resumeCommand},
		{"worker", "-out dir -shard i/n", "do a share of the runs", (*program).workerCommand},
		{"table", "-out dir [name]", "print a table: result, runs, times, or one that the model emits", (*program).tableCommand},
		{"certify", "-out dir", "write a certificate of all results, for verify", (*program).certifyCommand},
		{"verify", "-out dir [table.csv …]", "compute runs again and compare them with the certificate", (*program).verifyCommand},
		{"test", "[name=value …]", "check whether the model is reproducible", (*program).testCommand},
	}
}

// main implements Main without access to the process: arguments, console and exit status are
// explicit.
func (p *program) main(ctx context.Context, args []string, c Console, in io.Reader, exit func(int)) int {
	if len(args) == 0 {
		p.usage(c.Err)
		return exitUsage
	}
	var err error
	switch name := args[0]; name {
	case childCommand:
		out, ok := c.Out.(*os.File)
		if !ok {
			out = os.Stdout
		}
		err = p.child(in, out, exit)
	case traceCommand:
		out, ok := c.Out.(*os.File)
		if !ok {
			out = os.Stdout
		}
		err = p.trace(ctx, in, out)
	case "help", "-h", "-help", "--help":
		p.usage(c.Out)
	default:
		err = p.command(ctx, name, args[1:], c)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	_, _ = fmt.Fprintln(c.Err, printable.Lines(err.Error())) // the error may quote text from a directory or server that is not trusted
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitFault
}

func (p *program) command(ctx context.Context, name string, args []string, c Console) error {
	var names []string
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd.run(p, ctx, args, c)
		}
		names = append(names, cmd.name)
	}
	for _, e := range engines {
		if e.Name == name {
			return e.Run(ctx, &Study{program: p, errOut: c.Err}, args, c)
		}
		names = append(names, e.Name)
	}
	return usageError{fmt.Errorf("%s: there is no such command: it is one of %s", name, strings.Join(names, ", "))}
}

func (p *program) usage(w io.Writer) {
	name := filepath.Base(os.Args[0])
	_, _ = fmt.Fprintf(w, "%s repeats a model: %s\n\n", name, p.name)
	for _, c := range commands() {
		_, _ = fmt.Fprintf(w, "  %-36s %s\n", c.name+" "+c.args, c.help)
	}
	for _, e := range engines {
		_, _ = fmt.Fprintf(w, "  %-36s %s\n", e.Name, e.Help)
	}
	_, _ = fmt.Fprintf(w, `
An axis of a sweep is one of
  beta=0.2  beta=0.1,0.2,0.4     values
  beta=0.1:0.5:0.1               from, to, step: includes 0.5
  beta=0.1..0.5                  an interval: needs -random n or -latin n
  beta                           the parameter's range, as an interval; or all its choices; or false and true

%s COMMAND -h lists the flags of one of these commands.
`, name)
}
