package doctor

import (
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/forces"
)

// pulls returns the kernels of package forces. Each row interacts with 16
// bodies, or is connected to four springs.
func pulls[T kernels.Float]() []function {
	var net forces.Net[T]
	return []function{
		{"forces.Gravity", func(acc, pos *kernels.Vec3s[T], mass []T, soft T) {
			few := pos.Slice(0, min(16, len(mass)))
			forces.Gravity(acc, pos, &few, mass[:few.Len()], soft)
		}},
		{"forces.Springs", func(force, pos, vel *kernels.Vec3s[T], damp T) {
			if len(net.Start) != force.Len()+1 {
				net = ring[T](force.Len())
			}
			forces.Springs(force, pos, vel, pos, vel, net, damp)
		}},
		{"forces.Drift", func(pos, vel *kernels.Vec3s[T], dt T) {
			forces.Drift(pos, vel, dt, 0x1p-12)
		}},
	}
}

// ring connects each row to the next two rows.
func ring[T kernels.Float](rows int) forces.Net[T] {
	var a, b []int32
	for i := range rows {
		a, b = append(a, int32(i), int32(i)), append(b, int32((i+1)%rows), int32((i+2)%rows))
	}
	rest, stiff := make([]T, len(a)), make([]T, len(a))
	for s := range a {
		rest[s], stiff[s] = 1, 0.5
	}
	return forces.Tie(rows, a, b, rest, stiff)
}
