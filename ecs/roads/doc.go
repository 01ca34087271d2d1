// Package roads tests a world together with every feature of the library. For example, it saves
// and loads the world, forks it, rolls it back, replays it, or moves entities to another world and
// back, and then compares the world with one that did none of that.
//
//	func TestRoads(t *testing.T) {
//		roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
//			return newGame(system.OnPool(pool))
//		}}, roads.Options{})
//	}
//
// A program needs no other test for these features. A failure says which tick, system, entity and
// component differ first, and prints a short program that fails again.
package roads
