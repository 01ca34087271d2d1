// Package system runs the systems of a world in each frame. Attributes of the systems determine the order. The package
// creates and destroys systems with their world, orders their jobs by the components that the systems declare, and
// manages the world's time.
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
// [NewWorld] creates a world with the default groups and every registered system. Options such as [Only], [WithKind]
// and [WithPlugins] select other systems. [Update] runs one frame of the world. [Warnings] lists the mistakes that were
// found in its systems.
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
// A system is a type whose pointer has an Update method. [Creator], [Starter], [Stopper] and [Destroyer] declare its
// optional methods. An [Instance] is one system in one world. A [Type] is the type of a system. [Register] adds a type
// to all new worlds, [AddSystems] adds types to one world, and a [Plugin] is a list of types that belong together.
//
// # Setup and Frame
//
// The method Create receives a [Setup], which creates the queries of the system. The method Update receives a [Frame].
// A Frame has the same methods, and it also provides the time and schedules jobs.
//
// # Groups, order, command buffers
//
// A [Group] is a system that updates other systems, which are its members. A Group corresponds to a SystemSet of Bevy
// and to a phase of flecs. An attribute, such as [In] or [After], is a blank field of a system's type. For example, an
// attribute names the group of the system, or a system that must run before it. [CommandBuffers] are systems that play
// back structural changes at their place in the frame. [Commands] returns such a buffer.
//
// # Kinds of world
//
// A [WorldKind] describes the purpose of a world, for example [GameWorld] or [ServerWorld]. [For]
// restricts a system to worlds of some kinds.
//
// # Resources and time
//
// A [Resource] is a value that exists once in a world and belongs to no entity. Queries declare a Resource like a
// component, so jobs that use it are ordered. A [Clock] holds the time of a world. A Clock is a stack of Times, and
// systems use the top one. A [Rate] decides how often a group runs its members in one update. A Rate may push a Time
// for the members. A pass runs all members once. A step is the time between two passes.
//
// # State in images
//
// An image of a world contains a [WorldState]: the time, the steps of groups, and the version up to which each system
// has seen the world. If the fields of a system belong to the state of the world, the system should be a [Saver].
// [Restore] restores a world and its systems. [StateOf] and [AttachState] are for packages that define a file format.
//
// # Reports and measurements
//
// [Explain] returns a [Report] about the frames of a world. It contains the order of systems, which jobs wait for
// which, and advice. After a call of [Measure], the report also contains times. An [Explainer] creates the same report
// in pieces, because copying all data of a large world at once would delay a frame. [RecordTimes] records a [Sample]
// for each system and frame, and a [Turn] for each update and wait.
//
// # Tools and loops
//
// Inspectors and recorders read a world between two frames, in a function that they pass to [OnFrameEnd]. At that time,
// all jobs of one frame are finished, and the next frame has not begun. A [Watcher] is called before and after each
// update of a system. Unless their comments say otherwise, only the owner of a world may call the functions about the
// world and its instances, and only between two frames. A tool may delay a frame, but it never changes the result. If
// no tools are used, an update costs two comparisons with nil, and a frame costs two comparisons and one atomic load.
//
// # Promises
//
// The order of updates depends on the attributes and names of the types. The order of updates does not depend on the
// order in which systems are registered or added. A job that a system schedules waits for the conflicting jobs of
// earlier systems, and for no others. The result is the same as if the jobs ran one after the other, for any number of
// workers. If a system fails or panics, the others still run. The update of the world returns the error with the name
// of the system. In the steady state, the package allocates nothing.
//
// # Design
//
// A roster holds the systems of a world in the order of their creation. An attachment holds all data of this package
// for a world: the roster, the current frame, the functions that observe the ends of frames, measurements and
// resources. Types, instances, groups and the roster do not depend on options and reports. These parts access
// measurements through interfaces: a timer measures the times of one system, and in guard builds a jobWatcher
// observes the jobs of one system. Package app runs the parts of a frame one by one, through ecs/internal/driver. The
// reason is that a loop begins the frames of all its worlds before it ends the first.
//
//   - The owner of a world uses this package without a lock. Only the look-up of systems (byPtr, kinds) and the list of worlds have a
//     mutex, because groups of other worlds look systems up too.
//   - Attributes decide the order of a group. If no attribute orders two members, their full type names decide. Two members of one type run
//     in the order in which they were added, and transform.Group is the last of the members that no attribute orders. Therefore the order of
//     registration and creation has no effect. After a cycle the order stays as it was, and the group runs no member, because any order would be wrong.
//   - A sort makes a new slice for the order of a group, because an update may be going through the old one. The index of a group lists
//     the types below it. When a member joins or leaves, the index of the group becomes stale, and so do the indexes of the groups above.
//   - A call is one call of a method of a system. begin makes the system the executing one and increments the world's version. end restores the
//     executing system, the time and the runner of jobs in reverse order. So an update inside of an update, or one that panics, leaves its
//     caller in the state that it had.
//   - A constraint is one Before or After attribute. If its two systems are in different groups, it orders members of the deepest group that
//     contains both systems. Package topo sorts by constraints.
//   - lastVersion becomes the version of an update only when the jobs of the update are done and none has failed, because rows that a failed
//     update has seen must be new again in the next one.
//   - A Time that a rate has pushed is popped in the same frame. So the lowest Time is the world's own, and no group changes the time of
//     another group. A clock never reads the time of the machine, unless a rate has a function for that. Therefore two runs with the same steps
//     are the same.
//   - A report is plain data. It is made from copies of instances, so that any goroutine may make it; only the owner reads the instances
//     themselves.
//   - The state of an image never changes after it is attached, because images are shared. Restore finds a system by the full name of its
//     type and its number among the systems of that type. Its versions are those of the image; Restore converts them to versions of the world.
package system
