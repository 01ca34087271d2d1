// Package roads tests a world together with every feature of the library. For example, it saves
// and loads the world, forks it, rolls it back, replays it, or moves its entities to another world
// and back. Then it compares the world with a world that did none of these.
//
//	func TestRoads(t *testing.T) {
//		roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
//			return newGame(system.OnPool(pool))
//		}}, roads.Options{})
//	}
//
// A failure says which tick, system, entity and component differ first, and prints a short program
// that fails again.
//
// # Concepts
//
// A Subject is the program under test. A Road is a way that its world takes between two ticks, and
// a Trip is the world on a road. A Program is a list of roads with ticks between them. It also has
// a number of workers, a GOMAXPROCS and a path of package kernels. Test runs a program for each
// road, and then programs of two and three roads that it draws by a seed.
//
// # Promises
//
// A program fails if the world of the trip and a world without roads differ after any road or
// tick: in the hash, the number of entities or the number of chunks, or if a change filter of a system
// would show other chunks. It also fails if something is left at its end: a goroutine, an open file, an open world or a blob. The worlds include those
// that the systems of the subject make with [ecs.NewWorld] or [ecs.Fork]. The same seed draws the
// same programs on machines that have the same paths.
//
// # Design
//
// The states of the run without roads are computed only once, tick by tick: most programs need no other run
// without roads. A road with Changes may give entities other ids, rows or versions. So no state of the run
// without roads is right after this road. From then on a second world takes all roads with Changes, and only
// these, on one worker.
//
// A failed program is shrunk by leaving out roads and ticks, and by a plainer machine, as long as
// it fails. Then the test looks for the cause in worlds without roads, because an error that names
// a mistake of the subject is most precise there. It looks for two runs that differ, for a write
// without a change version, and for a tick whose result changes after a Restore. Only a failure
// without such a cause is a fault of the road. It is found by running the program again, with
// images of both worlds after each system.
package roads
