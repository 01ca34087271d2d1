// Package model is the flock of examples/flock. The command flock uses the model in studies. Module
// mpi also uses the model: several ranks each simulate a part of the square.
package model

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// Flock is the model, after Vicsek and others (1995): each bird takes the mean heading of the birds
// within its view, plus noise. Its exported fields are the parameters.
type Flock struct {
	Birds int     `default:"500" range:"1..1000000" help:"in the square"`
	Size  float32 `default:"20" range:"3..10000" unit:"m" help:"of the square's sides"`
	View  float32 `default:"1" range:"0.1..10" unit:"m" help:"how far a bird sees"`
	Pace  float32 `default:"0.1" range:"0..1" unit:"m" help:"of a tick"`
	Noise float32 `default:"0.4" range:"0..10" help:"beside a heading of length 1"`
	Ticks int     `default:"200" range:"1..1000000"`

	pool   *jobs.Pool
	birds  *ecs.Query
	before []int // number of birds in earlier chunks
	parts  parts
	grid   *near.Grid[float32]
	way    lanes // headings of all birds at the beginning of the tick, bird by bird
	sum    lanes // of the headings that they see
	sorted lanes // their headings by row of the grid, and
	seen   lanes // the sums that they see
	pieces []piece
	look   func(lo, hi int)
	gather gathering
	turn   turn
	total  float64 // of the order, over the second half of the run
}

type lanes = kernels.Vec2s[float32]

// A piece is a number of tiles of the grid and their scratch memory.
type piece struct {
	tile near.Tile[float32]
	way  lanes // of the candidates
}

const tilesOfPiece = 64

// ID is the number of a bird. It does not depend on the rank or the row of the bird.
type ID struct{ Value uint64 }

// Column returns the view of a column: one lane.
func (ID) Column() (c []uint64) { return }

// Place is the position of a bird.
type Place struct{ X, Y float32 }

// Column returns the view of a column: two lanes.
func (Place) Column() (c kernels.Vec2s[float32]) { return }

// Heading is the direction of a bird's flight, a vector of length 1.
type Heading struct{ X, Y float32 }

// Column returns the view of a column: two lanes.
func (Heading) Column() (c kernels.Vec2s[float32]) { return }

// These are the numbers of the streams of random numbers.
const (
	streamX = iota
	streamY
	streamHeading
	streamNoise
)

// Space returns the square, divided into cells that are as wide as the distance that a bird sees.
func (m *Flock) Space() near.Space[float32] {
	return near.Space[float32]{Dims: 2, High: near.Point[float32]{X: m.Size, Y: m.Size}, Cell: m.View, Border: near.Periodic}
}

// World creates the world of a flock, for a program that is not a study.
func (m *Flock) World() (*ecs.World, error) { return m.Make("flock", nil, 1) }

// Make creates the world of a flock with a name, a seed, and a pool of workers, which may be nil.
func (m *Flock) Make(name string, pool *jobs.Pool, seed uint64) (*ecs.World, error) {
	if m.Size < 3*m.View {
		return nil, fmt.Errorf("size=%v with view=%v: a square has sides of three views at least", m.Size, m.View)
	}
	w := ecs.NewWorld(name, ecs.OnPool(pool))
	m.pool, m.turn = w.Pool(), turn{Flock: m, seed: seed}
	m.birds = w.Query(ecs.Write[ID](), ecs.Write[Place](), ecs.Write[Heading]())
	made := 0
	for c := range w.Create(w.Archetype(ecs.With[ID](), ecs.With[Place](), ecs.With[Heading]()), m.Birds).Chunks() {
		id, place, way := *ecs.Column[ID](c), ecs.Column[Place](c), ecs.Column[Heading](c)
		first := uint64(made)
		for i := range id {
			id[i] = first + uint64(i)
		}
		made += c.Len()
		random.Range(place.X, m.key(0, streamX).Rows(first), 0, m.Size)
		random.Range(place.Y, m.key(0, streamY).Rows(first), 0, m.Size)
		random.Directions2(way, m.key(0, streamHeading).Rows(first))
	}
	m.before = m.birds.AppendOffsets(nil)
	m.grid = near.New(m.Space())
	m.grid.Pool = m.pool
	m.way, m.sum, m.sorted, m.seen = room(m.way, m.Birds), room(m.sum, m.Birds), room(m.sorted, m.Birds), room(m.seen, m.Birds)
	m.gather, m.look = gathering{m}, m.lookAround
	return w, nil
}

// room returns lanes with memory for n birds. It reuses the memory of v if possible.
func room(v lanes, n int) lanes {
	if cap(v.X) < n {
		v = makeVectors(n + n/8)
	}
	return v.Slice(0, n)
}

// makeVectors makes n vectors.
func makeVectors(n int) lanes { return lanes{X: make([]float32, n), Y: make([]float32, n)} }

// key returns the key of the random numbers of a tick.
func (m *Flock) key(tick int, stream uint32) random.Key {
	return random.Key{Seed: m.turn.seed, Tick: uint32(tick), Stream: stream}
}

// Tick does one tick, in which all birds look around, turn and move. Ticks are numbered from 0.
func (m *Flock) Tick(tick int) error {
	if m.parts.ranks != nil {
		if err := m.parts.gaze(m); err != nil {
			return err
		}
	} else if err := m.gaze(); err != nil {
		return err
	}
	m.turn.noise = m.key(tick, streamNoise)
	return m.birds.ParallelFor(&m.turn).Wait()
}

// gaze adds up the headings that all birds see.
func (m *Flock) gaze() error {
	m.grid.Resize(m.Birds)
	if err := m.birds.ParallelFor(&m.gather).Wait(); err != nil {
		return err
	}
	m.grid.Sort()
	return m.add(&m.sum)
}

// add adds up, for each bird of the grid, the headings that the bird sees.
func (m *Flock) add(sum *lanes) error {
	ids := m.grid.IDs()
	kernels.Gather(m.sorted.X, m.way.X, ids)
	kernels.Gather(m.sorted.Y, m.way.Y, ids)
	pieces := (m.grid.Tiles() + tilesOfPiece - 1) / tilesOfPiece
	for len(m.pieces) < pieces {
		m.pieces = append(m.pieces, piece{})
	}
	if err := m.callTurns(pieces); err != nil {
		return err
	}
	kernels.Scatter(sum.X, ids, m.seen.X)
	kernels.Scatter(sum.Y, ids, m.seen.Y)
	return nil
}

// callTurns calls lookAround for all pieces. Between two pieces, it calls Progress of the ranks, so that messages
// are sent and received in the meantime.
func (m *Flock) callTurns(pieces int) error {
	if m.parts.ranks == nil {
		return m.pool.Range(pieces, 1, m.look)
	}
	const turns = 4
	for k := range turns {
		first := k * pieces / turns
		if err := m.pool.Range((k+1)*pieces/turns-first, 1, func(lo, hi int) { m.look(first+lo, first+hi) }); err != nil {
			return err
		}
		if err := m.parts.ranks.Progress(); err != nil {
			return err
		}
	}
	return nil
}

// gathering is the job that passes the positions of birds to the grid.
type gathering struct{ *Flock }

// Chunk passes the positions of the birds in a chunk.
func (m *gathering) Chunk(c *ecs.Chunk) {
	place, way, first := ecs.Column[Place](c), ecs.Column[Heading](c), m.before[c.Index()]
	m.grid.Put(first, place.X, place.Y, nil)
	copy(m.way.X[first:], way.X)
	copy(m.way.Y[first:], way.Y)
}

// lookAround adds up the headings that the birds in the tiles of some pieces see. It adds in the
// order of the grid, so that a sum does not depend on the worker or the rank that computes it.
func (m *Flock) lookAround(lo, hi int) {
	at, limit := m.grid.At(), m.View*m.View
	for k := lo; k < hi; k++ {
		q := &m.pieces[k]
		t := &q.tile
		for i := k * tilesOfPiece; i < min((k+1)*tilesOfPiece, m.grid.Tiles()); i++ {
			if m.parts.ranks != nil && m.parts.idle(m, i) {
				continue
			}
			t.Load(m.grid, i, m.View)
			q.way.X, q.way.Y = t.Gather(q.way.X, m.sorted.X), t.Gather(q.way.Y, m.sorted.Y)
			a, b := int(t.Rows.Lo), int(t.Rows.Hi)
			seen, own := m.seen.Slice(a, b), lanes{X: at.X[a:b], Y: at.Y[a:b]}
			if t.Wraps {
				SeeAround(&seen, &own, t.At.X, t.At.Y, q.way.X, q.way.Y, limit, m.Size, m.Size/2)
			} else {
				See(&seen, &own, t.At.X, t.At.Y, q.way.X, q.way.Y, limit)
			}
		}
	}
}

// order returns the length of the mean heading at the beginning of the tick. It measures how ordered the
// flock is: it is 1 if all birds fly in one direction, and nearly 0 if they fly in all directions.
func (m *Flock) order() float64 {
	x, y := 0.0, 0.0
	for _, v := range m.way.X {
		x += float64(v)
	}
	for _, v := range m.way.Y {
		y += float64(v)
	}
	return math.Sqrt(float64(x*x)+float64(y*y)) / float64(m.Birds)
}

// Query returns the query for the birds.
func (m *Flock) Query() *ecs.Query { return m.birds }

// turn is the job of a tick.
type turn struct {
	*Flock
	seed  uint64
	noise random.Key
}

const some = 256 // number of birds whose noise is drawn at once

// Chunk turns and moves the birds of one chunk.
func (m *turn) Chunk(c *ecs.Chunk) {
	if m.parts.ranks != nil {
		m.parts.turn(m, c)
		return
	}
	place, way, first := ecs.Column[Place](c), ecs.Column[Heading](c), m.before[c.Index()]
	var x, y [some]float32
	for lo := 0; lo < c.Len(); lo += some {
		hi := min(lo+some, c.Len())
		noise := lanes{X: x[:hi-lo], Y: y[:hi-lo]}
		random.Directions2(&noise, m.noise.Rows(uint64(first+lo)))
		at, to, sum := place.Slice(lo, hi), way.Slice(lo, hi), m.sum.Slice(first+lo, first+hi)
		Fly(&at, &to, &sum, &noise, m.Noise, m.Pace, m.Size)
	}
}
