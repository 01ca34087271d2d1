package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/kernels"
)

// A claim is a ratio that a page names. Each claim is one row of docs/claims.md.
type claim struct {
	name  string // the anchor of its row
	page  string // the page whose work it measures
	work  string
	rival string // the fastest way that users of Go or of another library would write
	// faster says that the value is the rival's time divided by ours. If faster is false, the value is our
	// time divided by the rival's time.
	faster  bool
	measure func(r *rig) ([]turn, error)
}

// A turn holds the times of both sides, which were taken one right after the other.
type turn struct{ ours, rival float64 }

// errMissing says that this machine cannot measure a row, for example because it has no clang.
type errMissing string

func (e errMissing) Error() string { return string(e) }

// A claimValue is the result of a row, as in claims.json.
type claimValue struct {
	Median  float64 `json:"median"` // of the ratios of the turns
	Least   float64 `json:"least"`  // the ratio of the least times
	Machine string  `json:"machine"`
}

// valueOf returns the value of turns on this machine, with three digits.
func (c *claim) valueOf(turns []turn) claimValue {
	var ratios []float64
	least := turn{math.Inf(1), math.Inf(1)}
	for _, t := range turns {
		ratios = append(ratios, c.ratio(t))
		least = turn{min(least.ours, t.ours), min(least.rival, t.rival)}
	}
	return claimValue{roundDigits(benchbin.Median(ratios)), roundDigits(c.ratio(least)), machine()}
}

func (c *claim) ratio(t turn) float64 {
	if c.faster {
		return t.rival / t.ours
	}
	return t.ours / t.rival
}

// roundDigits rounds to three significant digits.
func roundDigits(x float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return rounded
}

// machine describes this machine in the words of claims.json.
func machine() string {
	load, _ := os.ReadFile("/proc/loadavg") // only Linux has this file
	return fmt.Sprintf("%s (family %d, model %d), %s, %d cores, %s%s",
		strings.TrimSpace(cpuid.CPU.BrandName), cpuid.CPU.Family, cpuid.CPU.Model, kernels.Paths()[len(kernels.Paths())-1], runtime.NumCPU(), runtime.Version(), otherLoad(string(load), runtime.NumCPU()))
}

// otherLoad returns a note if more programs want to run on the machine than this program starts. The first
// number of load is the mean number of programs that want to run, over a minute.
func otherLoad(load string, cores int) string {
	first, _, _ := strings.Cut(load, " ")
	if n, err := strconv.ParseFloat(first, 64); err == nil && n > 1.5*float64(cores) {
		return ", with other load"
	}
	return ""
}

// sameMachine reports whether two descriptions differ at most in the version of Go and the load.
func sameMachine(a, b string) bool {
	a, _, _ = strings.Cut(a, ", go")
	b, _, _ = strings.Cut(b, ", go")
	return a == b
}

const (
	valuesFile = "claims.json" // of this folder
	pageFile   = "../../docs/claims.md"
)

// checkClaims measures the claims whose names match, and compares the ratios
// with the page. A ratio that differs by more than limit is measured twice
// more, because another program may have disturbed it. With update,
// checkClaims writes the ratios into the file of values, and then writes the pages.
func checkClaims(w io.Writer, list []*claim, match func(string) bool, r *rig, update bool) error {
	known, err := readValues(valuesFile)
	if err != nil {
		return err
	}
	var off, elsewhere, measured int
	for _, c := range list {
		if !match(c.name) {
			continue
		}
		got, err := c.check(r, known, update)
		var missing errMissing
		if errors.As(err, &missing) {
			fmt.Fprintf(w, "%-24s skipped: %s\n", c.name, missing)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		measured++
		want, seen := known[c.name]
		note := ""
		switch {
		case update:
			known[c.name] = got
			if seen {
				note = fmt.Sprintf(" (was %s)", format(want.Median))
			}
			if err := writeValues(list, known); err != nil { // after each row, so that a run that is stopped loses none
				return err
			}
		case !seen:
			off++
			note = " OFF: the page has no value"
		case differ(got.Median, want.Median) && !sameMachine(got.Machine, want.Machine):
			elsewhere++
			note = fmt.Sprintf(" differs from the page's %s, which is of another machine", format(want.Median))
		case differ(got.Median, want.Median):
			off++
			note = fmt.Sprintf(" OFF: the page says %s", format(want.Median))
		}
		fmt.Fprintf(w, "%-24s %s (least %s)%s\n", c.name, format(got.Median), format(got.Least), note)
	}
	if update { // also without a row, because the text of the table may have changed
		return writePages(list, known)
	}
	if measured == 0 {
		return errors.New("no row was measured: look at the pattern, or at the reasons above")
	}
	if elsewhere > 0 {
		fmt.Fprintf(w, "%d of %d rows differ by more than %.0f %% from another machine's\n", elsewhere, measured, 100*(limit-1))
	}
	fmt.Fprintf(w, "%d of %d rows are off by more than %.0f %%\n", off, measured, 100*(limit-1))
	if off > 0 {
		return errors.New("measure again on an idle machine; if the rows stay off, make claims UPDATE=1 writes the pages")
	}
	return nil
}

// limit is how much a ratio may differ from the page.
const limit = 1.15

func differ(a, b float64) bool { return max(a/b, b/a) > limit }

// check measures a claim up to three times, and stops when the ratio agrees with the page. The
// result is the measurement with the ratio that is closest to the ratio on the page. For an update, it measures once, because then
// the page may be wrong.
func (c *claim) check(r *rig, known map[string]claimValue, update bool) (best claimValue, err error) {
	want, seen := known[c.name]
	for try := range 3 {
		if err := kernels.Use(kernels.Paths()[len(kernels.Paths())-1]); err != nil {
			return best, err
		}
		turns, err := c.measure(r)
		runtime.GC() // the worlds of the row are garbage
		if err != nil {
			return best, err
		}
		if got := c.valueOf(turns); try == 0 || closer(got.Median, best.Median, want.Median) {
			best = got
		}
		if update || !seen || !differ(best.Median, want.Median) || !sameMachine(best.Machine, want.Machine) {
			break
		}
		r.forget()
	}
	return best, nil
}

func closer(a, b, to float64) bool {
	return math.Abs(math.Log(a/to)) < math.Abs(math.Log(b/to))
}

func readValues(name string) (map[string]claimValue, error) {
	known := map[string]claimValue{}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return known, json.Unmarshal(data, &known)
}

// writeValues writes the values of the rows that exist.
func writeValues(list []*claim, known map[string]claimValue) error {
	rows := map[string]claimValue{}
	for _, c := range list {
		if v, ok := known[c.name]; ok {
			rows[c.name] = v
		}
	}
	data, err := json.MarshalIndent(rows, "", "\t") // in the order of the names
	if err != nil {
		return err
	}
	return os.WriteFile(valuesFile, append(data, '\n'), 0o666)
}

// writePages writes docs/claims.md, and the numbers of the pages that link to its rows.
func writePages(list []*claim, known map[string]claimValue) error {
	if err := os.WriteFile(pageFile, []byte(claimsPage(list, known)), 0o666); err != nil {
		return err
	}
	pages, err := linkingPages()
	if err != nil {
		return err
	}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if now := linkNumbers(string(text), known); now != string(text) {
			if err := os.WriteFile(name, []byte(now), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkingPages returns the pages that may link to rows.
func linkingPages() ([]string, error) {
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/performance/*.md", "../../docs/guide/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	return pages, nil
}

// format writes a ratio in the form that the pages use.
func format(x float64) string {
	switch {
	case x >= 9.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 1.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.0995:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// claimsPage returns the text of docs/claims.md.
func claimsPage(list []*claim, known map[string]claimValue) string {
	var machines []string
	for _, c := range list {
		if v, ok := known[c.name]; ok && !slices.Contains(machines, v.Machine) {
			machines = append(machines, v.Machine)
		}
	}
	slices.Sort(machines)
	var b strings.Builder
	b.WriteString(claimsHead)
	for i, m := range machines {
		fmt.Fprintf(&b, "- Machine %d: %s.\n", i+1, m)
	}
	page := ""
	for _, c := range list {
		v, ok := known[c.name]
		if !ok {
			continue
		}
		if c.page != page {
			page = c.page
			fmt.Fprintf(&b, "\n## %s\n\n| command | work | rival | median | least | machine |\n| --- | --- | --- | --- | --- | --- |\n", page)
		}
		unit := "× the time"
		if c.faster {
			unit = "× as fast"
		}
		fmt.Fprintf(&b, "| <a id=%q></a>`make claims ROWS=%s` | %s | %s | %s %s | %s | %d |\n",
			c.name, c.name, c.work, c.rival, format(v.Median), unit, format(v.Least), 1+slices.Index(machines, v.Machine))
	}
	return b.String()
}

//go:embed claims_head.md
var claimsHead string

// claimLink matches a number that is a link to a row of the page.
var claimLink = regexp.MustCompile(`\[([0-9.e+-]+)\]\(((?:\.\./|docs/)?claims\.md)#([a-z0-9-]+)\)`)

// linkNumbers writes the value of the row into each link.
func linkNumbers(text string, known map[string]claimValue) string {
	return claimLink.ReplaceAllStringFunc(text, func(link string) string {
		m := claimLink.FindStringSubmatch(link)
		v, ok := known[m[3]]
		if !ok {
			return link
		}
		return fmt.Sprintf("[%s](%s#%s)", format(v.Median), m[2], m[3])
	})
}

// measureSides measures our side and its rivals in turns. In each turn, the rival with the lowest median
// counts as the rival.
func measureSides(find func(r *rig) (ours side, rivals []side, err error)) func(r *rig) ([]turn, error) {
	return func(r *rig) ([]turn, error) {
		ours, rivals, err := find(r)
		if err != nil {
			return nil, err
		}
		times, err := inTurns(append([]side{ours}, rivals...), r.rounds)
		if err != nil {
			return nil, err
		}
		best := slices.MinFunc(times[1:], func(a, b []float64) int { return cmp.Compare(benchbin.Median(a), benchbin.Median(b)) })
		turns := make([]turn, r.rounds)
		for i := range turns {
			turns[i] = turn{times[0][i], best[i]}
		}
		return turns, nil
	}
}

// placements is the number of times for which measureAnew makes the data of a row.
const placements = 5

// measureAnew is like measureSides, but makes the data several times. The time of a row with much data also depends on the place of
// the data in memory, which stays the same for all rounds of measureSides.
func measureAnew(find func(r *rig) (ours side, rivals []side, err error)) func(r *rig) ([]turn, error) {
	return func(r *rig) (turns []turn, err error) {
		few := *r
		few.rounds = (r.rounds + 1) / 2
		for range placements {
			more, err := measureSides(find)(&few)
			if err != nil {
				return nil, err
			}
			turns = append(turns, more...)
			runtime.GC() // the data is garbage
		}
		return turns, nil
	}
}

// A side runs in one round for at least roundTime, in at least leastGroups groups of
// calls. A group takes at least groupTime. Long calls make fewer groups.
const (
	roundTime   = 3 * time.Millisecond
	leastGroups = 8
	groupTime   = 30 * time.Microsecond
	longRound   = 60 * time.Millisecond
)

// inTurns returns, for each side, the times of the rounds. The time of a round is the time of a
// call in the shortest group, because other programs on the machine can only make a group longer.
func inTurns(sides []side, rounds int) ([][]float64, error) {
	calls, times := make([]int, len(sides)), make([][]float64, len(sides))
	for range rounds {
		for i, s := range sides {
			for calls[i] <= 0 { // how many calls a group needs
				n := max(1, -calls[i])
				ns, err := s.time(n)
				if err != nil {
					return nil, err
				}
				if calls[i] = -2 * n; ns*float64(n) >= float64(groupTime)/2 || n > 1<<20 {
					calls[i] = max(1, int(float64(groupTime)/ns))
				}
			}
			best, took := math.Inf(1), 0.0
			for k := 0; k < leastGroups && took < float64(longRound) || took < float64(roundTime); k++ {
				ns, err := s.time(calls[i])
				if err != nil {
					return nil, err
				}
				best, took = min(best, ns), took+ns*float64(calls[i])
			}
			times[i] = append(times[i], best)
		}
	}
	return times, nil
}

// A metric is a number that a benchmark reports. The name is a regular expression that matches the
// whole name of the benchmark.
type metric struct{ name, unit string }

// measureBenchmarks measures two metrics of the benchmarks of a package of the library, or a ratio that one
// benchmark reports. Then rival is empty. Each round starts the program again.
func measureBenchmarks(pkg string, s benchbin.Spec, ours metric, rivals ...metric) func(r *rig) ([]turn, error) {
	return func(r *rig) ([]turn, error) {
		runs, err := r.run(pkg, s)
		if err != nil {
			return nil, err
		}
		var turns []turn
		for _, found := range runs {
			t := turn{rival: 1}
			if t.ours, err = ours.of(found); err != nil {
				return nil, err
			}
			for i, m := range rivals {
				ns, err := m.of(found)
				if err != nil {
					return nil, err
				}
				if i == 0 || ns < t.rival {
					t.rival = ns
				}
			}
			turns = append(turns, t)
		}
		return turns, nil
	}
}

func (m metric) of(found benchbin.Results) (float64, error) {
	pattern := regexp.MustCompile("^(?:" + m.name + ")$")
	for name, units := range found {
		if v, ok := units[m.unit]; ok && pattern.MatchString(name) {
			return v, nil
		}
	}
	return 0, fmt.Errorf("no benchmark %s reports %s", m.name, m.unit)
}
