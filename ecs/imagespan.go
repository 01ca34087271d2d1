package ecs

import "slices"

// Images share spans of chunks, so that nothing is asked of the chunks of a span that was not written to: it has
// their versions beside each other, as the archetype has.

// imageSpan is neighbours in the list of chunks of an archetype. It does not change once it is made; images share it.
type imageSpan struct {
	versions []uint32           // of the columns of each chunk
	through  []uint32           // the same, of meta entities: versions through chunks
	holds    [spanChunks]*int32 // of the chunks
	refs     int                // images that have it; under the lock of the pool
}

// newSpan makes a span of the chunks that a has now, of which images are given. Those that an old span has too, at their places,
// are asked for nothing: they are in no cache.
func (p *imagePool) newSpan(a *archetype, span int, chunks, before []*chunkImage, old *imageSpan) *imageSpan {
	s := p.spans.take()
	s.versions, s.through, s.refs = append(s.versions[:0], a.versionsOf(span)...), s.through[:0], 1
	for i, c := range chunks {
		if old != nil && c == before[i] {
			s.holds[i] = old.holds[i]
		} else {
			s.holds[i] = c.hold
		}
		*s.holds[i]++
	}
	if a.isMeta {
		for _, r := range spanAt(a.chunks, span) {
			s.through = append(s.through, r.through...)
		}
	}
	return s
}

// is reports whether nothing was written to the chunks of a since the span was made of them. They have the rows that they had.
func (s *imageSpan) is(a *archetype, span int) bool {
	if !slices.Equal(s.versions, a.versionsOf(span)) {
		return false
	}
	if a.isMeta {
		at := 0
		for _, r := range spanAt(a.chunks, span) {
			if !slices.Equal(s.through[at:at+len(r.through)], r.through) {
				return false
			}
			at += len(r.through)
		}
	}
	return true
}

// has reports whether nothing was written to chunk i of span number of a since the span was made. Unlike [imageChunk.is] it looks at
// nothing but versions that lie side by side, unless the rows are meta entities.
func (s *imageSpan) has(i int, a *archetype, number int) bool {
	n := len(a.columns)
	for k, v := range a.versionsOf(number)[i*n:][:n] {
		if s.versions[i*n+k] != v {
			return false
		}
	}
	return !a.isMeta || slices.Equal(s.through[i*n:][:n], a.chunks[number*spanChunks+i].through)
}

// giveSpan takes back a span, of some chunks, that an image has let go of.
func (p *imagePool) giveSpan(s *imageSpan, chunks []*chunkImage) {
	if s.refs--; s.refs > 0 {
		return
	}
	for i, c := range chunks {
		if *s.holds[i]--; *s.holds[i] == 0 {
			p.letGo(c)
		}
	}
	p.spans.give(s, p.kept())
}
