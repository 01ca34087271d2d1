package worlds

import (
	"iter"

	ark "github.com/mlange-42/ark/ecs"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

type vecs = kernels.Vec3s[float32]

// Position and Velocity are components of both libraries.
type (
	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float32 }
)

// Column returns the view of a column.
func (Position) Column() (c vecs) { return }

// Column returns the view of a column.
func (Velocity) Column() (c vecs) { return }

const step = 1.0 / 64

// startAt returns the first position of row i, and startBy its velocity.
func startAt(i int) Position { return Position{float32(i), float32(2 * i), 1} }
func startBy(i int) Velocity { return Velocity{1, float32(i % 7), -float32(i % 5)} }

// Loops moves each entity by its velocity.
func Loops(n int) Task {
	w := ecs.NewWorld("loops")
	fill(w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n))
	q := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	ours := func(name string, move func(c *ecs.Chunk)) Way {
		return Way{Name: name, Do: func() {
			for c := range q.Chunks() {
				move(c)
			}
		}, Result: func() []float32 { return positions(q) }}
	}

	pos, vel := soa.Make[vecs](n), soa.Make[vecs](n)
	other := ark.NewWorld(n)
	i := 0
	ark.NewMap2[Position, Velocity](other).NewBatchFn(n, func(_ ark.Entity, p *Position, v *Velocity) {
		*p, *v = startAt(i), startBy(i)
		pos.X[i], pos.Y[i], pos.Z[i] = p.X, p.Y, p.Z
		vel.X[i], vel.Y[i], vel.Z[i] = v.X, v.Y, v.Z
		i++
	})
	filter := ark.NewFilter2[Position, Velocity](other)
	theirs := func(name string, move func(*ark.Filter2[Position, Velocity])) Way {
		return Way{Name: name, Do: func() { move(filter) }, Result: func() []float32 { return arkPositions(filter) }}
	}
	return Task{"loop", n, []Way{
		ours("slices cut to one length", moveCut),
		ours("the same, all lanes of a row read first", moveReadFirst),
		ours("one lane after the other", moveLanes),
		ours("the same by a generic function that cuts", moveHelper),
		ours("the same by an iterator over pointers", moveIterator),
		ours("the same by a callback for each row", moveCallback),
		ours("through the view, `p.X[i]`", moveView),
		ours("the kernel `AddScaled`", moveKernel),
		{Name: "Go: flat slices", Do: func() { moveFlat(pos.X, pos.Y, pos.Z, vel.X, vel.Y, vel.Z) }, Result: func() []float32 { return interleave(nil, &pos) }},
		theirs("Ark: by table", arkTable),
		theirs("Ark: entity by entity", arkNext),
	}}
}

// fill gives new rows their first positions and velocities.
func fill(rows ecs.Created) {
	row := 0
	for c := range rows.Chunks() {
		p, v, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
		x, y, z := p.X[:n], p.Y[:n], p.Z[:n]
		vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
		for i := range n {
			at, by := startAt(row), startBy(row)
			x[i], y[i], z[i] = at.X, at.Y, at.Z
			vx[i], vy[i], vz[i] = by.X, by.Y, by.Z
			row++
		}
	}
}

// positions returns the positions of all entities, row by row.
func positions(q *ecs.Query) (all []float32) {
	for c := range q.Chunks() {
		all = interleave(all, ecs.ReadColumn[Position](c))
	}
	return all
}

func interleave(all []float32, v *vecs) []float32 {
	x, y, z := v.X, v.Y[:len(v.X)], v.Z[:len(v.X)]
	for i := range x {
		all = append(all, x[i], y[i], z[i])
	}
	return all
}

func arkPositions(f *ark.Filter2[Position, Velocity]) (all []float32) {
	for q := f.Query(); q.NextTable(); {
		list, _ := q.GetColumns()
		for _, p := range list {
			all = append(all, p.X, p.Y, p.Z)
		}
	}
	return all
}

func moveCut(c *ecs.Chunk) {
	p, v, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
	x, y, z := p.X[:n], p.Y[:n], p.Z[:n]
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range n {
		x[i] += float32(vx[i] * step)
		y[i] += float32(vy[i] * step)
		z[i] += float32(vz[i] * step)
	}
}

func moveReadFirst(c *ecs.Chunk) {
	p, v, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
	x, y, z := p.X[:n], p.Y[:n], p.Z[:n]
	vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
	for i := range n {
		x[i], y[i], z[i] = x[i]+float32(vx[i]*step), y[i]+float32(vy[i]*step), z[i]+float32(vz[i]*step)
	}
}

func moveLanes(c *ecs.Chunk) {
	p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
	addTo(p.X, v.X)
	addTo(p.Y, v.Y)
	addTo(p.Z, v.Z)
}

func addTo(x, v []float32) {
	v = v[:len(x)]
	for i := range x {
		x[i] += float32(v[i] * step)
	}
}

// cut returns three slices of n elements.
func cut[A, B, C any](n int, a []A, b []B, c []C) ([]A, []B, []C) { return a[:n], b[:n], c[:n] }

func moveHelper(c *ecs.Chunk) {
	p, v, n := ecs.Column[Position](c), ecs.Column[Velocity](c), c.Len()
	x, y, z := cut(n, p.X, p.Y, p.Z)
	vx, vy, vz := cut(n, v.X, v.Y, v.Z)
	for i := range n {
		x[i] += float32(vx[i] * step)
		y[i] += float32(vy[i] * step)
		z[i] += float32(vz[i] * step)
	}
}

// A row points to the numbers of one row.
type row struct{ X, Y, Z *float32 }

// eachPair yields the rows of two columns.
func eachPair(p, v *vecs) iter.Seq2[row, row] {
	return func(yield func(row, row) bool) {
		n := len(p.X)
		x, y, z := p.X[:n], p.Y[:n], p.Z[:n]
		vx, vy, vz := v.X[:n], v.Y[:n], v.Z[:n]
		for i := range n {
			if !yield(row{&x[i], &y[i], &z[i]}, row{&vx[i], &vy[i], &vz[i]}) {
				return
			}
		}
	}
}

func moveIterator(c *ecs.Chunk) {
	for p, v := range eachPair(ecs.Column[Position](c), ecs.Column[Velocity](c)) {
		*p.X += float32(*v.X * step)
		*p.Y += float32(*v.Y * step)
		*p.Z += float32(*v.Z * step)
	}
}

func moveCallback(c *ecs.Chunk) {
	eachRow(ecs.Column[Position](c), ecs.Column[Velocity](c), func(p, v row) {
		*p.X += float32(*v.X * step)
		*p.Y += float32(*v.Y * step)
		*p.Z += float32(*v.Z * step)
	})
}

// eachRow calls a function for each row of two columns. eachRow is in a library, so that the compiler
// does not know the function.
//
//go:noinline
func eachRow(p, v *vecs, do func(p, v row)) {
	for a, b := range eachPair(p, v) {
		do(a, b)
	}
}

func moveView(c *ecs.Chunk) {
	p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
	for i := range p.X {
		p.X[i] += float32(v.X[i] * step)
		p.Y[i] += float32(v.Y[i] * step)
		p.Z[i] += float32(v.Z[i] * step)
	}
}

func moveKernel(c *ecs.Chunk) {
	p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
	p.AddScaled(p, v, step)
}

func moveFlat(x, y, z, vx, vy, vz []float32) {
	n := len(x)
	y, z, vx, vy, vz = y[:n], z[:n], vx[:n], vy[:n], vz[:n]
	for i := range n {
		x[i] += float32(vx[i] * step)
		y[i] += float32(vy[i] * step)
		z[i] += float32(vz[i] * step)
	}
}

// arkTable is the loop of Ark's documentation, with the second slice cut to
// the length of the first.
func arkTable(f *ark.Filter2[Position, Velocity]) {
	q := f.Query()
	for q.NextTable() {
		positions, velocities := q.GetColumns()
		velocities = velocities[:len(positions)]
		for i := range positions {
			p, v := &positions[i], &velocities[i]
			p.X += float32(v.X * step)
			p.Y += float32(v.Y * step)
			p.Z += float32(v.Z * step)
		}
	}
}

func arkNext(f *ark.Filter2[Position, Velocity]) {
	q := f.Query()
	for q.Next() {
		p, v := q.Get()
		p.X += float32(v.X * step)
		p.Y += float32(v.Y * step)
		p.Z += float32(v.Z * step)
	}
}
