//go:build amd64 && !purego && !race

package jobs

import "sync/atomic"

// storeRelease stores v after all earlier writes. It is p.Store without its wait until other
// goroutines see the store, which on amd64 costs as much as two compare-and-swaps. So a later load
// may happen before the store.
//
//go:noescape
func storeRelease(p *atomic.Uintptr, v uintptr)
