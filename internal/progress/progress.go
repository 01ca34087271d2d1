// Package progress tells how far work has come: a bar with rate and time left on a
// terminal, now and then a line in a pipe, or objects of JSON for programs.
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

// Style is how progress is told.
type Style int

// The styles.
const (
	Lines Style = iota // a line a second at most, and seldom where work takes long
	Bar                // one line that is redrawn and taken away
	JSON               // an object a second at most
	None               // what is said alone
)

// StyleOf returns the style for a name: "auto" is a bar where somebody watches, and
// lines elsewhere.
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

// IsTerminal says whether somebody watches a file.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A Progress tells how far one piece of work has come. Its methods may be called by
// several goroutines.
type Progress struct {
	mu    sync.Mutex
	out   io.Writer
	style Style
	now   func() time.Time

	what  string // the things that are counted, or nothing
	total int
	had   int // what was done before the beginning
	done  int
	note  string
	start time.Time
	drawn time.Time
	width int // of the bar's last line, to cover it
}

// Options say what is counted.
type Options struct {
	Style Style
	Total int
	Had   int              // of them done before; they do not count for the rate
	What  string           // things that are counted, in plural; nothing: only the share is told
	Now   func() time.Time // nil: time.Now
}

// New begins to tell of work, to out.
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

// Add says that n more things are done, and a word on the last one.
func (p *Progress) Add(n int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(p.done+n, note)
}

// Set says how many things are done, and a word on the last one.
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
	case Lines: // a day's work is told in some three hundred of them
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

// Say writes a line that stays. What a terminal would obey in it is written as in a Go string, because texts may be of a worker or a file that anybody made.
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

// Write writes lines that stay, for what others print meanwhile.
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

// End takes the bar away.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Rate returns how many things were done in a second since the beginning, and how
// long that is ago.
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

// left is the time that the rest will take, if it goes on like this; false if nobody
// knows.
func (p *Progress) left(now time.Time) (time.Duration, bool) {
	fresh := p.done - p.had
	if fresh <= 0 || p.done >= p.total {
		return 0, false
	}
	return time.Duration(float64(now.Sub(p.start)) / float64(fresh) * float64(p.total-p.done)), true
}

// text is a line without a bar.
func (p *Progress) text(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%3d %%", p.percent())
	if p.what != "" {
		rate, _ := p.rate(now)
		fmt.Fprintf(&b, "  %s/%s %s  %s/s", Thousands(p.done), Thousands(p.total), p.what, short(rate))
	}
	if p.note != "" {
		b.WriteString("  " + p.note)
	}
	if left, ok := p.left(now); ok {
		fmt.Fprintf(&b, "  %s left", left.Round(time.Second))
	} else {
		fmt.Fprintf(&b, "  %s", now.Sub(p.start).Round(100*time.Millisecond))
	}
	return b.String()
}

func (p *Progress) percent() int {
	return int(100 * int64(p.done) / int64(p.total))
}

// cells is the length of a bar.
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

// fact is an object of JSON.
type fact struct {
	Done    int      `json:"done"`
	Total   int      `json:"total"`
	What    string   `json:"what,omitempty"`
	Rate    float64  `json:"rate"`    // a second
	Elapsed float64  `json:"elapsed"` // seconds
	Left    *float64 `json:"left"`    // seconds; null: nobody knows
	Note    string   `json:"note,omitempty"`
}

type said struct {
	Say string `json:"say"`
}

func (p *Progress) fact(now time.Time) fact {
	rate, since := p.rate(now)
	f := fact{Done: p.done, Total: p.total, What: p.what, Rate: rate, Elapsed: since.Seconds(), Note: p.note}
	if left, ok := p.left(now); ok {
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

// short writes a rate with three digits.
func short(x float64) string {
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
