package mpi

import (
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/mpi/internal/wire"
)

type named struct{ Value uint64 }

func (named) Column() (c []uint64) { return }

// TestRenamed gives a row another ID between two ticks of a world that no system updates. The rank
// must number its rows again.
func TestRenamed(t *testing.T) {
	w := ecs.NewWorld("renamed")
	defer w.Close()
	read := ecs.Read[named]()
	d := &Domain[float32]{
		comm: &Comm{wire: &wire.Wire{}}, world: w, split: Split[float32]{ID: reflect.TypeFor[named]()}, bricks: &bricks{},
		own: w.Query(read), renamed: w.Query(read, ecs.ChangedAny(read)),
	}
	e := w.Spawn(named{3})
	w.Spawn(named{5})
	for tick, id := range []uint64{3, 4, 4, 6} {
		if err := ecs.Set(w, e, named{id}); err != nil {
			t.Fatal(err)
		}
		d.findLeaving()
		d.look()
		if err := d.numberOwn(); err != nil {
			t.Fatal(err)
		}
		want := int32(0)
		if id > 5 {
			want = 1
		}
		if got := d.AppendRows(nil, []uint64{id, 5}); got[0] != want || got[1] != 1-want {
			t.Errorf("tick %d: ID %d has row %d, and 5 has %d", tick, id, got[0], got[1])
		}
	}
}
