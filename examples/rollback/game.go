package main

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// Position is a place in the field, which reaches from -1 to 1 on both axes.
type Position struct{ X, Y float32 }

// Velocity is in units per second.
type Velocity struct{ X, Y float32 }

// Ship is steered by a player.
type Ship struct{ Player, Loaded int32 }

// Bolt is a shot of a ship. Its value is the number of ticks until the bolt
// disappears.
type Bolt int32

// Mark marks, for a number of ticks, a mote that a ship has touched.
type Mark struct{ Player, Ticks int32 }

func (Position) Column() (c kernels.Vec2s[float32]) { return }
func (Velocity) Column() (c kernels.Vec2s[float32]) { return }
func (Ship) Column() (c shipColumn)                 { return }
func (Bolt) Column() (c []int32)                    { return }
func (Mark) Column() (c markColumn)                 { return }

type (
	shipColumn struct{ Player, Loaded []int32 }
	markColumn struct{ Ticks []int32 }
)

// Input is a player's input in a tick: the direction of thrust, and whether the ship fires.
type Input struct {
	X, Y int8
	Fire bool
}

// Inputs are the inputs of the current tick.
type Inputs struct{ Of []Input }

// These are the constants of the game.
const (
	players = 2
	hz      = 60
	push    = 0.03 // units per second that a tick of thrust adds
	pull    = 0.0004
	reload  = 12 // ticks
	burn    = 40
	reach   = 0.0006 // square of the distance at which a ship marks a mote
	marked  = 90     // ticks
)

// game is a world of motes, ships and bolts.
type game struct {
	w      *ecs.World
	inputs *system.Resource[Inputs]
}

// newGame makes the world. The same number of motes gives the same world.
func newGame(name string, motes int, pool *jobs.Pool) (*game, error) {
	w, err := system.NewWorld(name, system.Only(system.Of[Steer](), system.Of[Pull](), system.Of[Move](), system.Of[Burn]()), system.OnPool(pool))
	if err != nil {
		return nil, err
	}
	g := &game{w, system.ResourceOf[Inputs](w)}
	n := 0
	for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), motes).Chunks() {
		pos, vel, rows := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
		x, y, vx, vy := pos.X[:rows], pos.Y[:rows], vel.X[:rows], vel.Y[:rows]
		for i := range rows {
			u := random.Uniform4Of[float32](random.Key{Seed: 7}.ID(uint64(n)))
			x[i], y[i] = float32(2*u[0])-1, float32(2*u[1])-1
			vx[i], vy[i] = float32(0.2*u[2])-0.1, float32(0.2*u[3])-0.1
			n++
		}
	}
	for p := range int32(players) {
		w.Spawn(Position{X: float32(p) - 0.5}, Velocity{}, Ship{Player: p})
	}
	return g, nil
}

// step runs one tick. It is the Step function of the session, so it must depend only on the world, the
// tick and the inputs.
func (g *game) step(tick uint64, inputs []Input) error {
	own := g.inputs.Write()
	own.Of = append(own.Of[:0], inputs...)
	system.ClockOf(g.w).SetNow(system.Time{Elapsed: float64(tick) / hz, Delta: 1.0 / hz})
	return system.Update(g.w)
}

// close closes the world, and joins its error with an earlier error.
func (g *game) close(err *error) { *err = errors.Join(*err, g.w.Close()) }

// Steer applies the inputs: it pushes the ships and fires bolts.
type Steer struct {
	_      system.In[system.Simulation]
	ships  *ecs.Query
	inputs *system.Resource[Inputs]
}

func (s *Steer) Create(u *system.Setup) error {
	s.inputs = system.ResourceOf[Inputs](u.World())
	s.ships = u.Query(ecs.Write[Velocity](), ecs.Write[Ship](), ecs.Read[Position](), ecs.Read[system.Resource[Inputs]]())
	return nil
}

func (s *Steer) Update(f *system.Frame) error {
	fired := system.Commands[system.EndSimulation](f)
	for c := range s.ships.Chunks() {
		inputs := s.inputs.ReadIn(c).Of
		pos, vel, ships, n := ecs.Column[Position](c), ecs.Column[Velocity](c), ecs.Column[Ship](c), c.Len()
		x, y, vx, vy, loaded := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n], ships.Loaded[:n]
		for i, player := range ships.Player[:n] {
			in := inputs[player]
			vx[i] += float32(push * float32(in.X))
			vy[i] += float32(push * float32(in.Y))
			switch {
			case loaded[i] > 0:
				loaded[i]--
			case in.Fire:
				loaded[i] = reload
				if _, err := fired.Spawn(Position{x[i], y[i]}, Velocity{float32(3 * vx[i]), float32(3 * vy[i])}, Bolt(burn)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Pull attracts the motes to the ships, and marks the motes that a ship
// touches.
type Pull struct {
	_     system.In[system.Simulation]
	_     system.After[Steer]
	ships *ecs.Query
	motes *ecs.Query
	at    [players]Position // of the ships: looked up in each tick, so that a rollback need not restore them
	marks ecs.ParallelCommands
}

func (s *Pull) Create(u *system.Setup) error {
	s.ships = u.Query(ecs.Read[Position](), ecs.Read[Ship]())
	s.motes = u.Query(ecs.Read[Position](), ecs.Write[Velocity](), ecs.Without[Ship](), ecs.Without[Bolt](), ecs.Without[Mark]())
	return nil
}

func (s *Pull) Update(f *system.Frame) error {
	for c := range s.ships.Chunks() {
		pos, n := ecs.Column[Position](c), c.Len()
		x, y := pos.X[:n], pos.Y[:n]
		for i, player := range ecs.Column[Ship](c).Player[:n] {
			s.at[player] = Position{x[i], y[i]}
		}
	}
	s.marks = system.Commands[system.EndSimulation](f).Parallel()
	f.ParallelFor(s.motes, s)
	return nil
}

// Chunk pulls the motes of one chunk.
func (s *Pull) Chunk(c *ecs.Chunk) {
	pos, vel, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
	x, y, vx, vy, ids := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n], c.Entities()[:n]
	for player, at := range s.at {
		for i := range n {
			dx, dy := at.X-x[i], at.Y-y[i]
			vx[i] += float32(pull * dx)
			vy[i] += float32(pull * dy)
			if float32(dx*dx)+float32(dy*dy) < reach {
				if err := ecs.Add(s.marks.For(c), ids[i], Mark{int32(player), marked}); err != nil {
					panic(err) // fails the job, and so the tick
				}
			}
		}
	}
}

// Move moves all entities, and turns them back at the border of the field.
type Move struct {
	_      system.In[system.Simulation]
	_      system.After[Pull]
	moving *ecs.Query
	dt     float32
}

func (s *Move) Create(u *system.Setup) error {
	s.moving = u.Query(ecs.Write[Position](), ecs.Write[Velocity]())
	return nil
}

func (s *Move) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.moving, s)
	return nil
}

// Chunk moves the entities of one chunk.
func (s *Move) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[Position](c), ecs.Column[Velocity](c)
	pos.AddScaled(pos, vel, s.dt)
	turn(pos.X, vel.X)
	turn(pos.Y, vel.Y)
}

// turn makes entities outside of the field fly inwards.
func turn(at, way []float32) {
	way = way[:len(at)]
	for i, x := range at {
		if x > 1 && way[i] > 0 || x < -1 && way[i] < 0 {
			way[i] = -way[i]
		}
	}
}

// Burn removes bolts and marks when their time is over.
type Burn struct {
	_      system.In[system.Simulation]
	_      system.After[Move]
	bolts  *ecs.Query
	marked *ecs.Query
}

func (s *Burn) Create(u *system.Setup) error {
	s.bolts = u.Query(ecs.Write[Bolt]())
	s.marked = u.Query(ecs.Write[Mark]())
	return nil
}

func (s *Burn) Update(f *system.Frame) error {
	over := system.Commands[system.EndSimulation](f)
	for c := range s.bolts.Chunks() {
		left, ids := *ecs.Column[Bolt](c), c.Entities()
		for i := range left {
			if left[i]--; left[i] == 0 {
				if err := over.Destroy(ids[i]); err != nil {
					return err
				}
			}
		}
	}
	for c := range s.marked.Chunks() {
		left, ids := ecs.Column[Mark](c).Ticks, c.Entities()
		for i := range left {
			if left[i]--; left[i] == 0 {
				if _, err := ecs.Remove[Mark](over, ids[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
