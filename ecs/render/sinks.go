package render

import (
	"image"
	"io"

	"github.com/lanewise/lanewise/internal/film"
)

// Sink takes the pictures of a [Software] renderer, each when it is finished, and reads
// them before Picture returns. An error is one of the frame whose picture it was, and
// the sink has it again for all that follow. Close ends a film: until it has returned
// nil the film is not whole. What a sink writes to is not closed.
type Sink interface {
	Picture(m *image.RGBA) error
	Close() error
}

// PNGs returns a sink that writes each picture to a file of its own, whose name is the
// pattern with the picture's number, from 1: "out/frame-%04d.png". The directory is no part of
// the pattern and may have any name. A file appears under
// its name when it is whole. It panics if the pattern has no place for a number.
func PNGs(pattern string) Sink { return film.NewPNGs(pattern) }

// GIF returns a sink that writes an animated GIF of fps pictures a second, which plays
// for ever. All pictures share one palette of 255 colors, so that nothing flickers; it is
// known only in the end: pictures are held, compressed, until Close. It panics if fps
// is less than 1 or above 50.
func GIF(w io.Writer, fps int) Sink { return film.NewGIF(w, fps) }

// APNG returns a sink that writes an animated PNG of fps pictures a second, which plays
// for ever and has lost nothing. Where w cannot seek pictures are held, compressed, until
// Close. It panics if fps is less than 1 or above 1000.
func APNG(w io.Writer, fps int) Sink { return film.NewAPNG(w, fps) }

// Y4M returns a sink that writes fps raw pictures a second for a program that encodes
// video, such as one behind a pipe: YUV4MPEG2 with three full planes (4:4:4) in BT.709,
// limited range. It panics if fps is less than 1.
func Y4M(w io.Writer, fps int) Sink { return film.NewY4M(w, fps) }
