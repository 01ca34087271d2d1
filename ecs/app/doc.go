// Package app runs an application's worlds. It contains a loop that calls the worlds in each frame,
// the default world, and options for the length and the pace of a run.
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
// default world is the world of the application. The editor world is the world that tools use while
// there is no default world. The current loop is the loop that the process runs. A [Bootstrap]
// chooses the systems of the default world, or creates that world.
//
// # Promises
//
// A run with [Step] has the same result every time, because it does not read the real time. A
// frame runs all systems even if some of them fail, and then returns all errors. A world's frame
// ends even if another world of the loop fails.
//
// # Browsers
//
// With GOOS=js, a run lets the page draw and handle events between two frames. In a tab, each
// frame begins in an animation frame of the browser (requestAnimationFrame). So the browser shows everything that a
// frame draws, and Run needs no [Pace]. A hidden tab has about one frame a second. Where there are
// no animation frames, as in node, a run with Pace waits with timers. A run without Pace yields every
// 10 ms there. A function that JavaScript calls must not update the worlds of the loop. It stores its event in a
// variable, and a function of the phase [PhaseEarlyUpdate] reads the variable. The function Listen does so for the keyboard and the
// pointer: see [Input].
//
// # Design
//
// Package system does not depend on this package. The frames of several worlds in a loop must begin
// and end together, so a loop must run the steps of a world's frame one by one. Package
// ecs/internal/driver declares these steps as an interface. The driver also calls this package when
// a world is closed, so that the loop removes the world.
//
//   - The state of the process (current, boot) has a mutex. The package never calls a function of the program while it holds
//     this mutex, because the function may call the package.
//   - The current loop never changes; appending a world sets another loop. So a frame ends with the same loop and steps with
//     which it began.
//   - A world's frame ends if it has begun, in whatever way the frame of the loop ended. Otherwise the world would stay locked.
package app
