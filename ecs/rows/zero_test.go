package rows_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
)

// An Arrival and a Set that were not made know nothing, and say so.
func TestZero(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	e := w.Spawn(Place{X: 1})
	refused := func(op string, err error) {
		t.Helper()
		if !errors.Is(err, ecs.ErrState) || !strings.HasPrefix(err.Error(), "ecs: rows."+op+": ") {
			t.Errorf("%s: got error %v", op, err)
		}
	}
	for _, a := range []*rows.Arrival{nil, {}, new(rows.Arrival).Clone()} {
		if a.Len()+a.Left()+len(a.Entities()) != 0 || !a.Of(e).Null() {
			t.Errorf("%d entities, %d are left, %v have come, and %v is %v", a.Len(), a.Left(), a.Entities(), e, a.Of(e))
		}
		refused("Arrival.Begin", a.Begin(w))
		n, err := a.Admit(1)
		refused("Arrival.Admit", err)
		left, err := a.Withdraw(1)
		refused("Arrival.Withdraw", err)
		if n+left != 0 {
			t.Errorf("%d have come, %d are left", n, left)
		}
	}
	for _, s := range []*rows.Set{nil, {}} {
		b, err := s.Gather([]byte{7}, []ecs.Entity{e})
		refused("Set.Gather", err)
		refused("Set.Scatter", s.Scatter([]ecs.Entity{e}, make([]byte, 8)))
		if s.RowBytes() != 0 || !slices.Equal(b, []byte{7}) {
			t.Errorf("%d bytes a row, %v", s.RowBytes(), b)
		}
	}
	if w.Len() != 1 {
		t.Errorf("%d entities", w.Len())
	}
}
