// Package study runs a model many times: over grids and samples of its
// parameters and over seeds (Monte Carlo), on one machine or on many. It
// collects the results in tables.
//
// A model is a struct with three methods, and one line makes a program of it:
//
//	func main() { study.Main[*Epidemic]() }
//
//	epidemic sweep -out first beta=0.1:0.4:0.05 -seeds 20
//	epidemic table -out first >result.csv
//	epidemic certify -out first
//	epidemic verify -out first -sample 1%
//
// # Words
//
// A run is one execution of the model, with its parameters and its seed. A
// design is the rule that gives each run its parameters and its seed. A point of the design is
// one choice of parameters. The runs of a point are called replicates, and differ only in their
// seeds.
//
// A record is the result of a run: how it ended, the hash of its world, and its
// rows. A worker is a process that writes records to its log. A share is the
// part of the runs that the worker does. A crew is the set of processes that do
// runs for a worker. An engine is a command that distributes runs over
// machines.
//
// # Promises
//
//   - A table depends only on the design and the program. It does not depend on
//     which worker did a run, on the number of cores, or on processes that were
//     killed. Only the table times differs each time.
//   - Every failure is recorded, and the study continues. A failure is an error, a
//     panic, a number that is not finite, a run that takes too long, or a run
//     whose process ends or is killed for lack of memory.
//   - A run that was done twice with different results is reported, because the model is then not
//     reproducible.
//   - Every bit of a certified study can be checked. The command verify computes runs again, on any
//     machine, and names the first value that differs.
//   - A record is written as a whole or not at all. Killing a worker loses only
//     the runs in progress.
//
// # Design
//
// The parent process sends runs to the processes of its crew over their
// standard input and reads records back. It alone writes the log. It records each attempt in the
// log before the attempt begins. So after a crash, the log shows which run ended its process.
//
// A run hashes its world after 1, 2, 4, 8 and so on ticks. These hashes are called marks. They
// cost little, and they show between which ticks a difference began. A certificate contains the
// marks, and digests of all rows, but no values. So verify takes values from the logs, from a
// table, or by running another build of the program.
//
// Package journal implements the log; docs/study.md describes its format. Package design implements
// parameters and designs. Package table implements rows and the formats of tables. An engine is a
// package that calls [RegisterEngine], as study/nats does. A package that implements a format of
// tables registers it with package table.
package study
