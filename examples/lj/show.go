package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/lanewise/lanewise/datafile"
	"github.com/lanewise/lanewise/examples/lj/model"
)

// A film writes frames to files. If the name is empty, it writes no frames.
type film struct{ files *datafile.Trajectory }

func newFilm(name string) (f film, err error) {
	if name != "" {
		f.files, err = datafile.NewTrajectory(name)
	}
	return f, err
}

func (f film) add(g *model.Gas, step int) error {
	if f.files == nil {
		return nil
	}
	return f.files.Add(frame(g, step))
}

func (f film) close() error {
	if f.files == nil {
		return nil
	}
	return f.files.Close()
}

// frame returns the atoms as a table. The pair list changes the order of the atoms, so the table contains the number
// of each atom.
func frame(g *model.Gas, step int) *datafile.Table {
	at, a := g.List.At(), g.Side
	return &datafile.Table{
		Columns: []datafile.Column{
			datafile.Lanes("id", g.List.IDs()),
			datafile.Lanes("pos", at.X, at.Y, at.Z),
			datafile.Lanes("velo", g.Vel.X, g.Vel.Y, g.Vel.Z),
		},
		Lattice: &datafile.Lattice{Vectors: [3][3]float64{{a, 0, 0}, {0, a, 0}, {0, 0, a}}, Periodic: [3]bool{true, true, true}},
		Info:    []datafile.Info{{Name: "Time", Value: fmt.Sprint(model.DT * float64(step))}},
	}
}

// picture draws the atoms of a slice of the box, two atoms deep. Atoms with a larger z cover atoms with a smaller z,
// and fast atoms are red.
func picture(g *model.Gas, wide int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, wide, wide))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	var seen []int
	at := g.List.At()
	for i, z := range at.Z {
		if z < 2 {
			seen = append(seen, i)
		}
	}
	slices.SortFunc(seen, func(i, j int) int { return cmp.Compare(at.Z[i], at.Z[j]) })
	scale := float64(wide) / g.Side
	radius := float64(scale / 2)
	for _, i := range seen {
		vx, vy, vz := g.Vel.X[i], g.Vel.Y[i], g.Vel.Z[i]
		speed := math.Sqrt(((float64(vx*vx) + float64(vy*vy)) + float64(vz*vz)) / 6)
		ball(m, float64(at.X[i]*scale), float64(at.Y[i]*scale), radius, min(speed, 1))
	}
	return m
}

// ball draws a disk with a dark rim. Its colour goes from blue for 0 to red for 1.
func ball(m *image.RGBA, x, y, r, warm float64) {
	for py := int(y - r); py <= int(y+r); py++ {
		for px := int(x - r); px <= int(x+r); px++ {
			dx, dy := (float64(px)+0.5-x)/r, (float64(py)+0.5-y)/r
			d2 := float64(dx*dx) + float64(dy*dy)
			if d2 >= 1 {
				continue
			}
			light := 240.0
			if d2 > 0.8 {
				light = 140 // the rim
			}
			part := func(share float64) uint8 { return uint8(light * share) }
			m.SetRGBA(px, py, color.RGBA{part(0.3 + float64(0.7*warm)), part(0.5), part(1 - float64(0.7*warm)), 255})
		}
	}
}
