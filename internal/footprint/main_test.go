package main

import "testing"

// TestFunctions compiles small programs and counts the functions in their packages. The compiler
// writes all methods of the generic types that a user's package reaches into this package, so that
// the number of functions can grow unnoticed.
func TestFunctions(t *testing.T) {
	t.Chdir("../..")
	if err := checkFunctions(t.Output()); err != nil {
		t.Error(err)
	}
}
