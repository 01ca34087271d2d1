package chunk

// Adopt transfers spans from one Slabs, from, to another, s, if this is possible without a copy.
// Each given span must come from Get of the Slabs from. Afterwards, Owns reports for each span
// whether it was transferred. The contents of the spans stay the same.
//
// A slab is transferred as a whole if the given spans are all of its used spans, and if they use
// at least an eighth of it. All other spans stay in from, and the caller copies their contents.
// So each slab has spans of only one owner. A few spans of one owner do not keep a large slab of
// another owner alive. In exchange for the slabs, the Slabs from receives idle slabs of s, up to
// the same total size. So a program that moves worlds again and again in the same way allocates
// only once.
//
// If a span did not come from the Slabs from, Adopt panics as Put does, before it has changed
// anything.
func (s *Slabs) Adopt(spans []Span, from *Slabs) {
	if s == from {
		return
	}
	for _, sp := range spans {
		from.checkSpan("Adopt", sp)
	}
	met := from.adoptScratch[:0]
	move := func(r *region, n int) {
		if r.adoptedUnits == 0 {
			met = append(met, r)
		}
		r.adoptedUnits += n
	}
	for _, sp := range spans {
		move(sp.region, int(sp.unitCount))
	}
	for _, r := range met { // without the slabs that the loop appends
		if r.parent != nil && r.adoptedUnits == r.usedUnits {
			move(r.parent, 1)
		}
	}
	given := 0
	for _, r := range met {
		if r.parent == nil && s.adoptsSlab(r) {
			from.removeSlab(r)
			s.addSlab(r)
			given += r.unitCount
		}
	}
	for _, r := range met {
		if r.parent != nil && r.parent.owner == s { // a split block moves with its slab
			from.freePieces.unlink(r)
			r.owner = s
			_, longest := r.inUse.findRun(maxUnits)
			s.freePieces.moveToList(r, longest)
		}
		r.adoptedUnits = 0
	}
	for _, sp := range spans {
		if s.Owns(sp) {
			n := int(sp.unitCount) * sp.region.unitBytes
			from.usedBytes -= n
			s.usedBytes += n
		}
	}
	clear(met)
	from.adoptScratch = met[:0]
	s.returnFreeSlabs(from, given)
}

// maxCopied is the largest number of adopted blocks that are copied instead of
// transferred with their slab, if s has free blocks for them. Copying so few blocks costs less than
// keeping a slab that is nearly empty.
const maxCopied = 4

// adoptsSlab reports whether s takes over a slab in a call of Adopt. adoptsSlab takes the whole
// slab if all of the slab's spans are adopted, and at least an eighth of the slab is in use.
// Slabs double in size. So, if a whole world moves, only few of its blocks are in slabs that fail
// this test.
func (s *Slabs) adoptsSlab(r *region) bool {
	if r.adoptedUnits < r.usedUnits || 8*r.adoptedUnits < r.unitCount {
		return false
	}
	return r.adoptedUnits > maxCopied || (s.slabBytes-s.blockBytes)/Size < r.adoptedUnits
}

// returnFreeSlabs moves idle slabs with at most the given number of blocks in
// total to another Slabs.
func (s *Slabs) returnFreeSlabs(to *Slabs, blocks int) {
	for i := len(s.idleSlabs) - 1; i >= 0 && blocks > 0; i-- {
		if r := s.idleSlabs[i]; r.unitCount <= blocks {
			blocks -= r.unitCount
			s.removeSlab(r)
			to.addSlab(r)
		}
	}
}
