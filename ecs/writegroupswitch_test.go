package ecs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Claim is in the write group of Made, and takes over Made while it is on.
type Claim struct {
	ecs.Enableable
	Value int32
}

func (Claim) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[Made]()} }

// createClaims creates n entities with a Claim, which is on for every third entity. createClaims returns all
// of them, and those whose Claim is off.
func createClaims(t *testing.T, w *ecs.World, n int, values ...any) (all, free []ecs.Entity) {
	for i := range n {
		e := w.Spawn(append(values, Made{int32(i)}, Part{}, Claim{})...)
		if all = append(all, e); i%3 != 0 {
			must(t, ecs.SetEnabled[Claim](w, e, false))
			free = append(free, e)
		}
	}
	return all, free
}

// An enableable member of a write group must exclude exactly the rows in which it is on.
func TestSwitchedMember(t *testing.T) {
	w := newWorld(t, 1)
	terms := []ecs.Term{ecs.Write[Made](), ecs.Read[Part](), ecs.FilterWriteGroup()}
	q := w.Query(terms...)
	all, free := createClaims(t, w, 700)
	if got := q.AppendEntities(nil); !slices.Equal(got, free) {
		t.Errorf("%d entities, want the %d that are not claimed", len(got), len(free))
	}
	if got := q.Count(); got != len(free) {
		t.Errorf("Count is %d, want %d", got, len(free))
	}
	if q.Matches(all[0]) || !q.Matches(all[1]) || !q.MatchesArchetype(w.ArchetypeOf(all[0])) {
		t.Errorf("matches the claimed one: %v, another one: %v; takes both: %v", q.Matches(all[0]), q.Matches(all[1]), q.MatchesArchetype(w.ArchetypeOf(all[0])))
	}
	if !q.FiltersRows(w.ArchetypeOf(all[0])) || w.Query(terms[:2]...).FiltersRows(w.ArchetypeOf(all[0])) || q.FiltersRows(w.ArchetypeOf(w.Spawn(Made{}))) {
		t.Error("queries that take rows, and those that do not, are mixed up")
	}
	rows := 0
	for c := range q.Chunks() {
		if c.AllMatch() {
			t.Error("the chunk says that all rows match")
		}
		for lo, hi := range c.Runs() {
			rows += hi - lo
		}
	}
	if rows != len(free) {
		t.Errorf("the runs have %d rows, want %d", rows, len(free))
	}
	for _, c := range []struct {
		name string
		q    *ecs.Query
		want int
	}{
		{"asked for before", q, len(free)},
		{"all of them", w.Query(append(terms, ecs.IgnoreEnabled())...), len(all)},
		{"named", w.Query(append(terms, ecs.Optional(ecs.Read[Claim]()))...), len(all)},
		{"named by Without", w.Query(append(terms, ecs.Without[Claim]())...), len(free)},
		{"named, and on", w.Query(append(terms, ecs.With[Claim]())...), len(all) - len(free)},
		{"of others", w.Query(ecs.Read[Made](), ecs.Write[Part](), ecs.FilterWriteGroup()), len(all)},
	} {
		if got := c.q.Count(); got != c.want {
			t.Errorf("%s: %v matches %d, want %d", c.name, c.q, got, c.want)
		}
	}
	// A member that is not enableable leaves out the whole archetype.
	createClaims(t, w, 9, Rival{})
	if got := q.Count(); got != len(free) {
		t.Errorf("with a rival: %d, want %d", got, len(free))
	}
	for _, e := range all {
		must(t, ecs.SetEnabled[Claim](w, e, false))
	}
	for c := range q.Chunks() {
		if !c.AllMatch() {
			t.Error("none is claimed, and the chunk does not say so")
		}
	}
	// An operation on a query changes exactly the matches of the query.
	must(t, ecs.SetEnabled[Claim](w, all[5], true))
	must(t, ecs.DestroyAll(w, ecs.Matching(q)))
	if n := w.Query(ecs.With[Part](), ecs.Without[Rival](), ecs.IgnoreEnabled()).Count(); n != 1 || !w.Exists(all[5]) {
		t.Errorf("%d are left, want the one that is claimed", n)
	}
}

// If a member is turned off, its row must pass filters by change, so that it is computed again.
func TestSwitchedMemberChanges(t *testing.T) {
	w := newWorld(t, 1)
	all, _ := createClaims(t, w, 9)
	for name, filter := range map[string]ecs.Term{"Changed": ecs.Changed[Part](), "ChangedAny": ecs.ChangedAny(ecs.With[Part]())} {
		q := w.Query(ecs.Write[Made](), ecs.Read[Part](), filter, ecs.FilterWriteGroup())
		q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
		if n := q.Count(); n != 0 || !q.Unchanged() {
			t.Errorf("%s: at rest %d pass", name, n)
		}
		must(t, ecs.SetEnabled[Claim](w, all[0], false))
		if n := q.Count(); n != 7 || q.Unchanged() {
			t.Errorf("%s: %d pass, want 7", name, n)
		}
		must(t, ecs.SetEnabled[Claim](w, all[0], true))
	}
}

// unclaim turns claims off in a job.
type unclaim struct{ gate chan struct{} }

func (s *unclaim) Chunk(c *ecs.Chunk) {
	<-s.gate
	for i := range c.Len() {
		ecs.SetEnabledAt[Claim](c, i, false)
	}
}

// Operations that depend on enabled bits of members must wait for the jobs that turn these members
// on and off.
func TestSwitchedMemberInJobs(t *testing.T) {
	w := newWorld(t, 2)
	q := w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.FilterWriteGroup())
	all, _ := createClaims(t, w, 9)
	job := &unclaim{make(chan struct{})}
	w.Query(ecs.Write[Claim](), ecs.IgnoreEnabled()).ParallelFor(job)
	go close(job.gate)
	if got := q.Count(); got != len(all) {
		t.Errorf("%d match, want %d", got, len(all))
	}
	must(t, w.Sync())
}

func TestSwitchedMemberMisuse(t *testing.T) {
	w, to := newWorld(t, 1), newWorld(t, 1)
	createClaims(t, w, 3)
	q := w.Query(ecs.Write[Made](), ecs.Read[Part](), ecs.FilterWriteGroup())
	if err := ecs.MoveMatching(to, q, nil); err == nil || !strings.Contains(err.Error(), "add IgnoreEnabled") {
		t.Errorf("error %v", err)
	}
	err := panics(t, ecs.ErrState, func() { w.Query(ecs.Write[Made](), ecs.FilterWriteGroup(), ecs.Anywhere(ecs.Write[Claim]())) })
	if !strings.Contains(err.Error(), "whose switch decides about rows") {
		t.Errorf("error %q", err)
	}
	w.Query(ecs.Write[Made](), ecs.FilterWriteGroup(), ecs.IgnoreEnabled(), ecs.Anywhere(ecs.Write[Claim]()))
}
