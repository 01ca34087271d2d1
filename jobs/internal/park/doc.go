// Package park puts goroutines to sleep and wakes them, for package jobs. It does not import
// jobs: it decides which worker is woken, measures the cost of waking, and estimates how much
// of the machine other programs use.
//
// A Parker lets one goroutine sleep. The token of a Parker ends this sleep, or the next one if the
// goroutine is awake. Sleepers holds the workers of a pool by number. A worker marks itself before
// it sleeps. The goroutine that removes the mark wakes the worker, so that each sleep is ended
// once. Waiters holds the goroutines that wait for an event, for example the end of a job. A key
// identifies the event. A Machine says how long to stay awake.
//
// Invariant of Sleepers and Waiters: a goroutine that is about to sleep first marks itself and
// then looks for work once more. A goroutine that makes a job ready first publishes the job and
// then looks for marks. Both are atomic read-modify-writes. So at least one of the two goroutines
// sees what the other has done, and no wake-up is lost. One wake-up too many does no harm, because
// a goroutine that wakes up looks again.
package park
