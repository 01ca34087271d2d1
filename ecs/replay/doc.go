// Package replay records what a run of a world does, repeats it, and names the place where two runs part.
//
// A [Recorder] writes the inputs of each tick to a stream, the world's hash every so many ticks, and if it is asked to what
// each system has written, as a hash for each component. [Replay] does the ticks of a recording again and stops at the first that comes out
// otherwise: on another machine, by another version of the program, with another number of workers. [Contrast] does the same
// with two recordings, and needs no world. [Compare] runs two worlds beside each other: it has both contents, and so names entity,
// lane and both values.
//
//	d, err := replay.Compare(one, other, 10_000)
//	fmt.Println(d) // tick 37: game.Move: entity 39547v1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//
// # Inside
//
// A recording is a magic number and frames with checksums, docs/format.md has every byte. Frames stand alone, so that one that a crash has cut short
// is good up to there. To find a system, a tick is done again from an image of the world before it, while a probe takes an image
// after each system: see system.Watch. Systems that keep something to themselves that belongs to the
// world do something else the second time: then the tick and the rows are told, and no system.
package replay
