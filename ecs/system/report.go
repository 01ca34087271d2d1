package system

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// Report describes the frames of a world. The names of systems are full names. Times are means over
// the measured frames. Without [Measure], they are 0.
type Report struct {
	World      string
	Frames     int             // number of measured frames
	Watched    bool            // a Watcher, such as a check, observed the updates in these frames, so no two systems ran at the same time: see Watch
	Frame      time.Duration   // length of a frame
	Order      []ReportSystem  // the systems in the order of their updates
	Ungrouped  []ReportSystem  // systems that no group updates
	NotCreated []ReportMissing // types that the world might have but for which it has no system
	Waits      []ReportWait    // systems whose jobs wait for jobs of other systems
	Parallel   [][]string      // sets of systems, in the order of the frame; no system waits for another one of its set
	Critical   []ReportPart    // the critical path, which is the time of a frame with unlimited workers

	// Critical and the following fields come from a simulation of recorded frames, which are some of the measured
	// ones. If no frames were measured, these fields are empty. RecordedFrame is the median of their
	// lengths; if it is far from Frame, the predictions are less certain.
	// Work is the time that one worker needs for a frame without any waiting.
	// Span is the length of the longest chain of updates and jobs, in which each parallel loop takes
	// as long as its longest block.
	Recorded      int // number of recorded frames
	RecordedFrame time.Duration
	Work, Span    time.Duration
	Workers       int                // number of workers of the world's pool
	Predicted     []ReportPrediction // the length of a frame with 1, 2, 4, 8 and any number of workers
	Savings       []ReportSaving     // changes that would make a frame shorter, the best first

	Syncs  []ReportSync // points at which the owner waited for all jobs
	Advice []string     // advice about the systems and their order
}

// ReportSystem describes a system at one of its places in a frame.
type ReportSystem struct {
	System string
	Depth  int // nesting depth of its group; root groups have depth 0
	Group  bool
	Reads  []string // components that its queries and accesses declare
	Writes []string

	Updates   float64            // updates per frame
	Own       time.Duration      // time on the owner's goroutine, without members and waits
	Waited    time.Duration      // time that the owner's goroutine waited in methods of Frame and World; calls of Handle.Wait are not included
	Jobs      float64            // jobs per frame
	Work      time.Duration      // time of its jobs, added over all workers
	Span      time.Duration      // time from the beginning of its first job to the end of its last job
	LoopModes []profile.LoopMode // how the pool splits the system's loops of up to ten milliseconds, and why
}

// ReportMissing describes a system type for which the world has no system. The type is in the
// report for one of three reasons: it is registered, an option of the world names it, or it is
// the group of a system of the world.
type ReportMissing struct {
	System string
	Plugin string // name of the Plugin that contains the type; may be empty
	Why    string // reason and remedy; for example, "Manual: make it by system.Create, or name it in system.Only"
}

// ReportWait says that jobs of one system wait for jobs of another system, because both use a
// component and at least one writes it. If a wait follows from two other waits, it is omitted.
// After measured frames, the waits of a system that has not updated in these frames are omitted,
// too.
type ReportWait struct {
	System, For         string
	Component           string
	Writes, ForItWrites bool // whether System writes the component, and whether For does
}

// ReportPart is a part of the time of a frame. A ReportPart is an update of a system, or the jobs of a
// system.
type ReportPart struct {
	System string
	Jobs   bool
	Time   time.Duration
}

// ReportSync is a sync point, at which the owner waits until all jobs have finished. A sync point
// occurs in a system that makes structural changes, or at the end of the frame.
type ReportSync struct {
	System string  // empty if the sync point is at the end of the frame
	Count  float64 // waits per frame
	Waited time.Duration
	For    []ReportPart // the parts for which the owner waited, the longest first
}

// String returns the report as a text for people. Names are shortened to the parts without paths.
func (e *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "world %q", e.World)
	if e.Frames > 0 {
		fmt.Fprintf(&b, ": %d frames measured, %s each", e.Frames, threeDigits(e.Frame))
	}
	if e.Watched {
		b.WriteString(", while a watcher, such as a check, made each system wait for its own jobs; the predictions leave these waits out")
	}
	b.WriteByte('\n')
	e.writeOrder(&b)
	writeLines(&b, "not created", e.missingLines())
	e.writeLoopModes(&b)
	writeSection(&b, "waits", e.Waits, ReportWait.String)
	writeSection(&b, "could run at once", e.Parallel, func(wave []string) string {
		return shortName(strings.Join(wave, ", "))
	})
	e.writeCritical(&b)
	e.writePredictions(&b)
	writeSection(&b, "sync points", e.Syncs, ReportSync.String)
	advice := []string(nil)
	for _, s := range e.Savings {
		advice = append(advice, s.String())
	}
	writeLines(&b, "advice", append(advice, e.Advice...))
	return b.String()
}

// writeSection writes a heading, and a line for each entry. If there are no entries, it writes
// nothing.
func writeSection[E any](b *strings.Builder, heading string, entries []E, line func(E) string) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading)
	for _, e := range entries {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(line(e), "\n", "\n  "))
	}
}

// writeLines writes a heading and lines. If there are no lines, it writes nothing.
func writeLines(b *strings.Builder, heading string, lines []string) {
	writeSection(b, heading, lines, func(s string) string { return s })
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
			fmt.Fprint(t, strings.Repeat("\t", 6)) // without these cells, the line would end the table's columns
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

// missingLines returns lines about the types for which there is no system. Types of the same plugin with
// the same reason share a line.
func (e *Report) missingLines() (lines []string) {
	plugins := make(map[ReportMissing]int) // the key contains everything but the name of the system
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
			plugins[key] = 0 // the line already contains the other types
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
	writeLines(b, "loops that are tried with one worker and with all", lines)
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
	writeLines(b, "critical path, "+threeDigits(total), lines)
}

// String returns a sentence that describes the wait. String uses the alias of a component of float32:
// Translation for TranslationOf[float32].
func (w ReportWait) String() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%s for %s: it %s %s, which that %s",
		shortName(w.System), shortName(w.For), verb[w.Writes], shortComponent(w.Component), verb[w.ForItWrites])
}

// String returns the name of the type and the reason.
func (m ReportMissing) String() string { return shortName(m.System) + ": " + m.Why }

// String returns the name and the time of the part.
func (p ReportPart) String() string {
	if p.Jobs {
		return fmt.Sprintf("jobs of %s: %s", shortName(p.System), threeDigits(p.Time))
	}
	return fmt.Sprintf("%s: %s", shortName(p.System), threeDigits(p.Time))
}

// String returns how long the owner waited, and for which jobs.
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
			break // the remaining waits are even shorter
		}
		fmt.Fprintf(&b, "%s%s (%s)", sep, shortName(f.System), threeDigits(f.Time))
	}
	return b.String()
}

// threeDigits returns a duration as text with three digits.
func threeDigits(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d/unit < 1000 { // the product 1000*unit would overflow for the longest duration
			return d.Round(unit).String()
		}
	}
}

// shortName shortens each package path in a full name to its last element.
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

// shortComponent returns the short name of a component. shortComponent uses the aliases of types of float32:
// for example, transform.Translation for transform.TranslationOf[float32]. A system type with the parameter
// float32 has no alias, so it is not shortened.
func shortComponent(name string) string {
	const suffix = "Of[float32]"
	parts := strings.SplitAfter(shortName(name), suffix)
	for k, part := range parts {
		if short := strings.TrimSuffix(part, suffix); short != "" && !strings.ContainsRune(".,[] ", rune(short[len(short)-1])) { // ecs.Of[float32] has no alias
			parts[k] = short
		}
	}
	return strings.Join(parts, "")
}
