// Package golden has a small program of tests through all packages, with one
// row for each: it steps worlds and compares hashes of the results with those
// in testdata. CI runs it on emulated CPUs, together with the tests of the
// packages whose code depends on the CPU, because all tests would take too long
// there.
package golden
