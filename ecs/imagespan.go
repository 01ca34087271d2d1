package ecs

import "slices"

// Images share spans of chunks, so that nothing is asked of the chunks of a span that nobody has written to: it has
// their versions beside each other.

// spanChunks is how many chunks a span has, but for the last one of an archetype: the fewer, the less is
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

// is reports whether nothing was written to chunks since the span was made of them. They have the rows that they had.
func (s *imageSpan) is(chunks []*record) bool {
	seen := s.versions
	for _, r := range chunks {
		n := len(r.versions)
		for i, v := range r.versions {
			if seen[i] != v {
				return false
			}
		}
		seen = seen[n:]
		if len(r.through) > 0 {
			if !slices.Equal(seen[:n], r.through) {
				return false
			}
			seen = seen[n:]
		}
	}
	return true
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

// stays reports whether a, at the place that the archetype had in an image of its world, is that archetype, and has the chunks
// and rows of then.
func (k *imageArchetype) stays(a *archetype) bool { return isOf(a, k.set) && k.listed(a) }

// takeListed is takeArchetype where nothing but what is in the rows can have changed since an image before.
func (m *Image) takeListed(k *imageArchetype, a *archetype, old *imageArchetype) {
	k.set = old.set
	k.count(a)
	k.groups = grown(k.groups, len(old.groups))
	for i := range old.groups {
		own, from := &k.groups[i], &old.groups[i]
		own.values, own.orders, own.number = append(own.values[:0], from.values...), from.orders, from.number
		own.room, own.list = append(own.room[:0], from.room...), append(own.list[:0], from.list...)
	}
	k.chunks, k.spans = append(k.chunks[:0], old.chunks...), append(k.spans[:0], old.spans...)
	still := slices.Equal(k.newest, old.newest)
	for i, s := range k.spans {
		records := spanAt(a.chunks, i)
		if still || s.is(records) {
			s.refs++
			continue
		}
		chunks := spanAt(k.chunks, i)
		for j, r := range records {
			if c := chunks[j]; !c.is(r, c.group, k.set) {
				c = m.takeChunk(r, c.group, k.set, c)
				chunks[j], m.byID[r.id] = c, c
			}
		}
		k.spans[i] = m.pool.newSpan(chunks)
	}
}
