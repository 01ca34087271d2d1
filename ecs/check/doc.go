// Package check finds the system that wrote the first NaN or infinity.
//
//	c := check.Finite(w)
//	err := app.Run(ctx, w, …)
//	fmt.Print(c) // frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12v1
//
// After each update of a system, when its jobs are done, the check scans the lanes that the system
// declares to write. It scans only chunks that were written since the update began. Before the
// update it scans chunks that were written since their last scan, so that the system is not blamed
// for the writes of others. For each lane only the first number that is not finite is reported,
// because later ones are usually consequences of it.
//
// The check scans lanes of floats, including those in arrays and structs, of all entities,
// including disabled, inactive and prefab ones. It does not scan buffers, shared, managed and chunk
// components. If a command-buffer system declares to write a component, the writes of its commands
// are attributed to it; otherwise they are attributed to no system, and are found before the next
// system that declares to write the component.
//
// # Promises
//
// Results do not change. While a check runs, systems run one after the other (see system.Watch),
// and a frame takes longer by the time of reading the written chunks with [kernels.AllFinite].
// Without a check there is no cost.
//
// # Design
//
// A component is scanned before an update in chunks newer than the last scan, and after it in
// chunks newer than the beginning of the update. Therefore no declared write is missed, and a
// system is named only for writes that are newer than its beginning. Each lane, and in components
// of words each element of an array, has at most one fault. A write that no system has declared
// leaves no version; it is found when something else marks the chunk as written.
package check
