package mpi

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// Ranks is what a model calls of its [Domain] in a tick. It has no name of its own, so that a package of models need not import this one:
// there it is the same interface.
type Ranks = interface {
	Start() error
	Finish() error
	Progress() error
	Len() int
	AppendRows(rows []int32, ids []uint64) []int32
	Counts(row int32) bool
	Part() near.Part
}

// A Model is a world of rows of which each rank may have a part.
type Model[T kernels.Float] interface {
	// World makes the world, with all rows: the same ones on all ranks.
	World() (*ecs.World, error)
	// Rows says of the rows what a [Split] does: where they are, how far they see, their ID and Place, and what is seen of them.
	Rows() (space near.Space[T], reach T, id, place reflect.Type, seen []reflect.Type)
	// Spread tells the model that w has a part of the rows alone by now, and which rank has the others.
	Spread(w *ecs.World, r Ranks)
	// Tick is a tick, from 0 on.
	Tick(tick int) error
}

// Hold has this rank hold its part of a model: it makes the world and keeps the rows that belong here. Of the split, what the model says of
// its rows is taken from there.
func Hold[T kernels.Float](c *Comm, m Model[T], split Split[T]) (*Domain[T], error) {
	w, err := m.World()
	if err != nil {
		return nil, c.fail("Hold", err)
	}
	split.Space, split.Reach, split.ID, split.Place, split.Halo = m.Rows()
	d, err := NewDomain(c, w, split)
	if err != nil {
		return nil, err
	}
	if err := d.Keep(); err != nil {
		return nil, err
	}
	m.Spread(w, d)
	return d, nil
}

// Run is what a program for [Main] does with a model: so many ticks, and rank 0 prints the hash of all rows.
func Run[T kernels.Float](m Model[T], ticks int) func(c *Comm) error {
	return func(c *Comm) error {
		d, err := Hold(c, m, Split[T]{})
		if err != nil {
			return err
		}
		for tick := range ticks {
			if err := m.Tick(tick); err != nil {
				return err
			}
		}
		hash, err := d.Hash()
		if c.Rank() == 0 && err == nil {
			fmt.Printf("%016x\n", hash)
		}
		return err
	}
}
