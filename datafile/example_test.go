package datafile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/datafile"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// This example writes three atoms in extended XYZ.
func Example() {
	p := soa.Make[kernels.Vec3s[float32]](3)
	copy(p.X, []float32{0, 1.5, 3})
	mass := []float64{39.948, 39.948, 83.798}
	element := []uint8{0, 0, 1}

	t := &datafile.Table{
		Columns: []datafile.Column{
			datafile.Categorical("species", element, "Ar", "Kr"),
			datafile.Lanes("pos", p.X, p.Y, p.Z),
			datafile.Lanes("mass", mass),
		},
		Lattice: &datafile.Lattice{Vectors: [3][3]float64{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}, Periodic: [3]bool{true, true, true}},
		Info:    []datafile.Info{{Name: "Time", Value: "0.5"}},
	}
	if err := datafile.WriteExtXYZ(os.Stdout, t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3
	// Lattice="6 0 0 0 6 0 0 0 6" pbc="T T T" Properties=species:S:1:pos:R:3:mass:R:1 Time=0.5
	// Ar 0 0 0 39.948
	// Ar 1.5 0 0 39.948
	// Kr 3 0 0 83.798
}

// This example saves a table in each format, and loads one of the files.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	x, y, z := []float32{0, 0.1}, []float32{1, 2}, []float32{3, 4}
	t := &datafile.Table{Columns: []datafile.Column{datafile.Lanes("pos", x, y, z)}}
	for _, name := range []string{"a.npy", "a.npz", "a.csv", "a.vtp", "a.xyz"} {
		if err := datafile.Save(filepath.Join(dir, name), t); err != nil {
			fmt.Println(err)
		}
	}

	loaded, err := datafile.Load(filepath.Join(dir, "a.npz"), datafile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pos, err := datafile.Get[float32](loaded, "pos", 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("x:", pos[0], "rows:", loaded.Rows())
	// Output:
	// x: [0 0.1] rows: 2
}

// This example writes a file for each frame, and all frames to one file.
func ExampleNewTrajectory() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lane := []float64{0, 1}
	for _, name := range []string{"fall-%03d.vtp", "fall.xyz"} {
		tr, err := datafile.NewTrajectory(filepath.Join(dir, name))
		if err != nil {
			fmt.Println(err)
			return
		}
		for step := range 2 {
			lane[0] = float64(step)
			if err := tr.Add(&datafile.Table{Columns: []datafile.Column{datafile.Lanes("pos", lane, lane, lane)}}); err != nil {
				fmt.Println(err)
			}
		}
		if err := tr.Close(); err != nil {
			fmt.Println(err)
		}
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// fall-001.vtp
	// fall-002.vtp
	// fall.xyz
}

// This example reads all frames of a trajectory.
func ExampleReadExtXYZ() {
	file := strings.NewReader("1\nProperties=species:S:1:pos:R:3 Time=0\nAr 0 0 0\n1\nProperties=species:S:1:pos:R:3 Time=0.5\nAr 0 0 -1\n")
	for frame, err := range datafile.ReadExtXYZ(file, datafile.Options{Float32: true}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		pos, err := datafile.Get[float32](frame, "pos", 3)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(frame.Info[0], pos[2])
	}
	// Output:
	// {Time 0} [0]
	// {Time 0.5} [-1]
}

// Place is a component.
type Place struct{ X, Y, Z float32 }

func (Place) Column() (c kernels.Vec3s[float32]) { return }

// This example reads rows from CSV, makes an entity of each, and writes the world as CSV.
func ExampleReadCSV() {
	text := "place.x,place.y,place.z,note\n0.1,0,0,first\n2,0.5,-1,second\n"
	t, err := datafile.ReadCSV(strings.NewReader(text), datafile.Options{Columns: []string{"place"}, Float32: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	from, err := datafile.Get[float32](t, "place", 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := ecs.NewWorld("imported")
	defer w.Close()
	row := 0
	for c := range w.Create(w.Archetype(ecs.With[Place]()), t.Rows()).Chunks() {
		to := ecs.Column[Place](c)
		copy(to.X, from[0][row:])
		copy(to.Y, from[1][row:])
		row += copy(to.Z, from[2][row:])
	}

	var x, y, z []float32
	for c := range w.Query(ecs.Read[Place]()).Chunks() {
		p := ecs.Column[Place](c)
		x, y, z = append(x, p.X...), append(y, p.Y...), append(z, p.Z...)
	}
	out := &datafile.Table{Columns: []datafile.Column{datafile.Lanes("place", x, y, z)}}
	if err := datafile.WriteCSV(os.Stdout, out); err != nil {
		fmt.Println(err)
	}
	// Output:
	// place.x,place.y,place.z
	// 0.1,0,0
	// 2,0.5,-1
}
