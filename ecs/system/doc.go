// Package system orders the work on a world. Systems are created, updated and destroyed with their world; groups update
// systems one after the other, in an order that attributes decide; a clock passes the time.
//
//	type Move struct{ moving *ecs.Query }
//
//	func (m *Move) Create(s *system.Setup) error {
//		m.moving = s.Query(ecs.Write[Position](), ecs.Read[Velocity]())
//		return nil
//	}
//
//	func (m *Move) Update(f *system.Frame) error {
//		f.ParallelFor(m.moving, m) // m has a method Chunk, too
//		return nil
//	}
//
//	w, err := system.NewWorld("first", system.Only(system.Of[Move]()))
//	err = app.Run(ctx, w, app.Frames(60), app.Step(1.0/60))
//
// # Worlds
//
// [NewWorld] makes a world with the default groups and every registered system; options such as [Only], [WithKind] and
// [WithPlugins] choose others. [Update] runs one frame of it. [Warnings] lists the mistakes that were found in its systems.
//
//	world
//	 ├─ Initialization   BeginInitialization … EndInitialization
//	 ├─ Simulation       BeginSimulation
//	 │                   FixedStep           BeginFixedStep … EndFixedStep
//	 │                   VariableRate        BeginVariableRate … EndVariableRate
//	 │                   your systems, and transform.Group if that package is imported
//	 │                   LateSimulation
//	 │                   EndSimulation
//	 └─ Presentation     BeginPresentation … EndPresentation
//
// # Systems
//
// A system is a type whose pointer has an Update method. [Creator], [Starter], [Stopper] and [Destroyer] name its optional methods.
// An [Instance] is one system of one world, and a [Type] the type of a system. [Register] gives a type to all new worlds,
// [AddSystems] gives types to one world, and a [Plugin] is a list of types that belong together.
//
// # Setup and Frame
//
// Create gets a [Setup], which makes the queries of the system. Update gets a [Frame], which also has the time and schedules jobs.
//
// # Groups, order, command buffers
//
// A [Group] is a system that updates other systems, its members. A group is the SystemSet of Bevy and the phase of flecs.
// An attribute, such as [In] or [After], is a blank field of a system's type: it says into which group the system goes and which
// systems it precedes or follows. [CommandBuffers] play back structural changes at their own place of the frame;
// [Commands] returns such a buffer.
//
// # Kinds of world
//
// A [WorldKind] says what a world is for, for example [GameWorld] or [ServerWorld]. [For] restricts a system to kinds of world.
//
// # Resources and time
//
// A [Resource] is a value that a world has once, beside its entities; queries declare it like a component, so jobs are ordered by it.
// A [Clock] is the time of a world: a stack of moments, of which systems see the top one. A [Rate] says how often a group runs its members in
// one update, and may push a moment for them: a pass runs the members once, a step is the time by which a pass moves on.
//
// # State in images
//
// An image of a world keeps a [WorldState]: the time, the steps of groups, and what each system has seen. A system with own state is a
// [Saver]. [Restore] puts a world and its systems back; [StateOf] and [AttachState] are for packages with a file format of their own.
//
// # Explanations and measurements
//
// [Explain] returns a [Report] about the frames of a world: the order of systems, what waits for what, and advice. After [Measure]
// it has times. An [Explainer] makes the same report in pieces, because a whole copy would hold up a large world.
// [RecordTimes] keeps a [Sample] for each system and frame, and [Turn]s for each update and wait.
//
// # Tools and loops
//
// Inspectors and recorders look at a world between two frames, in a function of [OnFrameEnd]: all jobs of the frame are done and the next
// frame has not begun. A [Watcher] is called before and after each update of a system. Functions about a world or an instance are for the
// owner of the world, between two frames unless they say otherwise. A tool changes no result, only when things happen. Where no tool looks, an
// update costs two comparisons with nil, and a frame two comparisons and one atomic load.
//
// # Promises
//
// The order of updates depends on the attributes and the names of types, not on the order in which systems are registered or added. Jobs that systems
// schedule wait for those of earlier systems that they conflict with, and for no others; the result is that of running one after the
// other, for any number of workers. A system that fails, or panics, does not keep the others from running; its error comes out of the update
// with its name. The steady state allocates nothing.
//
// # Design
//
// A roster holds the systems of a world in the order of their creation. An attachment is everything that this package keeps for a
// world: the roster, the frame that is under way, the functions that watch the ends of frames, measurements and resources. Types, instances,
// groups and the roster know no options and no explanations: a timer takes the times of one system, and in guard builds a jobWatcher
// sees the jobs of one, each through an interface or a hook. Package app drives a frame in parts, through ecs/internal/driver (the end of update.go), because a loop
// begins the frames of all its worlds before it ends one.
//
//   - The owner of a world uses all of this without a lock. Only the look-up of systems (byPtr, kinds) and the list of worlds have a
//     mutex, because groups of other worlds look systems up too.
//   - Attributes decide the order of a group. Where they leave it open, full type names decide, and then which system was added first (transform.Group
//     comes last of those). So the order of registration and of creation never shows. A cycle leaves the order as it was, and no member of
//     that group runs.
//   - A sort makes a new slice for the order of a group, because an update may be going through the old one. The index of a group lists
//     the types below it; when a member joins or leaves, the index and those of the groups above become stale.
//   - A call is one call into a system. begin makes the system the executing one and increments the world's version; end restores the running
//     system, the time and the runner of jobs in reverse order. So an update inside of an update, or one that panics, leaves its
//     caller where it was.
//   - A constraint is one Before or After. One between systems of different groups orders the members of the group where the two first meet;
//     package topo sorts by constraints.
//   - lastVersion becomes the version of an update only when its jobs are done and none has failed, because what a failed
//     update has seen must be new once more.
//   - A moment that a rate pushed is popped in the same frame, so the lowest moment is the world's own and no group changes the time of another group.
//     A clock never reads the time of the machine, unless a rate has a function for that: two runs with the same steps are the same.
//   - A report is plain data. It is made from copies of instances, so that any goroutine may do it; only the owner ever reads the instances that run.
//   - The state of an image is never changed once it is attached, because images are shared. A system is found again by the full name of its
//     type and its number among the systems of that type. Versions are those of the image; Restore converts them to versions of the world.
package system
