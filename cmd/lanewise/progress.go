package main

import "github.com/lanewise/lanewise/internal/progress"

// newProgress reports the progress of steps: by a bar on a terminal, by a line
// at intervals in a pipe.
func newProgress(t *terminal, total int) *progress.Progress {
	style := progress.Lines
	if t.live {
		style = progress.Bar
	}
	return progress.New(t.err, progress.Options{Style: style, Total: total})
}

// thousands formats a number with commas.
func thousands(n int) string { return progress.Thousands(n) }

// count formats a number with its noun.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}
