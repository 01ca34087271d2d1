package raster

// random returns the same numbers on every machine.
type random uint64

func (r *random) next() uint32 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return uint32(*r >> 32)
}

func (r *random) below(n int) int { return int(uint64(r.next()) * uint64(n) >> 32) }

// number returns a number from lo to hi.
func (r *random) number(lo, hi float32) float32 {
	return lo + float32((hi-lo)*(float32(r.next()>>8)/(1<<24)))
}
