package raster

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// FuzzDraw draws arbitrary bytes into the middle of an image. Nothing may panic, no byte outside the
// rectangle may change, and one worker must draw the same as three.
func FuzzDraw(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, 200))
	d := random(7)
	for n := range 4 {
		b := make([]byte, 300)
		for i := range b {
			b[i] = byte(d.next())
			if i%4 == 3 && n < 3 {
				b[i] = 0x41 + byte(d.below(3)) // numbers of the size of the picture
			}
		}
		f.Add(b)
	}
	one, three := jobs.New(jobs.Workers(1)), jobs.New(jobs.Workers(3))
	tex := &Texture{Image: checkers(), Part: image.Rect(3, 3, 11, 16), Smooth: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		lists := []*List{{}, {Near: 0.01}}
		for n := 0; len(data) >= 4; n++ {
			head := [4]byte(data)
			data = data[4:]
			var v [3]Vertex
			for k := range v {
				for _, x := range []*float32{&v[k].X, &v[k].Y, &v[k].Z, &v[k].W, &v[k].U} {
					if len(data) >= 4 {
						*x = math.Float32frombits(binary.LittleEndian.Uint32(data))
						data = data[4:]
					}
				}
				if head[0]&4 != 0 {
					v[k].W = 1
				}
			}
			p := &Paint{Color: color.RGBA{head[1], head[1] / 2, head[2], 255}, Blend: Blend(head[0] >> 6 % 3)}
			if head[0]&8 != 0 {
				p.Texture = tex
			}
			if head[0]&16 != 0 {
				p.Corners = &[3]color.RGBA{p.Color, {}, {255, 255, 255, 255}}
			}
			switch l := lists[n%2]; head[0] & 3 {
			case 0:
				l.Line((*[2]Vertex)(v[:2]), v[2].X, p)
			case 1:
				l.Point(&v[0], v[1].X, p)
			default:
				l.Triangle(&v, p)
			}
		}
		rect := image.Rect(7, 5, 50, 75)
		var images [2]*image.RGBA
		for i, pool := range []*jobs.Pool{one, three} {
			images[i] = background(image.Pt(60, 80))
			var c Canvas
			if err := c.Draw(On(pool), images[i], rect, lists); err != nil {
				t.Fatal(err)
			}
		}
		if at := differs(images[0], images[1]); at != nil {
			t.Fatalf("pixel %v differs between one worker and three", *at)
		}
		clean := background(image.Pt(60, 80))
		for y := range 80 {
			for x := range 60 {
				if !image.Pt(x, y).In(rect) && images[0].RGBAAt(x, y) != clean.RGBAAt(x, y) {
					t.Fatalf("(%d, %d) outside of the rectangle has changed", x, y)
				}
			}
		}
	})
}
