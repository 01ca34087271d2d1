package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/picture"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/stage"
	"github.com/lanewise/lanewise/internal/film"
	"github.com/lanewise/lanewise/jobs"
)

// These constants define a video: the number of pictures, the pixels along a
// side, and the pictures per second.
const (
	videoPictures = 240
	videoSize     = 960
	videoRate     = 24
)

// films maps file extensions to the formats that are written without ffmpeg.
var films = map[string]func(io.Writer, int) film.Film{
	".gif": film.NewGIF, ".png": film.NewAPNG, ".apng": film.NewAPNG, ".y4m": film.NewY4M,
}

// encoded lists the formats that ffmpeg writes: it maps each file extension to ffmpeg's name of the
// format.
var encoded = map[string]string{".mp4": "mp4", ".mov": "mov", ".mkv": "matroska", ".webm": "webm"}

// lookFor finds a program in PATH. Tests replace it.
var lookFor = exec.LookPath

// videoName returns an error if a name has an unknown extension.
func videoName(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if path == "" || films[ext] != nil {
		return nil
	}
	if encoded[ext] == "" {
		return errors.New("want a name that ends in .gif, .png, .apng or .y4m, or in .mp4, .mov, .mkv or .webm where there is ffmpeg")
	}
	if _, err := lookFor("ffmpeg"); err != nil {
		return fmt.Errorf("%s is written by ffmpeg, which is not here (%w): install it, or take .gif, .png or .y4m, which need nothing", ext, err)
	}
	return nil
}

// record writes a video of the inner system from -t0 to -t1. After the run,
// record moves the orrery to the date of each picture again, which is
// possible because positions depend only on the date.
func (j *journey) record(ctx context.Context, out *output, o *orrery.Orrery, set *catalogue.Set, pool *jobs.Pool, t *terminal) error {
	return out.write(ctx, func(w io.Writer) error {
		ext := strings.ToLower(filepath.Ext(out.path))
		if newFilm := films[ext]; newFilm != nil {
			f := newFilm(w, videoRate)
			return errors.Join(j.shoot(ctx, f, o, set, pool, t), f.Close())
		}
		return encode(ctx, encoded[ext], out.file.Name(), func(f film.Film) error { return j.shoot(ctx, f, o, set, pool, t) })
	})
}

// shoot draws the pictures of a film.
func (j *journey) shoot(ctx context.Context, f film.Film, o *orrery.Orrery, set *catalogue.Set, pool *jobs.Pool, t *terminal) error {
	n := min(j.steps()+1, videoPictures)
	bar := newProgress(t, n)
	defer bar.End()
	for k := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		date := j.date(k * j.steps() / max(n-1, 1))
		if err := o.Step(date); err != nil {
			return err
		}
		places, err := o.Places()
		if err != nil {
			return err
		}
		s, err := stage.Set(places, reference.Vector{}, pool)
		if err != nil {
			return err
		}
		scene := s.Inner(set, date)
		scene.Notes = []string{julian.Format(date) + " TDB", count(len(set.Minors), "minor planet")}
		m, err := picture.Draw(scene, videoSize, pool)
		if err != nil {
			return err
		}
		if err := f.Picture(m); err != nil {
			return err
		}
		bar.Set(k+1, "video, "+julian.Format(date))
	}
	return nil
}

// encode runs ffmpeg to write a file from the pictures of shoot.
func encode(ctx context.Context, format, path string, shoot func(film.Film) error) error {
	program, err := lookFor("ffmpeg")
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // because ffmpeg takes "-dir/x" for an option and "http:x" for an address
		return err
	}
	// The Y4M format has no field for the colour space, so the flags tell
	// ffmpeg that it is BT.709.
	cmd := exec.CommandContext(ctx, program, "-y", "-loglevel", "error", "-f", "yuv4mpegpipe", "-i", "-", "-pix_fmt", "yuv420p",
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-f", format, path)
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ffmpeg: %v", err) // an error with the program's path, not the file's
	}
	f := film.NewY4M(pipe, videoRate)
	err = errors.Join(shoot(f), f.Close(), pipe.Close())
	if ended := cmd.Wait(); ended != nil { // the reason why a write to it has failed
		return fmt.Errorf("ffmpeg: %w: %s", ended, strings.TrimSpace(said.String()))
	}
	return err
}
