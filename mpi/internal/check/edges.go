package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	birds "github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/mpi"
	"github.com/lanewise/lanewise/near"
)

// edge is a row of the test. All ranks draw the same random numbers, so all of them know every
// row.
type edge struct {
	here bool
	at   birds.Place
	way  birds.Heading
}

// corner is a small space with few rows, sometimes fewer than ranks. The rows
// jump to any position, even beyond the border. Rows are destroyed, and created again elsewhere
// with the same ID.
type corner struct {
	c     *mpi.Comm
	w     *ecs.World
	d     *mpi.Domain[float32]
	r     *rand.Rand
	space near.Space[float32]
	reach float32
	rows  [40]edge
	own   *ecs.Query
	seen  *ecs.Query
	where string
}

// checkEdges moves rows through many corner cases, and checks after each tick that
// each rank has the right rows.
func checkEdges(c *mpi.Comm) error {
	kinds := map[string]int64{}
	for k := range *worlds {
		e := &corner{c: c, r: rand.New(rand.NewPCG(21, uint64(k)))}
		if err := e.begin(k); errors.Is(err, mpi.ErrSplit) {
			continue // on all ranks
		} else if err != nil {
			return err
		}
		for tick := range 10 {
			e.where = fmt.Sprintf("corner %d, tick %d, bricks %v", k, tick, e.d.Bricks())
			if err := e.tick(tick, kinds); err != nil {
				return fmt.Errorf("%s: %w", e.where, err)
			}
		}
		if err := e.w.Close(); err != nil {
			return err
		}
	}
	v := []int64{kinds["empty"], kinds["ghosts"], kinds["again"], kinds["cuts"]}
	if err := c.SumInts(v); err != nil {
		return err
	}
	say(c, "empty %d ghosts %d again %d cuts %d", v[0], v[1], v[2], v[3])
	return nil
}

// begin makes a corner without rows.
func (e *corner) begin(k int) (err error) {
	e.space = near.Space[float32]{Dims: 2, Cell: 1, Border: []near.Border{near.Walled, near.Periodic}[k%2]}
	e.space.High = near.Point[float32]{X: 2 + float32(5*e.r.Float32()), Y: 1 + float32(4*e.r.Float32())}
	e.reach = 0.2 + e.r.Float32()
	e.w = ecs.NewWorld("corner")
	e.d, err = mpi.NewDomain(e.c, e.w, mpi.Split[float32]{
		Space: e.space, Reach: e.reach, ID: reflect.TypeFor[birds.ID](), Place: reflect.TypeFor[birds.Place](), Halo: []reflect.Type{reflect.TypeFor[birds.Heading]()},
	})
	e.own = e.w.Query(ecs.Read[birds.ID](), ecs.Write[birds.Place](), ecs.Write[birds.Heading]())
	e.seen = e.w.Query(ecs.Read[birds.ID](), ecs.Read[birds.Place](), ecs.Read[birds.Heading](), ecs.With[ecs.Ghost]())
	return err
}

// tick does one tick, and then checks everything.
func (e *corner) tick(tick int, kinds map[string]int64) error {
	if err := e.draw(kinds); err != nil {
		return err
	}
	if e.r.IntN(3) == 0 {
		moved, err := e.d.Balance(1)
		if err != nil {
			return err
		}
		if moved && e.c.Rank() == 0 {
			kinds["cuts"]++
		}
	}
	exchange := e.d.Exchange
	if tick%3 != 2 {
		exchange = e.exchangeEarly
	}
	if err := exchange(); err != nil {
		return err
	}
	return e.look(kinds)
}

// exchangeEarly does an exchange during which this rank's rows are numbered.
func (e *corner) exchangeEarly() error {
	if err := e.d.Start(); err != nil {
		return err
	}
	for c := range e.own.Chunks() {
		if rows := e.d.AppendRows(nil, *ecs.ReadColumn[birds.ID](c)); slices.Min(rows) < 0 || int(slices.Max(rows)) >= e.d.Len() || e.d.Len() != e.own.Count() {
			return fmt.Errorf("own rows are numbered %v, of %d", rows, e.d.Len())
		}
	}
	if err := e.checkRefusals(); err != nil {
		return err
	}
	return e.d.Finish()
}

// checkRefusals checks that operations that must wait for Finish are refused, and change
// nothing.
func (e *corner) checkRefusals() error {
	for op, do := range map[string]func() error{ //lanewise:inexact each is refused, and changes nothing
		"Start": e.d.Start, "Exchange": e.d.Exchange, "Migrate": e.d.Migrate, "Keep": e.d.Keep, "Halo": e.d.Halo, "Order": e.d.Order,
		"Load":    func() error { return e.d.Load("nowhere") },
		"Balance": func() error { _, err := e.d.Balance(0); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), op+": a tick was started: Finish comes first") {
			return fmt.Errorf("%s between Start and Finish: %v", op, err)
		}
	}
	return nil
}

// draw creates, destroys and moves rows.
func (e *corner) draw(kinds map[string]int64) error {
	owner := e.r.IntN(e.c.Size())
	ended := e.drawRows(kinds)
	var list []ecs.Entity // that end here
	for c := range e.own.Chunks() {
		ids, at, way, entities := *ecs.ReadColumn[birds.ID](c), ecs.Column[birds.Place](c), ecs.Column[birds.Heading](c), c.Entities()
		for i, id := range ids {
			if row := &e.rows[id]; row.here && !ended[id] {
				at.X[i], at.Y[i], way.X[i], way.Y[i] = row.at.X, row.at.Y, row.way.X, row.way.Y
				continue
			}
			list = append(list, entities[i])
		}
	}
	if err := ecs.DestroyAll(e.w, ecs.Entities(list)); err != nil {
		return err
	}
	return e.spawn(owner)
}

// drawRows draws the rows and their positions at random, and returns the rows that are destroyed.
// Some of these are created again.
func (e *corner) drawRows(kinds map[string]int64) (ended map[uint64]bool) {
	ended = map[uint64]bool{}
	crowd := e.r.IntN(8) > 0 // otherwise most of them are destroyed
	for id := range e.rows {
		row := &e.rows[id]
		if row.here && (e.r.IntN(10) == 0 || !crowd && e.r.IntN(8) > 0) {
			row.here, ended[uint64(id)] = false, true
		}
		if row.here || !crowd || e.r.IntN(4) > 0 {
			if e.r.IntN(2) == 0 {
				e.jump(row)
			}
			continue
		}
		e.jump(row)
		row.here = true
		if ended[uint64(id)] {
			kinds["again"]++
		}
	}
	return ended
}

// spawn makes the rows that no rank has.
func (e *corner) spawn(owner int) error {
	have := make([]int64, len(e.rows))
	for c := range e.own.Chunks() {
		for _, id := range *ecs.ReadColumn[birds.ID](c) {
			have[id] = 1
		}
	}
	if err := e.c.MaxInts(have); err != nil {
		return err
	}
	for id, row := range e.rows {
		if row.here && have[id] == 0 && e.c.Rank() == owner {
			e.w.Spawn(birds.ID{Value: uint64(id)}, row.at, row.way)
		}
	}
	return nil
}

// jump gives a row a random position, which may be beyond the border.
func (e *corner) jump(row *edge) {
	x, y := float32(1.6*e.r.Float32())-0.3, float32(1.6*e.r.Float32())-0.3
	row.at = birds.Place{X: e.space.High.X * x, Y: e.space.High.Y * y}
	row.way = birds.Heading{X: e.r.Float32(), Y: e.r.Float32()}
}

// look checks that this rank has all rows that it must have.
func (e *corner) look(kinds map[string]int64) error {
	n, err := e.d.Rows()
	if err != nil {
		return err
	}
	if all := e.count(); n != all {
		return fmt.Errorf("%d rows, want %d", n, all)
	}
	here := map[uint64]bool{}
	var own []uint64
	for c := range e.own.Chunks() {
		own = append(own, *ecs.ReadColumn[birds.ID](c)...)
		if err := e.checkRows(c, here); err != nil {
			return err
		}
	}
	for c := range e.seen.Chunks() {
		kinds["ghosts"] += int64(c.Len())
		if err := e.checkRows(c, here); err != nil {
			return err
		}
		for _, row := range e.d.AppendRows(nil, *ecs.ReadColumn[birds.ID](c)) {
			if row < 0 || !e.d.Ghost(row) || e.d.Counts(row) {
				return fmt.Errorf("a ghost has row %d", row)
			}
		}
	}
	if len(own) == 0 {
		kinds["empty"]++
	}
	for _, id := range own {
		if err := e.seesAll(id, here); err != nil {
			return err
		}
	}
	return nil
}

// count counts the existing rows.
func (e *corner) count() (n int64) {
	for _, row := range e.rows {
		if row.here {
			n++
		}
	}
	return n
}

// seesAll checks that a row is on its rank, and that all rows near it are
// present.
func (e *corner) seesAll(id uint64, here map[uint64]bool) error {
	p := e.rows[id].at
	if got, want := e.d.Owner(near.Point[float32]{X: p.X, Y: p.Y}), e.c.Rank(); got != want {
		return fmt.Errorf("row %d is of rank %d, and on %d", id, got, want)
	}
	for other, row := range e.rows {
		if row.here && !here[uint64(other)] && e.distance(p.X, row.at.X, e.space.High.X, p.Y, row.at.Y, e.space.High.Y) < float64(e.reach)-1e-3 {
			return fmt.Errorf("row %d at %v does not see row %d at %v", id, p, other, row.at)
		}
	}
	return nil
}

// checkRows checks that rows have their current values, and that each row occurs once.
func (e *corner) checkRows(c *ecs.Chunk, here map[uint64]bool) error {
	at, way := ecs.ReadColumn[birds.Place](c), ecs.ReadColumn[birds.Heading](c)
	for i, id := range *ecs.ReadColumn[birds.ID](c) {
		got := edge{true, birds.Place{X: at.X[i], Y: at.Y[i]}, birds.Heading{X: way.X[i], Y: way.Y[i]}}
		if got != e.rows[id] || here[id] {
			return fmt.Errorf("row %d is %v, want %v; it was here before: %v", id, got, e.rows[id], here[id])
		}
		here[id] = true
	}
	return nil
}

// distance returns the distance between two rows along an axis.
func (e *corner) distance(x, x2, wide, y, y2, high float32) float64 {
	along := func(a, b, side float32) float64 {
		d := math.Abs(float64(a) - float64(b))
		if e.space.Border != near.Periodic {
			return d
		}
		d = math.Mod(d, float64(side))
		return min(d, float64(side)-d)
	}
	dx, dy := along(x, x2, wide), along(y, y2, high)
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}
