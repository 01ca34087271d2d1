package picture

import (
	"image"
	"image/color"

	"github.com/lanewise/lanewise/internal/raster"
	"github.com/lanewise/lanewise/jobs"
)

// fine is the factor by which ink is drawn larger in each direction, to smooth
// its edges.
const fine = 2

// ink holds shapes with sharp edges, lines and discs, which are drawn over each
// other.
type ink struct {
	size int
	list raster.List
}

func (k *ink) at(x, y float64) raster.Vertex {
	return raster.Vertex{X: float32(fine * x), Y: float32(fine * y), W: 1}
}

// line draws a line of a width. A line thinner than a pixel is correspondingly
// fainter.
func (k *ink) line(x0, y0, x1, y1, width float64, c Color, strength float64) {
	k.list.Line(&[2]raster.Vertex{k.at(x0, y0), k.at(x1, y1)}, float32(fine*max(width, 1)), paintOf(c.times(strength*min(width, 1))))
}

// disc draws a filled circle.
func (k *ink) disc(x, y, radius float64, c Color) {
	v := k.at(x, y)
	k.list.Point(&v, float32(2*fine*radius), paintOf(mix(c, Color{1, 1, 1}, 0.25)))
}

func paintOf(c Color) *raster.Paint {
	return &raster.Paint{Color: color.RGBA{level(float32(c.R)), level(float32(c.G)), level(float32(c.B)), 255}}
}

// light returns the ink as light on a dark ground.
func (k *ink) light(pool *jobs.Pool) (*layer, error) {
	side := fine * k.size
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	var c raster.Canvas
	if err := c.Draw(raster.On(pool), img, img.Rect, []*raster.List{&k.list}); err != nil {
		return nil, err
	}
	l := newLayer(k.size)
	for i := range l.r {
		var sum [3]int
		for y := range fine {
			row := img.Pix[((i/k.size)*fine+y)*img.Stride+4*fine*(i%k.size):]
			for x := range fine {
				sum[0], sum[1], sum[2] = sum[0]+int(row[4*x]), sum[1]+int(row[4*x+1]), sum[2]+int(row[4*x+2])
			}
		}
		const share = 1.0 / (255 * fine * fine)
		l.r[i], l.g[i], l.b[i] = float32(sum[0])*share, float32(sum[1])*share, float32(sum[2])*share
	}
	return l, nil
}
