// Package wrong does not compile.
package wrong

var x = nothing
