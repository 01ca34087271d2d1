package raster

import (
	"encoding/binary"
	"math/bits"
)

// resolve combines the fragments and empties the band.
func (b *band) resolve() {
	clean := cell{z: far}
	for y := range b.h {
		cells := b.cells[y*b.w : (y+1)*b.w]
		row := b.pix[y*b.stride:][:4*b.w]
		for x := range cells {
			c := cells[x]
			cells[x] = clean
			if c.head != 0 {
				at := row[4*x : 4*x+4]
				binary.LittleEndian.PutUint32(at, b.pixel(c, binary.LittleEndian.Uint32(at)))
			}
		}
	}
}

// pixel returns the color of a pixel that has fragments over a base color.
// From the newest to the oldest fragment, each fragment takes those of its
// samples that are still free. If an older fragment is nearer, or a fragment
// is not opaque, replayPixel does the work.
func (b *band) pixel(c cell, base uint32) uint32 {
	left, z := uint8(whole), -far
	var sum uint64
	for at := c.head; at != 0; {
		f := &b.fragments[at]
		if f.z < z || f.blend != Opaque {
			return b.replayPixel(c, base)
		}
		z = f.z
		sum += spread(f.color) * uint64(bits.OnesCount8(left&f.mask))
		left &^= f.mask
		at = f.next
	}
	return mean(sum + spread(base)*uint64(bits.OnesCount8(left)))
}

// A part is a set of samples of a pixel that have the same color.
type part struct {
	color uint32
	z     float32
	mask  uint8
	drawn bool // drawn by a fragment, as opposed to the old image
}

// replayPixel draws the fragments of a pixel again, in their order, sample by
// sample.
func (b *band) replayPixel(c cell, base uint32) uint32 {
	var sum uint64
	for _, p := range b.replay(c, base) {
		sum += spread(p.color) * uint64(bits.OnesCount8(p.mask))
	}
	return mean(sum)
}

// replay returns the visible parts of a pixel, which share no samples. The
// result is valid until the next call.
func (b *band) replay(c cell, base uint32) []part {
	b.chain = b.chain[:0]
	for at := c.head; at != 0; at = b.fragments[at].next {
		b.chain = append(b.chain, at)
	}
	b.parts[0] = part{base, c.z, whole, false}
	n := 1
	for i := len(b.chain) - 1; i >= 0; i-- {
		if f := &b.fragments[b.chain[i]]; f.blend == Opaque {
			n = b.cover(n, f)
		} else {
			n = b.tint(n, f)
		}
	}
	return b.parts[:n]
}

// cover gives an opaque fragment those of its samples at which no nearer
// primitive was drawn.
func (b *band) cover(n int, f *fragment) int {
	mask, k := uint8(0), 0
	for i := range n {
		p := b.parts[i]
		if f.z <= p.z {
			mask |= p.mask & f.mask
			p.mask &^= f.mask
		}
		if p.mask != 0 {
			b.parts[k] = p
			k++
		}
	}
	if mask != 0 {
		b.parts[k] = part{f.color, f.z, mask, true}
		k++
	}
	return k
}

// tint blends a fragment into those of its samples at which no nearer primitive
// was drawn.
func (b *band) tint(n int, f *fragment) int {
	for i := range n {
		p := &b.parts[i]
		mask := p.mask & f.mask
		if mask == 0 || f.z > p.z {
			continue
		}
		color := mixColors(p.color, f.color, f.blend)
		if mask == p.mask {
			p.color, p.drawn = color, true
			continue
		}
		p.mask &^= mask
		b.parts[n] = part{color, p.z, mask, true}
		n++
	}
	return n
}

// compact replaces the fragments of all pixels by their visible parts.
func (b *band) compact() {
	kept := append(b.other[:0], fragment{})
	for y := range b.h {
		for x := range b.w {
			c := &b.cells[y*b.w+x]
			if c.head == 0 {
				continue
			}
			next := uint32(0)
			for _, p := range b.replay(*c, binary.LittleEndian.Uint32(b.pix[y*b.stride+4*x:])) {
				if p.drawn {
					kept = append(kept, fragment{color: p.color, z: p.z, next: next, mask: p.mask})
					next = uint32(len(kept) - 1)
				}
			}
			c.head = next
		}
	}
	b.used = uint32(len(kept))
	b.fragments, b.other = kept[:cap(kept)], b.fragments
}
