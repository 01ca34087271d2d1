package film

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// NewPNGs returns a film that writes each picture to a file of its own, whose name is
// the pattern with the picture's number, from 1: "out/frame-%04d.png". A file appears
// under its name when it is whole. It panics if the pattern has no place for a number.
func NewPNGs(pattern string) Film {
	if one := fmt.Sprintf(pattern, 1); one == fmt.Sprintf(pattern, 2) || strings.Contains(one, "%!") {
		panic(fmt.Errorf("render: PNGs: the pattern %q has no place for a number: want one as in frame-%%04d.png", pattern))
	}
	return &pngs{reel{what: "PNG", anyway: true}, pattern}
}

type pngs struct {
	reel
	pattern string
}

func (f *pngs) Picture(m *image.RGBA) error {
	return f.take(m, func() error { return writePNG(fmt.Sprintf(f.pattern, f.n+1), m) })
}

func (f *pngs) Close() error { return f.end(func() error { return nil }) }

// writePNG writes a file beside its place, and puts it there.
func writePNG(name string, m *image.RGBA) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<16)
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, m)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
