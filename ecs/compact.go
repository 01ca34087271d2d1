package ecs

// CompactAbove has [World.Sync], which ends each frame of a world with systems, call
// [World.Compact] when more of the world's slabs is of no chunk than the given share of their
// bytes, and no less than so many bytes: Stats.Bytes less Stats.Live. It looks at numbers
// that are the same on every machine and with any number of workers, and only at them. Such
// a Sync is a structural change, which ends views; where there cannot be one, as in a loop over
// chunks, it does not call Compact. Without this option, or with a share of 1, no Sync does.
//
// As an Option is a function, CompactAbove(0.5, 8<<20)(w) does so to a world that is there. It
// panics with an *Error if the share is not 0 to 1, or bytes is below 0.
func CompactAbove(share float64, bytes int) Option {
	if !(share >= 0 && share <= 1) || bytes < 0 {
		panic(fault(ErrArgument, "CompactAbove", "a share of %v and %d bytes: shares are 0 to 1, and bytes no fewer than 0", share, bytes))
	}
	return func(w *World) { w.tidy = tidy{on: share < 1, share: share, bytes: bytes} }
}
