// Package messages tests error messages and panics for misuse. A test causes
// the errors and panics of a package. Package messages then compares the
// texts of these messages with testdata, and finds messages in the source
// that the test has not caused.
package messages
