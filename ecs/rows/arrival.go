package rows

import "github.com/lanewise/lanewise/ecs"

// Arrival brings what an [ecs.Image] contains into a living world, a part at a time, so that no
// frame has to wait for all of it: a scene that is streamed in, a region that comes from
// another machine.
//
//	a, err := rows.NewArrival(image, SceneTag{Scene: e}) // anywhere, on a worker too
//	err = a.Begin(w)                // all ids are reserved
//	n, err := a.Admit(10_000)       // at each border of frames, until a.Left() is 0
//	left, err := a.Withdraw(10_000) // and out again, when its time is over or at any time before
//
// Begin reserves an id for every entity at once, so that references among them are right
// from the first row on: until the row has come such a reference leads to an entity that does
// not exist yet, as one to a dead one does. What leads out of the image is null. Rows that have come
// are entities like all others.
//
// Rows come in the order of the archetypes, chunks and rows of the image, into the first chunk that has room,
// or new ones; those that have chunk components come in chunks of their own. They count as changed.
// Enabled bits, buffers, cleanup, chunk and managed components, prefabs and names come along; shared values are
// found in the world or come new; what managed components point to is the image's own.
//
// An Arrival is for one goroutine at a time, and from Begin on for that of the world. An image of the world
// knows the reserved ids as ids that are no longer used: if the world is restored while rows are still
// to come, the Arrival is over. To go on exactly, keep a [Arrival.Clone] with the image, or the bytes of [Arrival.AppendState] with
// the file, and call [Arrival.Resume] or [Arrival.LoadState] after the world was restored.
//
// An image also knows how far each Arrival had come. After [ecs.Restore] an Arrival that was elsewhere then, or that had not begun, is refused
// with an error of category [ecs.ErrState], because its ids may be those of other entities by now; for example, one that was
// withdrawn since. A Clone of the moment of the image goes on. Of an Arrival and its Clones one goes on in a
// world, and the others are refused from then on.
type Arrival struct{ of arrival }

// arrival is what package ecs has for an Arrival.
type arrival interface {
	Len() int
	Left() int
	Of(old ecs.Entity) ecs.Entity
	Entities() []ecs.Entity
	Clone() any // an arrival
	Resume() error
	AppendState(out []byte) []byte
	LoadState(w *ecs.World, in []byte) error
	Begin(w *ecs.World) error
	Admit(most int) (n int, err error)
	Withdraw(most int) (left int, err error)
}

// NewArrival prepares the entities of an image to come into a world. All of them get the shared values given
// in addition, or instead of those of the same types that they have. It touches no world, so that a
// job can do it. The error is of category [ecs.ErrArgument] if the image is released, or if a value is of no shared
// component or of a type that comes twice.
func NewArrival(m *ecs.Image, shared ...any) (*Arrival, error) {
	a, err := room.NewArrival(m, shared...)
	if err != nil {
		return nil, err
	}
	return &Arrival{a}, nil
}

// inner is what a is about; what says that there is nothing if a was not made.
func (a *Arrival) inner() arrival {
	if a == nil || a.of == nil {
		return room.NoArrival()
	}
	return a.of
}

// Len returns how many entities the image has.
func (a *Arrival) Len() int { return a.inner().Len() }

// Left returns how many have still to come; 0 when the Arrival is over.
func (a *Arrival) Left() int { return a.inner().Left() }

// Of returns the id in the world of an entity of the image; the null entity before Begin, and for what is
// no entity of the image.
func (a *Arrival) Of(old ecs.Entity) ecs.Entity { return a.inner().Of(old) }

// Entities returns the ids in the world of those that have come, in the order in which they came, whether they still
// exist or not. It is to be read, and good until the next call of a method.
func (a *Arrival) Entities() []ecs.Entity { return a.inner().Entities() }

// Clone returns an Arrival that has come as far. A program that keeps state of its own beside an image of the world keeps a Clone with it, and
// goes on with a Clone of that when the image is restored. A Clone made before Begin begins by itself.
func (a *Arrival) Clone() *Arrival { return &Arrival{a.inner().Clone().(arrival)} }

// Resume makes an Arrival go on after its world was restored. The world must contain what it did when the Arrival had come as far
// as it has now: keep a Clone with the image, and call Resume of a Clone of that. Ids that were reserved are reserved again. The error is of
// category [ecs.ErrState] if the Arrival has not begun, or the world cannot be changed now; of category [ecs.ErrArgument] if an id
// is not reserved in what the world contains.
func (a *Arrival) Resume() error { return a.inner().Resume() }

// AppendState appends how far the Arrival has come, with all its ids, to out: for a file beside the one of the world. Ids that follow each other take few
// bytes.
func (a *Arrival) AppendState(out []byte) []byte { return a.inner().AppendState(out) }

// LoadState makes an Arrival that has not begun go on in w as the one did that has appended the bytes: w was restored to a moment at which that had come
// as far as the bytes say, with the same ids. The Arrival is made by [NewArrival], of an equal image; or it is the zero Arrival, which has no rows to let
// come, and is for Withdraw. If w has an Arrival with the same ids already, the two are as Clones from then on: one goes on, and the other one is refused.
//
// The error is of category [ecs.ErrArgument], and nothing has changed, if the bytes are others, if an id is not reserved in w, or if w knows that it does not contain
// what it did then: an Arrival of these ids has come to another place, or w has none. One with the same ids that has come as far is taken for that of the bytes. A world that was restored from a file knows nothing of arrivals. There the
// caller must take care that the bytes were saved together with the file, because an entity that has the id of one that came is taken for that one, and
// Withdraw destroys it.
func (a *Arrival) LoadState(w *ecs.World, in []byte) error {
	if a.of == nil {
		a.of = room.NoArrival()
	}
	return a.of.LoadState(w, in)
}

// Begin reserves the ids. It is a structural change, though no row comes. The error is of category [ecs.ErrArgument]
// if an entity would not fit a chunk, or a type has a name that another type has in the world;
// of category [ecs.ErrState] if the Arrival has begun already, or the world cannot be changed now.
func (a *Arrival) Begin(w *ecs.World) error { return a.inner().Begin(w) }

// Admit lets up to most entities come, and returns how many came: as many, unless fewer are left, or the next ones are of a
// chunk with chunk components that does not fit in what is left. It is a structural change and happens whole:
// an error, or a panic of a method of a shared value, changes nothing. The error is of category [ecs.ErrState] if the Arrival
// has not begun, the world cannot be changed now, was restored since Begin, or if a Clone has gone on.
func (a *Arrival) Admit(most int) (n int, err error) { return a.inner().Admit(most) }

// Withdraw ends entities that have come and still exist, up to most of them, those that came first first, as [ecs.World.Destroy]
// does, but never a part of an [ecs.LinkedGroup] that did not come with them: cleanup components stay. What has not come yet never will.
// It returns how many of those that came are left to be withdrawn. The error is of category [ecs.ErrState], and nothing is changed, if the Arrival has not
// begun, the world cannot be changed now, was restored to a moment at which the Arrival was elsewhere, or if a Clone has gone on.
func (a *Arrival) Withdraw(most int) (left int, err error) { return a.inner().Withdraw(most) }
