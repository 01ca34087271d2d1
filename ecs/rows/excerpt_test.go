package rows_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
)

// A copy tells which keys and names it has, also after an error or a panic, and what comes has those that it is given.
func TestExcerptFields(t *testing.T) {
	src, w := ecs.NewWorld("from"), ecs.NewWorld("to")
	friend := src.Spawn(Place{})
	e := src.Spawn(Follow{Whom: friend})
	must(t, src.SetNameOf(e, "e"))
	var x rows.Excerpt
	key := func(ecs.Entity) (uint64, error) { return 7, nil }
	must(t, x.Copy(src, []ecs.Entity{e}, key))
	if x.Len() != 1 || len(x.Parts()) != 1 || !slices.Equal(x.Outside, []uint64{7}) || !slices.Equal(x.Names, []string{"e"}) {
		t.Fatalf("%d entities, keys %v, names %q", x.Len(), x.Outside, x.Names)
	}
	x.Names[0], x.Outside = "other", []uint64{9}
	known := w.Spawn(Place{})
	ids, err := x.Enter(w, func(key uint64) (ecs.Entity, error) {
		if key != 9 {
			t.Errorf("asked for key %d", key)
		}
		return known, nil
	})
	must(t, err)
	if f, err := ecs.Get[Follow](w, ids[0]); f.Whom != known || err != nil || w.NameOf(ids[0]) != "other" {
		t.Errorf("it follows %v and is %q: %v", f.Whom, w.NameOf(ids[0]), err)
	}
	no := errors.New("no")
	if err := x.Copy(src, []ecs.Entity{e}, func(ecs.Entity) (uint64, error) { return 0, no }); !errors.Is(err, no) || len(x.Outside)+len(x.Names)+x.Len() != 0 {
		t.Errorf("after %v there are keys %v, names %q", err, x.Outside, x.Names)
	}
	must(t, x.Copy(src, []ecs.Entity{e}, key))
	func() {
		defer func() { recover() }()
		x.Copy(src, []ecs.Entity{e}, func(ecs.Entity) (uint64, error) { panic("outside") })
	}()
	if len(x.Outside)+len(x.Names)+x.Len() != 0 {
		t.Errorf("after a panic there are keys %v, names %q", x.Outside, x.Names)
	}
}
