// Package rollback runs the same world on several peers, over a network that is slow and that loses
// and reorders packets. This is rollback netcode, as in GGPO. Each peer runs ahead with predicted
// inputs of the other players. If a prediction turns out to be wrong, the peer restores an earlier
// world and runs the ticks again.
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
// A tick is one step of the world. It has the same number on all peers. An input is the action of
// one player in one tick. It is a small value that consists of numbers, and its bits are compared.
// An input is confirmed when its player has given it; until then, the input is predicted. [Inputs]
// is the log of confirmed and predicted inputs. A tick is confirmed when its inputs and the inputs
// of all earlier ticks are confirmed. The world before and after a confirmed tick never changes
// again. The window is the largest number of unconfirmed ticks that may run. A [Ring] holds images
// of the world in the last ticks. A [Session] contains a Ring. A game that restores earlier worlds
// for another reason can create a Ring itself.
//
// # Promises
//
// For each tick, every peer computes bit for bit the same world, as if all inputs had been known in
// time. For this, Step must depend only on the world, the tick and the inputs. Peers compare the
// hashes of confirmed worlds. If two hashes differ, the session returns a [Desync]. Every packet is
// checked, and an invalid packet changes nothing. The worlds of honest peers stay equal, or these
// peers get an error that names the player who is dishonest or whose link is faulty.
//
// # Design
//
// An input in the log changes at most once, from predicted to confirmed. It never changes back,
// because a player cannot withdraw an input. The image of a tick is taken before the tick runs.
// Therefore the image of tick t contains the effect of all inputs before t, and of no later
// input. Receive only writes to the log. Only Advance and Settle change the world, on the
// owner's goroutine. If a prediction was wrong, these two methods restore the world before the
// first tick with a wrong prediction. The log overwrites an input only when the input is no
// longer needed. An input is no longer needed when its tick is confirmed, has run, and need not
// run again. The ring is as long as the window, and a tick outside of the window is confirmed.
// Therefore the ring always contains the image that must be restored.
//
// # Limits
//
// The package contains no network code: packets are plain values, which can be encoded as bytes.
// Players cannot join or leave. Peers do not synchronize their clocks: a session that is ahead
// of the other sessions by the whole window waits.
package rollback
