package mpi

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// ErrID is returned if two rows have the same ID.
var ErrID = errors.New("two rows have one ID")

// Split describes how to divide a world: its rows, their positions, and their
// reach.
type Split[T kernels.Float] struct {
	// Space is the space of the grid with which the model finds neighbours.
	// Bricks consist of whole cells of this grid.
	Space near.Space[T]
	// Reach is the distance up to which a row sees other rows. Each row that a row sees is
	// present on the same rank, as a ghost if it belongs to another rank.
	Reach T
	// ID is a component with one lane of uint64. Each row has a different
	// number, which is the same on all ranks and never changes.
	ID reflect.Type
	// Place is a component whose first lanes are the coordinates: X and Y, and Z in space.
	Place reflect.Type
	// Halo lists the other components that ghosts have: the components that the
	// model reads of neighbours. A ghost has the values of its row. If the row
	// is inactive, a prefab, or has disabled components, the same is true of
	// its ghost. So a query finds the same rows on any number of ranks. Ghosts have no
	// other tags and components. So a query that requires or excludes a component that is
	// not in Halo may find different rows on two ranks than on one rank. All rows near a
	// border must have all components of Halo.
	Halo []reflect.Type
	// Bricks is the number of bricks along each axis. If a number is zero, the
	// package chooses it. For example, {4} means slabs along x if there are
	// four ranks.
	Bricks [3]int
	// Load returns the cost of computing a cell that contains the given number
	// of rows. If Load is nil, every row has the same cost. See [Domain.Balance].
	Load func(rows int) int64
	// Pack holds options for values that are not plain. For example, it holds
	// the codecs of managed components, and lists components that are not sent.
	Pack []pack.Option
}

// A Domain is the part of a world on one rank: its rows, and ghosts of the rows
// that they may see. Unless a method's comment says otherwise, all ranks must
// call the methods in the same order, on the goroutine of [Begin], outside of
// jobs.
//
// After an error the world is incomplete: end the job, and continue from a
// snapshot.
type Domain[T kernels.Float] struct {
	comm   *Comm
	world  *ecs.World
	split  Split[T]
	dims   int
	bricks *bricks
	packer *pack.Packer
	own    *ecs.Query  // rows of this rank, without ghosts
	ids    *ecs.RowSet // of rows
	// The query finds the rows of this rank whose ID may have changed since rows were
	// numbered, chunk by chunk.
	renamed *ecs.Query

	chunks []chunk[T] // of this rank's rows, until rows are added or removed
	moves  moves[T]
	halo   halo[T]
	order  rowOrder
	early  early[T]
	stats  Stats
}

// Stats are counters of a domain on this rank.
type Stats struct {
	Ticks    int64
	Moved    int64 // number of rows that moved to other ranks
	Ghosts   int64 // number of ghosts, summed over ticks
	Sent     int64 // bytes to other ranks
	Messages int64 // to other ranks
	// These are the CPU times of Migrate, Halo and Order on this thread, without waiting.
	// They include the work in Exchange and in Start and Finish.
	Migrate time.Duration
	Halo    time.Duration
	Order   time.Duration
	Wait    time.Duration // time of waiting for others, in all methods of this package
}

// NewDomain divides the space of a world into a brick for each rank. Before the
// call, each rank creates its world. A rank may create rows anywhere in the
// space, because [Domain.Exchange] moves them to their ranks, but no two rows
// may have the same ID. If all ranks have created the same rows, call
// [Domain.Keep] first. Rows are the entities with an ID and a position; other
// entities stay.
func NewDomain[T kernels.Float](c *Comm, w *ecs.World, s Split[T]) (*Domain[T], error) {
	const op = "NewDomain"
	b, err := newBricks(s.Space, s.Reach, s.Bricks, c.Size())
	if err != nil {
		return nil, c.fail(op, err)
	}
	d := &Domain[T]{comm: c, world: w, split: s, dims: s.Space.Dims, bricks: b}
	if err := d.lanes(); err != nil {
		return nil, c.fail(op, err)
	}
	d.packer = pack.New(w, append([]pack.Option{pack.Outside(outsideError)}, s.Pack...)...)
	read := func(t reflect.Type) ecs.Term { return ecs.Read[struct{}]().OfType(t) }
	terms := []ecs.Term{read(s.ID), read(s.Place), ecs.IncludePrefabs(), ecs.IncludeInactive(), ecs.IgnoreEnabled()}
	d.renamed = w.Query(append(terms, ecs.ChangedAny(read(s.ID)))...)
	if d.ids, err = ecs.NewRowSet(w, s.ID); err != nil {
		return nil, c.fail(op, err)
	}
	for _, t := range s.Halo {
		terms = append(terms, ecs.Optional(read(t)))
	}
	d.own = w.Query(terms...)
	if err := d.halo.begin(w, s.ID, append([]reflect.Type{s.Place}, s.Halo...)); err != nil {
		return nil, c.fail(op, err)
	}
	d.cut()
	return d, nil
}

// lanes returns an error unless ID and Place have the required lanes.
func (d *Domain[T]) lanes() error {
	for _, t := range append([]reflect.Type{d.split.ID, d.split.Place}, d.split.Halo...) {
		if t == nil {
			return errors.New("ID and Place are component types: reflect.TypeFor[ID]()")
		}
	}
	one := d.split.ID
	for one.Kind() == reflect.Struct && one.NumField() == 1 {
		one = one.Field(0).Type
	}
	if one.Kind() != reflect.Uint64 {
		return fmt.Errorf("ID is %v: a component of one uint64 is needed", d.split.ID)
	}
	place := d.split.Place
	if place.Kind() != reflect.Struct || place.NumField() < d.dims {
		return fmt.Errorf("type %v of Place: a struct of %d coordinates is needed", place, d.dims)
	}
	for i := range d.dims {
		if got, want := place.Field(i).Type.Kind(), reflect.TypeFor[T]().Kind(); got != want {
			return fmt.Errorf("type %v of Place, whose field %s is of %v: the space has %v", place, place.Field(i).Name, got, want)
		}
	}
	return nil
}

// outsideError returns the error for a reference to a row that is not sent, because
// the reference would be lost.
func outsideError(e ecs.Entity) (uint64, error) {
	return 0, fmt.Errorf("it refers to %v, which does not go to the same rank: refer to rows by their ID, which is the same on all ranks", e)
}

// cut updates the domain after cuts have moved.
func (d *Domain[T]) cut() {
	d.moves.own.set(d.bricks.innerOf(d.comm.Rank(), 0))
	d.halo.cut(d.bricks, d.comm.Rank())
	d.early.inner.set(d.bricks.innerOf(d.comm.Rank(), 2))
}

// Comm returns the connection to the ranks.
func (d *Domain[T]) Comm() *Comm { return d.comm }

// Owner returns the rank whose brick contains a position. Any goroutine may
// call it at any time, except during a change of cuts.
func (d *Domain[T]) Owner(p near.Point[T]) int {
	axes := &d.bricks.axes
	return d.bricks.owner([3]float64{float64(image(&axes[0], p.X)), float64(image(&axes[1], p.Y)), float64(image(&axes[2], p.Z))})
}

// Part returns the cells of the space that may contain rows of this rank, or
// ghosts. The rank's grid needs no other cells. The result changes when
// [Domain.Balance] moves cuts. Any goroutine may call it at any time, except
// during a change of cuts.
func (d *Domain[T]) Part() near.Part { return d.bricks.partOf(d.comm.Rank()) }

// Bricks returns the number of bricks along each axis.
func (d *Domain[T]) Bricks() [3]int { return d.bricks.n }

// Stats returns the counters so far.
func (d *Domain[T]) Stats() Stats {
	d.stats.Sent, d.stats.Messages, d.stats.Wait = d.comm.wire.Bytes, d.comm.wire.Messages, d.comm.wire.Waited
	return d.stats
}

// Exchange prepares the domain for a tick: Migrate, Halo and Order.
// [Domain.Start] and [Domain.Finish] do the same in two halves, so that a program can
// compute between them.
func (d *Domain[T]) Exchange() error {
	if err := d.tick("Exchange"); err != nil {
		return err
	}
	moved := d.comm.wire.Work()
	if err := d.Halo(); err != nil {
		return err
	}
	seen := d.comm.wire.Work()
	err := d.Order()
	d.stats.Halo += seen - moved
	d.stats.Order += d.comm.wire.Work() - seen
	return err
}

// tick begins one.
func (d *Domain[T]) tick(op string) error {
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return err
	}
	d.comm.Tick++
	d.stats.Ticks++
	begin := d.comm.wire.Work()
	err := d.Migrate()
	d.stats.Migrate += d.comm.wire.Work() - begin
	return err
}

// chunk holds the rows of a chunk, and their lanes of Place and Halo.
type chunk[T kernels.Float] struct {
	points[T]
	lanes [][]byte
	marks chunkMarks
}

// points holds the IDs of rows, and the rows' coordinates along the axes that
// are divided.
type points[T kernels.Float] struct {
	ids  []uint64
	at   [3][]T
	axes *[3]line
}

// points returns the rows of a chunk, with their coordinates along some axes.
func (d *Domain[T]) points(c *ecs.Chunk, axes []int) (p points[T]) {
	p.ids, p.axes = numbers(c.LaneBytes(d.split.ID, 0)), &d.bricks.axes
	for _, a := range axes {
		x, y := c.Floats(d.split.Place, a)
		if x != nil {
			p.at[a] = any(x).([]T)
		} else {
			p.at[a] = any(y).([]T)
		}
	}
	return p
}

// point returns the position of a row: In a periodic space, it returns the
// position of the row's image in the box. Coordinates along axes that are not
// divided are 0.
func (p *points[T]) point(i int32) (at [3]float64) {
	for a, x := range p.at {
		if x != nil {
			at[a] = float64(image(&p.axes[a], x[i]))
		}
	}
	return at
}
