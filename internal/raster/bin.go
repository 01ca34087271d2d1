package raster

import "github.com/lanewise/lanewise/jobs"

// bandRows is the number of rows of pixels of a band.
const bandRows = 32

// reach returns the half-open range of bands that a primitive may touch. The
// range is empty if the primitive is outside of the drawn rectangle.
func (c *Canvas) reach(t *prim) (lo, hi int) {
	left, right := min(t.x[0], t.x[1], t.x[2]), max(t.x[0], t.x[1], t.x[2])
	top, bottom := min(t.y[0], t.y[1], t.y[2]), max(t.y[0], t.y[1], t.y[2])
	if t.kind == discKind {
		left, right, top, bottom = t.x[0]-t.x[1], t.x[0]+t.x[1], t.y[0]-t.x[1], t.y[0]+t.x[1]
	}
	r := &c.rect
	if int(right>>4) < r.Min.X || int(left>>4) >= r.Max.X || int(bottom>>4) < r.Min.Y || int(top>>4) >= r.Max.Y {
		return 0, 0
	}
	lo = max(int(top>>4)-r.Min.Y, 0) / bandRows
	hi = min(int(bottom>>4)-r.Min.Y, r.Dy()-1)/bandRows + 1
	return lo, hi
}

// counting is a job over the lists. It counts the primitives for each band.
type counting Canvas

func (j *counting) RunRange(_ *jobs.Task, lo, hi int) {
	c := (*Canvas)(j)
	for i := lo; i < hi; i++ {
		row := c.places[i*c.bands : (i+1)*c.bands]
		clear(row)
		prims := c.lists[i].prims
		for k := range prims {
			from, to := c.reach(&prims[k])
			for b := from; b < to; b++ {
				row[b]++
			}
		}
	}
}

// addUp converts the counts to positions. The position of a list in a band is
// the index of its first primitive in that band. All primitives of a band are
// adjacent, in the order of the lists.
func (c *Canvas) addUp() {
	total := uint32(0)
	for b := range c.bands {
		for i := range c.lists {
			n := &c.places[i*c.bands+b]
			*n, total = total, total+*n
		}
	}
	c.entries = growTo(c.entries, int(total))
}

// placing is a job over the lists. It copies the primitives to their bands.
// After the job, each position is the end of the primitives of a list in a
// band.
type placing Canvas

func (j *placing) RunRange(_ *jobs.Task, lo, hi int) {
	c := (*Canvas)(j)
	for i := lo; i < hi; i++ {
		row := c.places[i*c.bands : (i+1)*c.bands]
		prims := c.lists[i].prims
		for k := range prims {
			from, to := c.reach(&prims[k])
			for b := from; b < to; b++ {
				c.entries[row[b]] = prims[k]
				row[b]++
			}
		}
	}
}

// endOf returns the position after the primitives of list i in band k, after all
// primitives have been placed.
func (c *Canvas) endOf(i, k int) uint32 { return c.places[i*c.bands+k] }

// growTo returns s with length n; its contents are lost.
func growTo[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
