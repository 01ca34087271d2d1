package film

import (
	"bytes"
	"compress/flate"
	"compress/lzw"
	"encoding/binary"
	"image"
	"image/color"
	"io"
)

// NewGIF returns a film that writes an animated GIF to w, which plays in a
// loop. All pictures share one palette of 255 colors; other colors are dithered
// with a pattern that depends only on the position. The palette depends on all
// pictures, so the film keeps compressed pictures in memory, and Close writes
// the file. Transparent pixels get a black background. NewGIF panics if fps is
// less than 1 or above 50, because programs that show GIFs slow down faster
// films.
func NewGIF(w io.Writer, fps int) Film {
	wantRate("GIF", fps, 50)
	return &gifFilm{reel: reel{what: "GIF"}, w: w, fps: fps, census: new(census)}
}

type gifFilm struct {
	reel
	keeper
	w       io.Writer
	fps     int
	census  *census
	frames  []still
	squeeze *flate.Writer
}

// A still is the part of a picture that has changed, compressed.
type still struct {
	at   image.Rectangle
	data []byte
}

func (f *gifFilm) Picture(m *image.RGBA) error { return f.take(m, func() error { return f.hold(m) }) }

func (f *gifFilm) Close() error { return f.end(f.write) }

func (f *gifFilm) hold(m *image.RGBA) error {
	if m.Rect.Dx() > 1<<16-1 || m.Rect.Dy() > 1<<16-1 {
		return errWide
	}
	r := f.changedBox(m)
	var b bytes.Buffer
	if f.squeeze == nil {
		f.squeeze, _ = flate.NewWriter(&b, flate.BestSpeed) // no error, because the level is valid
	} else {
		f.squeeze.Reset(&b)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		part := row(m, y)[4*r.Min.X : 4*r.Max.X]
		f.census.add(part)
		if _, err := f.squeeze.Write(part); err != nil {
			return err
		}
	}
	err := f.squeeze.Close()
	f.frames = append(f.frames, still{r, b.Bytes()})
	return err
}

func (f *gifFilm) write() error {
	palette := f.census.palette()
	match := newMatcher(palette)
	shown := make([]uint8, f.size.X*f.size.Y) // palette indices of the last picture
	var out bytes.Buffer
	f.header(&out, palette)
	for i, s := range f.frames {
		// Delays are hundredths of a second. The delays are rounded in such a
		// way that the time of all pictures together matches the rate.
		delay := ((i+1)*100+f.fps/2)/f.fps - (i*100+f.fps/2)/f.fps
		if err := s.write(&out, match, shown, f.size.X, delay, i == 0); err != nil {
			return err
		}
		if _, err := f.w.Write(out.Bytes()); err != nil {
			return err
		}
		out.Reset()
	}
	_, err := f.w.Write([]byte{0x3b})
	return err
}

func (f *gifFilm) header(out *bytes.Buffer, palette color.Palette) {
	out.WriteString("GIF89a")
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(f.size.X)|uint32(f.size.Y)<<16))
	out.Write([]byte{0xf7, 0, 0}) // a palette of 256 colors of eight bits
	for i := range 256 {
		var c color.RGBA
		if i < len(palette) {
			c = palette[i].(color.RGBA)
		}
		out.Write([]byte{c.R, c.G, c.B})
	}
	out.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00") // loop without end
}

// write appends a picture: only the pixels whose palette index has changed. The
// rest is transparent, which compresses well.
func (s *still) write(out *bytes.Buffer, match *matcher, shown []uint8, width, delay int, first bool) error {
	r := s.at
	pix := make([]byte, 4*r.Dx()*r.Dy())
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(s.data)), pix); err != nil {
		return err
	}
	numbers := make([]uint8, 0, r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			n := match.at(pix[0], pix[1], pix[2], x, y)
			pix = pix[4:]
			if at := &shown[y*width+x]; *at != n || first {
				*at = n
			} else {
				n = colors
			}
			numbers = append(numbers, n)
		}
	}
	// This block makes the reader keep the picture so far, where the new pixels
	// are transparent. Index 255 is transparent.
	out.Write([]byte{0x21, 0xf9, 4, 1<<2 | 1, byte(delay), byte(delay >> 8), colors, 0})
	out.WriteByte(0x2c)
	for _, n := range []int{r.Min.X, r.Min.Y, r.Dx(), r.Dy()} {
		out.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
	out.Write([]byte{0, 8}) // use the global palette; 8-bit indices
	w := lzw.NewWriter(&blocks{out: out}, lzw.LSB, 8)
	_, err := w.Write(numbers)
	if closed := w.Close(); err == nil {
		err = closed
	}
	out.WriteByte(0)
	return err
}

// blocks is a writer that divides its output into pieces of at most 255 bytes
// with their lengths.
type blocks struct{ out *bytes.Buffer }

func (b *blocks) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), 255)
		b.out.WriteByte(byte(n))
		b.out.Write(rest[:n])
		rest = rest[n:]
	}
	return len(p), nil
}
