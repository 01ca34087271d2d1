//go:build !js

package main

import "testing"

// TestRun checks that the program finds equal worlds.
func TestRun(t *testing.T) {
	if err := run(700, 4); err != nil {
		t.Error(err)
	}
}
