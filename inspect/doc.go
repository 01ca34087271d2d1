// Package inspect shows worlds while they run, in a browser or to any program that reads
// JSON: what ran when on which worker, why a system did not run, which waits for which, how full
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
// are for the goroutine of the request, so a slow client holds up no other. What would take
// longer than the budget of a frame, 30 µs at first, is done in slices over several frames, and
// the answer says over how many.
//
// The words: a view is what an inspector knows of one world; an ask is a request on its way to
// the owner; a look is the time that the owner spends on asks between two frames, at the end of one frame:
// see [system.FrameEnd]; a step is what an ask does in one look; a roster is
// the systems of a world as long as none comes or goes; a turn is an update in a frame.
//
// The files, from the bottom up; none needs one further down this list:
//
//	names, describe, values, lanes, componenttypes    what things are called and how values are shown
//	query, look, walk                                 what a request chooses, and how a look goes over it
//	frames, systems, journal, watches, pace, blackBox what is kept of a world, apart from requests
//	ask, request, view, views                         the way to the owner and back, leases and budgets
//	frame, entity, entities, archetypes, picture, …   a page each: a look that copies, an answer made of the copy
//	pages, http, inspector, serve                     requests: addresses, permissions, tokens
//
// A new answer is a file and a row in pages.go. The folder page has the scripts of the browser: a module
// for each view (frame.js, picture.js, …), which main.js imports and has in its table views. A view
// asks for its answer by the answer's path with app.js, which holds the state that the views share,
// and draws with the elements and charts of dom.js. So a new kind of chart belongs to the module of
// its view, or to dom.js if several views draw it, and needs no Go unless the answer lacks a value. A
// new view is a module and a name in views. The imports form no circle: dom.js, app.js, the views, main.js.
// The files are embedded (page.go); module inspect/browser tests the page in a browser.
//
// # The invariants
//
//   - The world is read by its owner alone, within a step: steps get it from their look. What stands in an answer
//     needs the world no longer.
//   - A step writes to what its request has made for it, and the request reads that after view.at has returned
//     without an error. With an error the owner may be at it still: then nothing of it is touched or used again.
//   - A step may end whenever its look is over, and goes on where it was. It does something in every look.
//   - Whether an ask is waiting, running or given up is one atomic word: what changes it first has it.
//   - As long as the lease of a request runs, or a world is paused, its view is known and the hook is called at the end of each frame.
//
// # What it promises
//
// It does not change how a world comes out: the hash is the same, seen or unseen, unless a page
// edits, which [Allow] has to say. A world that is paused goes on to be served: its owner
// stays between two frames, and the time of the pause is no time of the world.
//
// It serves names of the loopback alone, wants the token that the address bears behind its #,
// and takes no more than a few kilobytes from anybody.
package inspect
