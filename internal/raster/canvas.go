package raster

import (
	"image"
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// Canvas draws lists into images. It keeps its memory for the next picture; the
// zero Canvas is ready. Only one goroutine may use it at a time.
type Canvas struct {
	dst     *image.RGBA
	rect    image.Rectangle // the part that is drawn, relative to the image's corner
	lists   []*List
	bands   int
	vectors bool     // see vectors
	places  []uint32 // by list and band: see addUp
	entries []prim   // by band, in the order of the lists
	lock    sync.Mutex
	spare   []*band // bands that no job uses
}

// Workers runs a job over [0, n), in blocks of grain, and waits for it.
type Workers interface {
	Range(job jobs.RangeJob, n, grain int) error
}

// On returns Workers that use a pool.
func On(p *jobs.Pool) Workers { return onPool{p} }

type onPool struct{ *jobs.Pool }

func (p onPool) Range(job jobs.RangeJob, n, grain int) error {
	return p.ParallelFor(job, n, grain).Wait()
}

// Draw draws lists, one after another, into the part rect of dst. The origin
// of coordinates is the upper left corner of dst. Each Draw begins with an
// infinite depth. If the image or the part is empty, Draw does nothing. If a
// job fails, Draw returns the job's error, and the picture is incomplete.
func (c *Canvas) Draw(on Workers, dst *image.RGBA, rect image.Rectangle, lists []*List) error {
	if dst == nil {
		return nil
	}
	c.rect = rect.Intersect(image.Rect(0, 0, dst.Rect.Dx(), dst.Rect.Dy()))
	if c.rect.Empty() || len(lists) == 0 {
		return nil
	}
	c.dst, c.lists, c.vectors = dst, lists, vectors()
	defer func() { c.dst, c.lists = nil, nil }()
	c.bands = (c.rect.Dy() + bandRows - 1) / bandRows
	c.places = growTo(c.places, len(lists)*c.bands)
	if err := on.Range((*counting)(c), len(lists), 1); err != nil {
		return err
	}
	c.addUp()
	if err := on.Range((*placing)(c), len(lists), 1); err != nil {
		return err
	}
	return on.Range((*drawing)(c), c.bands, 1)
}

// take returns a band for a job. If the job fails, the band is not used again,
// because it still contains a part of the picture.
func (c *Canvas) take() *band {
	c.lock.Lock()
	defer c.lock.Unlock()
	if n := len(c.spare); n > 0 {
		b := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return b
	}
	return &band{}
}

func (c *Canvas) give(b *band) {
	c.lock.Lock()
	c.spare = append(c.spare, b)
	c.lock.Unlock()
}

// drawing is the job over the bands.
type drawing Canvas

func (j *drawing) RunRange(_ *jobs.Task, lo, hi int) {
	c := (*Canvas)(j)
	b := c.take()
	for k := lo; k < hi; k++ {
		b.begin(c, k)
		b.draw(c, k)
	}
	c.give(b)
}
