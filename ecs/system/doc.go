// Package system orders the work on a world: systems that are created, updated
// and destroyed with it, groups that update them one after the other, and the
// time that passes.
//
// # The words
//
// A system is a type with an Update method. An instance is one system of one
// world. A group is a system that updates others, its members. An attribute is
// a blank field of a system's type that says where it stands. A frame is one
// update of the world, and what a system sees of it. A set is a list of types that come
// together. A rate says how often a
// group runs its members in one update of its own.
//
//	world
//	 ├─ Initialization   BeginInitialization … EndInitialization
//	 ├─ Simulation       BeginSimulation
//	 │                   FixedStep           BeginFixedStep … EndFixedStep
//	 │                   VariableRate        BeginVariableRate … EndVariableRate
//	 │                   what you register, and transform.Group if it is imported
//	 │                   LateSimulation
//	 │                   EndSimulation
//	 └─ Presentation     BeginPresentation … EndPresentation
//
// Only Update is required of a system; [Creator], [Starter], [Stopper] and [Destroyer] name
// the other methods that it may have. What it is given as it is made is a [Setup], from which it
// gets its queries, and in each update a [Frame], by which it schedules jobs. Examples show
// both, and the guide (docs/guide/systems.md and the pages behind it) goes through the rest.
//
// # Inside
//
// A roster is the systems of a world, in the order of their creation; a kind is those of
// one type. An attachment is all that this package keeps of a world: the roster, and around it the frame
// that is under way, what watches the ends of frames (borders), what takes times
// (measure, sampling) and the resources. The sources know each other in that direction
// only. Types and attributes, systems, instances, groups and the roster stand below, in
// ten files, and have never heard of options or explanations. What an application is, loops and the world
// that a process has by default, is package app, which drives a frame in parts (update.go). Where they let something happen for those above, it stands behind an interface:
// a timer takes the times of one system, a watcher sees what a system schedules in guard builds.
//
// Where things stand:
//
//	types       system.go has the methods that they may have, type.go what is known of one, attributes.go what they declare,
//	            kind.go the kinds of worlds that take them; register.go the list of all
//	systems     roster.go has those of a world; create.go makes, finds and ends them; instance.go is one, setup.go what it asks for as it is made, frame.go what
//	            it is given; lifecycle.go calls it, nested.go and errors.go say what failed
//	groups      group.go; their order constraints.go; those that each world has defaultgroups.go, with their commands in commands.go
//	worlds      world.go makes one by its options, attachment.go finds what is kept of one; update.go is a frame, alpha.go how far into a step, close.go the end
//	resources   resource.go; what images keep of a world state.go, in the structs of package state below
//	what tools look at   border.go between frames, probes.go around updates, look.go one system, snapshot.go all of them at another time;
//	            package monitor, above, has the names and comments for them, and gets at them by internals.go
//	guard builds     guard_*.go, with watch.go, which finds jobs that a system has forgotten
//	times and advice     measure.go, record.go; explain.go, with explaingraph.go which waits for which, and advice.go
//
// A call is one call into a system: begin makes it the one that executes and steps the world's
// version, end puts back what was, however the call ended, and makes an error of a panic. A constraint
// is one Before or After; lifted constraints are those of systems further down, which order the
// members of the group where the two first meet. Package topo below sorts by them.
//
// What holds it together:
//
//   - All but the look-up of systems (byPtr, kinds) and the list of worlds is the owner's, and needs no lock. Groups of other worlds look systems up: that is
//     what the roster's mutex is for.
//   - The order of a group is decided by attributes, and where they leave it open by full type names and then by which was added first (transform.Group comes last of those); so
//     the order of registration, and of creation, never shows. A circle leaves the order what it was, and nothing of that group runs.
//   - A group's order is a new slice after each sort: an update may be going through the old one.
//     An index knows what stands below a group; what joins or leaves makes it, and those of the groups above, stale.
//   - What begin changes, end puts back, in reverse: the running system, the time, the runner of jobs. So an update inside of an update, or one that
//     panics, leaves its caller where it was.
//   - lastVersion becomes the version of an update only when its jobs are done and none has
//     failed: what a failed one has seen is new once more.
//   - An explanation goes by copies of instances, which belong to it: no goroutine but the owner
//     ever looks at the ones that run.
//
// # Promises
//
// The order of updates depends on the attributes and the names of types, not on
// the order in which systems are registered or added. Jobs that systems schedule
// wait for those of earlier systems that they conflict with, and for no others;
// the result is that of running one after the other, for any number of workers.
// A system that fails, or panics, does not keep the others from running; its
// error comes out of the update with its name. The steady state allocates nothing.
package system
