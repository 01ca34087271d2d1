//go:build lanewise_guard

package ecs

import (
	"github.com/lanewise/lanewise/ecs/internal/table"
)

// The guard build detects misuse of chunk memory. It fills unused rows with poison. It moves each
// chunk that a structural change has touched to a new address, and fills the old memory with
// poison. If this poison has changed when the memory is reused, the program has written through a
// stale view. It also compares read-only columns before and after each chunk body.
const guard = true

// poisonByte is the value of the bytes in memory that must not be read. A float or an index of such
// bytes is a huge negative number, so an illegal use is noticed.
const poisonByte = 0xDB

// quarantineSize is the number of freed chunk places that stay poisoned. When there are more, the
// oldest is reused.
const quarantineSize = 64

// poisonRows fills rows [from, to) of a chunk with poison.
func poisonRows(r *chunkData, from, to int) {
	poisonPlace(r.arch.shape, &r.Place, from, to)
}

// poisonPlace fills rows [from, to) of all lanes with poison. It does not fill the memory between
// lanes, because that may belong to other chunks.
func poisonPlace(s *table.Shape, p *table.Place, from, to int) {
	for i, size := range s.RowSizes() {
		b := p.Bytes(table.Lane{Index: uint32(i), Size: size}, from, to-from)
		for i := range b {
			b[i] = poisonByte
		}
	}
}

// quarantinedPlace is the old memory of a chunk that has moved.
type quarantinedPlace struct {
	table.Place
	shape *table.Shape
}

// moveTouchedChunks moves the chunks that the structural change has touched.
func (t *tables) moveTouchedChunks() {
	for _, r := range t.touchedChunks {
		if r.Nil() || r.movedVersion == t.gate.structuralVersion {
			continue
		}
		r.movedVersion = t.gate.structuralVersion
		old := quarantinedPlace{r.Place, r.arch.shape}
		r.Place = t.memory.CopyPlace(&old.Place, r.count)
		t.putReaches(r)
		poisonRows(r, r.count, r.RowCapacity())
		poisonPlace(old.shape, &old.Place, 0, old.RowCapacity())
		t.quarantinedPlaces = append(t.quarantinedPlaces, old)
	}
	t.touchedChunks = t.touchedChunks[:0]
	t.releaseOldestQuarantined(quarantineSize)
}

// releaseQuarantine checks all places in quarantine and frees them.
func (t *tables) releaseQuarantine() { t.releaseOldestQuarantined(0) }

// releaseOldestQuarantined checks and frees the oldest places in quarantine, until only keep places
// are left.
func (t *tables) releaseOldestQuarantined(keep int) {
	for len(t.quarantinedPlaces) > keep {
		old := t.quarantinedPlaces[0]
		t.quarantinedPlaces = t.quarantinedPlaces[1:]
		for k, size := range old.shape.RowSizes() {
			for i, b := range old.Bytes(table.Lane{Index: uint32(k), Size: size}, 0, old.RowCapacity()) {
				if b != poisonByte {
					panic(t.gate.fault(ErrDisposed, "guard", "byte %d of lane %d of a chunk was written through a view from before a structural change: ask for the column again", i, k))
				}
			}
		}
		t.memory.FreePlace(old.Place)
	}
}

// guardWorld is the part of a world that only the guard build has.
type guardWorld struct {
	touchedChunks     []*chunkData       // chunks that this structural change has touched
	quarantinedPlaces []quarantinedPlace // old places, filled with poison; oldest first
	ownerWrites       int                // how often the owner got write access to a single entity
}

// guardChunkData is the part of a chunk's data that only the guard build has.
type guardChunkData struct{ movedVersion uint32 }

// noteTouched records that a structural change touches r.
func (g *guardWorld) noteTouched(r *chunkData) { g.touchedChunks = append(g.touchedChunks, r) }

// noteOwnerWrite records that the owner writes to a single entity. The owner may do this while it loops
// over chunks, so verifyChecksums must not report it.
func (g *guardWorld) noteOwnerWrite() { g.ownerWrites++ }

// quarantinedCount returns the number of places in quarantine: they are allocated, but no chunk
// uses them.
func (g *guardWorld) quarantinedCount() int { return len(g.quarantinedPlaces) }
