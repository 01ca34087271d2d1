package main

import "testing"

// TestFunctions compiles small programs and counts the functions in their packages. If a user's
// package reaches a generic type, the compiler writes all methods of this type into the package.
// So the number of functions can grow unnoticed.
func TestFunctions(t *testing.T) {
	t.Chdir("../..")
	if err := checkFunctions(t.Output()); err != nil {
		t.Error(err)
	}
}
