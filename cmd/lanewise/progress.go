package main

import "github.com/lanewise/lanewise/internal/progress"

// newProgress reports the progress of steps: with a bar on a terminal, or with
// a line at intervals otherwise.
func newProgress(t *terminal, total int) *progress.Progress {
	style := progress.Lines
	if t.live {
		style = progress.Bar
	}
	return progress.New(t.err, progress.Options{Style: style, Total: total})
}

// formatThousands formats a number with commas.
func formatThousands(n int) string { return progress.Thousands(n) }

// count formats a number followed by a noun.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return formatThousands(n) + " " + thing + "s"
}
