// Package film writes a sequence of pictures to files: numbered PNGs, an
// animated GIF or PNG, or Y4M for a video encoder.
//
//	f := film.NewGIF(w, 25)
//	for range frames {
//		err = f.Picture(m) // an *image.RGBA
//	}
//	err = f.Close()
//
// The bytes depend only on the pictures. So equal pictures give equal files
// on every machine with the same release of Go. If writing a picture fails,
// the call for this picture and all later calls return the error. Close
// returns it too, so a film is complete if Close returns nil.
//
// Users know films as the sinks of ecs/render, so the texts of errors and
// panics begin with the name of that package.
package film

import (
	"bytes"
	"errors"
	"fmt"
	"image"
)

// Film writes a sequence of pictures. Picture reads its argument before it
// returns and does not keep it. All pictures of a film must have the same size,
// except for a film of PNGs. Close completes the film; it does not close the
// underlying writer.
type Film interface {
	Picture(m *image.RGBA) error
	Close() error
}

// A reel implements the parts that all films share: it counts pictures, checks
// their sizes, and remembers the first error.
type reel struct {
	what   string // for errors
	anyway bool   // sizes may differ, and the film may be empty
	n      int    // pictures taken
	size   image.Point
	closed bool
	err    error
}

var errClosed = errors.New("the film is closed: make another one")
var errWide = errors.New("a GIF has at most 65,535 pixels along a side")

// take checks a picture, and calls write to write it.
func (r *reel) take(m *image.RGBA, write func() error) error {
	if r.err != nil {
		return r.err
	}
	if r.closed {
		return r.fail(errClosed)
	}
	var size image.Point
	if m != nil {
		size = m.Rect.Size()
	}
	switch {
	case size.X <= 0 || size.Y <= 0:
		return r.fail(fmt.Errorf("picture %d is of %d×%d pixels: it has none", r.n+1, size.X, size.Y))
	case r.n > 0 && size != r.size && !r.anyway:
		return r.fail(fmt.Errorf("picture %d is of %d×%d pixels, those before of %d×%d: a film has one size", r.n+1, size.X, size.Y, r.size.X, r.size.Y))
	}
	r.size = size
	if err := write(); err != nil {
		return r.fail(fmt.Errorf("picture %d: %w", r.n+1, err))
	}
	r.n++
	return nil
}

// end checks that the film may end, and calls write to write the end of the file.
func (r *reel) end(write func() error) error {
	if r.closed || r.err != nil {
		r.closed = true
		return r.err
	}
	r.closed = true
	if r.n == 0 && !r.anyway {
		return r.fail(errors.New("no picture was taken"))
	}
	if err := write(); err != nil {
		return r.fail(err)
	}
	return nil
}

func (r *reel) fail(err error) error {
	r.err = fmt.Errorf("render: %s: %w", r.what, err)
	return r.err
}

// row returns the bytes of a row of a picture.
func row(m *image.RGBA, y int) []byte { return m.Pix[y*m.Stride:][:4*m.Rect.Dx()] }

// A keeper remembers the last picture, to find the changed part of the next
// picture.
type keeper struct{ pix []byte }

// changedBox returns the smallest rectangle that contains all changes since the
// last picture, and remembers this picture. For the first picture, it returns
// the whole picture. If nothing has changed, it returns the first pixel.
func (k *keeper) changedBox(m *image.RGBA) image.Rectangle {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	first := k.pix == nil
	if first {
		k.pix = make([]byte, 4*w*h)
	}
	r := image.Rectangle{Min: image.Pt(w, h)}
	for y := range h {
		was, is := k.pix[4*w*y:][:4*w], row(m, y)
		if first || !bytes.Equal(was, is) {
			from, to := 0, w
			for ; !first && bytes.Equal(was[4*from:4*from+4], is[4*from:4*from+4]); from++ {
			}
			for ; !first && bytes.Equal(was[4*to-4:4*to], is[4*to-4:4*to]); to-- {
			}
			r.Min.X, r.Min.Y, r.Max.X, r.Max.Y = min(r.Min.X, from), min(r.Min.Y, y), max(r.Max.X, to), y+1
			copy(was, is)
		}
	}
	if r.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}
