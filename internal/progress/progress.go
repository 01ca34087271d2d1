// Package progress reports the progress of work. On a terminal, it shows a
// bar with the rate and the remaining time. In a pipe, it writes a line at
// intervals. For programs, it writes JSON objects.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lanewise/lanewise/internal/printable"
)

// Style is a way to report progress.
type Style int

// The styles.
const (
	Lines Style = iota // at most a line a second, and fewer for long work
	Bar                // one line that is redrawn and finally removed
	JSON               // at most an object a second
	None               // only the lines of Say
)

// StyleOf returns the style with a name. For "auto", it returns a bar on a
// terminal, and lines elsewhere.
func StyleOf(name string, live bool) (Style, error) {
	switch name {
	case "auto", "":
		if live {
			return Bar, nil
		}
		return Lines, nil
	case "bar":
		return Bar, nil
	case "lines":
		return Lines, nil
	case "json":
		return JSON, nil
	case "none":
		return None, nil
	}
	return None, fmt.Errorf("-progress %s: it is one of auto, bar, lines, json, none", name)
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A Progress reports the progress of one piece of work. Several goroutines may
// call its methods.
type Progress struct {
	mu    sync.Mutex
	out   io.Writer
	style Style
	now   func() time.Time

	what  string // the name of the items, or empty
	total int
	had   int // number of items done before the beginning
	done  int
	note  string
	start time.Time
	drawn time.Time
	width int // width of the bar's last line, to erase it
}

// Options describe the work.
type Options struct {
	Style Style
	Total int
	Had   int              // items that were done before; they do not count for the rate
	What  string           // what the items are, in plural; if empty, only the percentage is shown
	Now   func() time.Time // nil: time.Now
}

// New begins to report progress to out.
func New(out io.Writer, o Options) *Progress {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Progress{out: out, style: o.Style, now: o.Now, what: o.What, total: max(o.Total, 1), had: o.Had, done: o.Had, start: o.Now()}
	p.drawn = p.start
	if o.Style == Bar {
		p.drawn = time.Time{}
	}
	return p
}

// Add records that n more items are done. note describes the last item.
func (p *Progress) Add(n int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.done+n, note)
}

// Set records how many items are done. note describes the last item.
func (p *Progress) Set(done int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(done, note)
}

func (p *Progress) set(done int, note string) {
	now := p.now()
	p.done, p.note = done, printable.Line(note)
	last := done >= p.total
	switch pause := now.Sub(p.drawn); p.style {
	case Bar:
		if last || pause >= 50*time.Millisecond {
			p.drawn = now
			p.bar(now)
		}
	case Lines: // about three hundred lines for a day's work
		if last || pause >= max(time.Second, now.Sub(p.start)/32) {
			p.drawn = now
			_, _ = fmt.Fprintln(p.out, p.text(now))
		}
	case JSON:
		if last || pause >= time.Second {
			p.drawn = now
			p.object(p.fact(now))
		}
	case None:
	}
}

// Say writes a line that stays on the terminal. Control characters in it are
// escaped as in a Go string, because the text may come from a worker or a
// file that is not trusted.
func (p *Progress) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := printable.Lines(fmt.Sprintf(format, args...))
	if p.style == JSON {
		p.object(said{text})
		return
	}
	p.clear()
	_, _ = fmt.Fprintln(p.out, text)
}

// Write writes lines that stay on the terminal. Use Write for other output while the bar is
// shown.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.style == JSON {
		p.object(said{strings.TrimSuffix(string(b), "\n")})
		return len(b), nil
	}
	p.clear()
	return p.out.Write(b)
}

// End removes the bar.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Rate returns the average number of items done per second since the beginning,
// and the time since the beginning.
func (p *Progress) Rate() (perSecond float64, since time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate(p.now())
}

func (p *Progress) rate(now time.Time) (float64, time.Duration) {
	since := now.Sub(p.start)
	if since <= 0 {
		return 0, 0
	}
	return float64(p.done-p.had) / since.Seconds(), since
}

// remaining estimates the remaining time from the rate so far. It returns false if
// the rate is not known yet.
func (p *Progress) remaining(now time.Time) (time.Duration, bool) {
	fresh := p.done - p.had
	if fresh <= 0 || p.done >= p.total {
		return 0, false
	}
	return time.Duration(float64(now.Sub(p.start)) / float64(fresh) * float64(p.total-p.done)), true
}

// text returns the progress as a line of text, without a bar.
func (p *Progress) text(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%3d %%", p.percent())
	if p.what != "" {
		rate, _ := p.rate(now)
		fmt.Fprintf(&b, "  %s/%s %s  %s/s", Thousands(p.done), Thousands(p.total), p.what, shortRate(rate))
	}
	if p.note != "" {
		b.WriteString("  " + p.note)
	}
	if left, ok := p.remaining(now); ok {
		fmt.Fprintf(&b, "  %s left", left.Round(time.Second))
	} else {
		fmt.Fprintf(&b, "  %s", now.Sub(p.start).Round(100*time.Millisecond))
	}
	return b.String()
}

func (p *Progress) percent() int {
	return int(100 * int64(p.done) / int64(p.total))
}

// cells is the length of a bar in characters.
const cells = 32

func (p *Progress) bar(now time.Time) {
	full := min(int(cells*int64(p.done)/int64(p.total)), cells)
	line := strings.Repeat("█", full) + strings.Repeat("░", cells-full) + " " + p.text(now)
	_, _ = fmt.Fprintf(p.out, "\r%-*s", p.width, line)
	p.width = len([]rune(line))
}

func (p *Progress) clear() {
	if p.width > 0 {
		_, _ = fmt.Fprintf(p.out, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// fact is the JSON object of a progress report.
type fact struct {
	Done    int      `json:"done"`
	Total   int      `json:"total"`
	What    string   `json:"what,omitempty"`
	Rate    float64  `json:"rate"`    // a second
	Elapsed float64  `json:"elapsed"` // seconds
	Left    *float64 `json:"left"`    // seconds; null if not known
	Note    string   `json:"note,omitempty"`
}

type said struct {
	Say string `json:"say"`
}

func (p *Progress) fact(now time.Time) fact {
	rate, since := p.rate(now)
	f := fact{Done: p.done, Total: p.total, What: p.what, Rate: rate, Elapsed: since.Seconds(), Note: p.note}
	if left, ok := p.remaining(now); ok {
		s := left.Seconds()
		f.Left = &s
	}
	return f
}

func (p *Progress) object(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, _ = p.out.Write(append(b, '\n'))
	}
}

// shortRate writes a rate with three digits.
func shortRate(x float64) string {
	switch {
	case x >= 100:
		return Thousands(int(x + 0.5))
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// Thousands writes a number with commas.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
