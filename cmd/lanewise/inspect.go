package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/internal/printable"
)

const inspectDoes = `Inspect shows the worlds of a running program as tables. The program serves
them with package inspect, and prints the address to give here, which has a
token behind its #.`

// inspectViews maps the name of each view to the function that prints it.
var inspectViews = map[string]func(c *client, w io.Writer) error{
	"frame": (*client).frame, "archetypes": (*client).showArchetypes, "entities": (*client).showEntities,
	"journal": (*client).journal, "memory": (*client).memory, "worlds": (*client).listWorlds, "order": (*client).order,
	"time": (*client).showPast, "entity": (*client).showEntity, "watches": (*client).showWatches, "nan": (*client).showNaN,
}

// pastViews are the views that can show a kept frame.
var pastViews = []string{"archetypes", "entities", "entity", "memory"}

// viewNames lists the views for messages, in alphabetical order.
func viewNames() string { return strings.Join(slices.Sorted(maps.Keys(inspectViews)), ", ") }

// A client sends requests to an inspector.
type client struct {
	ctx          context.Context
	base         *url.URL
	token        string
	world, query string
	frameNumber  string // the kept frame to show; empty for the running world
	when         string
	entity       string
	watched      []string // the numbers of the view watches
	rows         int
	json         bool
	raw          []byte // the answers of a view
	again        bool   // the view was shown before
}

// inspectCommand implements the subcommand inspect.
func inspectCommand(ctx context.Context, args []string, t *terminal) error {
	c := &client{ctx: ctx}
	view, do, at, every, times := "", "", "", time.Second, 0
	fs := newFlags("inspect", inspectDoes, t)
	text(fs, &at, "url", "the `address` that the program has printed, with the token behind its #; also without the flag's name")
	text(fs, &view, "view", "show this `view`: "+viewNames()+" (default frame)")
	fs.BoolVar(&c.json, "json", false, "print the answers as JSON, one on each line, as docs/inspect.md describes them")
	text(fs, &c.world, "world", "of the world of this `id` or name (default the first)")
	text(fs, &c.query, "q", "show the entities that match this `query`, as \"Translation !Parent\"; an index, an id or a name, as 17, 17:3 or hero, shows this one entity")
	text(fs, &c.frameNumber, "frame", "show the world as it was in the frame with this `number`, in the views "+strings.Join(pastViews, ", ")+"; the program keeps frames with inspect.History")
	text(fs, &c.when, "when", "in the view entities, show those that meet this `condition`, as 'Health.Points < 10 && Team.Label == \"red\"', or 'Health.Points == NaN' for a NaN (-view nan looks at all numbers); in the view time, find the first kept frame in which one meets it")
	text(fs, &c.entity, "entity", "show the view entity: the components of this `entity`, as 17:3, 17 or its name, and who destroyed the entities that had its index before")
	fs.Func("watch", "show the view watches: this `number` over the last frames, as \"odd Translation.Y\"; may be repeated, and docs/inspect.md has the syntax", func(s string) error {
		c.watched = append(c.watched, s)
		return nil
	})
	text(fs, &do, "do", "first `pause`, resume or step the world, or catch the next NaN: pause, resume, \"step 3\", \"pace 20\", catch, or \"catch false\"; the program allows it with inspect.Control")
	fs.IntVar(&c.rows, "rows", 40, "show `N` rows at most")
	fs.DurationVar(&every, "every", time.Second, "ask again after this `time`")
	fs.IntVar(&times, "n", 0, "ask `N` times; without it, a terminal shows the view until Ctrl-C, and a file or a pipe gets it once")
	for k, arg := range args { // before the flags, between them or after them
		if strings.HasPrefix(arg, "http") && (k == 0 || !takesValue(fs, args[k-1])) {
			args = slices.Concat([]string{"-url", arg}, args[:k], args[k+1:])
			break
		}
	}
	if err := parse(fs, args); err != nil {
		return err
	}
	switch {
	case view == "" && c.entity != "":
		view = "entity"
	case view == "" && len(c.watched) > 0 || view == "" && strings.HasPrefix(do, "catch"):
		view = "watches"
	case view == "":
		view = "frame"
	}
	show := inspectViews[view]
	if show == nil {
		return newUsageError("-view %s: there are %s", view, viewNames())
	}
	if _, err := strconv.ParseUint(c.frameNumber, 10, 64); c.frameNumber != "" && (err != nil || !slices.Contains(pastViews, view)) {
		return newUsageError("-frame %s -view %s: want a number, and one of the views %s", c.frameNumber, view, strings.Join(pastViews, ", "))
	}
	if c.when != "" && view != "time" && view != "entities" {
		return newUsageError("-when is for -view entities and -view time")
	}
	if (view == "entity") != (c.entity != "") || view != "watches" && len(c.watched) > 0 {
		return newUsageError("-view %s: the view entity needs -entity, and only the view watches takes -watch", view)
	}
	var err error
	if c.base, err = url.Parse(at); err != nil || c.base.Host == "" || c.base.Fragment == "" {
		return newUsageError("-url %q: want the address that the program has printed, with the token behind its #: http://localhost:6060/#…", at)
	}
	if c.rows < 1 || every <= 0 || times < 0 {
		return newUsageError("-rows %d -every %v -n %d: want numbers above 0", c.rows, every, times)
	}
	c.token, c.base.Fragment = c.base.Fragment, ""
	c.token, _, _ = strings.Cut(c.token, "/")
	if times == 0 && (!t.live || view == "nan") { // the search takes a while, and its result stays
		times = 1
	}
	if do != "" {
		if err := c.control(t.out, do); err != nil {
			return err
		}
	}
	return c.watch(show, t, every, times)
}

// takesValue reports whether an argument is a flag whose value is the next argument.
func takesValue(fs *flag.FlagSet, arg string) bool {
	name, dashed := strings.CutPrefix(arg, "-")
	f := fs.Lookup(strings.TrimPrefix(name, "-"))
	if !dashed || f == nil {
		return false
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

// watch shows a view the given number of times. If the number is 0, it shows
// the view until the context ends.
func (c *client) watch(show func(c *client, w io.Writer) error, t *terminal, every time.Duration, times int) error {
	for n := 1; ; n++ {
		var b strings.Builder
		c.raw = c.raw[:0]
		if err := show(c, &b); err != nil {
			return err
		}
		c.again = true
		if c.json {
			if _, err := t.out.Write(c.raw); err != nil || n == times {
				return err
			}
			b.Reset()
		}
		if t.live && times != 1 && !c.json {
			_, _ = io.WriteString(t.out, "\x1b[H\x1b[2J") // cursor home, and clear below it
		}
		if _, err := io.WriteString(t.out, printable.Lines(b.String())); err != nil || n == times {
			return err
		}
		select {
		case <-c.ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// firstTimeout is the longest time that the first request waits for data. The inspector begins to record when a
// client asks, so at first there are none.
const firstTimeout = time.Second

// askUntil asks until enough accepts the answer. If the view was shown before, it asks once.
func askUntil[T any](c *client, path string, form url.Values, enough func(*T) bool) (out T, err error) {
	for begin := time.Now(); ; {
		c.raw = c.raw[:0]
		out = *new(T)
		if err = c.ask(path, &out, form); err != nil || enough(&out) || c.again || time.Since(begin) > firstTimeout {
			return out, err
		}
		select {
		case <-c.ctx.Done():
			return out, nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ask sends a request that reads, and decodes its answer.
func (c *client) ask(path string, out any, form url.Values) error {
	return c.send(http.MethodGet, path, out, form)
}

// send sends a request and decodes its answer.
func (c *client) send(method, path string, out any, form url.Values) error {
	u := c.base.JoinPath("api", path)
	if form == nil {
		form = url.Values{}
	}
	if c.world != "" {
		form.Set("w", c.world)
	}
	if c.frameNumber != "" {
		form.Set("frame", c.frameNumber)
	}
	body := ""
	if method == http.MethodPost {
		body = form.Encode()
	} else {
		u.RawQuery = form.Encode()
	}
	r, err := http.NewRequestWithContext(c.ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Lanewise-Token", c.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 2000))
		return errors.New(strings.TrimSpace(strings.TrimPrefix(string(text), "inspect: ")))
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("the answer ends too early: %w", err)
	}
	c.raw = append(c.raw, answer...)
	return json.Unmarshal(answer, out)
}

// heading names the frame of an answer. If the frame of the flag -frame is not kept, it says so.
func (c *client) heading(frame uint64) string {
	if c.frameNumber != "" && c.frameNumber != fmt.Sprint(frame) {
		return fmt.Sprintf("frame %s is not kept, so this is frame %d, the last kept one before it: ", c.frameNumber, frame)
	}
	return fmt.Sprintf("frame %d: ", frame)
}

// table writes rows of cells in columns.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range rows {
		for k, cell := range r {
			r[k] = printable.Line(cell)
		}
		last := len(r) - 1
		_, _ = fmt.Fprintln(t, strings.Join(r[:last], "\t")+"\t  "+r[last]) // the last column needs no tab, so that names are aligned
	}
	return t.Flush()
}

// formatMicros formats a time in microseconds.
func formatMicros(us float64) string {
	switch {
	case us == 0:
		return "·"
	case us < 1000:
		return fmt.Sprintf("%.1f µs", us)
	case us < 1e6:
		return fmt.Sprintf("%.2f ms", us/1000)
	}
	return fmt.Sprintf("%.2f s", us/1e6)
}

// frame shows the systems, the slowest first.
func (c *client) frame(w io.Writer) error {
	f, err := askUntil(c, "frame", nil, func(f *inspect.Frame) bool { return f.Timed > 0 || f.Paused })
	if err != nil {
		return err
	}
	state := ""
	if f.Paused {
		state = ", paused"
	}
	long := slices.Clone(f.Lengths)
	slices.Sort(long)
	median, most := 0.0, 0.0
	if n := len(long); n > 0 {
		median, most = long[n/2], long[n-1]
	}
	_, _ = fmt.Fprintf(w, "%s, frame %d%s: %s, median %s, at most %s; %s entities, %s; looking takes %s\n",
		printable.Name(f.World), f.Frame, state, formatMicros(f.Length), formatMicros(median), formatMicros(most), formatThousands(f.Entities), count(f.Workers, "worker"), formatMicros(f.Cost.P99))
	if f.Timed == 0 {
		_, _ = fmt.Fprintln(w, "no frame was timed yet, because nobody looked before: ask again after a few frames, or with -n 2")
	}
	if f.Failure != "" {
		_, _ = fmt.Fprintf(w, "frame %d failed: %s\n", f.FailureFrame, f.Failure)
	}
	var list, idle []inspect.System
	for _, s := range f.Systems {
		switch {
		case s.Group:
		case s.Idle != "":
			idle = append(idle, s)
		default:
			list = append(list, s)
		}
	}
	cost := func(s inspect.System) float64 { return s.Median.Own + s.Median.Work }
	slices.SortStableFunc(list, func(a, b inspect.System) int {
		switch {
		case cost(a) > cost(b):
			return -1
		case cost(a) < cost(b):
			return 1
		}
		return 0
	})
	rows := [][]string{{"own", "jobs", "work", "waited", "own+work, median", "max", "system"}}
	for _, s := range list[:min(len(list), c.rows)] {
		rows = append(rows, []string{formatMicros(s.Last.Own), fmt.Sprint(s.Last.Jobs), formatMicros(s.Last.Work), formatMicros(s.Last.Waited), formatMicros(cost(s)), formatMicros(s.Max.Own + s.Max.Work), s.Name})
	}
	wait, hint := endWait(&f)
	if wait != nil {
		rows = append(rows, wait)
	}
	if err := table(w, rows); err != nil {
		return err
	}
	if n := max(len(list), len(idle)); n > c.rows {
		_, _ = fmt.Fprintln(w, c.more(n))
	}
	if hint {
		_, _ = fmt.Fprintln(w, "-view order shows why the frame waits, and what would make it shorter")
	}
	for _, s := range idle[:min(len(idle), c.rows)] {
		_, _ = fmt.Fprintf(w, "idle: %s: %s\n", s.Name, s.Idle)
	}
	return nil
}

// endWait returns the row for the time in which the owner waited for jobs after the last system of the frame, with the systems of these
// jobs; nil if this was less than a hundredth of the frame. long says that this was at least a tenth of the frame.
func endWait(f *inspect.Frame) (row []string, long bool) {
	end := 0.0
	for _, s := range f.Spans {
		if s.Lane == "owner" && s.Kind != "wait" {
			end = max(end, s.B)
		}
	}
	total, times := 0.0, map[string]float64{}
	var names []string
	for _, s := range f.Spans {
		if s.Lane == "owner" && s.Kind == "wait" && s.A >= end {
			if times[s.Name] == 0 {
				names = append(names, s.Name)
			}
			total, times[s.Name] = total+s.B-s.A, times[s.Name]+s.B-s.A
		}
	}
	if total == 0 || total < f.Length/100 {
		return nil, false
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	names = slices.DeleteFunc(names, func(name string) bool { return times[name] < total/100 })
	return []string{"·", "·", "·", formatMicros(total), "·", "·", "end of the frame, waits for " + strings.Join(names, ", ")}, total >= f.Length/10
}

// more says that a table has more rows than the flag -rows allows.
func (c *client) more(rows int) string {
	return fmt.Sprintf("and %s: -rows %d shows all", count(rows-c.rows, "more row"), rows)
}

// cutTable shows a table with as many rows below its heading as the flag -rows allows.
func (c *client) cutTable(w io.Writer, rows [][]string) error {
	n := len(rows) - 1
	if err := table(w, rows[:min(n, c.rows)+1]); err != nil || n <= c.rows {
		return err
	}
	_, err := fmt.Fprintln(w, c.more(n))
	return err
}

// showArchetypes shows the archetypes, the largest first.
func (c *client) showArchetypes(w io.Writer) error {
	var a inspect.Archetypes
	if err := c.ask("archetypes", &a, url.Values{"limit": {fmt.Sprint(c.rows)}}); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, "%s%d of %d archetypes have rows: %s rows in %s chunks with room for %s\n", c.heading(a.Frame), a.Used, a.Count, formatThousands(a.Rows), formatThousands(a.Chunks), formatThousands(a.Room))
	rows := [][]string{{"index", "rows", "chunks", "a chunk", "full", "components"}}
	for _, x := range a.List {
		full := 0.0
		if x.Chunks > 0 {
			full = 100 * float64(x.Rows) / float64(x.Chunks*x.Capacity)
		}
		rows = append(rows, []string{fmt.Sprintf("#%d", x.Index), formatThousands(x.Rows), formatThousands(x.Chunks), fmt.Sprint(x.Capacity), fmt.Sprintf("%.0f %%", full), strings.Join(x.Components, " ")})
	}
	if err := table(w, rows); err != nil || a.Used <= len(a.List) {
		return err
	}
	_, err := fmt.Fprintf(w, "and %s: -rows shows at most 100\n", count(a.Used-len(a.List), "more archetype"))
	return err
}

// showEntities shows the entities that match a query, and their values. If the query is an entity, it shows this entity.
func (c *client) showEntities(w io.Writer) error {
	if c.when == "" && entityID.MatchString(c.query) {
		c.entity = c.query
		return c.showEntity(w)
	}
	var e inspect.Entities
	if err := c.ask("entities", &e, url.Values{"q": {c.query}, "when": {c.when}, "limit": {fmt.Sprint(c.rows)}}); err != nil {
		if c.query == "" || c.when != "" {
			return err
		}
		id, other := c.idOf(c.query)
		if other != nil {
			return err
		}
		c.entity = id
		return c.showEntity(w)
	}
	noun, match, meet := "entities", "match", "meet"
	if e.Count == 1 {
		noun, match, meet = "entity", "matches", "meets"
	}
	var conditions []string
	if e.Query != "" {
		conditions = append(conditions, fmt.Sprintf("%s %q", match, e.Query))
	}
	if e.When != "" {
		conditions = append(conditions, meet+" "+e.When)
	}
	_, _ = fmt.Fprintf(w, "%s%s %s %s\n", c.heading(e.Frame), formatThousands(e.Count), noun, strings.Join(conditions, " and "))
	if e.Uncompared > 0 {
		_, _ = fmt.Fprintf(w, "only the first %s of %s were compared: write a narrower query with -q\n", formatThousands(e.Compared), formatThousands(e.Compared+e.Uncompared))
	}
	for _, r := range e.Rows {
		_, _ = fmt.Fprintf(w, "%s", r.ID)
		if r.Name != "" {
			_, _ = fmt.Fprintf(w, " %q", r.Name)
		}
		for _, col := range e.Columns {
			if v, ok := r.Values[col]; ok {
				_, _ = fmt.Fprintf(w, "  %s %s", bareName(col), formatNamed(v))
			}
		}
		_, _ = fmt.Fprintln(w)
	}
	if n := e.Count - e.From - len(e.Rows); n > 0 {
		_, _ = fmt.Fprintf(w, "and %s: use -rows, at most %d, or a narrower -q or -when\n", count(n, "more row"), pageRows)
	}
	return nil
}

// formatNamed formats the value of a component in parentheses, with the names of its fields.
func formatNamed(v any) string {
	parts, ok := fieldTexts(v)
	if !ok {
		return formatPlain(v)
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// bareName returns the name of a component type without package names. It also
// removes package names from type arguments.
func bareName(name string) string {
	var b strings.Builder
	for len(name) > 0 {
		end := strings.IndexAny(name, "[], ")
		if end < 0 {
			end = len(name)
		}
		b.WriteString(name[strings.LastIndexByte(name[:end], '.')+1 : end])
		if end < len(name) {
			b.WriteByte(name[end])
			end++
		}
		name = name[end:]
	}
	return b.String()
}

// formatPlain formats a value of an answer.
func formatPlain(v any) string {
	switch v := v.(type) {
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, formatPlain(x))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case map[string]any:
		if e, ok := v["entity"]; ok {
			return fmt.Sprint("→", e)
		}
		if name, ok := v["text"]; ok { // an integer with a method String
			return fmt.Sprint(name)
		}
		return formatPlain(v["value"])
	}
	return fmt.Sprint(v)
}

// journal shows the structural changes and the edits by clients of the inspector, the newest first.
func (c *client) journal(w io.Writer) error {
	j, err := askUntil(c, "journal", nil, func(j *inspect.Journal) bool { return j.Next > 0 || len(j.Edits) > 0 })
	if err != nil {
		return err
	}
	if len(j.Changes)+len(j.Edits) == 0 {
		_, err := fmt.Fprintf(w, "frame %d: no structural change yet: the inspector records them only while a client asks\n", j.Frame)
		return err
	}
	all := slices.DeleteFunc(slices.Clone(j.Changes), func(x inspect.Change) bool { return x.What != "" }) // those are edits
	all = append(all, j.Edits...)                                                                          // an edit with number n was made after frame n
	slices.SortStableFunc(all, func(a, b inspect.Change) int { return cmp.Compare(a.Frame, b.Frame) })
	slices.Reverse(all)
	rows := [][]string{{"frame", "times", "more", "fewer", "what"}}
	for _, x := range all {
		what := x.Op + " by " + changer(x)
		if x.What != "" {
			what += ": " + x.What
		}
		rows = append(rows, []string{fmt.Sprint(x.Frame), formatThousands(x.Times), formatThousands(x.More), formatThousands(x.Fewer), what})
	}
	return c.cutTable(w, rows)
}

// memory shows the memory of chunks and the heap.
func (c *client) memory(w io.Writer) error {
	var m inspect.Memory
	if err := c.ask("memory", &m, nil); err != nil {
		return err
	}
	mib := func(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	_, err := fmt.Fprintf(w, "%s%s entities in %s chunks of %d archetypes, %.0f %% full; chunks %s, slabs %s; heap %s of %s, %d collections, %d goroutines\n",
		c.heading(m.Frame), formatThousands(m.Entities), formatThousands(m.Chunks), m.Archetypes, 100*m.Fill, mib(m.Live), mib(m.Bytes), mib(int(m.Heap)), mib(int(m.Total)), m.Cycles, m.Goroutines)
	return err
}

// showPast shows which frames are kept. If there is a condition, it shows the first kept frame in which an entity
// meets the condition.
func (c *client) showPast(w io.Writer) error {
	if c.when != "" {
		var f inspect.Found
		if err := c.ask("find", &f, url.Values{"when": {c.when}}); err != nil {
			return err
		}
		if !f.Found {
			_, err := fmt.Fprintf(w, "no entity meets %s in %s\n", f.When, count(f.Checked, "kept frame"))
			return err
		}
		name := ""
		if f.Name != "" {
			name = fmt.Sprintf(" %q", f.Name)
		}
		_, err := fmt.Fprintf(w, "frame %d is the first kept frame in which an entity meets %s: entity %s%s\n", f.Frame, f.When, f.ID, name)
		return err
	}
	var f inspect.Frame
	if err := c.ask("frame", &f, nil); err != nil {
		return err
	}
	if f.Past == nil {
		_, err := fmt.Fprintln(w, "the program keeps no frames: see inspect.History")
		return err
	}
	p := f.Past
	if p.Kept == 0 {
		why := "none was due yet"
		if p.Why != "" {
			why = p.Why
		}
		_, err := fmt.Fprintf(w, "%s, frame %d: no frame is kept: %s\n", printable.Name(f.World), f.Frame, why)
		return err
	}
	_, err := fmt.Fprintf(w, "%s, frame %d: %s from %d to %d, %d apart, in %.1f of %.1f MiB; the last image took %s\n",
		printable.Name(f.World), f.Frame, count(p.Kept, "frame"), p.First, p.Last, p.Every, float64(p.Bytes)/(1<<20), float64(p.Limit)/(1<<20), formatMicros(p.Took))
	return err
}

// listWorlds lists them.
func (c *client) listWorlds(w io.Writer) error {
	var list inspect.Worlds
	if err := c.ask("worlds", &list, nil); err != nil {
		return err
	}
	rows := [][]string{{"id", "frame", "world"}}
	for _, x := range list.Worlds {
		rows = append(rows, []string{x.ID, fmt.Sprint(x.Frame), x.Name})
	}
	return table(w, rows)
}
