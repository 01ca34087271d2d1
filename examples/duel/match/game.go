package match

import (
	"encoding/binary"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
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
type Ship struct {
	AimX, AimY float32 // the last direction of thrust
	Player     int32
	Loading    int32 // ticks until the ship can fire again
	Hits       int32 // number of bolts of this ship that have hit the other ship
}

// Bolt is a shot of a player's ship. Left is the number of ticks until it disappears.
type Bolt struct{ Player, Left int32 }

func (Position) Column() (c kernels.Vec2s[float32]) { return }
func (Velocity) Column() (c kernels.Vec2s[float32]) { return }
func (Ship) Column() (c ships)                      { return }
func (Bolt) Column() (c bolts)                      { return }

type (
	ships struct {
		AimX, AimY            []float32
		Player, Loading, Hits []int32
	}
	bolts struct{ Player, Left []int32 }
)

// Input is a player's input in a tick: the direction of thrust, from -1 to 1 on each axis, and whether the ship fires.
type Input struct {
	X, Y int8
	Fire bool
}

// InputOf returns the input of a player with the arrow keys or W, A, S and D, and the space bar. A pointer pushes the ship from the middle of the field
// towards the pointer, and fires.
func InputOf(in app.Input) Input {
	axis := func(less, more bool) (v int8) {
		if less {
			v--
		}
		if more {
			v++
		}
		return v
	}
	if in.Pressed {
		return Input{X: axis(3*in.X < in.Width, 3*in.X > 2*in.Width), Y: axis(3*in.Y > 2*in.Height, 3*in.Y < in.Height), Fire: true}
	}
	k := in.Keys
	return Input{
		X:    axis(k.Held(app.KeyLeft) || k.Held('A'), k.Held(app.KeyRight) || k.Held('D')),
		Y:    axis(k.Held(app.KeyDown) || k.Held('S'), k.Held(app.KeyUp) || k.Held('W')),
		Fire: k.Held(' '),
	}
}

// These are the constants of the game. Times are in ticks.
const (
	Hz      = 60 // ticks a second
	players = 2
	motes   = 1500
	thrust  = 0.04   // units per second that a tick adds
	drag    = 0.97   // of a ship's velocity after a tick
	pull    = 0.0002 // of ships on motes
	speed   = 1.1    // of bolts
	loading = 15
	burning = 55
	reach   = 0.06 // of a bolt
)

// Robot returns the input of a player that nobody steers.
func Robot(player int, tick uint64) Input {
	u := random.Uniform4Of[float32](random.Key{Seed: uint64(player + 1)}.ID(tick / 12))
	return Input{X: int8(3*u[0]) - 1, Y: int8(3*u[1]) - 1, Fire: u[2] < 0.5}
}

// Game is a world of two ships, their bolts, and motes that the ships attract.
type Game struct {
	World               *ecs.World
	inputs              *system.Resource[[players]Input]
	ships, bolts, motes *ecs.Query
}

func newGame(pool *jobs.Pool) (*Game, error) {
	w, err := system.NewWorld("duel", system.Only(system.Of[steer](), system.Of[attract](), system.Of[strike]()), system.OnPool(pool))
	if err != nil {
		return nil, err
	}
	for p := range int32(players) {
		side := float32(2*p - 1)
		w.Spawn(Position{X: 0.6 * side}, Velocity{}, Ship{Player: p, AimX: -side})
	}
	for n := range uint64(motes) {
		u := random.Uniform4Of[float32](random.Key{Seed: 7}.ID(n))
		w.Spawn(Position{float32(2*u[0]) - 1, float32(2*u[1]) - 1}, Velocity{float32(0.1*u[2]) - 0.05, float32(0.1*u[3]) - 0.05})
	}
	return &Game{
		World: w, inputs: system.ResourceOf[[players]Input](w),
		ships: w.Query(ecs.Read[Position](), ecs.Read[Ship]()),
		bolts: w.Query(ecs.Read[Position](), ecs.Read[Bolt]()),
		motes: w.Query(ecs.Read[Position](), ecs.Without[Ship](), ecs.Without[Bolt]()),
	}, nil
}

// step runs a tick. It is the Step function of a session, so it depends only on the world, the tick and the inputs.
func (g *Game) step(tick uint64, inputs []Input) error {
	copy(g.inputs.Write()[:], inputs)
	system.ClockOf(g.World).SetNow(system.Time{Elapsed: float64(tick) / Hz, Delta: 1.0 / Hz})
	return system.Update(g.World)
}

// Picture appends the bodies to a picture: three little-endian int16 each. The first two are the position, from
// -32767 to 32767. The third is 0 for a mote, 1 or 2 for the ship of player 0 or 1, and 3 or 4 for a bolt of player 0 or 1. Picture also
// returns the hits of each player.
func (g *Game) Picture(b []byte) (picture []byte, hits [players]int32) {
	add := func(x, y float32, kind int32) {
		for _, v := range [...]float32{x, y} {
			b = binary.LittleEndian.AppendUint16(b, uint16(int16(32767*max(-1, min(1, v)))))
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(kind))
	}
	for c := range g.motes.Chunks() {
		pos := ecs.ReadColumn[Position](c)
		x, y := pos.X[:c.Len()], pos.Y[:c.Len()]
		for i := range x {
			add(x[i], y[i], 0)
		}
	}
	for c := range g.bolts.Chunks() {
		pos := ecs.ReadColumn[Position](c)
		x, y := pos.X[:c.Len()], pos.Y[:c.Len()]
		for i, player := range ecs.ReadColumn[Bolt](c).Player[:c.Len()] {
			add(x[i], y[i], 3+player)
		}
	}
	for c := range g.ships.Chunks() {
		pos, ships, n := ecs.ReadColumn[Position](c), ecs.ReadColumn[Ship](c), c.Len()
		x, y, all := pos.X[:n], pos.Y[:n], ships.Hits[:n]
		for i, player := range ships.Player[:n] {
			add(x[i], y[i], 1+player)
			hits[player] = all[i]
		}
	}
	return b, hits
}

// steer applies the inputs: it pushes the ships and fires bolts.
type steer struct {
	_      system.In[system.Simulation]
	ships  *ecs.Query
	inputs *system.Resource[[players]Input]
}

func (s *steer) Create(u *system.Setup) error {
	s.inputs = system.ResourceOf[[players]Input](u.World())
	s.ships = u.Query(ecs.Write[Velocity](), ecs.Write[Ship](), ecs.Read[Position](), ecs.Read[system.Resource[[players]Input]]())
	return nil
}

func (s *steer) Update(f *system.Frame) error {
	commands := system.Commands[system.EndSimulation](f)
	for c := range s.ships.Chunks() {
		inputs, pos, vel, ships, n := s.inputs.ReadIn(c), ecs.Column[Position](c), ecs.Column[Velocity](c), ecs.Column[Ship](c), c.Len()
		x, y, vx, vy := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n]
		aimX, aimY, wait := ships.AimX[:n], ships.AimY[:n], ships.Loading[:n]
		for i, player := range ships.Player[:n] {
			in := inputs[player]
			in.X, in.Y = max(-1, min(1, in.X)), max(-1, min(1, in.Y)) // a packet can contain other numbers
			if in.X != 0 || in.Y != 0 {
				length := float32(1)
				if in.X != 0 && in.Y != 0 {
					length = 0.70710677
				}
				aimX[i], aimY[i] = float32(in.X)*length, float32(in.Y)*length
				vx[i] += float32(thrust * aimX[i])
				vy[i] += float32(thrust * aimY[i])
			}
			vx[i], vy[i] = float32(drag*vx[i]), float32(drag*vy[i])
			switch {
			case wait[i] > 0:
				wait[i]--
			case in.Fire:
				wait[i] = loading
				if _, err := commands.Spawn(Position{x[i], y[i]}, Velocity{float32(speed * aimX[i]), float32(speed * aimY[i])}, Bolt{player, burning}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// attract pulls the motes to the ships. Then it moves everything, and turns it back at the border of the field.
type attract struct {
	_                    system.In[system.Simulation]
	_                    system.After[steer]
	ships, motes, moving *ecs.Query
}

func (s *attract) Create(u *system.Setup) error {
	s.ships = u.Query(ecs.Read[Position](), ecs.Read[Ship]())
	s.motes = u.Query(ecs.Read[Position](), ecs.Write[Velocity](), ecs.Without[Ship](), ecs.Without[Bolt]())
	s.moving = u.Query(ecs.Write[Position](), ecs.Write[Velocity]())
	return nil
}

func (s *attract) Update(f *system.Frame) error {
	at := shipsAt(s.ships)
	for c := range s.motes.Chunks() {
		pos, vel, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
		x, y, vx, vy := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n]
		for _, ship := range at {
			for i := range x {
				vx[i] += float32(pull * (ship.X - x[i]))
				vy[i] += float32(pull * (ship.Y - y[i]))
			}
		}
	}
	for c := range s.moving.Chunks() {
		pos, vel := ecs.Column[Position](c), ecs.Column[Velocity](c)
		pos.AddScaled(pos, vel, float32(f.Delta()))
		turn(pos.X, vel.X)
		turn(pos.Y, vel.Y)
	}
	return nil
}

// shipsAt returns the positions of the ships, by player.
func shipsAt(q *ecs.Query) (at [players]Position) {
	for c := range q.Chunks() {
		pos := ecs.Column[Position](c)
		x, y := pos.X[:c.Len()], pos.Y[:c.Len()]
		for i, player := range ecs.Column[Ship](c).Player[:c.Len()] {
			at[player] = Position{x[i], y[i]}
		}
	}
	return at
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

// strike removes bolts that hit the other ship or whose time is over.
type strike struct {
	_     system.In[system.Simulation]
	_     system.After[attract]
	ships *ecs.Query
	bolts *ecs.Query
}

func (s *strike) Create(u *system.Setup) error {
	s.ships = u.Query(ecs.Read[Position](), ecs.Write[Ship]())
	s.bolts = u.Query(ecs.Read[Position](), ecs.Write[Bolt]())
	return nil
}

func (s *strike) Update(f *system.Frame) error {
	commands, at := system.Commands[system.EndSimulation](f), shipsAt(s.ships)
	var hits [players]int32
	for c := range s.bolts.Chunks() {
		pos, bolts, ids, n := ecs.Column[Position](c), ecs.Column[Bolt](c), c.Entities(), c.Len()
		x, y, left := pos.X[:n], pos.Y[:n], bolts.Left[:n]
		for i, player := range bolts.Player[:n] {
			dx, dy := at[1-player].X-x[i], at[1-player].Y-y[i]
			hit := float32(dx*dx)+float32(dy*dy) < reach*reach
			if hit {
				hits[player]++
			}
			if left[i]--; hit || left[i] == 0 {
				if err := commands.Destroy(ids[i]); err != nil {
					return err
				}
			}
		}
	}
	for c := range s.ships.Chunks() {
		ships, n := ecs.Column[Ship](c), c.Len()
		all := ships.Hits[:n]
		for i, player := range ships.Player[:n] {
			all[i] += hits[player]
		}
	}
	return nil
}
