package film

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// NewPNGs returns a film that writes each picture to a separate file. The name
// of the file is the pattern, such as "out/frame-%04d.png", with the number of
// the picture. The first picture has number 1. The directory is not part of
// the pattern and may have any name. A file appears under its name only when
// it is complete. NewPNGs panics if the pattern has no verb for a number.
func NewPNGs(pattern string) Film {
	dir, name := filepath.Split(pattern)
	if one := fmt.Sprintf(name, 1); one == fmt.Sprintf(name, 2) || strings.Contains(one, "%!") {
		panic(fmt.Errorf("render: PNGs: the pattern %q has no place for a number: want one as in frame-%%04d.png", pattern))
	}
	return &pngs{reel{what: "PNG", anyway: true}, dir, name}
}

type pngs struct {
	reel
	dir, pattern string
}

func (f *pngs) Picture(m *image.RGBA) error {
	return f.take(m, func() error { return writePNG(f.dir+fmt.Sprintf(f.pattern, f.n+1), f.n == 0, m) })
}

func (f *pngs) Close() error { return f.end(func() error { return nil }) }

// writePNG writes a file completely or not at all.
func writePNG(name string, first bool, m *image.RGBA) error {
	return atomicfile.Write(name, atomicfile.Options{NoSweep: !first}, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, m)
	})
}
