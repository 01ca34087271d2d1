package system

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Report says what a frame of a world consists of. Systems are named in
// full. Times are means of one frame, and there are none before system.Measure.
type Report struct {
	World      string
	Frames     int             // that were measured
	Frame      time.Duration   // length of one
	Order      []ReportSystem  // the systems in the order of their updates
	Ungrouped  []ReportSystem  // those that no group updates
	NotCreated []ReportMissing // the types that the world might have a system of, and has none
	Waits      []ReportWait    // whose jobs wait for whose
	Parallel   [][]string      // systems whose jobs can run at the same time, in the order of the frame
	Critical   []ReportPart    // what a frame would take with as many workers as one likes
	Syncs      []ReportSync    // where the owner waited for all jobs
	Advice     []string        // what could be better
}

// ReportSystem is one system's place in a frame.
type ReportSystem struct {
	System string
	Depth  int // of its group; root groups have 0
	Group  bool
	Reads  []string // components that its queries and accesses declare
	Writes []string

	Updates float64          // a frame
	Own     time.Duration    // on the owner's goroutine, without members and waits
	Waited  time.Duration    // on the owner's goroutine, by Frame and World; Handle.Wait is not seen
	Jobs    float64          // scheduled
	Work    time.Duration    // of its jobs, on all workers together
	Span    time.Duration    // from the beginning of its first job to the end of its last
	Spreads []profile.Spread // how the pool runs its loops of up to ten milliseconds, and why
}

// ReportMissing is a system type of which a world has no system, though it is registered, or the options of the world name it, or a system of
// the world stands in it.
type ReportMissing struct {
	System string
	Plugin string // the name of the system.Plugin that it is of; empty: of none
	Why    string // and what to do: for example, "Manual: make it by system.Create, or name it in system.Only"
}

// ReportWait says that jobs of one system come after those of another because both
// touch a component, and one writes it. What one waits for through a third is
// left out, and so is, after frames with system.Measure, what waits of a system that
// has not updated in them.
type ReportWait struct {
	System, For         string
	Component           string
	Writes, ForItWrites bool // System writes it; For does
}

// ReportPart is a part of what takes time: an update of a system, or jobs that it scheduled.
type ReportPart struct {
	System string
	Jobs   bool
	Time   time.Duration
}

// ReportSync is where the owner waited until all jobs were done: in a system
// that changes the structure of the world, or at the end of the frame.
type ReportSync struct {
	System string  // empty: the end of the frame
	Count  float64 // a frame
	Waited time.Duration
	For    []ReportPart // the longest first
}

// String returns the report as a text, with names without their paths.
func (e *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %q", e.World)
	if e.Frames > 0 {
		fmt.Fprintf(&b, ": %d frames measured, %s each", e.Frames, brief(e.Frame))
	}
	b.WriteByte('\n')
	e.writeOrder(&b)
	writeSection(&b, "not created", e.missing(), strings.Clone)
	e.writeSpreads(&b)
	writeSection(&b, "waits", e.Waits, ReportWait.String)
	writeSection(&b, "could run at once", e.Parallel, func(wave []string) string {
		return short(strings.Join(wave, ", "))
	})
	e.writeCritical(&b)
	writeSection(&b, "sync points", e.Syncs, ReportSync.String)
	writeSection(&b, "advice", e.Advice, func(a string) string { return a })
	return b.String()
}

// writeSection writes a heading and a line for each entry, if there is one.
func writeSection[E any](b *strings.Builder, heading string, entries []E, line func(E) string) {
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

func (e *Report) writeStep(t *tabwriter.Writer, s ReportSystem, indent string) {
	fmt.Fprint(t, indent, short(s.System))
	if e.Frames > 0 {
		fmt.Fprintf(t, "\t%.3g\t%s\t%s\t%.3g\t%s\t%s", s.Updates, brief(s.Own), brief(s.Waited), s.Jobs, brief(s.Work), brief(s.Span))
	}
	fmt.Fprintln(t)
}

// missing has a line for each type that was not created, and one for those of a plugin that have the same reason.
func (e *Report) missing() (lines []string) {
	plugins := make(map[ReportMissing]int) // without the name of the system
	for _, m := range e.NotCreated {
		plugins[ReportMissing{Plugin: m.Plugin, Why: m.Why}]++
	}
	for _, m := range e.NotCreated {
		key := ReportMissing{Plugin: m.Plugin, Why: m.Why}
		switch n := plugins[key]; {
		case m.Plugin == "" || n == 1:
			lines = append(lines, m.String())
		case n > 1:
			lines = append(lines, fmt.Sprintf("%d systems of the plugin %s: %s", n, m.Plugin, m.Why))
			plugins[key] = 0 // that line is for the others too
		}
	}
	return lines
}

// writeSpreads writes how the pool runs the jobs of each system.
func (e *Report) writeSpreads(b *strings.Builder) {
	var lines []string
	for _, s := range slices.Concat(e.Order, e.Ungrouped) {
		for _, spread := range s.Spreads {
			line := short(s.System)
			if job := short(strings.TrimPrefix(spread.Job, s.System+": ")); job != line {
				line += ", " + job
			}
			if line += ": " + spread.String(); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	writeSection(b, "loops that are tried with one worker and with all", lines, strings.Clone)
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
		lines = append(lines, "and shorter ones: "+brief(rest))
	}
	writeSection(b, "critical path, "+brief(total), lines, func(l string) string { return l })
}

// String says what waits for what, and why. A component of float32 is called by its alias, Translation for TranslationOf[float32].
func (w ReportWait) String() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%s for %s: it %s %s, which that %s",
		short(w.System), short(w.For), verb[w.Writes], strings.TrimSuffix(short(w.Component), "Of[float32]"), verb[w.ForItWrites])
}

// String names the type, and says why there is no system of it.
func (m ReportMissing) String() string { return short(m.System) + ": " + m.Why }

// String names the part and says how long it takes.
func (p ReportPart) String() string {
	if p.Jobs {
		return fmt.Sprintf("jobs of %s: %s", short(p.System), brief(p.Time))
	}
	return fmt.Sprintf("%s: %s", short(p.System), brief(p.Time))
}

// String says how long was waited there, and for which jobs.
func (s ReportSync) String() string {
	var b strings.Builder
	if s.System == "" {
		fmt.Fprintf(&b, "end of the frame: %s", brief(s.Waited))
	} else {
		fmt.Fprintf(&b, "%s: %.3g a frame, %s", short(s.System), s.Count, brief(s.Waited))
	}
	for i, f := range s.For {
		sep := ", "
		if i == 0 {
			sep = " for "
		} else if f.Time < s.Waited/100 {
			break // nor do the others count
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, short(f.System), brief(f.Time))
	}
	return b.String()
}

// brief is a duration with three digits.
func brief(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 1000 { // 1000*unit is too much for the longest
			return d.Round(unit).String()
		}
	}
}

// short takes the paths of packages out of a full name, and leaves their names.
func short(name string) string {
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
