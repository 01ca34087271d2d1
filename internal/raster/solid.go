package raster

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Solid primitives are opaque, with one color and one depth. A band that has
// only opaque primitives is drawn from the nearest primitive to the farthest:
// each primitive colors those of its samples that are still free. A pixel is
// then one number with four parts of sixteen bits. In each part, the lower
// eleven bits contain the sum of a color channel, and the upper two bits
// contain a part of the wide mask of covered samples.

// isSolid reports whether a primitive is solid.
func (t *prim) isSolid() bool { return t.kind != mappedKind && t.blend == Opaque && !t.slope }

// spread returns a color with sixteen bits for each channel.
func spread(c uint32) uint64 {
	x := uint64(c)
	x = (x | x<<16) & 0x0000ffff0000ffff
	return (x | x<<8) & 0x00ff00ff00ff00ff
}

// unspread takes the lower eight bits of each channel.
func unspread(x uint64) uint32 {
	x &= 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// mean returns the color of a pixel: an eighth of the sum of eight samples.
func mean(sum uint64) uint32 { return unspread((sum + 4*ones) >> 3) }

// drawSolid draws the primitives of a band if all of them are solid, and
// reports whether it has drawn them.
func (b *band) drawSolid(prims []prim) bool {
	for i := range prims {
		if !prims[i].isSolid() {
			return false
		}
	}
	keys := b.keys[:0]
	sorted, last := true, uint32(0)
	for i := len(prims) - 1; i >= 0; i-- {
		key := orderedDepth(prims[i].z)
		sorted, last = sorted && key >= last, key
		keys = append(keys, uint64(key)<<32|uint64(i))
	}
	b.keys = keys
	if !sorted {
		b.sort()
	}
	if n := b.w * b.h; n > len(b.sums) {
		b.sums = make([]uint64, n)
	}
	b.summing = true
	for _, key := range b.keys {
		t := &prims[uint32(key)]
		if t.kind == discKind || !(b.vectors && b.vector(t)) && !b.drawTiny(t) {
			b.drawRows(t, nil)
		}
	}
	b.summing = false
	b.resolveSolid()
	return true
}

// addRow colors the samples of a primitive in a row that are in the masks and
// are still free.
func (b *band) addRow(s *shade, left, right, y int) {
	color, row := spread(s.t.color), b.sums[y*b.w:(y+1)*b.w]
	for x := left; x < right; x++ {
		sum := row[x]
		m := wide[b.masks[x]] &^ sum
		row[x] = (sum | m) + color*uint64(bits.OnesCount64(m))
	}
}

// resolveSolid writes the pixels and empties the band.
func (b *band) resolveSolid() {
	for y := range b.h {
		sums := b.sums[y*b.w : (y+1)*b.w]
		row := b.pix[y*b.stride:][:4*b.w]
		x := 0
		if b.vectors {
			x = len(sums) &^ 7
			resolveAVX2(row[:4*x], sums[:x])
		}
		for x < len(sums) {
			if sums[x] == 0 {
				x++
				continue
			}
			// Partly and completely covered pixels use the same code, because a branch would
			// be slow.
			for end := min(x+8, len(sums)); x < end; x++ {
				sum, at := sums[x], row[4*x:4*x+4]
				sums[x] = 0
				left := uint64(samples - bits.OnesCount64(sum&wideWhole))
				binary.LittleEndian.PutUint32(at, mean(sum&^wideWhole+spread(binary.LittleEndian.Uint32(at))*left))
			}
		}
	}
}

// orderedDepth maps z to an integer, so that the integers have the order of the
// depths.
func orderedDepth(z float32) uint32 {
	u := math.Float32bits(z)
	if u>>31 != 0 {
		return ^u
	}
	return u | 1<<31
}

// sort sorts the keys by their upper half. It is a stable radix sort by bytes,
// beginning with the lowest byte.
func (b *band) sort() {
	b.more = growTo(b.more, len(b.keys))
	from, to := b.keys, b.more
	for shift := 32; shift < 64; shift += 8 {
		var at [256]uint32
		for _, k := range from {
			at[uint8(k>>shift)]++
		}
		if at[uint8(from[0]>>shift)] == uint32(len(from)) {
			continue // all keys have this digit
		}
		sum := uint32(0)
		for i, n := range at {
			at[i], sum = sum, sum+n
		}
		for _, k := range from {
			i := uint8(k >> shift)
			to[at[i]] = k
			at[i]++
		}
		from, to = to, from
	}
	b.keys, b.more = from, to
}
