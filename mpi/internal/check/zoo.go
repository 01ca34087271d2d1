package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	kinds "github.com/lanewise/lanewise/internal/zoo"
	"github.com/lanewise/lanewise/mpi"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// These components decide where an animal is. All other components are defined in package zoo.
type (
	// ID is its number.
	ID struct{ Value uint64 }
	// Place is the position of an animal.
	Place struct{ X, Y, Z float64 }
	// Speed is the distance that an animal jumps in a tick.
	Speed struct{ X, Y, Z float64 }
	// Weight is the component that other animals see.
	Weight struct{ Value float32 }
	// Seen is the sum of the weights of the animals around an animal. The bits of the sum depend on the order of
	// additions.
	Seen struct{ Sum float32 }
)

// Column declares a column of one lane.
func (ID) Column() (c []uint64) { return }

// Column names the lanes.
func (Place) Column() (c struct{ X, Y, Z []float64 }) { return }

// Column names the lanes.
func (Speed) Column() (c struct{ X, Y, Z []float64 }) { return }

// Column declares a column of one lane.
func (Weight) Column() (c []float32) { return }

// Column declares a column of one lane.
func (Seen) Column() (c []float32) { return }

const cage = 8 // metres along each side

// cageSpace is a walled space; some animals jump beyond the walls.
func cageSpace() near.Space[float64] {
	return near.Space[float64]{Dims: 3, High: near.Point[float64]{X: cage, Y: cage, Z: cage}, Cell: 1}
}

// split returns the division of the cage.
func split() mpi.Split[float64] {
	registerTypes()
	return mpi.Split[float64]{
		Space: cageSpace(), Reach: 0.75, Bricks: requestedBricks(),
		ID: reflect.TypeFor[ID](), Place: reflect.TypeFor[Place](), Halo: []reflect.Type{reflect.TypeFor[Weight]()},
		Pack: kinds.PackOptions(),
	}
}

// registerTypes registers the types on ranks that have not used them, because the first rows with such a type may
// come from another rank.
func registerTypes() {
	w := ecs.NewWorld("known")
	addAnimals(w, 5, 0, 2)
	must(w.Close())
}

// home returns the first position of an animal, which is the same for both animals of a pair.
func home(seed, id uint64) (p [3]float64) {
	for a := range p {
		p[a] = random.RangeOf(random.Key{Seed: seed, Stream: uint32(a)}.ID(id/2), 0, float64(cage))
	}
	return p
}

// addAnimals makes the animals of a range of numbers; the two animals of a pair have the same position.
func addAnimals(w *ecs.World, seed, from, to uint64) {
	var last ecs.Entity
	for id := from; id < to; id++ {
		draw := func(of uint64, lo, hi float64) float64 {
			return random.RangeOf(random.Key{Seed: seed, Stream: uint32(of)}.ID(id/2), lo, hi)
		}
		at := home(seed, id)
		// A blob stays in its process, so that a rank cannot send a row with a reference to it.
		all, err := kinds.Animal(seed, int(id), "blobs")
		must(err)
		e := w.Spawn(append(all, ID{id}, Place{at[0], at[1], at[2]}, Speed{draw(3, -5, 5), draw(4, -1, 1), draw(5, -3, 3)},
			Weight{float32(draw(6, 0, 1)) + float32(id)}, Seen{})...)
		if id%2 == 1 {
			for _, pair := range [][2]ecs.Entity{{e, last}, {last, e}} {
				must(ecs.Set(w, pair[0], kinds.Mate{With: pair[1]}))
				must(ecs.Set(w, pair[0], kinds.Label{Text: fmt.Sprint("animal ", id), Friend: pair[1]}))
				must(ecs.Set(w, pair[0], kinds.Leader{Of: last}))
				must(ecs.AppendBuffer(w, pair[0], kinds.Visit{To: pair[1]}))
			}
		}
		last = e
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// zooSystems are those systems of package zoo whose result for an animal depends only on the animal and on the tick.
// So the result is the same on any rank. The result of the other systems depends on other rows, on the order of rows
// or on entities that do not move.
func zooSystems() []*system.Type {
	return []*system.Type{
		system.Of[kinds.Turn](), system.Of[kinds.Move](), system.Of[kinds.Grow](), system.Of[kinds.Sleep](), system.Of[kinds.Swing](),
		system.Of[kinds.Eat](), system.Of[kinds.Join](),
	}
}

// zoo moves animals of all kinds through the cage, and runs systems of package zoo on them.
func zoo(c *mpi.Comm) error {
	w, err := system.NewWorld("zoo", system.OnPool(pool()), system.Only(zooSystems()...), system.WithLogger(nil))
	if err != nil {
		return err
	}
	if _, err := ecs.CreateSingleton(w, kinds.Book{Seed: 5}); err != nil { // each rank has its own book
		return err
	}
	n, size, rank := uint64(*worldRows)/2, uint64(c.Size()), uint64(c.Rank())
	const first = 1 << 40                                              // so sparse that IDs are sorted, and not marked by bits
	addAnimals(w, 5, first+2*(n*rank/size), first+2*(n*(rank+1)/size)) // on any rank, because the first Exchange moves them to theirs
	d, err := mpi.NewDomain(c, w, split())
	if err != nil {
		return err
	}
	z := &keeper{w: w, d: d, grid: near.New(cageSpace())}
	z.all = w.Query(ecs.Read[ID](), ecs.Read[Place](), ecs.Read[Weight](), ecs.IncludeGhosts())
	z.own = w.Query(ecs.Read[ID](), ecs.Write[Place](), ecs.Write[Speed](), ecs.Write[Seen]())
	cuts := 0
	for tick := range *ticks {
		if *balance > 0 && tick%*balance == 0 {
			moved, err := d.Balance(1)
			if err != nil {
				return err
			}
			if moved {
				cuts++
			}
		}
		if err := z.tick(uint64(tick)); err != nil {
			return err
		}
	}
	if err := z.checkLabels(); err != nil {
		return err
	}
	hash, hashed := d.Hash()
	count, counted := d.Rows()
	if err := errors.Join(hashed, counted); err != nil {
		return err
	}
	say(c, "hash %016x rows %d", hash, count)
	v := []int64{d.Stats().Moved, d.Stats().Ghosts, z.far, int64(cuts)}
	if err := c.SumInts(v[:3]); err != nil {
		return err
	}
	say(c, "bricks %v moved %d ghosts %d far %d cuts %d", d.Bricks(), v[0], v[1], v[2], v[3])
	return nil
}

// tick does one tick, after the cuts have moved.
func (z *keeper) tick(tick uint64) error {
	z.count()
	if err := z.d.Exchange(); err != nil {
		return err
	}
	if err := z.look(); err != nil {
		return err
	}
	if err := z.changeAnimals(tick); err != nil {
		return err
	}
	if err := kinds.Tick(z.w); err != nil {
		return err
	}
	return z.own.ParallelFor(jump{}).Wait()
}

// keeper has the animals.
type keeper struct {
	w        *ecs.World
	d        *mpi.Domain[float64]
	grid     *near.Grid[float64]
	all, own *ecs.Query
	x, y, z  []float64
	weight   []float32
	rows     []int32
	far      int64 // number of jumps across a whole brick
}

// count counts the animals that will move beyond the next brick along an axis.
func (k *keeper) count() {
	n := k.d.Bricks()
	part := func(rank int) [3]int { return [3]int{rank / (n[1] * n[2]), rank / n[2] % n[1], rank % n[2]} }
	own := part(k.d.Comm().Rank())
	for c := range k.own.Chunks() {
		p := ecs.ReadColumn[Place](c)
		for i := range p.X {
			to := part(k.d.Owner(near.Point[float64]{X: p.X[i], Y: p.Y[i], Z: p.Z[i]}))
			for a := range to {
				if to[a]-own[a] > 1 || own[a]-to[a] > 1 {
					k.far++
					break
				}
			}
		}
	}
}

// look adds the weights around each animal.
func (k *keeper) look() error {
	n := k.d.Len()
	k.x, k.y, k.z, k.weight = make([]float64, n), make([]float64, n), make([]float64, n), make([]float32, n)
	for c := range k.all.Chunks() {
		p, weight := ecs.ReadColumn[Place](c), *ecs.ReadColumn[Weight](c)
		k.rows = k.d.AppendRows(k.rows[:0], *ecs.ReadColumn[ID](c))
		for i, row := range k.rows {
			k.x[row], k.y[row], k.z[row], k.weight[row] = p.X[i], p.Y[i], p.Z[i], weight[i]
		}
	}
	k.grid.Build(k.x, k.y, k.z)
	return k.own.ParallelFor(&looking{k}).Wait()
}

// looking is the job that adds the weights for the animals of a chunk.
type looking struct{ *keeper }

// Chunk does it.
func (k *looking) Chunk(c *ecs.Chunk) {
	p, seen := ecs.ReadColumn[Place](c), *ecs.Column[Seen](c)
	var found []near.Found[float64]
	for i := range seen {
		found = k.grid.AppendWithin(found[:0], near.Point[float64]{X: p.X[i], Y: p.Y[i], Z: p.Z[i]}, 0.75)
		for _, f := range found {
			seen[i] = float32(seen[i]*0.75) + k.weight[f.ID]
		}
	}
}

// changeAnimals changes the components of animals, as a function of their number and the
// tick.
func (k *keeper) changeAnimals(tick uint64) error {
	var list []ecs.Entity
	var ids []uint64
	for c := range k.own.Chunks() {
		list, ids = append(list, c.Entities()...), append(ids, *ecs.ReadColumn[ID](c)...)
	}
	for i, e := range list {
		id := ids[i]
		must(ecs.SetEnabled[kinds.Awake](k.w, e, (id+tick)%3 != 0))
		must(ecs.SetEnabled[kinds.Mood](k.w, e, (id+tick)%4 != 0))
		mate, err := ecs.Get[kinds.Mate](k.w, e)
		if err != nil {
			return err
		}
		if other, err := ecs.Get[ID](k.w, mate.With); err != nil || other.Value != id^1 {
			return fmt.Errorf("animal %d is with %v (%v), which must be %d", id, other, err, id^1)
		}
		if (id+tick)%4 == 0 {
			must(ecs.AppendBuffer(k.w, e, kinds.Visit{Tick: uint32(tick), To: mate.With}))
		}
		if (id*7+tick)%5 == 0 {
			must(ecs.Add(k.w, e, kinds.Fed{}))
		} else if _, err := ecs.Remove[kinds.Fed](k.w, e); err != nil {
			return err
		}
		if (id+tick)%6 == 0 {
			must(ecs.Set(k.w, e, kinds.Herd{Number: int32(tick % 4)}))
			must(ecs.Set(k.w, e, kinds.Trace{Steps: uint32(tick)}))
			must(ecs.Set(k.w, e, kinds.Species{Name: fmt.Sprint("species ", id%3)}))
		}
	}
	return nil
}

// jump is the job that moves animals. An animal that reaches a wall turns round.
type jump struct{}

// Chunk moves the animals of a chunk.
func (jump) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[Place](c), ecs.Column[Speed](c)
	for i := range p.X {
		leap(&p.X[i], &v.X[i])
		leap(&p.Y[i], &v.Y[i])
		leap(&p.Z[i], &v.Z[i])
	}
}

func leap(x, v *float64) {
	*x += *v
	if *x < 0 && *v < 0 || *x > cage && *v > 0 {
		*v = -*v
	}
}

// checkLabels checks that texts were sent together with their rows.
func (k *keeper) checkLabels() error {
	for c := range k.w.Query(ecs.Read[ID](), ecs.Read[kinds.Label](), ecs.Read[kinds.Mate]()).Chunks() {
		ids, labels, mates := *ecs.ReadColumn[ID](c), *ecs.ReadColumn[kinds.Label](c), ecs.ReadColumn[kinds.Mate](c)
		for i, id := range ids {
			if want := fmt.Sprint("animal ", id|1); labels[i].Text != want || labels[i].Friend != mates.With[i] {
				return fmt.Errorf("label of %d is %q of %v, want %q of %v", id, labels[i].Text, labels[i].Friend, want, mates.With[i])
			}
		}
	}
	return nil
}
