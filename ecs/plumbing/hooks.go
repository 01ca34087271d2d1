package plumbing

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// OnSync makes every sync point of w that has jobs to wait for call f first, after what
// was given before.
func OnSync(w *ecs.World, f func()) (remove func()) { return plumbing.OnSync(w, f) }

// OnWait makes every wait of the owner for jobs of w call f first, and
// what f returns when it is over: at a sync point, after [OnSync], with nil,
// and else with the access that the jobs conflict with, which is good for the call
// only, unless all of them are done already. Of several functions the first is called
// first, and what it has returned last.
func OnWait(w *ecs.World, f func(a *access.Access) (done func())) (remove func()) {
	return plumbing.OnWait(w, f)
}

// OnCommit makes every structural change of w call f just before it is made, when nothing can
// refuse it any more and no job of the world runs, with the name of the operation.
// A tool finds the system that makes the change with [Changing]. A
// playback is one change, and each of its commands another one, or neighbouring ones that
// destroy one entity each, or add, set and remove components of one; changes that the jobs of a transaction make are one,
// "transaction.Transaction.End". Function f may look at the world and is refused to change it. If it
// panics nothing has changed.
func OnCommit(w *ecs.World, f func(op string)) (remove func()) { return plumbing.OnCommit(w, f) }

// OnHash makes [ecs.World.Hash] take a number of the caller's in, behind what w contains,
// while f says that there is one. They are hashed in the order of their names: for
// each the list of the name's length (uint64), the name, and the list of the number. An
// [ecs.Capture] asks for it too. Function f may look at the world, but does not change it, and is refused to hash
// or to capture it: that would ask f again. Where goroutines have no identity, as with the tag purego, so is another
// one that hashes the world meanwhile.
// It stays as long as the world does: f says when there is none. A second call with the same name adds a number, in front of the first one's.
func OnHash(w *ecs.World, name string, f func() (hash uint64, has bool)) {
	plumbing.OnHash(w, name, f)
}

// OnClose makes [ecs.World.Close] call f, after the jobs are complete and before the
// entities are gone; what was given last is called first.
func OnClose(w *ecs.World, f func() error) (remove func()) { return plumbing.OnClose(w, f) }

// OnCapture makes every [ecs.Capture] of w call f with the new image: for packages that keep with it, by
// [Keep], what they want to have back after a Restore.
func OnCapture(w *ecs.World, f func(m *ecs.Image)) (remove func()) { return plumbing.OnCapture(w, f) }

// OnRestore makes every [ecs.Restore] of w call f when w contains what the image does: for packages that remember
// what they have seen of a world, versions of chunks and counts of order among it. An image that was made for w, see images.Builder.State,
// is released by then, and has nothing but what was kept with it.
func OnRestore(w *ecs.World, f func(m *ecs.Image)) (remove func()) { return plumbing.OnRestore(w, f) }

// Keep keeps a value with an image under a key, which should be of a type of the caller's own. It is
// for the functions of [OnCapture]: an image does not change when others have it.
func Keep(m *ecs.Image, key, value any) { plumbing.Keep(m, key, value) }

// Kept returns what was kept with an image under a key; nil if there is nothing.
func Kept(m *ecs.Image, key any) any { return plumbing.Kept(m, key) }

// Attach keeps a value with the world under a key, which should be of a type of
// the caller's own.
func Attach(w *ecs.World, key, value any) { plumbing.Attach(w, key, value) }

// Attached returns the value kept with the world under a key, or nil.
func Attached(w *ecs.World, key any) any { return plumbing.Attached(w, key) }
