// Command grayscott lets two chemicals react and diffuse on a periodic plane until they form a pattern, by the model of Gray and
// Scott, on all cores. It prints the mean concentrations, and a hash of all cells, which is the same on every machine. See
// J. E. Pearson, Science 261 (1993), 189.
//
//	grayscott -cells 256 -steps 8000 -feed 0.0367 -kill 0.0649 -png spots.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/lanewise/lanewise/examples/grayscott/model"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	cells := flag.Int("cells", 128, "how many `cells` the plane has along a side")
	steps := flag.Int("steps", 3000, "how many `steps`")
	feed := flag.Float64("feed", 0.0545, "the `rate` at which U is fed")
	kill := flag.Float64("kill", 0.062, "the `rate` at which V decays")
	name := flag.String("png", "", "draw V to a `file`")
	flag.Parse()
	if *cells < 10 {
		log.Fatal("-cells must be at least 10")
	}
	d := model.New(jobs.Default(), *cells)
	for range *steps {
		if err := d.Step(float32(*feed), float32(*kill)); err != nil {
			log.Fatal(err)
		}
	}
	u, v := d.Mean()
	fmt.Printf("mean U %.4f, mean V %.4f\n", u, v)
	fmt.Printf("hash %016x\n", d.Hash())
	if *name != "" {
		if err := pngfile.Save(*name, picture(d)); err != nil {
			log.Fatal(err)
		}
	}
}

// picture draws a square of two by two pixels for each cell, from white for no V to green.
func picture(d *model.Dish) *image.RGBA {
	n := d.V.Shape().X
	m := image.NewRGBA(image.Rect(0, 0, 2*n, 2*n))
	for y := range 2 * n {
		for x := range 2 * n {
			pale := uint8(255 - float32(255*min(1, max(0, 2.6*d.V.At(x/2, y/2, 0)))))
			m.SetRGBA(x, y, color.RGBA{pale, 110 + uint8(float32(pale)*0.56), pale, 255})
		}
	}
	return m
}
