// Package rollback lets several peers run the same world over a link that is slow, loses and
// reorders: each runs on at once with a guess of what the others do, and goes back when it learns that a guess was wrong.
//
//	s, err := rollback.New(rollback.Config[Input]{World: w, Players: 2, Local: 0, Step: game.step})
//	for ; s.Ready(); ... {
//		err = s.Receive(&packet)     // of the others, as they come
//		err = s.Advance(input)       // goes back if it must, and runs a tick
//		s.Packet(1, &packet)         // for the others: send it
//	}
//
// # Words
//
// A tick is a step of the world, the same for all. An input is what one player does in one tick: a small value
// of numbers, which is compared by its bits. It is confirmed when its player has given it, and predicted until then: [Inputs] is the log
// of both. A tick is confirmed when all its inputs are and all before it are; what the world was then never
// changes any more. The window is how many ticks may be run without being confirmed. A [Ring] keeps the world of the last ticks: a session
// has one, and so may a game that goes back for reasons of its own.
//
// # Promises
//
// Every peer gets, tick for tick, the world that it would have had with all inputs known in time, bit for bit: if Step
// depends on nothing but the world, the tick and the inputs. Peers compare hashes of confirmed worlds, and one that differs is an
// error ([Desync]). Every packet is checked, and a wrong one changes nothing. Honest peers stay equal, or get an error that
// names the player who is not honest or whose link is faulty.
//
// # What holds it together
//
// A number in the log changes from predicted to confirmed once, and never back. The world of a tick is kept before the tick is run, so to go back to tick t is to
// have all inputs before t and none of later ones. What has arrived is put into the log at once and never touches the world: only Advance and Settle do, on the owner's
// goroutine, from the first tick whose inputs turned out to be others. The log overwrites an input only if it is no longer
// needed: its tick is confirmed, has been run, and does not have to be run again. The ring is as long as the window, and a tick outside of it is confirmed: there is always an image to go back to.
//
// # Not here
//
// There is no network: packets are plain values, and bytes if they are wanted. Players do not come or go, and clocks are not
// brought together: a session that is ahead of the others by the window waits.
package rollback
