package ecs

import "sync/atomic"

// cachedSum is a hash of what does not change any more: the first goroutine that wants it makes it; several may
// at once, each writes what all the others would, and 0 is one that is not made yet. Nothing is ordered by it.
type cachedSum struct{ sum atomic.Uint64 }

// of returns the hash, and makes it if it is not there.
func (c *cachedSum) of(one func() uint64) uint64 {
	sum := c.sum.Load()
	if sum == 0 {
		sum = one()
		c.sum.Store(sum)
	}
	return sum
}

// forget makes it one that is not made yet: what it is of is no one's.
func (c *cachedSum) forget() { c.sum.Store(0) }
