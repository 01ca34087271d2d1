package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// clock holds the current time, which the test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) wait(d time.Duration) { c.at = c.at.Add(d) }
func newClock() *clock                { return &clock{time.Unix(1e9, 0)} }
func options(c *clock, s Style) Options {
	return Options{Style: s, Total: 1000, What: "runs", Now: c.now}
}

// TestLines checks that a pipe gets one line per second at first, fewer lines later if the work
// takes long, and always a last line.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	p := New(&out, options(c, Lines))
	for range 999 {
		c.wait(100 * time.Millisecond)
		p.Add(1, "")
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if want := "  1 %  10/1,000 runs  10.0/s  1m39s left"; lines[0] != want {
		t.Errorf("%q, want %q", lines[0], want)
	}
	if n := len(lines); n < 32 || n > 80 {
		t.Errorf("%d lines in 100 s", n)
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Error("control codes in a pipe")
	}
	p.Set(1000, "the last")
	if got, want := out.String(), "100 %  1,000/1,000 runs  10.0/s  the last  1m39.9s\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if rate, since := p.Rate(); since != 99900*time.Millisecond || rate < 10 || rate > 10.1 {
		t.Errorf("%v/s since %v", rate, since)
	}
	long := bytes.Buffer{}
	p = New(&long, Options{Total: 36000, Now: c.now})
	for range 36000 {
		c.wait(time.Second)
		p.Add(1, "")
	}
	if n := strings.Count(long.String(), "\n"); n > 300 {
		t.Errorf("%d lines in ten hours", n)
	}
}

// TestBar checks that a terminal shows one line. Each new line must overwrite the previous line,
// and the last line must be removed at the end.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	p := New(&out, options(c, Bar))
	p.Set(500, "a long note")
	if got := out.String(); !strings.HasPrefix(got, "\r"+strings.Repeat("█", 16)+strings.Repeat("░", 16)+"  50 %  500/1,000 runs  0.00/s  a long note") {
		t.Errorf("%q", got)
	}
	out.Reset()
	p.Set(501, "")
	if out.Len() > 0 {
		t.Error("the bar is drawn twice at one time")
	}
	c.wait(time.Second)
	p.Set(502, "")
	line := out.String()
	if !strings.HasSuffix(line, "s left   ") && !strings.HasSuffix(line, " ") {
		t.Errorf("the shorter line does not cover the longer one: %q", line)
	}
	out.Reset()
	p.Say("run %d: %s", 3, "error")
	if got := out.String(); !strings.HasPrefix(got, "\r  ") || !strings.HasSuffix(got, "\rrun 3: error\n") {
		t.Errorf("%q", got)
	}
	c.wait(time.Second)
	p.Set(2000, "") // more than the total
	out.Reset()
	if _, err := fmt.Fprint(p, "of a process\n"); err != nil || !strings.HasSuffix(out.String(), "\rof a process\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	p.End()
	p.End()
	if out.Len() > 0 {
		t.Errorf("what is taken away is taken away again: %q", out.String())
	}
}

// TestJSON checks that a program gets only JSON objects.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	o := options(c, JSON)
	o.Had = 100
	p := New(&out, o)
	p.Say("%d of %d", 100, 1000)
	if _, err := fmt.Fprint(p, "said\nby another\n"); err != nil {
		t.Error(err)
	}
	for range 30 {
		c.wait(100 * time.Millisecond)
		p.Add(10, "x")
	}
	p.End()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if want := []string{
		`{"say":"100 of 1000"}`,
		`{"say":"said\nby another"}`,
		`{"done":200,"total":1000,"what":"runs","rate":100,"elapsed":1,"left":8,"note":"x"}`,
		`{"done":300,"total":1000,"what":"runs","rate":100,"elapsed":2,"left":7,"note":"x"}`,
		`{"done":400,"total":1000,"what":"runs","rate":100,"elapsed":3,"left":6,"note":"x"}`,
	}; strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	p.Set(1000, "")
	var last fact
	if err := json.Unmarshal([]byte(strings.TrimPrefix(out.String(), strings.Join(lines, "\n"))), &last); err != nil || last.Left != nil || last.Done != 1000 {
		t.Errorf("%+v, %v", last, err)
	}
}

func TestStyles(t *testing.T) {
	for _, c := range []struct {
		name string
		live bool
		want Style
	}{{"auto", true, Bar}, {"auto", false, Lines}, {"", true, Bar}, {"bar", false, Bar}, {"lines", true, Lines}, {"json", true, JSON}, {"none", true, None}} {
		if got, err := StyleOf(c.name, c.live); err != nil || got != c.want {
			t.Errorf("StyleOf(%q, %t) = %v, %v", c.name, c.live, got, err)
		}
	}
	if _, err := StyleOf("loud", true); err == nil || !strings.Contains(err.Error(), "-progress loud: it is one of auto, bar, lines, json, none") {
		t.Error(err)
	}
	var out bytes.Buffer
	p := New(&out, Options{Style: None})
	p.Set(1, "")
	p.Say("heard")
	if out.String() != "heard\n" {
		t.Errorf("%q", out.String())
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	_ = IsTerminal(f) // a device, whose kind depends on the system
	if IsTerminal(nil) {
		t.Error("no file is a terminal")
	}
	for x, want := range map[float64]string{0.123: "0.12", 12.34: "12.3", 1234.5: "1,235"} {
		if got := shortRate(x); got != want {
			t.Errorf("short(%v) = %q", x, got)
		}
	}
}

// TestStrangersTexts checks for each style that control codes in messages and notes do not reach
// the terminal.
func TestStrangersTexts(t *testing.T) {
	for _, style := range []Style{Lines, Bar, JSON, None} {
		var out bytes.Buffer
		c := newClock()
		p := New(&out, options(c, style))
		p.Set(1000, "a \x1b]0;note\a\nof \u009b two\u202e lines")
		p.Say("a result on %s\tis left out:\n%v", "results.\x1b[2J\u009b", "why\u202e\r")
		text := strings.ReplaceAll(strings.ReplaceAll(out.String(), "\r"+strings.Repeat(" ", p.width), ""), "\r", "") // the bar itself writes these
		if style != Bar {
			text = out.String()
		}
		if strings.ContainsAny(text, "\x1b\a\u009b\u202e") || style != Bar && strings.Contains(text, "\r") || !strings.Contains(text, "2J") {
			t.Errorf("style %d: %q", style, out.String())
		}
	}
}
