// Regatta sails twenty thousand boats around a course, in a wind that shifts and has
// gusts, and shows them to three cameras: one for the spectators, one that follows a
// boat, one for the chart. It ends by printing a hash of the world, which is the same on
// every machine, with a picture and without.
//
//	go run ./examples/regatta
//	go run ./examples/regatta -png regatta.png
//	go run ./examples/regatta -frames 600 -every 4 -size 640x360 -gif regatta.gif
//	go run ./examples/regatta -video regatta.mp4    with ffmpeg; .y4m without
//
// A boat is a tree of entities: where it is, on that a hull that heels, and on that the
// sails, which are trimmed; a wake; and a simple shape for when it is far away.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// systems are those of the regatta.
var systems = &system.Set{Name: "regatta", Types: []*system.Type{
	system.Of[Wind](), system.Of[Steer](), system.Of[Heel](), system.Of[Trim](), system.Of[Spread](), system.Of[Hoist](), system.Of[Ruffle](), system.Of[Twinkle](), system.Of[Mark](),
}}

// step is the time of a frame, in seconds.
const step = 1.0 / 60

// newRegatta makes a world with a fleet, which draws with r if that is not nil.
func newRegatta(boats int, r render.Renderer, options ...system.Option) (*ecs.World, error) {
	options = append([]system.Option{system.Only(), system.With(transform.Systems(), systems)}, options...)
	w, err := system.NewWorld("regatta", options...)
	if err != nil {
		return nil, err
	}
	assets := render.NewAssets()
	leader := launch(w, assets, boats)
	chase := &Chase{Boat: leader, Camera: setStage(w, assets, boats)}
	if err := system.Adopt(w, chase); err != nil {
		return nil, err
	}
	if err := system.Get[system.Simulation](w).Add(chase); err != nil {
		return nil, err
	}
	return w, render.Install(w, render.Options{Renderer: r, Assets: assets, Width: 1280, Height: 720})
}

// A show is what the flags ask for.
type show struct {
	boats, frames, every int
	width, height        int
	png, gif, video      string
}

func flags(args []string) (*show, error) {
	s := &show{}
	set := flag.NewFlagSet("regatta", flag.ContinueOnError)
	set.IntVar(&s.boats, "boats", 20_000, "how many")
	set.IntVar(&s.frames, "frames", 150, "how many, sixty a second")
	set.IntVar(&s.every, "every", 3, "of how many frames a film shows one")
	size := set.String("size", "1280x720", "of pictures, in pixels")
	set.StringVar(&s.png, "png", "", "a `file` for a picture of the last frame")
	set.StringVar(&s.gif, "gif", "", "a `file` for a film, as GIF")
	set.StringVar(&s.video, "video", "", "a `file` for a film: .y4m, or what ffmpeg makes of it")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	_, err := fmt.Sscanf(*size, "%dx%d", &s.width, &s.height)
	switch {
	case err != nil || s.width < 1 || s.height < 1:
		return nil, fmt.Errorf("-size %s: it is like 1280x720", *size)
	case s.boats < 1 || s.frames < 1 || s.every < 1:
		return nil, fmt.Errorf("-boats %d -frames %d -every %d: there is at least one of each", s.boats, s.frames, s.every)
	case s.gif != "" && s.video != "":
		return nil, fmt.Errorf("-gif and -video are two films: make them one after the other")
	case set.NArg() > 0:
		return nil, fmt.Errorf("what is %q? -h lists the flags", set.Arg(0))
	}
	return s, nil
}

func main() {
	s, err := flags(os.Args[1:])
	if err == flag.ErrHelp {
		return
	}
	if err == nil {
		err = s.run(os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run sails the regatta and writes what was asked for.
func (s *show) run(out io.Writer, options ...system.Option) (err error) {
	w, err := newRegatta(s.boats, nil, options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if s.png != "" || s.gif != "" || s.video != "" {
		var c *shutter
		if c, err = s.camera(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		if err = render.Install(w, render.Options{Renderer: c}); err != nil {
			return err
		}
	}
	if err = system.Run(context.Background(), w, system.Frames(s.frames), system.Step(step)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%016x\n", w.Hash())
	return err
}
