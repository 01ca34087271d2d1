package goals

import (
	"runtime"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/random"
)

// neighbours are the goals of package near: points in a cube, 6.4 in a cell, and for each a sum over those within a
// cell's width, 27 of 178 candidates.
func neighbours() []Goal {
	const c = "1.15 × C with AVX2, where the goal was set"
	return []Goal{
		{Name: "near.Grid.Build/f32", What: "ns a point", Aim: 1.15 * 14, From: c, measure: on(func(o *Options, s *scene) float64 {
			return o.each(o.Points, s.build)
		})},
		{Name: "sums over neighbours/f32", What: "ns a point", Aim: 1.15 * 134, From: c, measure: on(func(o *Options, s *scene) float64 {
			return o.each(o.Points, s.sum)
		})},
		{Name: "sums over neighbours/f32", What: "times as fast as plain Go", Aim: 3, More: true, From: "as the examples", measure: on(func(o *Options, s *scene) float64 {
			some := (o.Points + 7) / 8
			return o.each(some, func() { s.plain(some) }) / o.each(o.Points, s.sum)
		})},
		{Name: "sums over neighbours/f32", What: "times as fast with two workers", Aim: 1.8, More: true, From: "a ratio", measure: func(o *Options) (float64, string) {
			if runtime.GOMAXPROCS(0) < 2 {
				return 0, "there is one CPU"
			}
			one, two := draw(o.Points, 1), draw(o.Points, 2)
			defer one.close()
			defer two.close()
			return o.each(1, one.sum) / o.each(1, two.sum), ""
		}},
	}
}

// on measures on one worker.
func on(measure func(o *Options, s *scene) float64) func(o *Options) (float64, string) {
	return func(o *Options) (float64, string) {
		s := draw(o.Points, 1)
		defer s.close()
		return measure(o, s), ""
	}
}

// A scene is points in a cube of one, and sums over those near them.
type scene struct {
	pool       *jobs.Pool
	grid       *near.Grid[float32]
	r          float32
	x, y, z, m []float32
	sorted     []float32 // masses by row
	out        []float32 // sums by row
	pieces     []piece
	work       func(lo, hi int)
	runs       []near.Run
}

// A piece is some tiles, and the memory for them.
type piece struct {
	tile near.Tile[float32]
	mass []float32
}

const tilesOfPiece = 64

func draw(n, workers int) *scene {
	side := 1
	for (side+1)*(side+1)*(side+1)*64 <= n*10 {
		side++
	}
	s := &scene{pool: jobs.New(jobs.Workers(workers)), r: 1 / float32(side)}
	for k, lane := range []*[]float32{&s.x, &s.y, &s.z, &s.m} {
		*lane = make([]float32, n)
		random.Uniform(*lane, random.Key{Seed: 2, Stream: uint32(k)}.Rows(0))
	}
	s.sorted, s.out = make([]float32, n), make([]float32, n)
	s.grid = near.New(near.Space[float32]{Dims: 3, High: near.Point[float32]{X: 1, Y: 1, Z: 1}, Cell: float32(s.r * 0.9999)})
	s.grid.Pool, s.work = s.pool, s.tiles
	s.build()
	s.pieces = make([]piece, (s.grid.Tiles()+tilesOfPiece-1)/tilesOfPiece)
	return s
}

func (s *scene) close() { _ = s.pool.Close() } // nothing of it is left to run

func (s *scene) build() { s.grid.Build(s.x, s.y, s.z) }

// sum makes the sum of each row.
func (s *scene) sum() {
	for row, id := range s.grid.IDs() {
		s.sorted[row] = s.m[id]
	}
	if err := s.pool.Range(len(s.pieces), 1, s.work); err != nil {
		panic(err) // the work has nothing that fails
	}
}

func (s *scene) tiles(lo, hi int) {
	at := s.grid.At()
	for k := lo; k < hi; k++ {
		q := &s.pieces[k]
		t := &q.tile
		for i := k * tilesOfPiece; i < min((k+1)*tilesOfPiece, s.grid.Tiles()); i++ {
			t.Load(s.grid, i, s.r)
			q.mass = t.Gather(q.mass, s.sorted)
			a, b := t.Rows.Lo, t.Rows.Hi
			Pull(s.out[a:b], at.X[a:b], at.Y[a:b], at.Z[a:b], t.At.X, t.At.Y, t.At.Z, q.mass, float32(s.r*s.r))
		}
	}
}

// plain makes the sums of some rows, one candidate after another.
func (s *scene) plain(rows int) {
	at, r2 := s.grid.At(), float32(s.r*s.r)
	for row := range rows {
		p := near.Point[float32]{X: at.X[row], Y: at.Y[row], Z: at.Z[row]}
		sum := float32(0)
		s.runs = s.grid.AppendRuns(s.runs[:0], p, s.r)
		for _, run := range s.runs {
			x, y, z, mass := at.X[run.Lo:run.Hi], at.Y[run.Lo:run.Hi], at.Z[run.Lo:run.Hi], s.sorted[run.Lo:run.Hi]
			for j, m := range mass {
				dx, dy, dz := x[j]-p.X, y[j]-p.Y, z[j]-p.Z
				if d := r2 - ((float32(dx*dx) + float32(dy*dy)) + float32(dz*dz)); d > 0 {
					sum += float32(m * (d * d * d))
				}
			}
		}
		s.out[row] = sum
	}
}
