//go:build !js

package main

import (
	"strings"
	"testing"
)

// TestMeasure runs the command with small worlds, to check that it still works. The numbers
// are not checked, because other programs disturb them.
func TestMeasure(t *testing.T) {
	var out strings.Builder
	if err := measure(&out, quickOptions); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1000      200       paced", "1000      200       busy", "1000      200       paused", "delay of a frame",
		"an unseen inspector : none", "200 ticks with 500 rows", "FirstDifference", "a kept frame is shown", "one in ",
		"one loop", "chain", "fork and join", "many small systems", "regatta", "advice about a reader", " limits pass, ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &out)
		}
	}
}
