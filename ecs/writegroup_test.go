package ecs_test

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Made is computed from Part and Piece; Piece is computed from Grain, and Rival takes over Made.
type (
	Grain struct{ Value int32 }

	Round struct{ Value int32 } // each is in the write group of the other
	Trip  struct{ Value int32 }

	Vain  struct{ Value int32 }
	Wrong struct{ Value int32 }
)

func (Grain) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[Piece](), ecs.With[Made](), ecs.With[Piece]()}
}

func (Round) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[Trip](), ecs.With[Made]()} }
func (Trip) WriteGroups() []ecs.Term  { return []ecs.Term{ecs.With[Round]()} }
func (Vain) WriteGroups() []ecs.Term  { return []ecs.Term{ecs.With[Vain]()} }
func (Wrong) WriteGroups() []ecs.Term { return []ecs.Term{ecs.Write[Made]()} }

func TestWriteGroups(t *testing.T) {
	w := newWorld(t, 1)
	entities := map[string]ecs.Entity{}
	spawn := func(name string, values ...any) { entities[name] = w.Spawn(append(values, Made{})...) }
	queries := []struct {
		name string
		q    *ecs.Query
		want string
	}{
		{"no filter", w.Query(ecs.Write[Made](), ecs.Read[Part]()), "part piece grain rival tag late"},
		{"part", w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.FilterWriteGroup()), "part"},
		{"the target only read", w.Query(ecs.Read[Made](), ecs.Read[Part](), ecs.FilterWriteGroup()), "part piece grain rival tag late"},
		{"optional", w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.Optional(ecs.Read[Rival]()), ecs.FilterWriteGroup()), "part rival"},
		{"any", w.Query(ecs.Write[Made](), ecs.AnyOf(ecs.Read[Part](), ecs.With[RivalTag]()), ecs.FilterWriteGroup()), "part tag"},
		{"written itself", w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.Optional(ecs.Write[Piece]()), ecs.FilterWriteGroup()), "part piece"},
		{"what a piece is made of", w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.Optional(ecs.Read[Piece]()), ecs.FilterWriteGroup()), "part piece grain"},
		{"none", w.Query(ecs.Write[Made](), ecs.With[Part](), ecs.Without[Rival](), ecs.FilterWriteGroup()), "part"},
		{"a circle", w.Query(ecs.Write[Made](), ecs.Read[Round](), ecs.FilterWriteGroup()), "round trip"},
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

func (madeWith[T]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[T](), ecs.With[Made]()} }

type (
	made3  = madeWith[madeWith[madeWith[Part]]]
	made6  = madeWith[madeWith[madeWith[made3]]]
	made9  = madeWith[madeWith[madeWith[made6]]]
	made12 = madeWith[madeWith[madeWith[made9]]]
)

// If members of a write group have write groups, these must be followed too, in a chain of any
// length.
func TestWriteGroupsOfGroups(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Made{}, made12{})
	for _, c := range []struct {
		q    *ecs.Query
		want int
	}{
		{w.Query(ecs.Write[Made](), ecs.Optional(ecs.Read[Part]()), ecs.FilterWriteGroup()), 1},
		{w.Query(ecs.Write[Made](), ecs.Optional(ecs.Read[made6]()), ecs.FilterWriteGroup()), 1},
		{w.Query(ecs.Write[Made](), ecs.Optional(ecs.Read[Grain]()), ecs.FilterWriteGroup()), 0},
	} {
		if n := c.q.Count(); n != c.want {
			t.Errorf("%v matches %d entities, want %d", c.q, n, c.want)
		}
	}
}

func TestWrongWriteGroups(t *testing.T) {
	w := newWorld(t, 1)
	if err := panics(t, ecs.ErrArgument, func() { w.Spawn(Vain{}) }); !strings.Contains(err.Error(), "names the type itself") {
		t.Errorf("error %q", err)
	}
	if err := panics(t, ecs.ErrArgument, func() { w.Spawn(Wrong{}) }); !strings.Contains(err.Error(), "by With, not by Write") {
		t.Errorf("error %q", err)
	}
}

// Only write groups mention Unused.
type (
	Root   struct{ Value int32 }
	Unused struct{ Value int32 }
	Upon   struct{ Value int32 }
)

func (Unused) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[Root]()} }
func (Upon) WriteGroups() []ecs.Term   { return []ecs.Term{ecs.With[Made](), ecs.With[Unused]()} }

// FilterWriteGroup must also follow the write groups of a type that no code has used before.
func TestWriteGroupOfUnusedType(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Made{}, Root{}, Upon{})
	w.Spawn(Made{}, Root{}, Rival{})
	q := w.Query(ecs.Write[Made](), ecs.Read[Root](), ecs.FilterWriteGroup())
	if got := q.AppendEntities(nil); len(got) != 1 || got[0] != e {
		t.Errorf("got %v", got)
	}
}
