// Package access orders jobs by what they touch: components that they read and write, and where.
//
// The words. A component is a number, and so is a place; what they stand for is the caller's
// matter (in ecs, component types and archetypes). An Access is what one job touches. A Tracker
// keeps, for each component, the jobs that wrote it last and those that have read it since, and
// says what a new job has to wait for. A fence is one of those jobs, or several readers folded into
// one, with its places; it stands in the lists of all components that the job touches.
//
// # What holds it together
//
//   - A writer that covers a fence's places is behind it, so the fence leaves the list: what waits
//     for the writer waits for both. That is why a list is short however many jobs there were.
//   - A job that is done without an error orders nothing, and any list may forget it; one that has
//     failed stays until WaitAll, so that later jobs on the same data are skipped too.
//   - Where is empty means everywhere. Jobs whose places do not meet get no edge, whatever they write.
//
// A Tracker and a Set belong to one goroutine at a time. The package knows nothing of how jobs are
// run: it asks handles whether they are done, and what they follow. The pool knows nothing of it.
package access
