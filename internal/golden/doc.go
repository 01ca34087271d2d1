// Package golden tests all packages quickly, with one row of a table for each
// package. It steps worlds and compares hashes of the results with the hashes
// in testdata. CI runs this package on emulated CPUs, together with the tests
// of the packages whose code depends on the CPU. Running all tests on
// emulated CPUs would take too long.
package golden
