package study

import (
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/lanewise/lanewise/internal/progress"
)

// flags are the flags of one command. Arguments and flags may come in any order.
type flags struct {
	*flag.FlagSet
	rest []string // arguments that are not flags
}

func newFlags(name string, c Console) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.SetOutput(c.Err)
	return f
}

func (f *flags) parse(args []string) error {
	for {
		if err := f.Parse(args); err != nil {
			return usageError{err}
		}
		if args = f.Args(); len(args) == 0 {
			return nil
		}
		f.rest, args = append(f.rest, args[0]), args[1:]
	}
}

// given reports whether the command line contains a flag.
func (f *flags) given(name string) (given bool) {
	f.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// checkNoArgs returns an error if there are arguments other than flags.
func (f *flags) checkNoArgs() error {
	if len(f.rest) > 0 {
		return usageError{fmt.Errorf("%s: %s: it takes flags alone", f.Name(), strings.Join(f.rest, " "))}
	}
	return nil
}

// workerFlags holds the flags that are common to all commands that do runs.
type workerFlags struct {
	out      *string
	worker   *string
	mode     *string
	cores    *int
	attempts *int
	save     *time.Duration
	style    *string
	anyBuild *bool
}

func (f *flags) workerFlags() *workerFlags {
	return &workerFlags{
		out:      f.String("out", "study", "the study's `directory`"),
		worker:   f.String("worker", "", "the `name` of this worker and its log (default: its share, for example 0-of-1)"),
		mode:     f.String("mode", modeAuto, "auto, outer (a run on each core) or inner (one run on all cores)"),
		cores:    f.Int("cores", cores(), "how many `cores` to use"),
		attempts: f.Int("attempts", 3, "how many `times` to try a run that ends its process; after that, its state is crash"),
		save:     f.Duration("checkpoint", time.Minute, "the `interval` between saves of a long run, if its model has Save and Load; 0: no saves"),
		style:    f.String("progress", "auto", "auto, bar, lines, json or none"),
		anyBuild: f.Bool("any-build", false, "continue a study that another build of the program began"),
	}
}

// check returns an error for settings that no command accepts.
func (w *workerFlags) check() error {
	switch {
	case *w.mode != modeAuto && *w.mode != modeOuter && *w.mode != modeInner:
		return usageError{fmt.Errorf("-mode %s: it is one of auto, outer, inner", *w.mode)}
	case *w.cores < 1 || *w.cores > 1<<10:
		return usageError{fmt.Errorf("-cores %d: take 1 to %d", *w.cores, 1<<10)}
	case *w.attempts < 1:
		return usageError{fmt.Errorf("-attempts %d: take 1 or more", *w.attempts)}
	}
	if _, err := progress.StyleOf(*w.style, false); err != nil {
		return usageError{err}
	}
	return nil
}
