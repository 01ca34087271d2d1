// Package messages tests error messages and panics for misuse. A test causes
// the errors and panics of a package. Package messages compares their texts
// with testdata, and finds texts in the source that the test has not caused.
package messages
