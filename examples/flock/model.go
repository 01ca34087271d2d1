package main

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

// Flock is the model, after Vicsek and others (1995): each bird takes the mean heading of
// those within its view, and noise. Its exported fields are the parameters.
type Flock struct {
	Birds int     `default:"500" range:"1..1000000" help:"in the square"`
	Size  float32 `default:"20" range:"3..10000" unit:"m" help:"of the square's sides"`
	View  float32 `default:"1" range:"0.1..10" unit:"m" help:"how far a bird sees"`
	Pace  float32 `default:"0.1" range:"0..1" unit:"m" help:"of a tick"`
	Noise float32 `default:"0.4" range:"0..10" help:"beside a heading of length 1"`
	Ticks int     `default:"200" range:"1..1000000"`

	birds  *ecs.Query
	before []int                  // how many birds come before each chunk
	at     kernels.Vec2s[float32] // where everybody is at the beginning of the tick, and
	way    kernels.Vec2s[float32] // where they fly, row by row
	grid   grid
	turn   turn
}

// Place is where a bird is.
type Place struct{ X, Y float32 }

// Column says that a column of them is two lanes.
func (Place) Column() (c kernels.Vec2s[float32]) { return }

// Heading is where it flies: a vector of length 1.
type Heading struct{ X, Y float32 }

// Column says that a column of them is two lanes.
func (Heading) Column() (c kernels.Vec2s[float32]) { return }

// The streams of what is drawn.
const (
	streamPlace = iota
	streamHeading
	streamNoise
)

// Order is a row of the table order: 1 where all fly one way, near 0 where each flies
// his own.
type Order struct{ Order float64 }

// Outcome is what a run ends with.
type Outcome struct {
	Order float64 `help:"at the end, in the mean of the last half"`
}

// Setup puts the birds anywhere.
func (m *Flock) Setup(r *study.Run) (*ecs.World, error) {
	if m.Size < 3*m.View {
		return nil, fmt.Errorf("size=%v with view=%v: a square has sides of three views at least", m.Size, m.View)
	}
	w := ecs.NewWorld(fmt.Sprint("flock ", r.Index), ecs.OnPool(r.Pool()))
	m.birds = w.Query(ecs.Write[Place](), ecs.Write[Heading]())
	made := 0
	for c := range w.Create(w.Archetype(ecs.With[Place](), ecs.With[Heading]()), m.Birds) {
		place, way := ecs.Column[Place](c), ecs.Column[Heading](c)
		first := uint64(made)
		made += c.Len()
		random.Range(place.X, r.Key(streamPlace).Rows(2*first), 0, m.Size)
		random.Range(place.Y, r.Key(streamPlace).Rows(2*first+uint64(c.Len())), 0, m.Size)
		random.Directions2(way, r.Key(streamHeading).Rows(first))
	}
	m.before = m.birds.AppendOffsets(nil)
	m.at, m.way = vectors(m.Birds), vectors(m.Birds)
	m.grid.cells = max(int(m.Size/m.View), 3)
	m.grid.side = m.Size
	m.turn = turn{m: m, r: r}
	return w, nil
}

// vectors makes room for n vectors.
func vectors(n int) kernels.Vec2s[float32] {
	return kernels.Vec2s[float32]{X: make([]float32, n), Y: make([]float32, n)}
}

// Step is one tick: everybody looks around, turns and moves.
func (m *Flock) Step(r *study.Run) (bool, error) {
	for c := range m.birds.Chunks() {
		place, way, first := ecs.Column[Place](c), ecs.Column[Heading](c), m.before[c.Index()]
		copy(m.at.X[first:], place.X)
		copy(m.at.Y[first:], place.Y)
		copy(m.way.X[first:], way.X)
		copy(m.way.Y[first:], way.Y)
	}
	m.grid.sort(m.at)
	if err := m.birds.ParallelFor(&m.turn).Wait(); err != nil {
		return false, err
	}
	study.Emit(r, Order{m.order()})
	m.turn.sum += m.order()
	if r.Tick < m.Ticks/2 {
		m.turn.sum = 0
	}
	return r.Tick+1 < m.Ticks, nil
}

// order is the length of the mean heading, of how they flew at the beginning of the tick.
func (m *Flock) order() float64 {
	x, y := 0.0, 0.0
	for i := range m.way.X {
		x += float64(m.way.X[i])
		y += float64(m.way.Y[i])
	}
	return math.Sqrt(float64(x*x)+float64(y*y)) / float64(m.Birds)
}

// Result measures the end.
func (m *Flock) Result(*study.Run) Outcome {
	return Outcome{Order: m.turn.sum / float64(m.Ticks-m.Ticks/2)}
}

// turn is the job of a tick.
type turn struct {
	m   *Flock
	r   *study.Run
	sum float64 // of the order, since half of the time
}

// Chunk turns and moves the birds of one chunk. It reads where everybody was.
func (t *turn) Chunk(c *ecs.Chunk) {
	m, place, way := t.m, ecs.Column[Place](c), ecs.Column[Heading](c)
	for i := range place.X {
		row := m.before[c.Index()] + i
		x, y := m.grid.around(row, m.at, m.way, m.View)
		noise := t.r.Key(streamNoise).Row(uint64(row))
		nx, ny := random.Direction2Of[float32](noise)
		x, y = unit(x, y)
		x, y = unit(x+float32(m.Noise*nx), y+float32(m.Noise*ny))
		way.X[i], way.Y[i] = x, y
		place.X[i] = wrap(place.X[i]+float32(m.Pace*x), m.Size)
		place.Y[i] = wrap(place.Y[i]+float32(m.Pace*y), m.Size)
	}
}

// unit makes a vector of length 1 of one that has any.
func unit(x, y float32) (float32, float32) {
	length := float32(math.Sqrt(float64(float32(x*x) + float32(y*y))))
	if length == 0 {
		return 1, 0
	}
	return x / length, y / length
}

// wrap leads a coordinate that has left the square back into it.
func wrap(x, size float32) float32 {
	if x < 0 {
		x += size
	}
	if x >= size {
		x -= size
	}
	return x
}
