// Package study repeats a model: over grids and samples of its parameters, and over
// seeds, on one machine or on many, and keeps what comes out.
//
// A model is a struct with three methods, and one line makes a program of it:
//
//	func main() { study.Main[*Epidemic]() }
//
//	epidemic sweep -out first beta=0.1:0.4:0.05 -seeds 20
//	epidemic table -out first >result.csv
//
// The words. A run is the model once, with its parameters and its seed. A design is
// the rule that gives run i both; a point of it is one choice of parameters, and its
// replicates differ by their seeds alone. A record is what is kept of a run: how it
// ended, the hash of its world, and its rows. A worker is a process that keeps records, in
// a log of its own; a share is the part of the runs that it does. A crew is the processes
// that do runs for a worker. An engine is a command that spreads runs over machines.
//
// # Promises
//
// A table depends on the design and the program alone: not on which worker did which run,
// on how many cores, or on what was killed on the way. Table times is the exception.
// What a run does is recorded, whatever it is: an error, a panic, a number that is
// not finite, a run that takes too long, one that ends its process or is killed for
// want of memory; the study goes on. A run that was done twice and ended differently
// is reported. A record is there whole or not at all; what is killed costs the runs that were
// under way.
//
// # Inside
//
// The parent process hands runs to the processes of its crew over their standard
// input and gets records back; it alone writes the log, in which each attempt is
// entered before it begins. So it knows which run took a process along. The log is
// package journal's, whose format is in docs/study.md; package design has the
// parameters and the rule, package table the rows and formats.
//
// Where things are: a command has a file (sweep, tables, check, single, engine with engines), flags.go what they share;
// model.go is what users write, execute.go a model without its type, once.go one run; study.go, record.go and save.go
// are what is on disk; work.go hands out runs, to processes by crew.go, post.go and child.go. An engine is a package that
// calls [RegisterEngine], as study/nats does; a format of tables registers with package table.
package study
