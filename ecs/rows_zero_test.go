package ecs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// A zero ImageStream and a zero RowSet are empty, and return clear errors.
func TestZeroRows(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	e := w.Spawn(Spot{X: 1})
	refused := func(op string, err error) {
		t.Helper()
		if !errors.Is(err, ecs.ErrState) || !strings.HasPrefix(err.Error(), "ecs: "+op+": ") {
			t.Errorf("%s: got error %v", op, err)
		}
	}
	for _, a := range []*ecs.ImageStream{nil, {}, new(ecs.ImageStream).Clone()} {
		if a.Len()+a.Left()+len(a.Entities()) != 0 || !a.NewID(e).IsZero() {
			t.Errorf("%d entities, %d are left, %v have come, and %v is %v", a.Len(), a.Left(), a.Entities(), e, a.NewID(e))
		}
		refused("ImageStream.Begin", a.Begin(w))
		refused("ImageStream.Resume", a.Resume())
		n, err := a.Load(1)
		refused("ImageStream.Load", err)
		left, err := a.Unload(1)
		refused("ImageStream.Unload", err)
		if n+left != 0 {
			t.Errorf("%d have come, %d are left", n, left)
		}
	}
	refused("ImageStream.LoadState", (*ecs.ImageStream)(nil).LoadState(w, new(ecs.ImageStream).AppendState(nil)))
	for _, s := range []*ecs.RowSet{nil, {}} {
		b, err := s.Gather([]byte{7}, []ecs.Entity{e})
		refused("RowSet.Gather", err)
		refused("RowSet.Scatter", s.Scatter([]ecs.Entity{e}, make([]byte, 8)))
		if s.RowBytes() != 0 || !slices.Equal(b, []byte{7}) {
			t.Errorf("%d bytes a row, %v", s.RowBytes(), b)
		}
	}
	if w.Len() != 1 {
		t.Errorf("%d entities", w.Len())
	}
}
