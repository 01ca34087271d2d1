//go:build !inspector

package main

// more returns nothing: only the program with the inspector has more functions.
func (*stage) more() map[string]any { return nil }
