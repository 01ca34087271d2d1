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
// # A system
//
//	type Move struct {
//		_      system.After[Steer]
//		moving *ecs.Query
//		dt     float32
//	}
//
//	func (m *Move) Create(s *system.Setup) error {
//		m.moving = s.Query(ecs.Write[Position](), ecs.Read[Velocity]())
//		return nil
//	}
//
//	func (m *Move) Update(f *system.Frame) error {
//		m.dt = float32(f.Delta())
//		f.ParallelFor(m.moving, m)
//		return nil
//	}
//
//	func (m *Move) Chunk(c *ecs.Chunk) { … }
//
// Only Update is required; [Creator], [Starter], [Stopper] and [Destroyer] name
// the others. Attributes are [In], [First], [Last], [Before], [After],
// [CreateBefore], [CreateAfter], [Manual], [MatchingOnly] and [For].
//
// # A world
//
//	system.Register[Move]()                            // once, for all worlds
//	w, err := system.NewWorld("name")                  // groups and registered systems
//	err = system.Run(ctx, w, system.Frames(600), system.Step(1.0/60))
//	err = system.Update(w)                             // one frame, at the present time
//	system.ClockOf(w).Advance(dt)
//
//	w, err := system.NewWorld("test", system.Only(system.Of[Move]()), system.With(transform.Systems()))
//	err = system.Populate(w, types...)                 // by hand, groups and members in any order
//
//	m, err := system.Create[Move](w)                   // one more, in no group
//	m := system.Get[Move](w)                           // the one there is, or a new one
//	system.Adopt(w, &Move{…})                          // one made by hand
//	system.Get[Physics](w).Add(m)                      // into a group
//	system.InstanceOf(w, m).SetEnabled(false)
//	system.Destroy(w, m)
//
//	system.Measure(w, true)                            // from now on, with times
//	fmt.Println(system.Explain(w))                     // what a frame consists of, and advice
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
