// Cloth lets a sheet fall over a ball. The sheet is a grid of knots that are connected by springs.
// At the end it prints a hash of the world, which is the same on every machine.
//
//	cloth -side 100 -time 1.2 -png cloth.png
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/cloth/model"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
)

// run lets a sheet fall for some seconds. It returns the sheet and its world.
func run(side int, seconds float32, options ...system.Option) (*ecs.World, *model.Sheet, error) {
	w, err := system.NewWorld("cloth", append(options, system.Only(), system.WithPlugins(transform.Systems()))...)
	if err != nil {
		return nil, nil, err
	}
	s := model.Hang(w, side)
	for range int(seconds / s.Seconds) {
		if err := s.Tick(); err != nil {
			w.Close()
			return nil, nil, err
		}
	}
	return w, s, nil
}

func main() {
	side := flag.Int("side", 40, "how many `knots` a side of the sheet has")
	seconds := flag.Float64("time", 0.3, "how `long` it falls, in seconds")
	name := flag.String("png", "", "draw the end to a `file`")
	flag.Parse()
	if err := show(*side, float32(*seconds), *name); err != nil {
		log.Fatal(err)
	}
}

// show prints the hash and draws the picture.
func show(side int, seconds float32, name string) error {
	if side < 3 || side > 2000 {
		return fmt.Errorf("-side is %d: take 3 to 2000", side)
	}
	w, s, err := run(side, seconds)
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Printf("%016x\n", w.Hash())
	if name == "" {
		return nil
	}
	target, err := picture(w, s, 1000, 800)
	if err != nil {
		return err
	}
	return pngfile.Save(name, target)
}
