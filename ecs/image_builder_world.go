package ecs

import "github.com/lanewise/lanewise/ecs/internal/table"

// A file that is loaded into a world should be copied only once. Therefore an ImageBuilder can put
// rows directly into the memory of that world. They become chunks of the world only in Restore,
// after all checks.

// placedRows holds the rows of an image that are in the memory of a world.
type placedRows struct {
	world  *World
	memory *table.Memory // the world's memory at that time
	places []table.Place // by chunk id: the place of the rows; empty if the image has them, or if the world has taken them
}

// placedDivisor decides which chunks are put into the memory of the world: the chunks in which more
// than 1/placedDivisor of the rows are used. Tests change it.
var placedDivisor = 2

// newPlace returns memory of the world for the next chunk. newPlace returns an empty place if the
// image is not for a world, or if at most half of the chunk is used. The reason for the second
// condition is that a file that claims to have many chunks of one row each must not cost much
// more memory than the file's size. So the builder uses small pieces of memory for small chunks,
// as a world does.
func (m *placedRows) newPlace(s *table.Shape, capacity, rows int) *table.Place {
	if m == nil {
		return &table.Place{}
	}
	var behind *table.Place
	if last := len(m.places) - 1; last >= 0 && !m.places[last].Nil() {
		behind = &m.places[last]
	}
	m.places = append(m.places, table.Place{})
	own := &m.places[len(m.places)-1]
	if placedDivisor*rows > capacity {
		*own = m.memory.TakeFull(s, behind)
		m.memory.AddDetached(1)
	}
	return own
}

// takePlace returns the place of a chunk and removes it from m. It returns an empty place if the place
// has another shape or is in other memory.
func (m *placedRows) takePlace(id int32, s *table.Shape, memory *table.Memory) (p table.Place) {
	if m == nil || m.memory != memory || m.places[id].Nil() || m.places[id].Shape() != s {
		return p
	}
	p, m.places[id] = m.places[id], p
	m.memory.AddDetached(-1)
	return p
}

// freePlaces frees the places that the world has not taken over.
func (m *placedRows) freePlaces() {
	for i := range m.places {
		if !m.places[i].Nil() {
			m.memory.FreePlace(m.places[i])
			m.memory.AddDetached(-1)
		}
	}
	m.places = nil
}

// imageIDsAt returns the ids in memory of a world.
func imageIDsAt(p *table.Place, rows int) *imageIDs {
	return &imageIDs{ids: idsAt(p, rows), sizeClass: -1}
}

// laneBytesAt returns the bytes of rows, one slice for each lane. It clears the bytes unless the
// caller overwrites them.
func laneBytesAt(p *table.Place, lanes []table.Lane, rows int, overwritten bool) [][]byte {
	list := make([][]byte, len(lanes))
	for i, l := range lanes {
		b := p.Bytes(l, 0, rows)
		if list[i] = b[:len(b):len(b)]; !overwritten {
			clear(b)
		}
	}
	return list
}

// lockTarget makes the builder put rows into the memory of a world, and prevents changes of that
// world until unlockTarget.
func (b *ImageBuilder) lockTarget(w *World) error {
	const op = "ImageBuilder.AddState"
	if w.gate.isBorrower {
		return w.gate.fault(ErrState, op, "a transaction's job has the world: make an image for it when the transaction has ended")
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	w.gate.endUnchanged()
	w.gate.blockChanges()
	b.targetWorld, b.layoutWorld.tables.memory = w, w.tables.memory // so that archetypes use the shapes of w
	b.image.placedRows = &placedRows{world: w, memory: w.tables.memory}
	return nil
}

// unlockTarget allows changes of the world again, which lockTarget has prevented. It does nothing if the image
// is not for a world.
func (b *ImageBuilder) unlockTarget() {
	if b.targetWorld != nil {
		b.targetWorld.gate.unblockChanges()
		b.targetWorld = nil
	}
}
