package raster

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

// boats returns a list of small triangles on 1600×1000 pixels, most of them on the picture. Lists
// must be fast in this case.
func boats() []*List {
	const w, h, n = 1600, 1000, 100_000
	flow := func(x, y float64) (u, v float64) { // the curl of a sum of waves
		for k := 1.; k <= 3; k++ {
			u += math.Cos(y*.0061*k+k*k) * math.Sin(x*.0043*k+2*k) / k
			v -= math.Sin(y*.0061*k+k*k) * math.Cos(x*.0043*k+2*k) / k * 1.2
		}
		return u, v
	}
	d := random(4)
	lists := make([]*List, 0, n/1000)
	for i := range n {
		if i%1000 == 0 {
			lists = append(lists, &List{})
		}
		x, y := float64(d.number(0, w)), float64(d.number(0, h))
		var u, v float64
		for range 160 {
			u, v = flow(x, y)
			x, y = x+2.2*u, y+2.2*v
		}
		l := math.Hypot(u, v) + 1e-6
		u, v = u/l, v/l
		size, t := 2.1+1.6*min(l, 1.5), min(l/1.6, 1)
		at := func(along, aside float64) Vertex {
			return Vertex{X: float32(x + u*along*size - v*aside*size), Y: float32(y + v*along*size + u*aside*size), Z: float32(-t), W: 1}
		}
		lists[i/1000].Triangle(&[3]Vertex{at(1.7, 0), at(-1, 0.55), at(-1, -0.55)},
			&Paint{Color: color.RGBA{uint8(60 + 190*t), uint8(140 + 70*t), uint8(190 - 90*t), 255}})
	}
	return lists
}

func BenchmarkBoats(b *testing.B) {
	lists := boats()
	img := image.NewRGBA(image.Rect(0, 0, 1600, 1000))
	seen := 0
	c := Canvas{rect: img.Rect}
	for _, l := range lists {
		for i := range l.prims {
			if lo, hi := c.reach(&l.prims[i]); lo < hi {
				seen++
			}
		}
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			pool := jobs.New(jobs.Workers(workers))
			defer pool.Close()
			on := On(pool)
			b.ReportAllocs()
			least := time.Hour
			for b.Loop() {
				began := time.Now()
				if err := c.Draw(on, img, img.Rect, lists); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(began))
			}
			b.ReportMetric(float64(least.Nanoseconds())/float64(seen), "least-ns/boat")
		})
	}
}
