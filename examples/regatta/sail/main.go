// Sail sails the twenty thousand boats of package regatta and makes pictures and films of them. At
// the end it prints a hash of the world, which is the same on every machine, with or without a
// picture.
//
//	go run ./examples/regatta/sail
//	go run ./examples/regatta/sail -png regatta.png
//	go run ./examples/regatta/sail -frames 600 -every 4 -size 640x360 -gif regatta.gif
//	go run ./examples/regatta/sail -video regatta.mp4    with ffmpeg; .y4m without
//	go run ./examples/regatta/sail -rate 10 -gif a.gif   ten steps a second, drawn in between
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/regatta"
)

// A show holds the settings of the flags.
type show struct {
	boats, frames, every int
	width, height        int
	rate                 float64
	png, gif, video      string
}

func flags(args []string) (*show, error) {
	s := &show{}
	set := flag.NewFlagSet("sail", flag.ContinueOnError)
	set.IntVar(&s.boats, "boats", 20_000, "how many")
	set.IntVar(&s.frames, "frames", 150, "how many, sixty a second")
	set.IntVar(&s.every, "every", 3, "of how many frames a film shows one")
	size := set.String("size", "1280x720", "of pictures, in pixels")
	set.Float64Var(&s.rate, "rate", 0, "steps a second of the boats, which are drawn in between; 0 for one each frame")
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
	case !(s.rate >= 0 && s.rate <= 1000):
		return nil, fmt.Errorf("-rate %v: up to 1000 steps a second, or 0", s.rate)
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

// run sails the regatta and writes the requested files.
func (s *show) run(out io.Writer, options ...system.Option) (err error) {
	race, err := regatta.New(regatta.Options{Boats: s.boats, Rate: s.rate}, options...)
	if err != nil {
		return err
	}
	w := race.World
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
	if err = app.Run(context.Background(), w, app.Frames(s.frames), app.Step(regatta.Step)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%016x\n", w.Hash())
	return err
}
