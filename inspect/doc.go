// Package inspect shows running worlds in a browser, or as JSON to any program:
// a timeline of systems and jobs, the reason why a system did not run, the
// order of systems, the fill of every chunk, the entities of a query with their
// values, and the journal of structural changes.
//
//	go inspect.Serve(ctx, "localhost:6060", os.Stderr)
//
// is all that a program needs; it prints the address to open on os.Stderr. A
// program that already has an HTTP server mounts [New] in it:
//
//	mux.Handle("/debug/world/", http.StripPrefix("/debug/world", inspect.New()))
//
// A program without a server, such as a page in a browser, passes the requests
// of the page to [Inspector.Answer]. For GOOS=js, an inspector is no HTTP
// handler, and [Serve] returns an error.
//
// # Words
//
// A view is the data of an inspector about one world. An ask is a request to
// the goroutine that owns the world. A look is the time that the owner spends
// on asks at the end of a frame, see [system.FrameEnd]. A step is the part of
// an ask that the owner does in one look. A roster is the list of the systems
// of a world, valid until a system is added or removed. A turn is one update
// of a system in a frame.
//
// # Promises
//
// The inspector does not change the results of a world: the hash of a world is
// the same with and without the inspector. The exception is a page that edits
// values, which needs [Allow]. A paused world still answers requests, because
// its owner waits between two frames; the world's time does not include the
// pause.
//
// The server accepts only host names of the loopback address, requires the
// token that follows the # of the page's address, and limits the size of a
// request to a few kilobytes.
//
// # Design
//
// Without requests an inspector costs almost nothing: in each frame, a world
// does one atomic load for all inspectors together. A request is a lease. For
// three seconds after a request, every world measures the times of its
// systems and notes structural changes, and its pool records jobs.
//
// The owner of the world answers requests between two frames, because no other
// goroutine may read the world. The owner only copies plain data. The goroutine
// of the request looks up names, sorts, and encodes JSON, so that a slow client
// does not delay the world. A paced loop sleeps between two frames, and the
// owner answers requests during this sleep, see [app.OnSleep]. If the loop does
// not sleep, the owner answers at the end of each frame, but only for a share
// of the frame's time. The owner divides a longer copy into slices over several
// frames; the answer contains the number of frames.
//
// The files http.go, serve.go and page.go use package net/http. The other files do
// not, because net/http makes a program for a browser 0.7 MB larger after
// compression. Answer gets requests without it (reply.go).
//
// These invariants hold:
//
//   - Only the owner reads the world, and only in a step: steps get it from
//     their look. The owner may also answer a request itself, see
//     Request.Owner. An answer refers to no memory of the world, because it is
//     used after the step.
//   - A step writes to memory that its request has made, and the request reads
//     that memory only after view.runBetween has returned without an error. After an
//     error the request must not use or reuse the memory, because the owner may
//     still be writing to it.
//   - A step may be interrupted at the end of each look, and continues from
//     there. It makes progress in every look, so that every request ends.
//   - One atomic word of an ask says whether it is waiting, running or given
//     up, so that the owner and the request cannot both decide.
//   - As long as the lease of a request runs, a world is paused, or a catch is set, the view is
//     known and the hook is called at the end of each frame.
//
// # Edits
//
// A request that changes the world makes an edit (edits.go). An edit records commands, which the owner plays between two
// frames, and knows how to undo them. The edits of a world are in a log that stays when the view of the world ends. They are
// undone in the reverse order only. So an edit finds the world as it has left it, except for the changes by systems. An edit
// names its entities by the ids that they had first. The log maps an id to the entity that has taken its place, because
// an entity that is spawned again gets another id.
//
// # Changes
//
// To add an answer, add a file and a row in pages.go. The folder page contains
// the scripts of the browser. There is a module for each view (frame.js,
// picture.js, …); main.js imports these modules and lists them in its table
// views. A view requests its data with app.js, which holds the state that the
// views share, and draws with the elements and charts of dom.js. A new kind of
// chart belongs in the module of its view, or in dom.js if several views draw
// it. To add a view, add a module, and its name to the table views. The
// imports form no cycle: dom.js, app.js, the views, main.js. The files are
// embedded (page.go); module inspect/browser tests the page in a browser.
package inspect
