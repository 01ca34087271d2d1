// Package replay records the inputs of a run of a world, repeats the run from the recording, and
// finds the first difference of two runs.
//
//	d, err := replay.Compare(one, other, 10_000)
//	fmt.Println(d) // tick 37: game.Move: entity 39547:1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//
// A [Recorder] writes the inputs of each tick to a stream. At intervals it also writes the world's
// hash. With [BySystem] it also writes a hash of each component that a system has written, and with [Values]
// all values after some ticks. [Replay]
// repeats the ticks of a recording and stops at the first tick that differs. The repetition may run
// on another machine, with another version of the program, or with another number of workers. [Verify] is
// for a program that records itself, and runs again without inputs from outside.
// [Contrast] compares two recordings and needs no world. [Compare] runs two worlds side by side. It
// can read the contents of both worlds, so it also finds the entity, the lane and both values.
// [SyncTest] runs each tick twice, to find state outside of the world. A [History] goes back to any
// tick of a run or of a recording, and finds the first tick after which a condition holds.
// [FirstDifference] uses two histories to find the first difference of two long runs.
//
// # Promises
//
// If a crash truncates a recording, it can still be read up to its last complete frame. Reading
// checks everything in a file. The page docs/format.md documents every byte.
//
// # Design
//
// A recording consists of a magic number and of frames with checksums. No frame depends on a later
// frame, so that a recording can be read while it is written. To find a system, the package
// repeats a tick from an image of the world before the tick. A watcher takes an image after each
// system: see system.Watch. A History keeps images at intervals, and repeats the ticks after one
// of them. If a system keeps state outside of the world, the repeated tick may have another
// result. In this case the tick and the rows are known, but the system is not.
package replay
