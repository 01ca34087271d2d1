package transform

import (
	"reflect"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// streaming decides whether matrices are written past the caches. Where more of
// them are written in an update than stay in a cache, it takes longer to fetch
// what is about to be overwritten than to compute it; where they stay, what
// writes or reads them next would wait for memory. The last update tells how many
// there will be: this one learns that while its jobs run. Either way the bits are
// the same.
//
// Not so for matrices of parents and those relative to a parent, which [HierarchyOf]
// reads at once.
type streaming[T kernels.Float] struct {
	least   int64        // rows in an update
	now     bool         // in this one
	sampled atomic.Int64 // rows of this one, of one chunk in sampleChunks: added by its jobs, swapped by the owner when they are done
}

// manyBytes is where it pays for sure: with one worker it does from 12 MB of
// matrices on, with two from somewhere between 12 and 16, on an AMD EPYC with
// caches of 1 MB a core and 32 MB for all.
const manyBytes = 16_000_000

// sampleChunks is how many chunks one stands for: it would cost workers more to
// count them all than it would tell.
const sampleChunks = 16

// begin decides for an update. The jobs of the last one are done.
func (p *streaming[T]) begin() {
	if p.least == 0 {
		p.least = manyBytes / int64(reflect.TypeFor[[16]T]().Size())
	}
	p.now = p.sampled.Swap(0)*sampleChunks >= p.least
}

// count counts a chunk whose matrices are computed.
func (p *streaming[T]) count(c *ecs.Chunk) {
	if c.Index()%sampleChunks == 0 {
		p.sampled.Add(int64(c.Len()))
	}
}
