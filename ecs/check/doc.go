// Package check finds the system that wrote the first NaN or infinity.
//
//	c := check.Finite(w)
//	err := app.Run(ctx, w, …)
//	fmt.Print(c) // frame 37: game.Steer wrote NaN to game.Velocity.Y of entity 12:1
//
// After each update of a system, when its jobs have finished, the check scans the lanes that the
// system declares to write. It scans only chunks that were written since the update began. Before
// the update, the check scans the chunks that were written since their last scan, so that it does
// not blame the system for earlier writes. For each lane, the check reports only the first number
// that is NaN or infinite, because later ones are usually consequences of it.
//
// The check scans all lanes of floats, including those in arrays and structs. It scans all
// entities, including disabled, inactive and prefab entities. The check does not scan buffers, or
// shared, managed and chunk components. If a command-buffer system declares to write a component,
// the check attributes the writes of its commands to that system. Otherwise it attributes them to
// no system, and finds them before the next system that declares to write the component.
//
// # Promises
//
// The check does not change results. While a check runs, systems run one after the other (see
// system.Watch). A frame also takes longer, because the check reads all written chunks with
// [kernels.AllFinite]. Without a check, there is no cost.
//
// # Design
//
// Before an update, the check scans the chunks of a component that are newer than the last scan.
// After the update, it scans the chunks that are newer than the beginning of the update. Therefore
// the check misses no declared write, and it names a system only for writes that are newer than the
// beginning of the system's update. Each lane has at most one fault. In a component of words, each
// element of an array has at most one. A write that no system has declared does not change the
// version of the chunk. The check finds such a write when another write marks the chunk.
package check
