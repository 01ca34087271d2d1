package roads

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// explain returns the message of a failed program.
func (r *runner) explain(p Program, err error) string {
	if *shrinkFlag <= 0 {
		return fmt.Sprintf("roads: Test: %v\nrun it again: %s", err, rerunCommand(r.t.Name(), setFlags(), p))
	}
	short, err := r.shrink(p, err)
	var b strings.Builder
	heading := "a program with roads fails"
	if d := (*difference)(nil); errors.As(err, &d) {
		heading = "a world with roads differs from one without"
	}
	fmt.Fprintf(&b, "roads: Test: %s:\n%v", heading, err)
	fmt.Fprintf(&b, "\nthe program, shrunk from %s to %d:\n  workers %d, GOMAXPROCS %d, path %s\n", number(len(p.Steps), "road"), len(short.Steps), short.Workers, short.Procs, short.Path)
	for _, s := range short.Steps {
		fmt.Fprintf(&b, "  %s, then road %s\n", number(s.Ticks, "tick"), s.Road)
	}
	fmt.Fprintf(&b, "  %s\n", number(r.ticks, "tick"))
	if f, text := r.find(short, err); f != nil {
		fmt.Fprintf(&b, "the first difference, with the values %s:\n  %v\n", f.values, f)
		if f.cause != "" {
			fmt.Fprintf(&b, "the cause: %s\n", f.cause)
		}
	} else if text != "" {
		fmt.Fprintf(&b, "the first difference is unknown: %s\n", text)
	}
	fmt.Fprintf(&b, "run it again: %s", rerunCommand(r.t.Name(), setFlags(), short))
	return b.String()
}

// rerunCommand returns the command for a shell that runs a program of a test again.
func rerunCommand(test string, flags []string, p Program) string {
	command := "go test -run " + shellQuoted(testPattern(test))
	for _, f := range flags {
		if plainWord.MatchString(f) {
			command += " " + f
		} else {
			command += " " + shellQuoted(f)
		}
	}
	return command + " -roads.program=" + shellQuoted(p.String())
}

// plainWord matches words that a shell does not change.
var plainWord = regexp.MustCompile(`^[-+=:,./\w]+$`)

// shellQuoted returns a text in quotes of a shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// number returns a number with its noun.
func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// find runs a failed program again, and finds the first difference. The search for the cause ends after the time of
// -roads.shrink. After that, find runs the program at most three times.
func (r *runner) find(p Program, failure error) (*finding, string) {
	ticks := r.ticks
	for _, s := range p.Steps {
		ticks += s.Ticks
	}
	f, err := r.findCause(p, ticks, time.Now().Add(*shrinkFlag))
	if f != nil {
		return f, ""
	}
	if err != nil && !errors.Is(err, errLate) {
		return nil, err.Error()
	}
	slow := err != nil
	d := (*difference)(nil)
	if !errors.As(failure, &d) {
		return nil, ""
	}
	restore, err := enter(p)
	if err != nil {
		return nil, err.Error()
	}
	defer restore()
	tick := d.tick
	if d.where != "" {
		tick = 0
	}
	f, err = narrowDown(tick, func(from int) (*finding, error) {
		c := &course{runner: r, program: p, track: true, from: from}
		err := errors.Join(c.run(), c.close())
		return c.found, err
	})
	switch {
	case f != nil && slow:
		f.cause = errLate.Error() + ", so it is not known: a longer -roads.shrink gives it more time"
		return f, ""
	case f != nil:
		return f, ""
	case err == nil:
		return nil, "the program passes when images are taken in it, so the failure may depend on time"
	}
	return nil, err.Error()
}

// shrink looks for a shorter program that fails too. It first leaves out roads, then ticks, and
// then uses a plainer machine. It returns the shortest program with its error.
func (r *runner) shrink(p Program, err error) (Program, error) {
	end := time.Now().Add(*shrinkFlag)
	for again := true; again; {
		again = false
		for _, shorter := range shorterPrograms(p) {
			if time.Now().After(end) {
				return p, err
			}
			if e := r.run(shorter); e != nil {
				p, err, again = shorter, e, true
				break
			}
		}
	}
	return p, err
}

// shorterPrograms returns programs that are a little simpler than p, the simplest first.
func shorterPrograms(p Program) (list []Program) {
	for i := range p.Steps {
		q := p
		q.Steps = slices.Delete(slices.Clone(p.Steps), i, i+1)
		list = append(list, q)
	}
	for i, s := range p.Steps {
		for _, ticks := range []int{0, s.Ticks / 2, s.Ticks - 1} {
			if ticks < s.Ticks && ticks >= 0 {
				q := p
				q.Steps = slices.Clone(p.Steps)
				q.Steps[i].Ticks = ticks
				list = append(list, q)
			}
		}
	}
	plain := plainProgram(p)
	for _, q := range []Program{{plain.Workers, plain.Procs, plain.Path, p.Steps}, {plain.Workers, p.Procs, p.Path, p.Steps}, {p.Workers, plain.Procs, p.Path, p.Steps}, {p.Workers, p.Procs, plain.Path, p.Steps}} {
		if q.Workers != p.Workers || q.Procs != p.Procs || q.Path != p.Path {
			list = append(list, q)
		}
	}
	return list
}
