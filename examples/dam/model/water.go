// Package model is the water of examples/dam. The command dam uses the package to simulate and
// draw the water. Module mpi also uses the package: several ranks each simulate a part of the
// tank.
package model

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// ID is the number of a drop. It does not depend on the rank or the row of the drop.
type ID struct{ Value uint64 }

// Column returns the view of a column: one lane.
func (ID) Column() (c []uint64) { return }

// Velocity is the velocity of a drop.
type Velocity struct{ X, Y, Z float32 }

// Column returns the view of a column: three lanes.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// These are the sizes of the tank and of the dammed water, in metres. The water reaches from the left
// wall to the dam and is as deep as the tank.
const (
	Width, Height, Depth = 4, 2.5, 1
	dammed               = 1
	high                 = 2
)

type lanes = kernels.Vec3s[float32]

// factors holds the physical constants of the water.
type factors struct {
	reach, dt          float32
	rho0, stiff        float32 // density at rest, and pressure relative to density
	weigh, shove, drag float32 // factors of the sums
}

// Dam simulates drops that push each other (smoothed particles, after Monaghan 1994 and Müller and
// others 2003). The data of a step is stored in lanes, in the order of the grid's rows.
type Dam struct {
	Drops int

	drops  *ecs.Query
	pool   *jobs.Pool
	grid   *near.Grid[float32]
	starts []int // where each chunk starts in own
	parts  parts

	factors

	own, vel, acc lanes // velocities by drop; velocities by row; accelerations of a step
	rho, p, v     []float32
	pieces        []piece

	gather gathering
	spill  spilling
	rows   func(lo, hi int)
	dense  func(lo, hi int)
	press  func(lo, hi int)
	back   func(lo, hi int)
}

// A piece is a number of tiles and their scratch memory.
type piece struct {
	tile near.Tile[float32]
	runs []near.Run // runs of candidates near the tiles; the first pass finds them for both passes
	ends [tilesOfPiece]int
	at   near.Tile[float32] // for the second pass
	way  lanes
	p, v []float32
}

const tilesOfPiece = 64

// World makes a world of the drops.
func (s *Dam) World() (*ecs.World, error) {
	w := ecs.NewWorld("dam")
	s.Pour(w)
	return w, nil
}

// Pour creates the drops at the dam, at least one.
func (s *Dam) Pour(w *ecs.World) {
	n := s.Drops
	apart := float32(kernels.CbrtOf(dammed * high * Depth / float64(n)))
	across, deep := max(1, int(dammed/apart)), max(1, int(Depth/apart))
	drop := 0
	for c := range w.Create(w.Archetype(ecs.With[ID](), ecs.With[transform.Translation](), ecs.With[Velocity]()), n).Chunks() {
		pos, n := ecs.Column[transform.Translation](c), c.Len()
		id, x, y, z := (*ecs.Column[ID](c))[:n], pos.X[:n], pos.Y[:n], pos.Z[:n]
		for i := range n {
			column, line, row := drop%across, drop/across%deep, drop/across/deep
			odd := float32(0.1 * float32(row%2)) // otherwise drops would fall exactly onto each other
			id[i] = uint64(drop)
			x[i] = (float32(column) + 0.5 + odd) * apart
			y[i] = (float32(row) + 0.5) * apart
			z[i] = (float32(line) + 0.5 + odd) * apart
			drop++
		}
	}
	h := float32(2 * apart)
	h2 := float32(h * h)
	h6, h8 := h2*h2*h2, h2*h2*h2*h2
	const rho0, sound = 1000, 40
	mass := rho0 * apart * apart * apart
	s.drops = w.Query(ecs.Read[ID](), ecs.Write[transform.Translation](), ecs.Write[Velocity]())
	s.pool = w.Pool()
	s.factors = factors{
		reach: h,
		dt:    0.2 * h / sound,
		rho0:  rho0,
		stiff: sound * sound,
		weigh: mass * 315 / (64 * math.Pi * h8 * h),
		shove: mass * 210 / (math.Pi * h8),
		drag:  0.05 * sound * h * mass * 45 / (math.Pi * h6),
	}
	s.grid = near.New(s.space())
	s.grid.Pool = s.pool
	s.room(n)
	s.parts.next = &s.own
	s.gather, s.spill = gathering{s}, spilling{s}
	s.rows, s.dense, s.press, s.back = s.sortRows, s.weighTiles, s.pressTiles, s.moveRows
}

// space returns the tank, divided into cells that are as wide as the reach of a drop.
func (s *Dam) space() near.Space[float32] {
	return near.Space[float32]{Dims: 3, High: near.Point[float32]{X: Width, Y: Height, Z: Depth}, Cell: s.reach}
}

// Seconds returns the duration of a tick.
func (s *Dam) Seconds() float32 { return s.dt }

// room allocates memory for n rows.
func (s *Dam) room(n int) {
	for _, v := range []*lanes{&s.own, &s.vel, &s.acc} {
		*v = resizeLanes(*v, n)
	}
	for _, lane := range []*[]float32{&s.rho, &s.p, &s.v} {
		if cap(*lane) < n {
			*lane = make([]float32, n, n+n/8)
		}
		*lane = (*lane)[:n]
	}
}

// resizeLanes returns lanes with memory for n rows. It reuses the memory of v if possible.
func resizeLanes(v lanes, n int) lanes {
	if cap(v.X) < n {
		return lanes{X: make([]float32, n, n+n/8), Y: make([]float32, n, n+n/8), Z: make([]float32, n, n+n/8)}
	}
	return v.Slice(0, n)
}

// Tick does one step.
func (s *Dam) Tick(int) error {
	if s.parts.ranks != nil {
		if err := s.parts.step(s); err != nil {
			return err
		}
		return s.drops.ParallelFor(&s.spill).Wait()
	}
	s.starts = s.drops.AppendOffsets(s.starts[:0])
	s.grid.Resize(len(s.rho))
	if err := s.drops.ParallelFor(&s.gather).Wait(); err != nil {
		return err
	}
	s.grid.Sort()
	if err := s.push(); err != nil {
		return err
	}
	return s.drops.ParallelFor(&s.spill).Wait()
}

// push computes the forces between the drops of the grid.
func (s *Dam) push() error {
	pieces := (s.grid.Tiles() + tilesOfPiece - 1) / tilesOfPiece
	for len(s.pieces) < pieces {
		s.pieces = append(s.pieces, piece{})
	}
	for _, pass := range []struct {
		n, grain int
		body     func(lo, hi int)
	}{{len(s.rho), 4096, s.rows}, {pieces, 1, s.dense}, {pieces, 1, s.press}, {len(s.rho), 4096, s.back}} {
		if err := s.pool.Range(pass.n, pass.grain, pass.body); err != nil {
			return err
		}
		if s.parts.ranks != nil {
			if err := s.parts.ranks.Progress(); err != nil {
				return err
			}
		}
	}
	return nil
}

// gathering is the job that copies drops to the grid.
type gathering struct{ *Dam }

// Chunk copies the drops of a chunk.
func (s *gathering) Chunk(c *ecs.Chunk) {
	pos, vel, first := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), s.starts[c.Index()]
	s.grid.Put(first, pos.X, pos.Y, pos.Z)
	copy(s.own.X[first:], vel.X)
	copy(s.own.Y[first:], vel.Y)
	copy(s.own.Z[first:], vel.Z)
}

// sortRows copies velocities into the order of rows.
func (s *Dam) sortRows(lo, hi int) {
	ids := s.grid.IDs()[lo:hi]
	kernels.Gather(s.vel.X[lo:hi], s.own.X, ids)
	kernels.Gather(s.vel.Y[lo:hi], s.own.Y, ids)
	kernels.Gather(s.vel.Z[lo:hi], s.own.Z, ids)
}

// weighTiles computes the densities of the rows in some pieces, and the values that depend only on the
// densities.
func (s *Dam) weighTiles(lo, hi int) {
	at := lanes(s.grid.At())
	for k := lo; k < hi; k++ {
		q := &s.pieces[k]
		t := &q.tile
		q.runs = q.runs[:0]
		for i := k * tilesOfPiece; i < min((k+1)*tilesOfPiece, s.grid.Tiles()); i++ {
			t.Load(s.grid, i, s.reach)
			q.runs = append(q.runs, t.Runs...)
			q.ends[i%tilesOfPiece] = len(q.runs)
			a, b := t.Rows.Lo, t.Rows.Hi
			pos := at.Slice(int(a), int(b))
			Density(s.rho[a:b], &pos, &t.At, float32(s.reach*s.reach))
			for row := a; row < b; row++ {
				rho := float32(s.rho[row] * s.weigh)
				s.v[row] = 1 / rho
				s.p[row] = max(0, s.stiff*(rho-s.rho0)) / (rho * rho)
			}
		}
	}
}

// pressTiles computes the forces on the rows in some pieces.
func (s *Dam) pressTiles(lo, hi int) {
	at := lanes(s.grid.At())
	for k := lo; k < hi; k++ {
		q, first := &s.pieces[k], 0
		for i := k * tilesOfPiece; i < min((k+1)*tilesOfPiece, s.grid.Tiles()); i++ {
			t, end := &q.at, q.ends[i%tilesOfPiece]
			t.Rows, t.Runs, first = s.grid.TileRows(i), q.runs[first:end], end
			if s.parts.ranks != nil && s.parts.idle(s, i) {
				continue
			}
			t.At.X, t.At.Y, t.At.Z = t.Gather(t.At.X, at.X), t.Gather(t.At.Y, at.Y), t.Gather(t.At.Z, at.Z)
			q.way.X, q.way.Y, q.way.Z = t.Gather(q.way.X, s.vel.X), t.Gather(q.way.Y, s.vel.Y), t.Gather(q.way.Z, s.vel.Z)
			q.p, q.v = t.Gather(q.p, s.p), t.Gather(q.v, s.v)
			a, b := int(t.Rows.Lo), int(t.Rows.Hi)
			acc, pos, vel := s.acc.Slice(a, b), at.Slice(a, b), s.vel.Slice(a, b)
			Press(&acc, &pos, &vel, s.p[a:b], &t.At, &q.way, q.p, q.v, s.reach, s.shove, s.drag)
		}
	}
}

// moveRows changes the velocities and copies them back into the order of drops.
func (s *Dam) moveRows(lo, hi int) {
	const gravity = 9.81
	vel, acc, next := s.vel.Slice(lo, hi), s.acc.Slice(lo, hi), s.parts.next
	n := hi - lo
	vx, vy, vz, ax, ay, az := vel.X[:n], vel.Y[:n], vel.Z[:n], acc.X[:n], acc.Y[:n], acc.Z[:n]
	x, y, z := next.X, next.Y, next.Z
	for row, id := range s.grid.IDs()[lo:hi][:n] {
		x[id] = vx[row] + float32(ax[row]*s.dt)
		y[id] = vy[row] + float32((ay[row]-gravity)*s.dt)
		z[id] = vz[row] + float32(az[row]*s.dt)
	}
}

// spilling is the job that moves the drops of the world.
type spilling struct{ *Dam }

// Chunk moves the drops of a chunk and reflects them at walls.
func (s *spilling) Chunk(c *ecs.Chunk) {
	pos, vel, n, first := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), c.Len(), s.starts[c.Index()]
	if s.parts.ranks != nil {
		rows := s.parts.own[first:][:c.Len()]
		kernels.Gather(vel.X, s.parts.inner.X, rows)
		kernels.Gather(vel.Y, s.parts.inner.Y, rows)
		kernels.Gather(vel.Z, s.parts.inner.Z, rows)
	} else {
		copy(vel.X, s.own.X[first:])
		copy(vel.Y, s.own.Y[first:])
		copy(vel.Z, s.own.Z[first:])
	}
	gap := float32(s.reach / 4)
	x, y, z, vx, vy, vz := pos.X[:n], pos.Y[:n], pos.Z[:n], vel.X[:n], vel.Y[:n], vel.Z[:n]
	for i := range n {
		x[i], vx[i] = bounce(x[i]+float32(vx[i]*s.dt), vx[i], gap, Width-gap)
		y[i], vy[i] = bounce(y[i]+float32(vy[i]*s.dt), vy[i], gap, Height-gap)
		z[i], vz[i] = bounce(z[i]+float32(vz[i]*s.dt), vz[i], gap, Depth-gap)
	}
}

// bounce keeps a coordinate between two walls.
func bounce(x, v, lo, hi float32) (float32, float32) {
	if x < lo {
		return lo, max(v, -0.3*v)
	}
	if x > hi {
		return hi, min(v, -0.3*v)
	}
	return x, v
}
