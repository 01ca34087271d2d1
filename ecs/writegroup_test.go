package ecs

import (
	"strings"
	"testing"
)

// Made is computed from Part and Piece; Piece is computed from Grain, and Rival takes over Made.
type (
	Made     struct{ Value int32 }
	Part     struct{ Value int32 }
	Piece    struct{ Value int32 }
	Grain    struct{ Value int32 }
	Rival    struct{ Value int32 }
	RivalTag struct{}

	Round struct{ Value int32 } // each is in the write group of the other
	Trip  struct{ Value int32 }

	Vain  struct{ Value int32 }
	Wrong struct{ Value int32 }
)

func (Part) WriteGroups() []Term     { return []Term{With[Made]()} }
func (Piece) WriteGroups() []Term    { return []Term{With[Made]()} }
func (Grain) WriteGroups() []Term    { return []Term{With[Piece](), With[Made](), With[Piece]()} }
func (Rival) WriteGroups() []Term    { return []Term{With[Made]()} }
func (RivalTag) WriteGroups() []Term { return []Term{With[Made]()} }
func (Round) WriteGroups() []Term    { return []Term{With[Trip](), With[Made]()} }
func (Trip) WriteGroups() []Term     { return []Term{With[Round]()} }
func (Vain) WriteGroups() []Term     { return []Term{With[Vain]()} }
func (Wrong) WriteGroups() []Term    { return []Term{Write[Made]()} }

func TestWriteGroups(t *testing.T) {
	w := newWorld(t, 1)
	entities := map[string]Entity{}
	spawn := func(name string, values ...any) { entities[name] = w.Spawn(append(values, Made{})...) }
	queries := []struct {
		name string
		q    *Query
		want string
	}{
		{"no filter", w.Query(Write[Made](), Read[Part]()), "part piece grain rival tag late"},
		{"part", w.Query(Write[Made](), Read[Part](), FilterWriteGroup()), "part"},
		{"the target only read", w.Query(Read[Made](), Read[Part](), FilterWriteGroup()), "part piece grain rival tag late"},
		{"optional", w.Query(Write[Made](), Read[Part](), Optional(Read[Rival]()), FilterWriteGroup()), "part rival"},
		{"any", w.Query(Write[Made](), AnyOf(Read[Part](), With[RivalTag]()), FilterWriteGroup()), "part tag"},
		{"written itself", w.Query(Write[Made](), Read[Part](), Optional(Write[Piece]()), FilterWriteGroup()), "part piece"},
		{"what a piece is made of", w.Query(Write[Made](), Read[Part](), Optional(Read[Piece]()), FilterWriteGroup()), "part piece grain"},
		{"none", w.Query(Write[Made](), With[Part](), Without[Rival](), FilterWriteGroup()), "part"},
		{"a circle", w.Query(Write[Made](), Read[Round](), FilterWriteGroup()), "round trip"},
	}
	spawn("part", Part{})
	spawn("piece", Part{}, Piece{})
	spawn("grain", Part{}, Piece{}, Grain{})
	spawn("rival", Part{}, Rival{})
	spawn("tag", Part{}, RivalTag{})
	spawn("late", Part{}, Rival{}, RivalTag{})
	spawn("round", Round{})
	spawn("trip", Round{}, Trip{})
	for _, c := range queries {
		for name, e := range entities {
			want := strings.Contains(" "+c.want+" ", " "+name+" ")
			if got := c.q.Matches(e); got != want {
				t.Errorf("%s: %v matches %s: %v", c.name, c.q, name, got)
			}
			if got := c.q.MatchesArchetype(w.ArchetypeOf(e)); got != want {
				t.Errorf("%s: %v takes the archetype of %s: %v", c.name, c.q, name, got)
			}
		}
	}
}

// madeWith is in the write groups of T and of Made.
type madeWith[T any] struct{ Value int32 }

func (madeWith[T]) WriteGroups() []Term { return []Term{With[T](), With[Made]()} }

type (
	made3  = madeWith[madeWith[madeWith[Part]]]
	made6  = madeWith[madeWith[madeWith[made3]]]
	made9  = madeWith[madeWith[madeWith[made6]]]
	made12 = madeWith[madeWith[madeWith[made9]]]
)

// A chain of write groups is followed to its end.
func TestWriteGroupsOfGroups(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Made{}, made12{})
	for _, c := range []struct {
		q    *Query
		want int
	}{
		{w.Query(Write[Made](), Optional(Read[Part]()), FilterWriteGroup()), 1},
		{w.Query(Write[Made](), Optional(Read[made6]()), FilterWriteGroup()), 1},
		{w.Query(Write[Made](), Optional(Read[Grain]()), FilterWriteGroup()), 0},
	} {
		if n := c.q.Count(); n != c.want {
			t.Errorf("%v matches %d entities, want %d", c.q, n, c.want)
		}
	}
}

func TestWrongWriteGroups(t *testing.T) {
	w := newWorld(t, 1)
	if err := panics(t, ErrArgument, func() { w.Spawn(Vain{}) }); !strings.Contains(err.Error(), "names the type itself") {
		t.Errorf("error %q", err)
	}
	if err := panics(t, ErrArgument, func() { w.Spawn(Wrong{}) }); !strings.Contains(err.Error(), "by With, not by Write") {
		t.Errorf("error %q", err)
	}
}

// Only write groups mention Unused.
type (
	Root   struct{ Value int32 }
	Unused struct{ Value int32 }
	Upon   struct{ Value int32 }
)

func (Unused) WriteGroups() []Term { return []Term{With[Root]()} }
func (Upon) WriteGroups() []Term   { return []Term{With[Made](), With[Unused]()} }

// The write groups of a type that nothing has used are followed too.
func TestWriteGroupOfUnusedType(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Made{}, Root{}, Upon{})
	w.Spawn(Made{}, Root{}, Rival{})
	q := w.Query(Write[Made](), Read[Root](), FilterWriteGroup())
	if got := q.AppendEntities(nil); len(got) != 1 || got[0] != e {
		t.Errorf("got %v", got)
	}
}
