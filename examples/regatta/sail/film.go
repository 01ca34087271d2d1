package main

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/ecs/render"
)

// A shutter is a renderer that receives every frame, but draws only some of the frames,
// with the embedded renderer.
type shutter struct {
	render.Software
	show  *show
	count int
	open  bool
	ends  []func() error
}

// camera makes the renderer for the requested films and pictures.
func (s *show) camera() (*shutter, error) {
	c := &shutter{show: s, Software: render.Software{Image: image.NewRGBA(image.Rect(0, 0, s.width, s.height)), Smooth: true}}
	fps := max(1, 60/s.every)
	var err error
	switch {
	case s.gif != "":
		err = c.film(s.gif, func(w io.Writer) render.Sink { return render.GIF(w, min(fps, 50)) })
	case strings.HasSuffix(s.video, ".y4m"):
		err = c.film(s.video, func(w io.Writer) render.Sink { return render.Y4M(w, fps) })
	case s.video != "":
		err = c.encode(s.video, fps)
	}
	if err == nil && s.png != "" {
		var f *os.File
		if f, err = os.Create(s.png); err == nil { // created now, so that a wrong name is noticed before the work
			c.ends = append(c.ends, func() error { return errors.Join(png.Encode(f, c.Image), f.Close()) })
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// film writes a film to a file.
func (c *shutter) film(name string, sink func(io.Writer) render.Sink) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	c.Sink = sink(f)
	c.ends = append(c.ends, func() error { return errors.Join(c.Sink.Close(), f.Close()) })
	return nil
}

// encode passes a film to ffmpeg.
func (c *shutter) encode(name string, fps int) error {
	tool, err := exec.LookPath("ffmpeg")
	if err != nil {
		return fmt.Errorf("-video %s: %w; without it there is -video of a name in .y4m", name, err)
	}
	path, err := filepath.Abs(name) // ffmpeg takes "-x.mp4" for an option and "http:x" for an address
	if err != nil {
		return err
	}
	cmd := exec.Command(tool, "-loglevel", "error", "-y", "-i", "-", "-pix_fmt", "yuv420p", path)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.Sink = render.Y4M(pipe, fps)
	c.ends = append(c.ends, func() error { return errors.Join(c.Sink.Close(), pipe.Close(), cmd.Wait()) })
	return nil
}

// close ends the films.
func (c *shutter) close() (err error) {
	for _, end := range c.ends {
		err = errors.Join(err, end())
	}
	c.ends = nil
	return err
}

// Begin opens the shutter if the frame must be drawn.
func (c *shutter) Begin(f *render.Frame) error {
	c.count++
	c.open = c.Sink != nil && c.count%c.show.every == 0 || c.count == c.show.frames
	if !c.open {
		return nil
	}
	return c.Software.Begin(f)
}

// Draw draws the view of a camera while the shutter is open.
func (c *shutter) Draw(v *render.View) error {
	if !c.open {
		return nil
	}
	return c.Software.Draw(v)
}

// End passes the picture to the film.
func (c *shutter) End() error {
	if !c.open {
		return nil
	}
	return c.Software.End()
}
