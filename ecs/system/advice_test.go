package system

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// adviceWith returns the pieces of advice about w whose text contains part.
func adviceWith(w *ecs.World, part string) (found []string) {
	for _, a := range Explain(w).Advice {
		if strings.Contains(a, part) {
			found = append(found, a)
		}
	}
	return found
}

// seeker has queries that may match nothing.
type seeker struct{ first, second *ecs.Query }

func (s *seeker) Create(u *Setup) error {
	s.first = u.Query(ecs.Write[alpha](), ecs.Read[beta]())
	s.second = u.Query(ecs.Read[gamma]())
	return nil
}

func (s *seeker) Update(*Frame) error { return nil }

// shySeeker is a seeker that does not update while its queries are empty.
type shySeeker struct {
	seeker
	_ MatchingOnly
}

// Explain gives advice about a query that has never matched anything, but only after its system has
// run. Explain gives no advice about a query that matched something earlier and matches nothing now.
func TestAdviceOnQueries(t *testing.T) {
	w := newWorld(t, Only(Of[seeker](), Of[shySeeker]()))
	const part = "looks for entities that there have never been"
	if got := adviceWith(w, part); len(got) != 0 {
		t.Errorf("before the first frame: %q", got)
	}
	for range 2 {
		w.Spawn(alpha{})
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
	}
	got := adviceWith(w, part)
	if len(got) != 2 || !strings.HasPrefix(got[0], "system.seeker "+part+": Query(Write[system.alpha](), Read[system.beta]()); Query(Read[system.gamma]()); ") ||
		!strings.HasPrefix(got[1], "system.shySeeker ") {
		t.Fatalf("advice %q", got)
	}
	var both []ecs.Entity
	for range 300 {
		both = append(both, w.Spawn(alpha{}, beta{}))
	}
	if got := adviceWith(w, part); len(got) != 2 || strings.Contains(got[0], "beta") || !strings.Contains(got[0], "gamma") {
		t.Errorf("advice %q", got)
	}
	last := w.Spawn(gamma{})
	if err := ecs.DestroyAll(w, ecs.Entities(append(both, last))); err != nil {
		t.Fatal(err)
	}
	if got := adviceWith(w, part); len(got) != 0 {
		t.Errorf("of what there was before: %q", got)
	}
}

// A registered plugin gives advice about every world, and another plugin only about the worlds that use
// it. A plugin is not asked about a world that cannot be read at that time.
func TestSetAdvise(t *testing.T) {
	cleanRegister(t)
	asked := 0
	s := orchards()
	s.Advise = func(w *ecs.World) []string {
		asked++
		return []string{fmt.Sprintf("trees of %s: %d", w.Name(), w.Len())}
	}
	bad := &Plugin{Name: "weeds", Advise: func(*ecs.World) []string { panic("no rain") }}
	want := func(w *ecs.World, texts ...string) {
		t.Helper()
		if got := Warnings(w); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", texts) {
			t.Errorf("warnings %q, want %q", got, texts)
		}
	}
	other := namedWorld(t, "other")
	w := newWorld(t, Only(), WithPlugins(s, bad, &Plugin{}))
	w.Spawn(alpha{})
	trees, rain := "trees of "+w.Name()+": 1", "system: the plugin weeds: Advise has panicked: no rain"
	want(other)
	want(w, trees, rain)
	s.Register()
	want(other, "trees of other: 0")
	want(w, trees, rain)
	if got := adviceWith(w, trees); len(got) != 1 {
		t.Errorf("Explain does not say it once: %q", got)
	}
	before := asked
	tx, err := ecs.BeginTransaction(w)
	if err != nil {
		t.Fatal(err)
	}
	want(w)
	if err := tx.End(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want(w)
	if asked != before {
		t.Error("the plugin has looked at a world that is lent, or closed")
	}
}
