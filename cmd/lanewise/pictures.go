package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/picture"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/stage"
	"github.com/lanewise/lanewise/jobs"
)

// picturePaths returns the names of three pictures: of both systems side by side, of the inner system, and of
// the outer system.
func picturePaths(path string) []string {
	if path == "" {
		return nil
	}
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	return []string{path, stem + "-inner" + ext, stem + "-outer" + ext}
}

// pictureName returns an error if the extension of a file name is not .png.
func pictureName(path string) error {
	ext := filepath.Ext(path)
	if ext == "" || strings.EqualFold(ext, ".png") {
		return nil
	}
	return fmt.Errorf("want a name that ends in .png, not %s: PNG is what is written", ext)
}

// pictureSize is the side of a picture in pixels.
const pictureSize = 1600

// draw draws and writes the pictures: the inner and the outer system in parallel, and then both side by side.
func (j *journey) draw(ctx context.Context, files []*output, p *orrery.Places, set *catalogue.Set, pool *jobs.Pool) error {
	s, err := stage.Set(p, reference.Vector{}, pool) // the focus is the Sun
	if err != nil {
		return err
	}
	scenes := []*picture.Scene{s.Inner(set, j.t1), s.Outer(set, j.t1)}
	images, errs := make([]*image.RGBA, len(scenes)), make([]error, len(files))
	encode := func(o *output, m image.Image) error {
		return o.write(ctx, func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, m) })
	}
	err = pool.Range(len(scenes), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			scenes[i].Notes = []string{julian.Format(j.t1) + " TDB", count(len(set.Minors), "minor planet")}
			images[i], errs[1+i] = picture.Draw(scenes[i], pictureSize, pool)
			if errs[1+i] == nil {
				errs[1+i] = encode(files[1+i], images[i])
			}
		}
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	both := image.NewRGBA(image.Rect(0, 0, 2*pictureSize, pictureSize))
	for i, m := range images {
		draw.Draw(both, m.Bounds().Add(image.Pt(i*pictureSize, 0)), m, image.Point{}, draw.Src)
	}
	return encode(files[0], both)
}
