// Package app is what makes an application of worlds: the loop that ticks them, the default world and
// how it begins and ends, and the options of a run.
//
//	w, err := app.Play("game")                                  // the default world, in the current loop
//	err = app.RunCurrent(ctx, app.Pace(60), app.Signals())      // until something ends it
//	err = app.Run(ctx, w, app.Frames(600), app.Step(1.0/60))    // one world, and the same every time
//	err = app.Shutdown()
//
// # The words
//
// A loop is what happens in a frame: a tree of named phases. A step is what a phase does itself: the time of a
// world, a root group of one, or a function. The default world is that of the application, the editor world
// that of its tools while there is no default one, and the current loop the one that the process runs. A bootstrap decides
// which systems the default world gets, or makes it.
//
// # Inside
//
// Package system knows worlds, and nothing of a process or of loops. What a loop needs of a world is its
// frame in parts, so that several worlds begin their frames together and end them together: package
// ecs/internal/driver has it as an interface. The other way it is told of each world that ends, and forgets it.
//
// What holds it together:
//
//   - What the process has one of (current, boot) stands behind a mutex, and no function of a user is
//     called while it is held.
//   - The current loop is never changed: to append to it is to set another one. A frame goes on with the loop
//     and the steps that it began with.
//   - A world's frame ends if it has begun, however the frame of the loop ended.
package app
