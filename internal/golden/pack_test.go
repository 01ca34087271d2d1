package golden

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/jobs"
)

// serial is a global id.
type serial struct{ N uint64 }

// packRow moves entities from one world to another. The golden hash includes the bytes of the
// moved entities, the hash of all rows, and the hash of the other world.
func packRow(t *testing.T, pool *jobs.Pool) uint64 {
	a, b := ecs.NewWorld("a", ecs.OnPool(pool)), ecs.NewWorld("b", ecs.OnPool(pool))
	defer func() { ok(t, a.Close()); ok(t, b.Close()) }()
	d, s := draw(11), newSum()
	var ids []ecs.Entity
	for i := range 3000 {
		e := a.Spawn(serial{uint64(i) + 1}, position{number[float32](&d), number[float32](&d), 1}, mixed{Large: int64(-i)}, alert{Level: int32(i)}, look{Name: fmt.Sprint(i % 3)})
		if ids = append(ids, e); i > 0 {
			ok(t, ecs.Set(a, e, mixed{Small: int8(i), Large: int64(-i), Link: ids[d.intBelow(i)]}))
		}
		ok(t, ecs.SetEnabled[alert](a, e, i%3 > 0))
	}
	key := pack.Outside(func(e ecs.Entity) (uint64, error) {
		id, err := ecs.Get[serial](a, e)
		return id.N, err
	})
	message, err := pack.New(a, key).Take(nil, ids[500:2000])
	ok(t, err)
	s.Write(message)
	_, err = pack.New(b).Unpack(message)
	ok(t, err)
	for _, w := range []*ecs.World{a, b} {
		sum, err := w.Query(ecs.With[serial]()).HashRows(reflect.TypeFor[serial]())
		ok(t, err)
		s.add(sum, w.Hash())
	}
	return s.Sum64()
}
