package main

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// plainStar is a star in plain Go, for comparison. Plain Go computes the forces between the stars one
// pair after another.
type plainStar struct{ at, way [3]float32 }

// newPlain returns the current stars in plain Go.
func newPlain(s *stars) (all []plainStar) {
	for c := range s.all.Chunks() {
		pos, vel := ecs.ReadColumn[transform.Translation](c), ecs.ReadColumn[Velocity](c)
		for i := range pos.X {
			all = append(all, plainStar{[3]float32{pos.X[i], pos.Y[i], pos.Z[i]}, [3]float32{vel.X[i], vel.Y[i], vel.Z[i]}})
		}
	}
	return all
}

// plainStep does a step: all stars attract each other, and all move.
func plainStep(all []plainStar) {
	mass := 2 * dt / float32(len(all))
	for i := range all {
		s := &all[i]
		var ax, ay, az float32
		for j := range all {
			o := &all[j].at
			dx, dy, dz := o[0]-s.at[0], o[1]-s.at[1], o[2]-s.at[2]
			r2 := (float32(dx*dx) + float32(dy*dy)) + float32(dz*dz) + soft
			w := mass / (r2 * float32(math.Sqrt(float64(r2))))
			ax += float32(w * dx)
			ay += float32(w * dy)
			az += float32(w * dz)
		}
		s.way[0] += ax
		s.way[1] += ay
		s.way[2] += az
	}
	for i := range all {
		s := &all[i]
		for a := range s.at {
			s.at[a] += float32(dt * s.way[a])
		}
	}
}

// TestPlain checks that the stars in plain Go move bit for bit as the kernels' stars do. The order of
// the sums is the same.
func TestPlain(t *testing.T) {
	w, err := system.NewWorld("galaxy", system.Only())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := light(w, 300)
	p := newPlain(s)
	for range 5 {
		plainStep(p)
		if err := s.step(); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range newPlain(s) {
		if p[i] != want {
			t.Fatalf("star %d is %v, in plain Go %v", i, want, p[i])
		}
	}
}
