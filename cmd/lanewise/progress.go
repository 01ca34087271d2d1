package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// progress tells how far a run has come: a bar that moves on a terminal, a
// line for every tenth in a pipe.
type progress struct {
	t     *terminal
	total int
	start time.Time
	drawn time.Time // of the bar
	said  int       // tenths, of the lines
	width int       // of the bar's last line, to cover it
}

func newProgress(t *terminal, total int) *progress {
	return &progress{t: t, total: max(total, 1), start: time.Now()}
}

// at says that done steps of the total are done, and what the last one was.
func (p *progress) at(done int, what string) {
	now := time.Now()
	if !p.t.live {
		if tenth := 10 * done / p.total; tenth > p.said {
			p.said = tenth
			p.t.say("%3d %%  %s  %s", 100*done/p.total, what, now.Sub(p.start).Round(100*time.Millisecond))
		}
		return
	}
	if now.Sub(p.drawn) < 50*time.Millisecond && done < p.total {
		return
	}
	p.drawn = now
	const cells = 32
	full := cells * done / p.total
	line := fmt.Sprintf("%s%s %3d %%  %s", strings.Repeat("█", full), strings.Repeat("░", cells-full), 100*done/p.total, what)
	if done > 0 && done < p.total {
		left := now.Sub(p.start) * time.Duration(p.total-done) / time.Duration(done)
		line += fmt.Sprintf("  %s left", left.Round(time.Second))
	}
	_, _ = fmt.Fprintf(p.t.err, "\r%-*s", p.width, line)
	p.width = len([]rune(line))
}

// end takes the bar away.
func (p *progress) end() {
	if p.t.live && p.width > 0 {
		_, _ = fmt.Fprintf(p.t.err, "\r%*s\r", p.width, "")
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}
