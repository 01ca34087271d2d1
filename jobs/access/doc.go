// Package access orders jobs by the data that they touch: the components that
// they read and write, and the archetypes of those components.
//
//	var tracker access.Tracker
//	a := &access.Access{}
//	a.Write.Add(position)
//	h := pool.Schedule(job, tracker.Before(a, nil)...)
//	tracker.Add(a, h)
//	err := tracker.WaitAll()
//
// Components and archetypes are only numbers in this package; package ecs gives them a
// meaning. An Access is the data of one job. For each component, a Tracker stores the jobs
// that wrote it last and the jobs that have read it since then. It returns the handles for
// which a new job must wait. For example, two jobs that only read Position get no edge, and
// a job that writes Position depends on both of these jobs.
//
// # Design
//
// A fence is one of those jobs with its archetypes, or several readers folded into one. A
// fence is in the lists of all components that the job touches.
//
//   - A list stays short even after many jobs. A writer that covers a fence's
//     archetypes is ordered after the fence, so the fence leaves the list: a job
//     that waits for the writer waits for both.
//   - A job that is done without an error orders nothing, so any list may drop
//     it. A job that has failed stays until WaitAll, because later jobs on the
//     same data have to be skipped too.
//   - An empty Where means all archetypes. Jobs whose archetypes do not overlap
//     get no edge, whatever they write.
//
// A Tracker and a Set belong to one goroutine at a time. The package does not
// run jobs: it only asks handles whether they are done and which jobs they
// follow. Package jobs does not use this package.
package access
