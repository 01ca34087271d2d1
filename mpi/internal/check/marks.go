package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/mpi"
	"github.com/lanewise/lanewise/near"
)

// Spot is the position of a lamp.
type Spot struct{ X, Y float32 }

// Lamp is a light that can be switched on and off.
type Lamp struct {
	ecs.Enableable
	Light float32
}

// Bell is a second component that can be switched on and off.
type Bell struct {
	ecs.Enableable
	Tone int8
}

// Column names the lanes.
func (Spot) Column() (c struct{ X, Y []float32 }) { return }

// Column names the lanes.
func (Lamp) Column() (c struct{ Light []float32 }) { return }

// draw returns the random number for an id and a tick. All ranks get the same number.
func draw(id uint64, tick, of int) uint32 {
	return uint32(rand.NewPCG(id, uint64(tick)<<8|uint64(of)).Uint64() >> 20)
}

// changeLamps makes random changes: it disables and enables components of rows,
// makes rows inactive or prefabs, and destroys and moves them. It also counts the
// neighbours that rows see by queries of several kinds. The counts must not depend on the
// number of ranks.
func changeLamps(c *mpi.Comm) (err error) {
	const side, reach = 12, 1.5
	w := ecs.NewWorld("lamps")
	defer func() { err = errors.Join(err, w.Close()) }()
	for id := range uint64(*worldRows) {
		if w.Spawn(ID{id}, Spot{}, Lamp{Light: 1}, Bell{}); id%97 == 0 {
			w.Spawn(Lamp{}) // no row
		}
	}
	d, err := mpi.NewDomain(c, w, mpi.Split[float32]{
		Space: near.Space[float32]{Dims: 2, Cell: 1, High: near.Point[float32]{X: side, Y: side}, Border: near.Periodic}, Reach: reach, Bricks: requestedBricks(),
		ID: reflect.TypeFor[ID](), Place: reflect.TypeFor[Spot](), Halo: []reflect.Type{reflect.TypeFor[Lamp](), reflect.TypeFor[Bell]()},
	})
	if err != nil {
		return err
	}
	all := []ecs.Term{ecs.IncludeInactive(), ecs.IncludePrefabs(), ecs.IgnoreEnabled()}
	own := w.Query(append(all, ecs.Read[ID](), ecs.Write[Spot]())...)
	terms := func(more ...ecs.Term) *ecs.Query {
		return w.Query(append(more, ecs.Read[ID](), ecs.Read[Spot](), ecs.IncludeGhosts())...)
	}
	kinds := []*ecs.Query{
		terms(), terms(ecs.With[Lamp]()), terms(ecs.With[Lamp](), ecs.With[Bell]()), terms(ecs.Disabled[Bell]()),
		terms(ecs.IncludeInactive()), terms(ecs.IncludePrefabs(), ecs.With[Lamp]()), terms(all...), terms(ecs.With[ecs.Inactive](), ecs.IncludeInactive()),
	}
	if err := d.Keep(); err != nil {
		return err
	}
	sum := uint64(0)
	for tick := range *ticks {
		if err := flip(w, own, tick); err != nil {
			return err
		}
		for c := range own.Chunks() {
			spots := ecs.Column[Spot](c)
			for i, id := range *ecs.ReadColumn[ID](c) {
				spots.X[i] = float32(float32(draw(id, tick/5, 0)%(64*side))/64) + float32(float32(tick%5)/8)
				spots.Y[i] = float32(draw(id, tick/5, 1)%(64*side)) / 64
			}
		}
		if tick%2 == 0 {
			err = d.Exchange()
		} else if err = d.Start(); err == nil {
			err = d.Finish()
		}
		if err != nil {
			return err
		}
		for _, q := range kinds {
			sum = sum*31 + countPairs(own, q, side, reach)
		}
	}
	total := []int64{int64(sum)}
	if err := c.SumInts(total); err != nil {
		return err
	}
	hash, err := d.Hash()
	if err != nil {
		return err
	}
	say(c, "lamps %016x %016x", uint64(total[0]), hash)
	return nil
}

// flip changes how queries see rows.
func flip(w *ecs.World, own *ecs.Query, tick int) error {
	var ids []uint64
	var list []ecs.Entity
	for c := range own.Chunks() {
		ids, list = append(ids, *ecs.ReadColumn[ID](c)...), append(list, c.Entities()...)
	}
	for i, e := range list {
		var err error
		at := draw(ids[i], tick, 2)
		if tick%4 == 3 {
			at = at % 4 // most rows keep their state
		}
		if at%8 == 5 {
			err = ecs.SetEnabled[Lamp](w, e, draw(ids[i], tick, 3)%2 == 0)
		}
		if at%8 == 6 {
			err = ecs.SetEnabled[Bell](w, e, draw(ids[i], tick, 4)%2 == 0)
		}
		for k, term := range []ecs.Term{ecs.With[ecs.Inactive](), ecs.With[ecs.Prefab]()} {
			if at%32 == uint32(7+k*8) {
				set := ecs.AddTypes[*ecs.World]
				if draw(ids[i], tick, 5)%3 > 0 {
					set = ecs.RemoveTypes[*ecs.World]
				}
				err = errors.Join(err, set(w, ecs.Entities([]ecs.Entity{e}), term))
			}
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", ids[i], err)
		}
	}
	return nil
}

// countPairs counts the pairs of a row of this rank and a row that a query finds within
// reach of it.
func countPairs(own, q *ecs.Query, side, reach float32) (sum uint64) {
	type row struct {
		id   uint64
		x, y float32
	}
	var others []row
	for c := range q.Chunks() {
		ids, spots := *ecs.ReadColumn[ID](c), ecs.ReadColumn[Spot](c)
		for i := range c.Rows() {
			others = append(others, row{ids[i], spots.X[i], spots.Y[i]})
		}
	}
	away := func(a, b float32) float32 { return min(max(a-b, b-a), side-max(a-b, b-a)) }
	for c := range own.Chunks() {
		ids, spots := *ecs.ReadColumn[ID](c), ecs.ReadColumn[Spot](c)
		for i, id := range ids {
			for _, o := range others {
				if dx, dy := away(spots.X[i], o.x), away(spots.Y[i], o.y); float32(dx*dx)+float32(dy*dy) < reach*reach {
					sum += (id*1_000_003 + o.id) * 0x9e3779b97f4a7c15
				}
			}
		}
	}
	return sum
}

// Bright is a tag of some rows.
type Bright struct{}

// checkBright checks the error for a row that lacks a tag of Halo.
func checkBright(c *mpi.Comm) (err error) {
	w := ecs.NewWorld("bright")
	defer func() { err = errors.Join(err, w.Close()) }()
	for id := range uint64(8) {
		if e := w.Spawn(ID{id}, Spot{float32(id), 1}); id != 3 {
			if err := ecs.Add(w, e, Bright{}); err != nil {
				return err
			}
		}
	}
	d, err := mpi.NewDomain(c, w, mpi.Split[float32]{
		Space: near.Space[float32]{Dims: 2, Cell: 1, High: near.Point[float32]{X: 8, Y: 8}}, Reach: 2, Bricks: [3]int{2, 1, 1},
		ID: reflect.TypeFor[ID](), Place: reflect.TypeFor[Spot](), Halo: []reflect.Type{reflect.TypeFor[Bright]()},
	})
	if err == nil {
		err = d.Keep()
	}
	if err == nil {
		err = d.Exchange()
	}
	return err
}
