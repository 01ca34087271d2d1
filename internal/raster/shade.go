package raster

import "encoding/binary"

// A shade computes the colors of the pixels of a primitive.
type shade struct {
	t      *prim
	m      *mapping // of a textured primitive; nil for others
	lo, hi float32  // depths of the corners
}

func (s *shade) begin(l *List, t *prim) {
	s.t = t
	if t.kind == mappedKind {
		s.m = &l.maps[t.extra]
	}
	s.lo, s.hi = t.z, t.z
	if t.slope {
		for i := 1; i < 3; i++ {
			z := t.z + float32(t.zx*float32(t.x[i]-t.x[0])) + float32(t.zy*float32(t.y[i]-t.y[0]))
			s.lo, s.hi = min(s.lo, z), max(s.hi, z)
		}
	}
}

// shadeRow draws those samples of the pixels of a row that are in the masks.
func (b *band) shadeRow(s *shade, left, right, y int) {
	b.room()
	t, z, color := s.t, s.t.z, s.t.color
	dy := float32(subs*(b.y+y)-int(t.y[0])) + subs/2
	row := t.z + float32(t.zy*dy)
	cells, pix := b.cells[y*b.w:(y+1)*b.w], b.pix[y*b.stride:]
	for x := left; x < right; x++ {
		mask := b.masks[x]
		if mask == 0 {
			continue
		}
		if t.slope {
			dx := float32(subs*(b.x+x)-int(t.x[0])) + subs/2
			z = max(s.lo, min(row+float32(t.zx*dx), s.hi))
		}
		c := &cells[x]
		if z > c.z {
			continue
		}
		if s.m != nil {
			var seen bool
			if color, seen = s.m.colorAt(b.x+x, b.y+y, t.blend, t.color); !seen {
				continue
			}
		}
		if mask == whole && c.head == 0 {
			at := pix[4*x : 4*x+4]
			if t.blend == Opaque {
				c.z = z
				binary.LittleEndian.PutUint32(at, color)
			} else {
				binary.LittleEndian.PutUint32(at, mixColors(binary.LittleEndian.Uint32(at), color, t.blend))
			}
			continue
		}
		b.fragments[b.used] = fragment{color: color, z: z, next: c.head, mask: mask, blend: t.blend}
		c.head = b.used
		b.used++
	}
}

// room allocates memory for one more row of fragments, if necessary. The memory
// grows with the picture. If there are very many fragments, because
// primitives overlap, room first drops hidden fragments. After that, no pixel
// has more fragments than samples.
func (b *band) room() {
	if int(b.used)+b.w <= len(b.fragments) {
		return
	}
	if len(b.fragments) >= 4*len(b.cells) {
		b.compact()
	}
	if n := 2 * (int(b.used) + b.w); n > len(b.fragments) {
		b.fragments = append(make([]fragment, 0, n), b.fragments...)[:n]
	}
}
