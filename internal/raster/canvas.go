package raster

import (
	"image"
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// Canvas draws lists into images. It keeps the memory that this takes; the zero
// Canvas is ready. One goroutine at a time may use it.
type Canvas struct {
	dst     *image.RGBA
	rect    image.Rectangle // what is drawn, from the image's corner
	lists   []*List
	bands   int
	vectors bool     // see vectors
	places  []uint32 // by list and band: see addUp
	entries []prim   // by band, in the order of the lists
	lock    sync.Mutex
	spare   []*band // those that no job uses
}

// Workers run a job over [0, n), in blocks of grain, and wait for it.
type Workers interface {
	Range(job jobs.RangeJob, n, grain int) error
}

// On are the workers of a pool.
func On(p *jobs.Pool) Workers { return onPool{p} }

type onPool struct{ *jobs.Pool }

func (p onPool) Range(job jobs.RangeJob, n, grain int) error {
	return p.ParallelFor(job, n, grain).Wait()
}

// Draw draws lists, one after the other, into the part of dst that rect shows;
// coordinates count from the upper left corner of dst. Depth begins anew at
// each Draw, behind everything. An empty image, or an empty part, is left alone. The
// error is that of a job that failed: the picture is then unfinished.
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
	c.places = grown(c.places, len(lists)*c.bands)
	if err := on.Range((*counting)(c), len(lists), 1); err != nil {
		return err
	}
	c.addUp()
	if err := on.Range((*placing)(c), len(lists), 1); err != nil {
		return err
	}
	return on.Range((*drawing)(c), c.bands, 1)
}

// take returns a band to draw with. One that is not given back, since its job
// failed, is lost with what it holds of the picture.
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
