package main

import (
	"regexp"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// TestSpeeds checks that the line has a number for each kernel, and that the path in use is the same afterwards.
func TestSpeeds(t *testing.T) {
	before := kernels.Path()
	text, err := speeds(1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^speed of path \w+, as a multiple of plain Go: AddScaled \d+\.\d, Rotate \d+\.\d, Compose \d+\.\d, Exp \d+\.\d, Sincos \d+\.\d, Sum \d+\.\d$`)
	if !want.MatchString(text) {
		t.Errorf("got %q, want %v", text, want)
	}
	if got := kernels.Path(); got != before {
		t.Errorf("afterwards the path is %s, want %s", got, before)
	}
}
