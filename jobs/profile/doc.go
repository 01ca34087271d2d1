// Package profile is what tools see of a pool: which jobs its workers ran and when, how long they
// were at some of them, and in which way its loops are run.
//
// The words. An Event is a job, a worker's part of a loop, or a sleep. A Recorder is what a tool holds:
// it switches a pool's recording on and off and reads what was kept. A Source is what the pool holds: it
// has a Worker for each place from which jobs are run, and a Piece is what such a worker is at. A Meter
// adds up the times of the jobs that bear it. A Spread says how loops of one job are run.
//
// # What holds it together
//
//   - A pool at which nobody looks pays one load of a counter for each job (Source.Watched).
//   - A ring of events belongs to one worker, which adds under a lock that only readers take besides.
//   - A Recorder may be switched while jobs run. A Piece remembers what it began with: what was switched
//     off meanwhile still gets its end, and what was switched on meanwhile gets nothing of it.
//
// The package knows nothing of jobs: they are names and numbers here.
package profile
