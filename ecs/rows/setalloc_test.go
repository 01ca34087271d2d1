//go:build !race && !lanewise_guard

package rows_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
)

// What is called once for all rows costs no allocation more for being behind an interface.
func TestSetAllocates(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	var ids []ecs.Entity
	for i := range 100 {
		ids = append(ids, w.Spawn(Place{X: float32(i)}))
	}
	s, err := rows.NewSet(w, reflect.TypeFor[Place]())
	must(t, err)
	values, err := s.Gather(nil, ids)
	must(t, err)
	slices.Reverse(ids)
	if n := testing.AllocsPerRun(10, func() {
		err = errors.Join(err, s.Scatter(ids, values))
		values, _ = s.Gather(values[:0], ids)
	}); n > 0 || err != nil {
		t.Errorf("%v allocations, error %v", n, err)
	}
	if p, err := ecs.Get[Place](w, ids[0]); p != (Place{X: 0}) || err != nil {
		t.Errorf("the last has %v, want what the first had: %v", p, err)
	}
}
