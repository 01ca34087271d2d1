// Package messages is for tests of what misuse is answered with: it holds the messages to testdata, and
// looks in the source for some to which no misuse of the test leads.
package messages
