package jobs

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// cursor takes blocks of a loop for one seat: from the seat's own share first,
// one or several at a time, then from the shares of others.
type cursor struct {
	loop *loop
	seat *seat
	own  *uint64 // nil for a seat that has no share
	lo   uint64  // the blocks [lo, hi) were taken
	hi   uint64
	left uint64 // blocks in the own share, as far as known
}

func newCursor(lp *loop, s *seat) cursor {
	h := cursor{loop: lp, seat: s}
	if s.index < len(lp.shares) {
		h.own = &lp.shares[s.index].blocks
	}
	return h
}

// take takes the next blocks. It returns false when there are none.
func (h *cursor) take() bool {
	if h.own == nil {
		return h.steal()
	}
	// Several at a time where they are short, but seven eighths stay for thieves.
	n := min(uint64(h.loop.most), h.left/8+1)
	r := atomic.AddUint64(h.own, n)
	h.lo, h.hi = r&math.MaxUint32-n, r>>32
	if h.lo >= h.hi { // the sum is no matter: an empty share is never looked at
		return h.steal()
	}
	h.left = h.hi - min(h.lo+n, h.hi)
	h.hi -= h.left
	return true
}

// steal takes the upper half of another's share, keeps it and takes the first
// block of it; a seat without a share takes one block.
func (h *cursor) steal() bool {
	if h.loop.state.Load()&loopOpen == 0 {
		return false // another has seen that there is nothing left
	}
	shares := h.loop.shares
	n := uint64(len(shares))
	first, _ := bits.Mul64(h.seat.random(), n)
	for i := range n {
		victim := &shares[(first+i)%n].blocks
		for victim != h.own {
			r := atomic.LoadUint64(victim)
			lo, hi := r&math.MaxUint32, r>>32
			if lo >= hi {
				break
			}
			mid := lo + (hi-lo)/2
			if h.own == nil {
				mid = hi - 1
			}
			h.seat.pool.at(h.seat, "is about to take blocks")
			if !atomic.CompareAndSwapUint64(victim, r, mid<<32|lo) {
				continue
			}
			h.lo, h.hi, h.left = mid, mid+1, hi-mid-1
			count(&h.seat.counters.steals)
			if h.own != nil {
				atomic.StoreUint64(h.own, hi<<32|(mid+1))
			}
			return true
		}
	}
	h.lo, h.hi = 0, 0
	return false
}
