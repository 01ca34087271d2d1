// Package double is compiled by a test.
package double

// Double returns 2·x.
func Double(x int) int { return 2 * x }
