package main

import "testing"

// TestFunctions compiles small programs and counts the functions in their packages. A user's package
// compiles all methods of the generic types that it reaches, so that the number grows unnoticed.
func TestFunctions(t *testing.T) {
	t.Chdir("../..")
	if err := checkFunctions(t.Output()); err != nil {
		t.Error(err)
	}
}
