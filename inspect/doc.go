// Package inspect shows worlds while they run, in a browser or to any program that reads
// JSON: what ran when on which worker, why a system did not run, who waits for whom, how full
// every chunk is, which entities match a query and what their values are, what changed the
// structure.
//
//	go inspect.Serve(ctx, "localhost:6060", os.Stderr)
//
// is all that a program needs; it says on os.Stderr which address to open. A program with a
// server of its own mounts [New] there.
//
// # How it works
//
// Nothing is there until somebody asks: a world that nobody looks at spends one atomic load a
// frame on all inspectors together. A request is a lease: for three seconds from it on every
// world takes the times of its systems, its pool records jobs, and structural changes are
// noted. A request is answered between two frames by the goroutine that owns the world, the
// only one that may look at it. What it does there is copy plain data; names, sorting and JSON
// are for the goroutine of the request, so a slow client holds up nobody. What would take
// longer than the budget of a frame, 30 µs at first, is done in slices over several frames, and
// the answer says over how many.
//
// The words: a view is what an inspector knows of one world; an ask is a request on its way to
// the owner; a look is the time that the owner spends on asks at one border, which is what
// package system calls the time between two frames.
//
// # What it promises
//
// It does not change how a world comes out: the hash is the same, seen or unseen, unless a page
// edits, which [Allow] has to say. A world that is paused goes on to be served: its owner
// stays at the border, and the time of the pause is no time of the world.
//
// It serves names of the loopback alone, wants the token that the address bears behind its #,
// and takes no more than a few kilobytes from anybody.
package inspect
