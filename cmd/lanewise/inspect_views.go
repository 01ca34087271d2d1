package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/internal/printable"
)

// order shows how long a frame would take with other numbers of workers. Then it lists changes that
// would make a frame shorter, the best first, the critical path, the dependencies and the sync points.
func (c *client) order(w io.Writer) error {
	var o inspect.Order
	if err := c.ask("order", &o, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, "%s, %s measured, %s each; work %s, span %s, %s\n", printable.Name(o.World), count(o.Frames, "frame"), formatMicros(o.Length), formatMicros(o.Work), formatMicros(o.Span), count(o.Workers, "worker"))
	if o.Watched {
		_, _ = fmt.Fprintln(w, "a watcher, such as the catch of NaN, made each system wait for its own jobs in these frames; the predictions leave these waits out")
	}
	for _, p := range o.Predicted {
		workers := "any number of workers"
		if p.Workers > 0 {
			workers = count(p.Workers, "worker")
		}
		_, _ = fmt.Fprintf(w, "predicted with %s: %s\n", workers, formatMicros(p.Time))
	}
	rows := [][]string{{"saves", "advice"}}
	for _, s := range o.Savings {
		rows = append(rows, []string{formatMicros(s.Saves), s.Advice})
	}
	if len(o.Predicted) > 0 && len(o.Savings) == 0 {
		_, _ = fmt.Fprintln(w, "\nno change of the order of systems or of their blocks would save 1 % of a frame")
	}
	return errors.Join(c.section(w, rows), c.criticalPath(w, o.Critical), c.waits(w, o.Waits), c.syncs(w, o.Syncs), c.advice(w, o.Advice))
}

// advice shows the advice, where texts that differ only in the system, which is the first word, are one row.
func (c *client) advice(w io.Writer, list []string) error {
	systems := map[string][]string{}
	var texts []string
	for _, a := range list {
		system, text, _ := strings.Cut(a, " ")
		if systems[text] == nil {
			texts = append(texts, text)
		}
		systems[text] = append(systems[text], system)
	}
	rows := [][]string{{"systems", "advice"}}
	for _, text := range texts {
		own := systems[text]
		if len(own) == 1 {
			rows = append(rows, []string{"1", own[0] + " " + text})
			continue
		}
		names := strings.Join(own[:min(len(own), 3)], ", ")
		if len(own) > 3 {
			names += fmt.Sprintf(" and %d more", len(own)-3)
		}
		rows = append(rows, []string{fmt.Sprint(len(own)), "… " + text + " (" + names + ")"})
	}
	return c.section(w, rows)
}

// criticalPath shows how long each system is on the critical path, in the order of the path. It leaves out systems
// with less than one percent of it.
func (c *client) criticalPath(w io.Writer, path []inspect.Segment) error {
	total, times := 0.0, map[inspect.Segment]float64{}
	var order []inspect.Segment
	for _, p := range path {
		who := inspect.Segment{System: p.System, Jobs: p.Jobs}
		if _, seen := times[who]; !seen {
			order = append(order, who)
		}
		total, times[who] = total+p.Time, times[who]+p.Time
	}
	rows := [][]string{{"time", "on the critical path"}}
	rest, others := 0.0, 0
	for _, who := range order {
		name := who.System
		if who.Jobs {
			name += ", jobs"
		}
		if times[who] < total/100 {
			rest, others = rest+times[who], others+1
			continue
		}
		rows = append(rows, []string{formatMicros(times[who]), name})
	}
	if others > 0 {
		rows = append(rows, []string{formatMicros(rest), fmt.Sprintf("%s with less than 1 %% each", count(others, "other"))})
	}
	return c.section(w, rows)
}

// waits shows which system waits for which other system, and because of which component.
func (c *client) waits(w io.Writer, list []inspect.Waits) error {
	rows := [][]string{{"system", "waits for", "because of"}}
	for _, x := range list {
		writers := "which both write"
		switch {
		case !x.Writes:
			writers = "which " + x.For + " writes"
		case !x.ForItWrites:
			writers = "which " + x.System + " writes"
		}
		rows = append(rows, []string{x.System, x.For, x.Component + ", " + writers})
	}
	return c.section(w, rows)
}

// syncs shows the points at which the owner waited for all jobs.
func (c *client) syncs(w io.Writer, list []inspect.SyncPoint) error {
	rows := [][]string{{"waited", "times", "sync point"}}
	for _, x := range list {
		name := x.System
		if name == "" {
			name = "the end of the frame"
		}
		var systems []string
		for _, p := range x.For {
			systems = append(systems, p.System)
		}
		if len(systems) > 0 {
			name += ", for jobs of " + strings.Join(systems, ", ")
		}
		rows = append(rows, []string{formatMicros(x.Waited), fmt.Sprintf("%.3g", x.Count), name})
	}
	return c.section(w, rows)
}

// section shows a table below another one, if the table has rows besides its heading.
func (c *client) section(w io.Writer, rows [][]string) error {
	if len(rows) < 2 {
		return nil
	}
	_, _ = fmt.Fprintln(w)
	return c.cutTable(w, rows)
}

// showEntity shows one entity: its components, the systems that process it, and where the entities ended that had
// its index before.
func (c *client) showEntity(w io.Writer) error {
	id, err := c.idOf(c.entity)
	if err != nil {
		return err
	}
	c.entity = id
	var e inspect.Entity
	if err := c.ask("entity", &e, url.Values{"id": {id}}); err != nil {
		var g inspect.Gone // the entity may have been destroyed, or is not in the kept frame
		if c.askRunning("gone", &g, url.Values{"id": {id}}) != nil {
			return err
		}
		if c.frameNumber != "" {
			_, _ = fmt.Fprintf(w, "-frame %s: %v\n", c.frameNumber, err)
		}
		return c.holders(w, append([]inspect.Holder{g.Holder}, g.Earlier...))
	}
	_, _ = fmt.Fprintf(w, "%sentity %s%s, archetype #%d, children: %d\n", c.heading(e.Frame), e.ID, quoted(e.Name), e.Archetype, e.ChildCount)
	rows := [][]string{{"component", "value"}}
	for _, x := range e.Components {
		value := formatFields(x.Value)
		if !x.On {
			value += " (disabled)"
		}
		rows = append(rows, []string{x.Name, value})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"system", "writes"}}
	for _, m := range e.Systems {
		if m.Matches || len(m.Queries) == 0 { // a system without a query may access any entity
			rows = append(rows, []string{m.System, written(&m)})
		}
	}
	if err := c.section(w, rows); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w)
	var g inspect.Gone
	switch err := c.askRunning("gone", &g, url.Values{"id": {e.ID}}); {
	case err != nil:
		_, _ = fmt.Fprintf(w, "earlier entities with this index: %v\n", err)
	case c.frameNumber != "":
		return c.holders(w, append([]inspect.Holder{g.Holder}, g.Earlier...))
	case len(g.Earlier) == 0:
		_, _ = fmt.Fprintln(w, "no kept frame has an earlier entity with this index")
	default:
		return c.holders(w, g.Earlier)
	}
	return nil
}

// written lists the components of an entity that a system declares to write.
func written(m *inspect.Matching) string {
	switch {
	case len(m.Writes) == 0:
		return "nothing of it"
	case len(m.Queries) == 0:
		return strings.Join(m.Writes, " ") + " (the system has no query)"
	}
	return strings.Join(m.Writes, " ")
}

// holders shows in which frame each entity was destroyed, and the systems that destroyed entities in this frame.
func (c *client) holders(w io.Writer, list []inspect.Holder) error {
	for _, h := range list {
		when := fmt.Sprintf("was destroyed after frame %d, by the end of frame %d", h.Last, h.Frame)
		switch {
		case h.Frame == 0 && c.frameNumber != "":
			when = fmt.Sprintf("is in the kept frames from %d to the last one, %d", h.First, h.Last)
		case h.Frame == 0:
			when = fmt.Sprintf("is in the last kept frame, %d", h.Last)
		case h.Frame == h.Last+1:
			when = fmt.Sprintf("was destroyed in frame %d", h.Frame)
		}
		if h.Frame > 0 && c.frameNumber != "" {
			when = fmt.Sprintf("is in the kept frames from %d to %d, and %s", h.First, h.Last, when)
		}
		_, _ = fmt.Fprintf(w, "entity %s%s %s\n", h.ID, quoted(h.Name), when)
		rows := [][]string{{"frame", "destroyed", "by"}}
		for _, x := range h.Changes {
			rows = append(rows, []string{fmt.Sprint(x.Frame), formatThousands(x.Fewer), x.Op + " by " + changer(x)})
		}
		if len(rows) > 1 {
			if err := c.cutTable(w, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// changer returns the name of the system that made a structural change.
func changer(x inspect.Change) string {
	if x.System == "" {
		return "the program, between systems"
	}
	return x.System
}

// quoted returns a name in quotes after a space, or an empty text if there is no name.
func quoted(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %q", name)
}

// formatFields formats the value of a component in a row of a table, with the names of its fields.
func formatFields(v any) string {
	parts, ok := fieldTexts(v)
	if !ok {
		return formatPlain(v)
	}
	return strings.Join(parts, "  ")
}

// fieldTexts returns the name and the value of each field of a struct in an answer. It returns false for other values.
func fieldTexts(v any) (parts []string, ok bool) {
	list, ok := v.([]any)
	for _, x := range list {
		name, value, named := fieldOf(x)
		if !named {
			return nil, false
		}
		parts = append(parts, name+" "+formatNamed(value))
	}
	return parts, ok
}

// fieldOf returns the name and the value of a field in an answer. A reference to an entity also has a name, but it is no field.
func fieldOf(x any) (name string, value any, ok bool) {
	field, _ := x.(map[string]any)
	name, ok = field["name"].(string)
	value, has := field["value"]
	return name, value, ok && has
}

// control pauses, resumes, steps or slows down the world, or catches the next NaN, and says in which state the world is.
func (c *client) control(out io.Writer, do string) error {
	do, value, _ := strings.Cut(do, " ")
	if do == "catch" && value == "" {
		value = "true"
	}
	var state inspect.Controlled
	if err := c.send(http.MethodPost, "control", &state, url.Values{"do": {do}, "value": {value}}); err != nil {
		return err
	}
	if c.json {
		_, err := out.Write(c.raw)
		return err
	}
	words := "the world runs"
	if state.Paused {
		words = "the world is paused"
	}
	if state.Steps > 0 {
		words = fmt.Sprintf("the world pauses after %s", count(int(state.Steps), "more step"))
	}
	if _, err := fmt.Fprintf(out, "frame %d: %s\n", state.Frame, words); err != nil || len(state.Already) == 0 {
		return err
	}
	var numbers []string
	for _, x := range state.Already {
		numbers = append(numbers, fmt.Sprintf("%s of entity %s is %s", x.Number, x.Entity, x.Value))
	}
	_, err := fmt.Fprintf(out, "NaN or infinite already, so these do not pause the world: %s (-view nan finds their first frames)\n", strings.Join(numbers, ", "))
	return err
}

// showWatches shows numbers over the last frames, and the NaN or infinity that was caught.
func (c *client) showWatches(w io.Writer) error {
	x, err := askUntil(c, "watches", url.Values{"watch": c.watched}, func(x *inspect.Watches) bool {
		for _, one := range x.Watches {
			if one.Error == "" && len(one.Values) == 0 {
				return false
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	switch {
	case x.Caught != nil:
		_, _ = fmt.Fprintf(w, "frame %d: caught: %s; the world waits until -do resume\n", x.Caught.Frame, wroteText(x.Caught))
	case x.Catching:
		_, _ = fmt.Fprintf(w, "frame %d: the world pauses when a system writes a new NaN or infinity; -view nan shows those that exist\n", x.Frame)
	case len(x.Watches) == 0:
		_, _ = fmt.Fprintf(w, "frame %d: no watch: add one with -watch, or wait for the next NaN with -do catch\n", x.Frame)
	default:
		_, _ = fmt.Fprintf(w, "frame %d\n", x.Frame)
	}
	rows := [][]string{{"last", "min", "max", "frames", "watch"}}
	for _, one := range x.Watches {
		if one.Error != "" {
			rows = append(rows, []string{"·", "·", "·", "0", one.Spec + ": " + strings.TrimPrefix(one.Error, "inspect: ")})
			continue
		}
		rows = append(rows, append(samples(one.Values), fmt.Sprint(len(one.Values)), one.Spec))
	}
	if len(rows) > 1 {
		if err := table(w, rows); err != nil {
			return err
		}
	}
	for _, one := range x.Watches {
		if f := one.First; f != nil {
			text := fmt.Sprintf("first in frame %d: %s of entity %s%s", f.Frame, f.Value, f.Entity, quoted(f.Name))
			if f.Since == 0 {
				text = fmt.Sprintf("in frame %d, when the watch began, there was already %s of entity %s%s (-view nan finds the first frame)", f.Frame, f.Value, f.Entity, quoted(f.Name))
			}
			if f.Wrote != nil {
				text += ": " + wroteText(f.Wrote)
			} else if len(f.Writers) > 0 {
				text += "; systems that write the component: " + strings.Join(f.Writers, ", ")
			}
			_, _ = fmt.Fprintf(w, "%s: %s\n", one.Spec, text)
		}
	}
	return nil
}

// wroteText says which system wrote a NaN or an infinity.
func wroteText(x *inspect.Wrote) string {
	system := x.System
	if system == "" {
		system = "no system"
	}
	text := fmt.Sprintf("%s wrote %s to %s of entity %s in frame %d", system, x.Value, x.Number, x.Entity, x.Frame)
	if x.Again > 0 {
		text += fmt.Sprintf(" (frame %d again)", x.Again)
	}
	return text
}

// samples returns the last of some samples, and the smallest and the largest of those that are numbers.
func samples(values []any) []string {
	row := []string{"·", "·", "·"}
	least, most, found := 0.0, 0.0, false
	for _, v := range values {
		if x, ok := v.(float64); ok {
			if !found {
				least, most, found = x, x, true
			}
			least, most = min(least, x), max(most, x)
		}
	}
	if n := len(values); n > 0 {
		row[0] = formatPlain(values[n-1])
	}
	if found {
		row[1], row[2] = fmt.Sprint(least), fmt.Sprint(most)
	}
	return row
}
