package mpi

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// Ranks is the part of a [Domain] that a model calls in a tick. It is an alias of an unnamed
// interface, so that a package of models can declare the same type without importing package
// mpi.
type Ranks = interface {
	Start() error
	Finish() error
	Progress() error
	Len() int
	AppendRows(rows []int32, ids []uint64) []int32
	Counts(row int32) bool
	Part() near.Part
}

// A Model creates and updates a world whose rows may be distributed over ranks.
type Model[T kernels.Float] interface {
	// World creates the world, with the same rows on all ranks.
	World() (*ecs.World, error)
	// Rows describes the rows as a [Split] does: by their positions, their reach, their ID and
	// Place, and the components that other ranks see.
	Rows() (space near.Space[T], reach T, id, place reflect.Type, seen []reflect.Type)
	// Spread tells the model that w now holds only a part of the rows. Parameter r finds the
	// ranks of the other rows.
	Spread(w *ecs.World, r Ranks)
	// Tick does one tick; ticks are counted from 0.
	Tick(tick int) error
}

// Hold creates the world of a model and keeps the rows that belong to this
// rank. Hold takes from the model those fields of split that the model describes.
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

// Run returns a function for [Main]: it runs a model for a number of ticks, and
// rank 0 prints the hash of all rows.
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
