// Package park puts goroutines to sleep and wakes them for package jobs. It knows
// nothing of jobs: which worker sleeps, which is to be woken, what that costs, and how much of
// the machine others use.
//
// The words. A Parker is where one goroutine sleeps, with a token that ends the
// sleep, or the next one. A Lot is the workers of a pool, by number: a worker is
// marked before it sleeps, and the goroutine that takes the mark away wakes it, so that each sleep
// is ended once. Waiters are goroutines that sleep until something they know by a key
// is done. A Machine is how long to stay awake beside others.
//
// The invariant of both lists: what is about to sleep marks itself first and then looks
// once more for work; what makes work shows it first and then looks for marks. Both are
// read-modify-write operations, so one of the two sees the other, and no wake-up is
// lost. A wake-up too many does no harm: what wakes looks again.
package park
