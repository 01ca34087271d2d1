// Package replay records the inputs of a run of a world, runs it again from the recording, and
// finds the first place where two runs differ.
//
//	d, err := replay.Compare(one, other, 10_000)
//	fmt.Println(d) // tick 37: game.Move: entity 39547v1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//
// A [Recorder] writes the inputs of each tick to a stream, and the world's hash at intervals. With
// [BySystem] it also writes a hash of each component that a system has written. [Replay] runs the
// ticks of a recording again and stops at the first different tick: for example on another machine,
// with another version of the program, or with another number of workers. [Contrast] compares two
// recordings and needs no world. [Compare] runs two worlds side by side; it has the contents of
// both, so it finds the entity, the lane and both values. [SyncTest] runs each tick twice, in order
// to find state outside of the world.
//
// # Promises
//
// A recording that a crash has cut short can be read up to its last complete frame. Reading trusts
// nothing in a file. docs/format.md documents every byte.
//
// # Design
//
// A recording is a magic number and frames with checksums. No frame depends on a later one, so that
// a recording can be read while it is written. To find a system, a tick is run again from an image
// of the world before it, and a watcher takes an image after each system: see system.Watch. If a
// system keeps state outside of the world, the second run may have another result; then the tick
// and the rows are known, but not the system.
package replay
