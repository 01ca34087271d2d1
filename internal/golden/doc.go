// Package golden holds a small program of tests that goes through all packages,
// one row each: it steps worlds, and compares a hash of what comes out with the
// one in testdata. That is what CI runs on CPUs that it only emulates, besides
// the tests of those packages whose bits hang on the CPU.
package golden
