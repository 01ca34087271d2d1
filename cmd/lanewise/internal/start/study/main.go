// This program studies how fire spreads through forests of different density. Replace the model by your own model.
//
//	NAME run density=0.6                         one run
//	NAME sweep -out fires density=0.4:0.8:0.05 -seeds 20    many runs, on all cores
//	NAME table -out fires                        their results
//	NAME picture fire.png                        a picture of one run
//
// Each number is the same on every machine and for any number of workers.
package main

import (
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/study"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "picture" {
		if err := draw(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	study.Main[*Forest]()
}

// A Forest is a square of cells. The fields with a default are the parameters of the model.
type Forest struct {
	Density float64 `default:"0.6" range:"0..1" help:"the share of the cells that have a tree"`
	Side    int     `default:"100" range:"2..10000" help:"cells along a side"`

	cells   []state // row after row
	burning []int   // the cells that have caught fire in the last step
	trees   int
}

// A state is the state of a cell.
type state uint8

const (
	empty state = iota
	tree
	burnt
)

// A Result is a row of the table of results.
type Result struct {
	Burnt float64 `help:"the share of the trees that burned"`
	Steps int     `help:"how many steps the fire lasted"`
}

// Setup begins a run. All random numbers come from the run, so its seed determines them.
func (f *Forest) Setup(r *study.Run) (*ecs.World, error) {
	f.plant(r.Key(1))
	return nil, nil // the model has no entities
}

// plant plants the trees, and lights those at the left edge.
func (f *Forest) plant(key random.Key) {
	f.cells, f.burning, f.trees = make([]state, f.Side*f.Side), nil, 0
	for i := range f.cells {
		if random.BernoulliOf(key.Row(uint64(i)), f.Density) {
			f.cells[i] = tree
			f.trees++
		}
	}
	for y := range f.Side {
		f.light(y * f.Side)
	}
}

// light lets a cell burn if it has a tree.
func (f *Forest) light(cell int) {
	if f.cells[cell] == tree {
		f.cells[cell] = burnt
		f.burning = append(f.burning, cell)
	}
}

// Step runs one step of the fire. It reports whether the fire goes on.
func (f *Forest) Step(*study.Run) (more bool, err error) { return f.spread(), nil }

// spread lights the four neighbors of each tree that caught fire in the last step.
func (f *Forest) spread() bool {
	last := f.burning
	f.burning = nil
	for _, cell := range last {
		x, y := cell%f.Side, cell/f.Side
		if x > 0 {
			f.light(cell - 1)
		}
		if x < f.Side-1 {
			f.light(cell + 1)
		}
		if y > 0 {
			f.light(cell - f.Side)
		}
		if y < f.Side-1 {
			f.light(cell + f.Side)
		}
	}
	return len(f.burning) > 0
}

// Result measures the forest at the end of a run.
func (f *Forest) Result(r *study.Run) Result {
	n := 0
	for _, s := range f.cells {
		if s == burnt {
			n++
		}
	}
	return Result{Burnt: float64(n) / float64(max(1, f.trees)), Steps: r.Tick}
}

// draw writes a picture of a large forest after a fire: trees are green, and burnt trees are
// brown.
func draw(name string) error {
	f := &Forest{Density: 0.6, Side: 400}
	f.plant(random.Key{Seed: 1, Stream: 1})
	for f.spread() {
	}
	m := image.NewRGBA(image.Rect(0, 0, f.Side, f.Side))
	for i, s := range f.cells {
		m.SetRGBA(i%f.Side, i/f.Side, [...]color.RGBA{empty: {255, 255, 255, 255}, tree: {60, 150, 60, 255}, burnt: {120, 60, 20, 255}}[s])
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := png.Encode(file, m); err != nil {
		return err
	}
	return file.Close()
}
