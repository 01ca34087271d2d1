package film

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
)

// NewY4M returns a film that writes raw video (YUV4MPEG2) to w, as input of a
// video encoder. A picture has three full planes (4:4:4) of BT.709 in the
// limited range, with Y from 16 to 235. Transparent pixels get a black
// background. NewY4M panics if fps is less than 1.
func NewY4M(w io.Writer, fps int) Film {
	wantRate("Y4M", fps, 1<<20)
	return &y4m{reel: reel{what: "Y4M"}, w: bufio.NewWriterSize(w, 1<<16), fps: fps}
}

func wantRate(op string, fps, most int) {
	if fps < 1 || fps > most {
		panic(fmt.Errorf("render: %s: %d pictures a second: want 1 to %d", op, fps, most))
	}
}

type y4m struct {
	reel
	w      *bufio.Writer
	fps    int
	planes []byte
}

func (f *y4m) Picture(m *image.RGBA) error { return f.take(m, func() error { return f.write(m) }) }

func (f *y4m) Close() error { return f.end(func() error { return nil }) }

func (f *y4m) write(m *image.RGBA) error {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if f.n == 0 {
		fmt.Fprintf(f.w, "YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n", w, h, f.fps)
		f.planes = make([]byte, 3*w*h)
	}
	luma, blue, red := f.planes[:w*h], f.planes[w*h:2*w*h], f.planes[2*w*h:]
	for y := range h {
		src := row(m, y)
		for x := range w {
			luma[y*w+x], blue[y*w+x], red[y*w+x] = yuv(int32(src[4*x]), int32(src[4*x+1]), int32(src[4*x+2]))
		}
	}
	f.w.WriteString("FRAME\n")
	f.w.Write(f.planes)
	if err := f.w.Flush(); err != nil {
		return errors.Join(err, errShort)
	}
	return nil
}

var errShort = errors.New("the file ends in the middle of a picture")

// The weights are those of BT.709 (ITU-R recommendation BT.709-6, items 3.2 to 3.4)
// in 1/65536. Y = 16 + 219·(0.2126·R + 0.7152·G + 0.0722·B)/255, and the differences
// B-Y and R-Y go from -112 to 112.
const (
	yR, yG, yB = 11966, 40254, 4064
	bR, bG, bB = -6596, -22189, 28785
	rR, rG, rB = 28785, -26145, -2640
)

func yuv(r, g, b int32) (y, u, v uint8) {
	const half = 1 << 15
	return uint8(16 + (yR*r+yG*g+yB*b+half)>>16), uint8(128 + (bR*r+bG*g+bB*b+half)>>16), uint8(128 + (rR*r+rG*g+rB*b+half)>>16)
}
