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

// ErrID is returned where two rows have one ID.
var ErrID = errors.New("two rows have one ID")

// Split says how a world is cut: what rows are, where, and how far they see.
type Split[T kernels.Float] struct {
	// Space is the space of the grid with which the model finds neighbours. Ranks have whole cells of it.
	Space near.Space[T]
	// Reach is how far a row sees: others within it are there, as ghosts if they belong to other ranks.
	Reach T
	// ID is a component of one lane of uint64, with another number in each row: the same on all ranks, and for ever.
	ID reflect.Type
	// Place is a component whose first lanes are the coordinates: X and Y, and Z in space.
	Place reflect.Type
	// Halo are the other components that ghosts have, of those that a model reads of neighbours. A ghost has the values of its row. It is inactive or a prefab if its row is,
	// and a component is switched off if it is in its row, so that queries find the same rows on any number of ranks. Other tags and components are not there: a query that asks
	// for one, or for rows without it, finds other rows on one rank than on two, unless it is in Halo. All rows that others may see have all of Halo.
	Halo []reflect.Type
	// Bricks is how many bricks there are along each axis. Where it is zero, that is chosen: {4} are slabs along x, if there are
	// four ranks.
	Bricks [3]int
	// Load is what the rows of a cell cost that has so many. Without it a row costs as much as any other. See [Domain.Balance].
	Load func(rows int) int64
	// Pack says how what is not plain goes to another rank: codecs of managed components, those that stay behind.
	Pack []pack.Option
}

// A Domain is the part of a world that a rank has: its own rows, and ghosts of those that they may see. All methods but those that say so
// are called on all ranks in the same order, by the goroutine of [Begin], outside of jobs.
//
// After an error the world is not whole any more: end the job, and go on from a snapshot.
type Domain[T kernels.Float] struct {
	comm   *Comm
	world  *ecs.World
	split  Split[T]
	dims   int
	bricks *bricks
	packer *pack.Packer
	own    *ecs.Query  // rows that take part, and are no ghosts
	ids    *ecs.RowSet // of rows
	// Own rows some of which were given another ID since rows were numbered, chunk by chunk.
	renamed *ecs.Query

	chunks []chunk[T] // of own rows, as long as none comes or goes
	moves  moves[T]
	halo   halo[T]
	order  rowOrder
	early  early[T]
	stats  Stats
}

// Stats is what a domain has done on this rank.
type Stats struct {
	Ticks    int64
	Moved    int64 // rows that went to other ranks
	Ghosts   int64 // that were here, tick by tick
	Sent     int64 // bytes to other ranks
	Messages int64 // to other ranks
	// What Migrate, Halo and Order of ticks took of this core, in Exchange or in Start and Finish, without waiting.
	Migrate time.Duration
	Halo    time.Duration
	Order   time.Duration
	Wait    time.Duration // for others, in all that was called of this package
}

// NewDomain cuts the space of a world into a brick for each rank. The world has been made on each rank, with rows on any of them, as long
// as no two have one ID: [Domain.Exchange] brings them where they belong, and [Domain.Keep] is for ranks that have all made the same.
// Rows are the entities with an ID and a place; others stay where they are.
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
	d.packer = pack.New(w, append([]pack.Option{pack.Outside(outside)}, s.Pack...)...)
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

// lanes fails unless ID and Place are what they must be.
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

// outside refuses what would be lost: a reference to a row that does not come along.
func outside(e ecs.Entity) (uint64, error) {
	return 0, fmt.Errorf("it refers to %v, which does not go to the same rank: refer to rows by their ID, which is the same on all ranks", e)
}

// cut follows new cuts.
func (d *Domain[T]) cut() {
	d.moves.own.set(d.bricks.innerOf(d.comm.Rank(), 0))
	d.halo.cut(d.bricks, d.comm.Rank())
	d.early.inner.set(d.bricks.innerOf(d.comm.Rank(), 2))
}

// Comm is what joins the ranks.
func (d *Domain[T]) Comm() *Comm { return d.comm }

// Owner is the rank that has a place. It may be called at any time by any goroutine that does not cut.
func (d *Domain[T]) Owner(p near.Point[T]) int {
	axes := &d.bricks.axes
	return d.bricks.owner([3]float64{float64(image(&axes[0], p.X)), float64(image(&axes[1], p.Y)), float64(image(&axes[2], p.Z))})
}

// Part are the cells of the space that may have rows of this rank, ghosts among them: the grid of a rank needs no others. It changes where
// [Domain.Balance] moves cuts, and may be asked for at any time by any goroutine that does not cut.
func (d *Domain[T]) Part() near.Part { return d.bricks.partOf(d.comm.Rank()) }

// Bricks is how many bricks there are along each axis.
func (d *Domain[T]) Bricks() [3]int { return d.bricks.n }

// Stats is what was done until now.
func (d *Domain[T]) Stats() Stats {
	d.stats.Sent, d.stats.Messages, d.stats.Wait = d.comm.wire.Bytes, d.comm.wire.Messages, d.comm.wire.Waited
	return d.stats
}

// Exchange makes the domain ready for a tick: Migrate, Halo and Order. [Domain.Start] and [Domain.Finish] do it in two halves, with
// time to compute between them.
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
	if err := d.early.ended(d.comm, op); err != nil {
		return err
	}
	d.comm.Tick++
	d.stats.Ticks++
	begin := d.comm.wire.Work()
	err := d.Migrate()
	d.stats.Migrate += d.comm.wire.Work() - begin
	return err
}

// chunk is what a chunk has: its rows, and their lanes of Place and Halo.
type chunk[T kernels.Float] struct {
	points[T]
	lanes [][]byte
	marks chunkMarks
}

// points are rows: their IDs, and their coordinates along the axes that are cut.
type points[T kernels.Float] struct {
	ids  []uint64
	at   [3][]T
	axes *[3]line
}

// points shows the rows of a chunk, with their coordinates along some axes.
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

// point is where a row is: its image in the space, if that is periodic. Along other axes than those of points it is at 0.
func (p *points[T]) point(i int32) (at [3]float64) {
	for a, x := range p.at {
		if x != nil {
			at[a] = float64(image(&p.axes[a], x[i]))
		}
	}
	return at
}
