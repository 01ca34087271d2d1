//go:build !js

package main

import "testing"

// TestRun checks that the program finds equal worlds, and that it accepts games that are too short to compare worlds.
func TestRun(t *testing.T) {
	for _, ticks := range []uint64{0, 1, 3, 10, 15, 16, 17, 20, 40, 700} {
		if err := run(ticks, 4); err != nil {
			t.Errorf("%d ticks: %v", ticks, err)
		}
	}
}
