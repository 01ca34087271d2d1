// Package check finds the system that wrote the first NaN, or infinity.
//
//	c := check.Finite(w)
//	err := app.Run(ctx, w, …)
//	fmt.Print(c) // frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12v1
//
// After each update of a system, when its jobs are complete, the lanes are scanned that it declares
// to write, in chunks that were written since it began; before it, in those that were written since they were scanned
// last, so that no system is blamed for what others have done. The first number that is not finite is told of
// each lane, and nothing after it: what follows is its consequences.
//
// Scanned are lanes of floats, also as arrays and within structs, of all entities, whether they are on, at rest or
// prefabs. Buffers, shared, managed and chunk components are not looked at. What commands of a buffer write belongs to the system that plays
// them back if that declares to write the component, else to no system: it is found before the next one that does.
//
// What holds: before an update a component is scanned where chunks are newer than the last scan, and after it where they are newer than its beginning, so that nothing
// written by a declared write is missed, and a system is named only for what is newer than its own beginning. A lane (in words of a component, an element of an array too)
// has one fault. A write without a declaration leaves no version, and is found when something else marks the chunk.
//
// While a check is on, systems run one after the other, see system.Watch, and a frame takes as much longer as it takes to read what
// was written, by [kernels.AllFinite]. Results are the same. Without one it costs nothing.
package check
