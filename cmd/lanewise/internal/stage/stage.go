// Package stage prepares the orrery for a picture: the positions that a camera
// sees, in float32, relative to the camera's focus.
//
// Positions near the focus keep the precision of float32, however far the focus
// is from the Sun, because positions are subtracted in float64 first. After
// that, a separate world computes the library's float32 transforms.
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
			setNarrow(ecs.Column[transform.Translation](c), places, at, focus)
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

// setNarrow sets dst to the positions from index at on, relative to the focus and
// rounded to float32.
func setNarrow(dst *kernels.Vec3s[float32], places *kernels.Vec3s[float64], at int, focus reference.Vector) {
	n := len(dst.X)
	x, y, z := dst.X, dst.Y[:n], dst.Z[:n]
	px, py, pz := places.X[at:][:n], places.Y[at:][:n], places.Z[at:][:n]
	for i := range n {
		x[i], y[i], z[i] = float32(px[i]-focus.X), float32(py[i]-focus.Y), float32(pz[i]-focus.Z)
	}
}
