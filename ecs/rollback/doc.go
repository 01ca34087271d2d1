// Package rollback runs the same world on several peers over a network that is slow and loses and
// reorders packets (rollback netcode, as in GGPO). Each peer runs on with predicted inputs of the
// others, and goes back when it learns that a prediction was wrong.
//
//	s, err := rollback.New(rollback.Config[Input]{World: w, Players: 2, Local: 0, Step: game.step})
//	for ; s.Ready(); ... {
//		err = s.Receive(&packet)     // of the others, as they come
//		err = s.Advance(input)       // goes back if it must, and runs a tick
//		s.Packet(1, &packet)         // for the others: send it
//	}
//
// # Concepts
//
// A tick is one step of the world, with the same number on all peers. An input is the action of one
// player in one tick: a small value of numbers, which is compared by its bits. It is confirmed when
// its player has given it, and predicted until then; [Inputs] is the log of both. A tick is
// confirmed when its inputs and those of all earlier ticks are; the world before and after it never
// changes any more. The window is the largest number of unconfirmed ticks that may run. A [Ring]
// keeps images of the world in the last ticks. A [Session] has one, and a game that goes back for
// another reason can use its own.
//
// # Promises
//
// For each tick, every peer gets the same world, bit for bit, as if all inputs had been known in
// time. The condition is that Step depends only on the world, the tick and the inputs. Peers
// compare hashes of confirmed worlds, and a difference is an error ([Desync]). Every packet is
// checked, and an invalid one changes nothing. Honest peers stay equal, or get an error that names
// the player who is dishonest or whose link is faulty.
//
// # Design
//
// An input in the log changes from predicted to confirmed once and never back, because its player
// cannot take it back. The image of a tick is taken before the tick runs, so that going back to
// tick t means having all inputs before t and none after. Receive only writes to the log. The world
// changes only in Advance and Settle, on the owner's goroutine, from the first tick with a wrong
// prediction on. The log overwrites an input only when it is no longer needed: its tick is
// confirmed, has run, and need not run again. The ring is as long as the window, and a tick outside
// of the window is confirmed; therefore an image to go back to always exists.
//
// # Limits
//
// There is no network code: packets are plain values, and bytes if a program needs them. Players
// cannot join or leave. Clocks are not synchronized: a session that is ahead of the others by the
// window waits.
package rollback
