package explain

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// String returns the report as a text, with names without their paths.
func (e *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %q", e.World)
	if e.Frames > 0 {
		fmt.Fprintf(&b, ": %d frames measured, %s each", e.Frames, Brief(e.Frame))
	}
	b.WriteByte('\n')
	e.writeOrder(&b)
	section(&b, "not created", e.missing(), strings.Clone)
	e.writeSpreads(&b)
	section(&b, "waits", e.Waits, Wait.String)
	section(&b, "could run at once", e.Parallel, func(wave []string) string {
		return Short(strings.Join(wave, ", "))
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
func (e *Report) writeOrder(b *strings.Builder) {
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\norder")
	if e.Frames > 0 {
		fmt.Fprint(t, "\tupdates\town\twaits\tjobs\twork\tspan")
	}
	fmt.Fprintln(t)
	for _, s := range e.Order {
		e.writeStep(t, s, strings.Repeat("  ", s.Depth+1))
	}
	if len(e.Ungrouped) > 0 {
		fmt.Fprint(t, "  in no group")
		if e.Frames > 0 {
			fmt.Fprint(t, strings.Repeat("\t", 6)) // else columns would begin anew
		}
		fmt.Fprintln(t)
	}
	for _, s := range e.Ungrouped {
		e.writeStep(t, s, "    ")
	}
	_ = t.Flush() // a Builder takes everything
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (e *Report) writeStep(t *tabwriter.Writer, s System, indent string) {
	fmt.Fprint(t, indent, Short(s.System))
	if e.Frames > 0 {
		fmt.Fprintf(t, "\t%.3g\t%s\t%s\t%.3g\t%s\t%s", s.Updates, Brief(s.Own), Brief(s.Waited), s.Jobs, Brief(s.Work), Brief(s.Span))
	}
	fmt.Fprintln(t)
}

// missing has a line for each type that was not created, and one for those of a set that have the same reason.
func (e *Report) missing() (lines []string) {
	sets := make(map[Missing]int) // without the name of the system
	for _, m := range e.NotCreated {
		sets[Missing{Set: m.Set, Why: m.Why}]++
	}
	for _, m := range e.NotCreated {
		key := Missing{Set: m.Set, Why: m.Why}
		switch n := sets[key]; {
		case m.Set == "" || n == 1:
			lines = append(lines, m.String())
		case n > 1:
			lines = append(lines, fmt.Sprintf("%d systems of the set %s: %s", n, m.Set, m.Why))
			sets[key] = 0 // that line is for the others too
		}
	}
	return lines
}

// writeSpreads writes how the pool runs the jobs of each system.
func (e *Report) writeSpreads(b *strings.Builder) {
	var lines []string
	for _, s := range slices.Concat(e.Order, e.Ungrouped) {
		for _, spread := range s.Spreads {
			line := Short(s.System)
			if job := Short(strings.TrimPrefix(spread.Job, s.System+": ")); job != line {
				line += ", " + job
			}
			if line += ": " + spread.String(); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	section(b, "loops that are tried with one worker and with all", lines, strings.Clone)
}

// writeCritical writes the critical path without what takes no time to speak of.
func (e *Report) writeCritical(b *strings.Builder) {
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
		lines = append(lines, "and shorter ones: "+Brief(rest))
	}
	section(b, "critical path, "+Brief(total), lines, func(l string) string { return l })
}

// String says what waits for what, and why. A component of float32 is called by its alias, Translation for TranslationOf[float32].
func (w Wait) String() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%s for %s: it %s %s, which that %s",
		Short(w.System), Short(w.For), verb[w.Writes], strings.TrimSuffix(Short(w.Component), "Of[float32]"), verb[w.ForItWrites])
}

// String names the type, and says why there is no system of it.
func (m Missing) String() string { return Short(m.System) + ": " + m.Why }

// String names the part and says how long it takes.
func (p Part) String() string {
	if p.Jobs {
		return fmt.Sprintf("jobs of %s: %s", Short(p.System), Brief(p.Time))
	}
	return fmt.Sprintf("%s: %s", Short(p.System), Brief(p.Time))
}

// String says how long was waited there, and for which jobs.
func (s SyncPoint) String() string {
	var b strings.Builder
	if s.System == "" {
		fmt.Fprintf(&b, "end of the frame: %s", Brief(s.Waited))
	} else {
		fmt.Fprintf(&b, "%s: %.3g a frame, %s", Short(s.System), s.Count, Brief(s.Waited))
	}
	for i, f := range s.For {
		sep := ", "
		if i == 0 {
			sep = " for "
		} else if f.Time < s.Waited/100 {
			break // nor do the others count
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, Short(f.System), Brief(f.Time))
	}
	return b.String()
}

// Brief is a duration with three digits.
func Brief(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 1000 { // 1000*unit is too much for the longest
			return d.Round(unit).String()
		}
	}
}

// Short takes the paths of packages out of a full name, and leaves their names.
func Short(name string) string {
	var b strings.Builder
	for len(name) > 0 {
		end := strings.IndexAny(name, "[], ")
		if end < 0 {
			end = len(name)
		}
		b.WriteString(name[strings.LastIndexByte(name[:end], '/')+1 : end])
		if end < len(name) {
			b.WriteByte(name[end])
			end++
		}
		name = name[end:]
	}
	return b.String()
}
