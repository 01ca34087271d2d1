// Package messages tests error messages and panics for misuse. It compares the
// messages of misuse in a test with testdata, and finds messages in the source
// that the test has not caused.
package messages
