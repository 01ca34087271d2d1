package tool

import "github.com/lanewise/lanewise/ecs"

// Probe is a query for tools that go through a world piece by piece, a little between two
// frames: it looks at an archetype when it is asked about it, so that making one takes the
// same time however many archetypes there are, and the world knows nothing of it. It need not
// be closed. It is for the owner of the world.
type Probe interface {
	// Takes reports whether entities of an archetype match, if filters are ignored.
	Takes(a ecs.Archetype) bool

	// TakesAll reports whether all entities of an archetype match, whatever they have on or off
	// and whatever filters say, so that ecs.Archetype.Len counts them.
	TakesAll(a ecs.Archetype) bool

	// Matches reports whether e exists and matches, filters heeded, as ecs.Query.Matches does.
	Matches(e ecs.Entity) bool

	// Rows reports how many rows of a chunk of an archetype match, filters heeded, and which: one bit
	// a row in mask, which lies in room if that has 32 words; a nil mask is all of them.
	Rows(a ecs.Archetype, chunk int, room []uint64) (n int, mask []uint64)
}

// NewProbe returns a probe of the entities that a query of the same terms matches. It panics as
// [ecs.World.Query] does, and if a term has a value, as Only has.
func NewProbe(w *ecs.World, terms ...ecs.Term) Probe { return dynamic.NewProbe(w, terms...) }

// Mismatch says why q does not match e: which of its terms e does not meet, the
// first one. It is "" if q matches e, filters heeded.
func Mismatch(q *ecs.Query, e ecs.Entity) string { return dynamic.Mismatch(q, e) }

// NeverHad reports whether no entity has ever matched q, filters of versions ignored: it is
// plumbing.OrderCount(q) == 0, and looks no further than to the first archetype that had one.
func NeverHad(q *ecs.Query) bool { return dynamic.NeverHad(q) }
