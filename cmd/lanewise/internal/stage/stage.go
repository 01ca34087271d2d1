// Package stage prepares the orrery for a picture: the positions that a camera
// sees, in float32, relative to the camera's focus.
//
// Positions near the focus keep the precision of float32, however far the focus
// is from the Sun, because positions are subtracted in float64 first. The rest
// is a separate world with the library's float32 transforms.
package stage

import (
	"errors"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Stage has positions relative to a camera's focus.
type Stage struct {
	Bodies, Minors []transform.LocalToWorld
}

// Set makes a stage from positions and a focus.
func Set(p *orrery.Places, focus reference.Vector, pool *jobs.Pool) (s *Stage, err error) {
	w, err := system.NewWorld("stage", system.OnPool(pool))
	defer func() { err = errors.Join(err, w.Close()) }()
	if err != nil {
		return nil, err
	}
	seen := w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.LocalToWorld]())
	total := 0
	for _, places := range []*kernels.Vec3s[float64]{&p.Bodies, &p.Minors} {
		at := 0
		for c := range w.Create(seen, places.Len()).Chunks() {
			narrow(ecs.Column[transform.Translation](c), places, at, focus)
			at += c.Len()
		}
		total += at
	}
	if err := system.Update(w); err != nil {
		return nil, err
	}
	all := make([]transform.LocalToWorld, 0, total)
	for c := range w.Query(ecs.Read[transform.LocalToWorld]()).Chunks() {
		for _, m := range ecs.Column[transform.LocalToWorld](c).M {
			all = append(all, transform.LocalToWorld{M: m})
		}
	}
	n := p.Bodies.Len()
	return &Stage{Bodies: all[:n:n], Minors: all[n:]}, nil
}

// narrow sets dst to positions, from index at on, relative to the focus and in
// float32.
func narrow(dst *kernels.Vec3s[float32], places *kernels.Vec3s[float64], at int, focus reference.Vector) {
	for i := range dst.X {
		dst.X[i] = float32(places.X[at+i] - focus.X)
		dst.Y[i] = float32(places.Y[at+i] - focus.Y)
		dst.Z[i] = float32(places.Z[at+i] - focus.Z)
	}
}
