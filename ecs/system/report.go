package system

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Report describes the frames of a world. Systems have their full names. Times are means over the
// measured frames; they are 0 without [Measure].
type Report struct {
	World      string
	Frames     int             // number of measured frames
	Frame      time.Duration   // length of a frame
	Order      []ReportSystem  // the systems in the order of their updates
	Ungrouped  []ReportSystem  // systems that no group updates
	NotCreated []ReportMissing // types of which the world might have a system, and has none
	Waits      []ReportWait    // systems whose jobs wait for jobs of other systems
	Parallel   [][]string      // sets of systems whose jobs can run at the same time, in the order of the frame
	Critical   []ReportPart    // the critical path: the time of a frame with unlimited workers
	Syncs      []ReportSync    // points where the owner waited for all jobs
	Advice     []string        // advice about the systems and their order
}

// ReportSystem describes a system at its place in a frame.
type ReportSystem struct {
	System string
	Depth  int // depth of its group; root groups have 0
	Group  bool
	Reads  []string // components that its queries and accesses declare
	Writes []string

	Updates   float64            // updates in a frame
	Own       time.Duration      // on the owner's goroutine, without members and waits
	Waited    time.Duration      // on the owner's goroutine, in methods of Frame and World; a call of Handle.Wait is not seen
	Jobs      float64            // jobs in a frame
	Work      time.Duration      // time of its jobs, summed over all workers
	Span      time.Duration      // time from the beginning of its first job to the end of its last
	LoopModes []profile.LoopMode // how the pool splits its loops of up to ten milliseconds, and why
}

// ReportMissing describes a system type of which the world has no system, although the type is
// registered, or an option of the world names it, or a system of the world has it as its group.
type ReportMissing struct {
	System string
	Plugin string // the name of the system.Plugin that has the type; may be empty
	Why    string // reason and remedy; for example, "Manual: make it by system.Create, or name it in system.Only"
}

// ReportWait says that jobs of one system wait for jobs of another, because both touch a component
// and at least one writes it. A wait that follows from two others is left out. After measured
// frames, waits of a system that has not updated in them are left out too.
type ReportWait struct {
	System, For         string
	Component           string
	Writes, ForItWrites bool // whether System and For write the component
}

// ReportPart is a part of the time of a frame: an update of a system, or the jobs of one.
type ReportPart struct {
	System string
	Jobs   bool
	Time   time.Duration
}

// ReportSync is a sync point: a point where the owner waited until all jobs were done, either in a
// system that makes structural changes or at the end of the frame.
type ReportSync struct {
	System string  // empty for the end of the frame
	Count  float64 // waits in a frame
	Waited time.Duration
	For    []ReportPart // what the owner waited for, the longest first
}

// String returns the report as a text for people, with names without their paths.
func (e *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %q", e.World)
	if e.Frames > 0 {
		fmt.Fprintf(&b, ": %d frames measured, %s each", e.Frames, threeDigits(e.Frame))
	}
	b.WriteByte('\n')
	e.writeOrder(&b)
	writeSection(&b, "not created", e.missing(), strings.Clone)
	e.writeLoopModes(&b)
	writeSection(&b, "waits", e.Waits, ReportWait.String)
	writeSection(&b, "could run at once", e.Parallel, func(wave []string) string {
		return shortName(strings.Join(wave, ", "))
	})
	e.writeCritical(&b)
	writeSection(&b, "sync points", e.Syncs, ReportSync.String)
	writeSection(&b, "advice", e.Advice, func(a string) string { return a })
	return b.String()
}

// writeSection writes a heading and a line for each entry. It writes nothing if there is no entry.
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
			fmt.Fprint(t, strings.Repeat("\t", 6)) // a line without these cells would begin new columns
		}
		fmt.Fprintln(t)
	}
	for _, s := range e.Ungrouped {
		e.writeStep(t, s, "    ")
	}
	_ = t.Flush() // a Builder returns no error
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (e *Report) writeStep(t *tabwriter.Writer, s ReportSystem, indent string) {
	fmt.Fprint(t, indent, shortName(s.System))
	if e.Frames > 0 {
		fmt.Fprintf(t, "\t%.3g\t%s\t%s\t%.3g\t%s\t%s", s.Updates, threeDigits(s.Own), threeDigits(s.Waited), s.Jobs, threeDigits(s.Work), threeDigits(s.Span))
	}
	fmt.Fprintln(t)
}

// missing returns a line for each type that was not created. Types of one plugin with the same
// reason share a line.
func (e *Report) missing() (lines []string) {
	plugins := make(map[ReportMissing]int) // keyed by everything but the system's name
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
			plugins[key] = 0 // the line covers the others too
		}
	}
	return lines
}

// writeLoopModes writes how the pool splits the loops of each system.
func (e *Report) writeLoopModes(b *strings.Builder) {
	var lines []string
	for _, s := range slices.Concat(e.Order, e.Ungrouped) {
		for _, mode := range s.LoopModes {
			line := shortName(s.System)
			if job := shortName(strings.TrimPrefix(mode.Job, s.System+": ")); job != line {
				line += ", " + job
			}
			if line += ": " + mode.String(); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	writeSection(b, "loops that are tried with one worker and with all", lines, strings.Clone)
}

// writeCritical writes the critical path, without parts that take almost no time.
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
		lines = append(lines, "and shorter ones: "+threeDigits(rest))
	}
	writeSection(b, "critical path, "+threeDigits(total), lines, func(l string) string { return l })
}

// String returns the wait as a sentence. A component of float32 has the name of its alias:
// Translation for TranslationOf[float32].
func (w ReportWait) String() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%s for %s: it %s %s, which that %s",
		shortName(w.System), shortName(w.For), verb[w.Writes], strings.TrimSuffix(shortName(w.Component), "Of[float32]"), verb[w.ForItWrites])
}

// String returns the type's name and the reason.
func (m ReportMissing) String() string { return shortName(m.System) + ": " + m.Why }

// String returns the part's name and time.
func (p ReportPart) String() string {
	if p.Jobs {
		return fmt.Sprintf("jobs of %s: %s", shortName(p.System), threeDigits(p.Time))
	}
	return fmt.Sprintf("%s: %s", shortName(p.System), threeDigits(p.Time))
}

// String returns how long the owner waited and for which jobs.
func (s ReportSync) String() string {
	var b strings.Builder
	if s.System == "" {
		fmt.Fprintf(&b, "end of the frame: %s", threeDigits(s.Waited))
	} else {
		fmt.Fprintf(&b, "%s: %.3g a frame, %s", shortName(s.System), s.Count, threeDigits(s.Waited))
	}
	for i, f := range s.For {
		sep := ", "
		if i == 0 {
			sep = " for "
		} else if f.Time < s.Waited/100 {
			break // the rest is shorter still
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, shortName(f.System), threeDigits(f.Time))
	}
	return b.String()
}

// threeDigits returns a duration with three digits.
func threeDigits(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 1000 { // 1000*unit would overflow for the longest duration
			return d.Round(unit).String()
		}
	}
}

// shortName removes the paths of packages from a full name, but keeps their last elements.
func shortName(name string) string {
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
