package system

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// String returns the explanation as a text, with names without their paths.
func (e *Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %q", e.World)
	if e.Frames > 0 {
		fmt.Fprintf(&b, ": %d frames measured, %s each", e.Frames, brief(e.Frame))
	}
	b.WriteByte('\n')
	e.writeOrder(&b)
	e.writeSpreads(&b)
	section(&b, "waits", e.Waits, Wait.String)
	section(&b, "could run at once", e.Parallel, func(wave []string) string {
		return shorten(strings.Join(wave, ", "))
	})
	e.writeCritical(&b)
	section(&b, "sync points", e.Syncs, SyncPoint.String)
	section(&b, "advice", e.Advice, func(a string) string { return a })
	return b.String()
}

// section writes a heading and a line for each entry, if there is one.
func section[E any](b *strings.Builder, heading string, entries []E, line func(E) string) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading)
	for _, e := range entries {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(line(e), "\n", "\n  "))
	}
}

// writeOrder writes the systems as a tree, with their times in columns.
func (e *Explanation) writeOrder(b *strings.Builder) {
	b.WriteString("\norder")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if e.Frames > 0 {
		fmt.Fprint(t, "\tupdates\town\twaits\tjobs\twork\tspan")
	}
	fmt.Fprintln(t)
	for _, s := range e.Order {
		e.writeStep(t, s, strings.Repeat("  ", s.Depth+1))
	}
	if len(e.Apart) > 0 {
		fmt.Fprintln(t, "  in no group")
	}
	for _, s := range e.Apart {
		e.writeStep(t, s, "    ")
	}
	_ = t.Flush() // a Builder takes everything
}

func (e *Explanation) writeStep(t *tabwriter.Writer, s Explained, indent string) {
	fmt.Fprint(t, indent, shorten(s.System))
	if e.Frames > 0 {
		fmt.Fprintf(t, "\t%.3g\t%s\t%s\t%.3g\t%s\t%s", s.Updates, brief(s.Own), brief(s.Waited), s.Jobs, brief(s.Work), brief(s.Span))
	}
	fmt.Fprintln(t)
}

// writeSpreads writes how the pool runs the jobs of each system.
func (e *Explanation) writeSpreads(b *strings.Builder) {
	var lines []string
	for _, s := range slices.Concat(e.Order, e.Apart) {
		for _, spread := range s.Spreads {
			line := shorten(s.System)
			if job := shorten(strings.TrimPrefix(spread.Job, s.System+": ")); job != line {
				line += ", " + job
			}
			if line += ": " + spread.String(); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	section(b, "jobs of some microseconds", lines, strings.Clone)
}

// writeCritical writes the critical path without what takes no time to speak of.
func (e *Explanation) writeCritical(b *strings.Builder) {
	total, rest := time.Duration(0), time.Duration(0)
	for _, l := range e.Critical {
		total += l.Time
	}
	var lines []string
	for _, l := range e.Critical {
		if l.Time < total/50 {
			rest += l.Time
			continue
		}
		lines = append(lines, l.String())
	}
	if rest > 0 {
		lines = append(lines, "and shorter ones: "+brief(rest))
	}
	section(b, "critical path, "+brief(total), lines, func(l string) string { return l })
}

// String says who waits for whom, and why.
func (w Wait) String() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%s for %s: it %s %s, which that %s",
		shorten(w.System), shorten(w.For), verb[w.Writes], shorten(w.Component), verb[w.ForItWrites])
}

// String names the part and says how long it takes.
func (p Part) String() string {
	if p.Jobs {
		return fmt.Sprintf("jobs of %s: %s", shorten(p.System), brief(p.Time))
	}
	return fmt.Sprintf("%s: %s", shorten(p.System), brief(p.Time))
}

// String says how long was waited there, and for whom.
func (s SyncPoint) String() string {
	var b strings.Builder
	if s.System == "" {
		fmt.Fprintf(&b, "end of the frame: %s", brief(s.Waited))
	} else {
		fmt.Fprintf(&b, "%s: %.3g a frame, %s", shorten(s.System), s.Count, brief(s.Waited))
	}
	for i, f := range s.For {
		sep := ", "
		if i == 0 {
			sep = " for "
		} else if f.Time < s.Waited/100 {
			break // nor do the others count
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, shorten(f.System), brief(f.Time))
	}
	return b.String()
}

// brief is a duration with three digits.
func brief(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
}
