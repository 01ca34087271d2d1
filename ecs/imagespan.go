package ecs

import "slices"

// Images share spans of chunks, so that nothing is asked of the chunks of a span that nobody has written to: it has
// their versions beside each other.

// spanChunks is how many chunks a span has, except for the last one of an archetype: the fewer, the less is
// taken again for one that was written.
const spanChunks = 16

// imageSpan is neighbours in the list of chunks of an archetype. It does not change once it is made; images share it.
type imageSpan struct {
	versions []uint32 // of the columns of each chunk, and behind these the versions through chunks, if there are any
	refs     int      // images that have it; under the lock of the pool
}

// spansOf returns how many spans n chunks have.
func spansOf(n int) int { return (n + spanChunks - 1) / spanChunks }

// spanAt returns what is a span of some list of all chunks.
func spanAt[T any](chunks []T, span int) []T {
	return chunks[span*spanChunks : min((span+1)*spanChunks, len(chunks))]
}

// newSpan makes a span of chunks.
func (p *imagePool) newSpan(chunks []*imageChunk) *imageSpan {
	s := p.spans.take()
	s.versions, s.refs = s.versions[:0], 1
	for _, c := range chunks {
		c.refs++
		s.versions = append(append(s.versions, c.versions...), c.through...)
	}
	return s
}

// has reports whether nothing was written to r since the span was made, of which it is chunk j of n. Unlike [imageChunk.is] it looks at
// nothing but versions that lie side by side: the chunks themselves are in no cache.
func (s *imageSpan) has(j int, r *record, n int) bool {
	each := len(s.versions) / n
	seen := s.versions[j*each:][:each]
	for i, v := range r.versions {
		if seen[i] != v {
			return false
		}
	}
	return len(r.through) == 0 || slices.Equal(seen[len(r.versions):], r.through)
}

// giveSpan takes back a span, of some chunks, that an image has let go of.
func (p *imagePool) giveSpan(s *imageSpan, chunks []*imageChunk) {
	if s.refs--; s.refs > 0 {
		return
	}
	for _, c := range chunks {
		p.letGo(c)
	}
	p.spans.give(s, p.kept())
}
