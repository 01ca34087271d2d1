//go:build !amd64 || purego || race

package jobs

import "sync/atomic"

// storeRelease stores v after all earlier writes.
func storeRelease(p *atomic.Uintptr, v uintptr) { p.Store(v) }
