package main

import "github.com/lanewise/lanewise/internal/progress"

// newProgress tells how far steps have come: by a bar on a terminal, by a line now
// and then in a pipe.
func newProgress(t *terminal, total int) *progress.Progress {
	style := progress.Lines
	if t.live {
		style = progress.Bar
	}
	return progress.New(t.err, progress.Options{Style: style, Total: total})
}

// thousands writes a number with commas.
func thousands(n int) string { return progress.Thousands(n) }

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}
