package golden

import (
	"context"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/host"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// These are the components of the worlds.
type (
	position struct{ X, Y, Z float32 }
	velocity struct{ X, Y, Z float64 }
	mixed    struct {
		Small int8
		Large int64
		Link  ecs.Entity
	}
	look struct {
		ecs.Shared
		Name string
	}
	alert struct {
		ecs.Enableable
		Level int32
	}
	stop struct{ At float32 }
)

func (position) Column() (c kernels.Vec3s[float32]) { return }
func (velocity) Column() (c kernels.Vec3s[float64]) { return }

// drift moves the entities that have a position and a velocity.
type drift struct{}

func (drift) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[position](c), ecs.Column[velocity](c)
	for i := range pos.X {
		pos.X[i] += float32(vel.X[i] * 0.125)
		vel.Y[i] -= float64(pos.Y[i])
	}
	pos.AddScaled(pos, pos, 0.0625)
}

// ecsRow changes a world at random. The world has components of every kind. The changes affect
// single archetypes, chunks and entities, directly and by command buffers.
func ecsRow(t *testing.T, pool *jobs.Pool) uint64 {
	d, s := draw(5), newSum()
	w := ecs.NewWorld("golden", ecs.OnPool(pool))
	defer func() { ok(t, w.Close()) }()
	moving := w.Query(ecs.Write[position](), ecs.Write[velocity]())
	alerted := w.Query(ecs.With[alert]())
	a := w.Archetype(ecs.With[position](), ecs.With[velocity](), ecs.With[alert]())
	for round := range 12 {
		ids := make([]ecs.Entity, 300)
		ok(t, w.CreateInto(a, ids))
		cmd := w.NewCommands()
		for _, e := range ids {
			ok(t, ecs.Set(w, e, position{number[float32](&d), number[float32](&d), number[float32](&d)}))
			ok(t, ecs.Set(w, e, velocity{number[float64](&d), number[float64](&d), number[float64](&d)}))
			switch d.intBelow(12) {
			case 0:
				ok(t, ecs.Add(w, e, look{Name: string(rune('a' + d.intBelow(3)))}))
			case 1:
				ok(t, ecs.Add(w, e, mixed{int8(d.next()), int64(d.next()) << 20, ids[d.intBelow(len(ids))]}))
			case 2:
				ok(t, ecs.SetEnabled[alert](w, e, false))
			case 3:
				ok(t, ecs.Add(cmd, e, ecs.BufferOf(stop{number[float32](&d)}, stop{2})))
			case 4:
				ok(t, cmd.Destroy(e))
			case 5:
				made, err := cmd.Instantiate(e)
				ok(t, err)
				ok(t, ecs.Add(cmd, made, mixed{Link: e}))
			case 6:
				_, err := ecs.Remove[velocity](w, e)
				ok(t, err)
			}
		}
		moving.ParallelFor(drift{})
		ok(t, w.Sync())
		ok(t, cmd.Playback(w))
		if round%4 == 3 {
			ok(t, ecs.AddAll(w, ecs.Matching(moving), look{Name: "moving"}))
			ok(t, ecs.RemoveTypes(w, ecs.Matching(alerted), ecs.With[mixed]()))
		}
		s.add(w.Hash(), uint64(w.Len()), uint64(alerted.Count()))
	}
	return s.Sum64()
}

// fall moves positions. Entities that are too low are recorded in a command buffer, which
// replaces them at the end of the frame.
type fall struct {
	falling *ecs.Query
	gone    ecs.ParallelCommands
	dt      float64
}

func (f *fall) Create(s *system.Setup) error {
	f.falling = s.Query(ecs.Write[position](), ecs.Write[velocity]())
	return nil
}

func (f *fall) Update(frame *system.Frame) error {
	f.dt, f.gone = frame.Delta(), system.Commands[system.EndSimulation](frame).Parallel()
	frame.ParallelFor(f.falling, f)
	return nil
}

func (f *fall) Chunk(c *ecs.Chunk) {
	pos, vel, gone := ecs.Column[position](c), ecs.Column[velocity](c), f.gone.For(c)
	for i, e := range c.Entities() {
		vel.Y[i] -= float64(9.81 * f.dt)
		pos.Y[i] += float32(vel.Y[i] * f.dt)
		if pos.Y[i] < -4 {
			_ = gone.Destroy(e)
			made, _ := gone.Spawn(position{Y: 3}, velocity{X: float64(pos.X[i])})
			_ = ecs.Add(gone, made, mixed{Link: made})
		}
	}
}

// count is a system that runs after the system fall. It writes back the values that it has read.
type count struct {
	_      system.After[fall]
	marked *ecs.Query
}

func (c *count) Create(s *system.Setup) error {
	c.marked = s.Query(ecs.Write[mixed](), ecs.Read[position]())
	return nil
}

func (c *count) Update(f *system.Frame) error {
	f.ParallelFor(c.marked, c)
	return nil
}

func (*count) Chunk(c *ecs.Chunk) {
	pos := ecs.Column[position](c)
	for i, e := range c.Entities() {
		ref := ecs.Column[mixed](c)
		ref.Large[i] += int64(e.Index) + int64(pos.Y[i]*1024)
	}
}

func (mixed) Column() (c struct {
	Small []int8
	Large []int64
	Link  []ecs.Entity
}) {
	return
}

// newWorld makes a world with its groups and additional systems.
func newWorld(t *testing.T, pool *jobs.Pool, more ...*system.Type) *ecs.World {
	w, err := system.NewWorld("golden", system.OnPool(pool), system.Only(append(system.RegisteredTypes(), more...)...))
	ok(t, err)
	return w
}

// systemRow steps a world of two systems, one of which creates and destroys entities.
func systemRow(t *testing.T, pool *jobs.Pool) uint64 {
	w := newWorld(t, pool, system.Of[fall](), system.Of[count]())
	defer func() { ok(t, w.Close()) }()
	d := draw(6)
	for range 3_000 {
		w.Spawn(position{number[float32](&d), number[float32](&d), 0}, velocity{Y: number[float64](&d)})
	}
	return step(t, w, 40)
}

// step updates a world and hashes it after each frame.
func step(t *testing.T, w *ecs.World, frames int) uint64 {
	s := newSum()
	for range frames {
		ok(t, app.Run(context.Background(), w, app.Frames(1), app.Step(1.0/64)))
		s.add(w.Hash())
	}
	return s.Sum64()
}

// transformRow moves hierarchies in both widths of floats.
func transformRow(t *testing.T, pool *jobs.Pool) uint64 {
	w := newWorld(t, pool)
	defer func() { ok(t, w.Close()) }()
	d, s := draw(7), newSum()
	ids32, ids64 := grow[float32](w, &d), grow[float64](w, &d)
	for range 10 {
		for range 40 {
			e := ids32[d.intBelow(len(ids32))]
			ok(t, ecs.Set(w, e, transform.Translation{X: number[float32](&d), Y: 1, Z: 2}))
			ok(t, ecs.Set(w, ids64[d.intBelow(len(ids64))], transform.ScaleOf[float64]{Value: 1 + float64(number[float64](&d)/8)}))
		}
		s.add(step(t, w, 1))
	}
	return s.Sum64()
}

// grow makes hierarchies of a few levels.
func grow[T kernels.Float](w *ecs.World, d *draw) (ids []ecs.Entity) {
	for i := range 600 {
		q := &kernels.Quats[T]{X: lane[T](d, 1), Y: lane[T](d, 1), Z: lane[T](d, 1), W: lane[T](d, 1)}
		q.Normalize(q)
		parts := []any{
			transform.TranslationOf[T]{X: number[T](d), Y: number[T](d), Z: number[T](d)},
			transform.RotationOf[T]{X: q.X[0], Y: q.Y[0], Z: q.Z[0], W: q.W[0]},
			transform.ScaleOf[T]{Value: 1}, transform.LocalToWorldOf[T]{},
		}
		if i >= 20 {
			parts = append(parts, transform.Parent{Entity: ids[d.intBelow(i)]}, transform.LocalToParentOf[T]{})
		}
		ids = append(ids, w.Spawn(parts...))
	}
	return ids
}

// An object is an object of the application that has only a matrix.
type object struct{ matrix [16]float64 }

func (o *object) WorldMatrix() [16]float64     { return o.matrix }
func (o *object) SetWorldMatrix(m [16]float64) { o.matrix = m }
func (o *object) Alive() bool                  { return true }

// hostRow has objects whose matrices are copied to entities, and objects that get the matrices
// of the children of these entities.
func hostRow(t *testing.T, pool *jobs.Pool) uint64 {
	w := newWorld(t, pool)
	defer func() { ok(t, w.Close()) }()
	d, s := draw(8), newSum()
	var leads, follows []*object
	for range 100 {
		lead, follow := &object{transform.IdentityMatrix[float64]()}, &object{}
		leads, follows = append(leads, lead), append(follows, follow)
		parent := w.Spawn(host.CopyTransformFrom{}, transform.LocalToWorld64{})
		ok(t, host.Bind[float64](w, parent, lead))
		child := w.Spawn(host.CopyTransformTo{}, transform.TranslationOf[float64]{X: number[float64](&d)},
			transform.Parent{Entity: parent}, transform.LocalToParent64{}, transform.LocalToWorld64{})
		ok(t, host.Bind[float64](w, child, follow))
	}
	for range 5 {
		for _, lead := range leads {
			lead.matrix[12] += number[float64](&d)
			lead.matrix[0] = 1 + float64(number[float64](&d)/8)
		}
		s.add(step(t, w, 1))
		for _, follow := range follows {
			addFloats(s, follow.matrix[:])
		}
	}
	return s.Sum64()
}
