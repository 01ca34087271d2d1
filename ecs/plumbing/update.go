package plumbing

import "github.com/lanewise/lanewise/ecs"

// BeginUpdate begins the update of a system: the world's version moves on, and
// errors name the system until EndUpdate. It returns the name of the system in
// whose update this one happens, or "". It panics with an *ecs.Error while the world is
// lent to a transaction, see transaction.Lent: the system would have missed what that
// does. Until EndUpdate the world is the caller's, as in [BeginFrame].
func BeginUpdate(w *ecs.World, system string) (outer string) { return plumbing.BeginUpdate(w, system) }

// BeginMember is BeginUpdate for a caller that has the world already, by a BeginFrame or BeginUpdate that it has made itself, and
// knows that the world is not lent: nothing is asked. A group of systems begins the updates of its members so.
func BeginMember(w *ecs.World, system string) (outer string) { return plumbing.BeginMember(w, system) }

// EndUpdate ends the update of a system, with what BeginUpdate has returned, and returns the version that its queries
// compare with next time, see [ecs.Query.SetSince]: what it has written itself is not newer than that,
// what is written afterwards is, by a transaction that the update has begun too.
func EndUpdate(w *ecs.World, outer string) (last uint32) { return plumbing.EndUpdate(w, outer) }

// Running returns the name of the system that is being updated, or "".
func Running(w *ecs.World) string { return plumbing.Running(w) }

// Changing returns the name of the system whose structural change is being made: during a
// playback the one that has recorded the commands, if it is known, and else the one that
// is being updated; or "".
func Changing(w *ecs.World) string { return plumbing.Changing(w) }

// Recording makes the system that is being updated the recorder of c, which errors and
// [Changing] name. Call it before a buffer of another system is given to this one.
func Recording(c *ecs.Commands) { plumbing.Recording(c) }

// BeginFrame makes the world the caller's until EndFrame: other goroutines, and jobs,
// are refused what is the owner's, whatever is under way. Frames and updates of systems
// nest. It panics with an *ecs.Error if the world is being updated by another goroutine.
func BeginFrame(w *ecs.World) { plumbing.BeginFrame(w) }

// EndFrame undoes one BeginFrame.
func EndFrame(w *ecs.World) { plumbing.EndFrame(w) }

// RestoredVersion returns which version of the world one of the image is that the world was restored
// from last, or forked: for those who keep versions with an image.
func RestoredVersion(w *ecs.World, v uint32) uint32 { return plumbing.RestoredVersion(w, v) }

// QueryFor is [ecs.World.Query] for a system: queries of different owners are different,
// even of the same terms, since each is set its own version to compare with. The owner is named
// in errors.
func QueryFor(w *ecs.World, owner string, terms ...ecs.Term) *ecs.Query {
	return plumbing.QueryFor(w, owner, terms...)
}

// CloseQueries closes the queries that were made for owner.
func CloseQueries(w *ecs.World, owner string) error { return plumbing.CloseQueries(w, owner) }

// Report adds an error to those that the next [ecs.World.Sync] returns.
func Report(w *ecs.World, err error) { plumbing.Report(w, err) }
