// Package app runs an application's worlds: a loop that calls them in each frame, the default
// world, and options for the length and the pace of a run.
//
//	w, err := app.Play("game")                                  // the default world, in the current loop
//	err = app.RunCurrent(ctx, app.Pace(60), app.Signals())      // until a signal ends it
//	err = app.Run(ctx, w, app.Frames(600), app.Step(1.0/60))    // one world, with the same result every time
//	err = app.Shutdown()
//
// # Concepts
//
// A [Loop] is the main loop of a program: a tree of named phases that run in each frame. A step of
// a [Phase] advances the time of a world, updates one of its root groups, or calls a function. The
// default world is the world of the application, and the editor world is that of its tools while
// there is no default world. The current loop is the loop that the process runs. A [Bootstrap]
// decides which systems the default world gets, or makes that world.
//
// # Promises
//
// A run with [Step] has the same result every time, because it does not read the time of the
// machine. A frame returns the errors of all its systems after each of them has had its turn. A
// world's frame ends even if another world of the loop fails.
//
// # Design
//
// Package system does not depend on this package. A loop needs the frame of a world in parts, so
// that several worlds begin their frames together and end them together; package
// ecs/internal/driver declares these parts as an interface. In the other direction, the driver
// tells this package about each world that is closed, so that the loop forgets it.
//
//   - The state of the process (current, boot) has a mutex. No function of a program is called while it is held, because that function may call this package.
//   - The current loop never changes; appending a world sets another loop. So a frame uses the loop and the steps that it began with.
//   - A world's frame ends if it has begun, in whatever way the frame of the loop ended. Otherwise the world would stay locked.
package app
