package goals

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
	"github.com/lanewise/lanewise/random"
)

// pulls returns the goals of gravity between all pairs.
func pulls() []Goal {
	const c = "1.1 × C with AVX2 on a Xeon"
	return []Goal{
		gravity[float32]("forces.Gravity/f32", 1.1*0.356, c),
		gravity[float64]("forces.Gravity/f64", 1.1*1.320, c),
		{Name: "forces.Gravity/f32", What: "times as fast as plain Go", Aim: 3, More: true, From: "as the examples", measure: func(o *Options) (float64, string) {
			b := cluster[float32](o.Bodies)
			return o.timeEach(1, b.plainLoop) / o.timeEach(1, b.gravity), ""
		}},
	}
}

const soft = 0.01

func gravity[T kernels.Float](name string, aim float64, from string) Goal {
	return Goal{Name: name, What: "ns a pair", Aim: aim, From: from, measure: func(o *Options) (float64, string) {
		return o.timeEach(o.Bodies*o.Bodies, cluster[T](o.Bodies).gravity), ""
	}}
}

type bodies[T kernels.Float] struct {
	pos, acc kernels.Vec3s[T]
	mass     []T
}

func cluster[T kernels.Float](n int) *bodies[T] {
	b := new(bodies[T])
	for k, lane := range []*[]T{&b.pos.X, &b.pos.Y, &b.pos.Z, &b.mass, &b.acc.X, &b.acc.Y, &b.acc.Z} {
		*lane = make([]T, n)
		if k < 4 {
			random.Uniform(*lane, random.Key{Seed: 3, Stream: uint32(k)}.Rows(0))
		}
	}
	return b
}

func (b *bodies[T]) gravity() { forces.Gravity(&b.acc, &b.pos, &b.pos, b.mass, soft) }

// plainLoop is the simplest loop, which computes one pair after another.
func (b *bodies[T]) plainLoop() {
	for i := range b.mass {
		px, py, pz := b.pos.X[i], b.pos.Y[i], b.pos.Z[i]
		var ax, ay, az T
		for j, m := range b.mass {
			dx, dy, dz := b.pos.X[j]-px, b.pos.Y[j]-py, b.pos.Z[j]-pz
			r2 := (T(dx*dx) + T(dy*dy)) + T(dz*dz) + soft
			w := m / (r2 * T(math.Sqrt(float64(r2))))
			ax += T(w * dx)
			ay += T(w * dy)
			az += T(w * dz)
		}
		b.acc.X[i] += ax
		b.acc.Y[i] += ay
		b.acc.Z[i] += az
	}
}
