package ecs

import (
	"encoding/binary"
	"math"
)

// streamVersion is the version of the bytes of AppendState.
const streamVersion = 1

// AppendState appends the position of the stream and all its ids to out. A program saves these bytes
// together with the file of the world. Consecutive ids take few bytes.
func (a *ImageStream) AppendState(out []byte) []byte {
	a = a.orZero()
	over := uint64(0)
	if a.ended {
		over = 1
	}
	for _, v := range [...]uint64{streamVersion, uint64(len(a.newIDs)), uint64(a.loadedCount), uint64(a.unloadedCount), over} {
		out = binary.AppendUvarint(out, v)
	}
	for i := 0; i < len(a.newIDs); {
		first, n, step := a.newIDs[i], 1, int32(0)
		for ; i+n < len(a.newIDs); n++ {
			next, last := a.newIDs[i+n], a.newIDs[i+n-1]
			if n == 1 && (next.Index == last.Index+1 || next.Index == last.Index-1) {
				step = next.Index - last.Index
			}
			if step == 0 || next.Index != last.Index+step || next.Version != first.Version {
				break
			}
		}
		out = binary.AppendUvarint(out, uint64(uint32(first.Index)))
		out = binary.AppendUvarint(out, uint64(uint32(first.Version)))
		out = binary.AppendVarint(out, int64(n)*int64(max(step, -1)|1))
		i += n
	}
	return out
}

// LoadState is called for a new stream, before Begin. It makes the stream continue in w. The stream
// gets the position of the stream whose AppendState wrote the bytes. First restore w to the moment of
// AppendState. Then create the stream with [NewImageStream] from an equal image. A zero ImageStream
// works too. Such a stream has no rows to load, but Unload works. If w already has a stream with the
// same ids, the two streams are like Clones from then on: only one of them can continue, and the
// methods of the other return an error.
//
// An error is of category [ErrArgument] and changes nothing. There are three possible reasons:
//
//   - The bytes are not from AppendState for such an image.
//   - An id is not reserved in w.
//   - The world knows that it is at another moment, because its stream of these ids has another
//     position or does not exist.
//
// A world that was restored from a file does not know which streams it had. So the caller must save
// the bytes together with the file. If the bytes are from another moment, LoadState mistakes an
// unrelated entity with the same id for a loaded one, and Unload destroys it.
func (a *ImageStream) LoadState(w *World, in []byte) error {
	const op = "ImageStream.LoadState"
	switch {
	case w == nil:
		return noWorldError(op)
	case a == nil:
		return w.gate.fault(ErrState, op, "the stream is nil: make one with NewImageStream, or use a zero ImageStream")
	case a.world != nil:
		return w.gate.fault(ErrState, op, "the stream has begun already: make another one with NewImageStream")
	case a.image != nil && a.image.pool == nil:
		return w.gate.fault(ErrArgument, op, "the image was released")
	}
	b := *a
	if !b.parseState(in, len(w.tables.entities.slots)) {
		return w.gate.fault(ErrArgument, op, "the %d bytes are not those of AppendState, or of another image or world", len(in))
	}
	for _, e := range b.newIDs[:b.loadedCount] {
		if own := w.tables.entities.find(e); own != nil && w.tables.chunks[own.chunk].arch.isMeta {
			return w.gate.fault(ErrArgument, op, "the id %v is that of an entity that holds the chunk components of a chunk", e)
		}
	}
	if err := b.joinReservation(op, w); err != nil {
		return err
	}
	if b.image != nil {
		for left := b.loadedCount; left > 0; {
			left -= b.advance(left)
		}
	}
	if err := b.resume(op, w); err != nil {
		return err
	}
	*a = b
	return nil
}

// parseState parses the bytes of AppendState, for a world with the given number of slots.
func (a *ImageStream) parseState(in []byte, slots int) bool {
	ok := true
	next := func() int {
		v, n := binary.Uvarint(in)
		if n <= 0 || v > math.MaxInt32 {
			in, ok = nil, false
			return 0
		}
		in = in[n:]
		return int(v)
	}
	version, count, came, gone, over := next(), next(), next(), next(), next()
	if !ok || version != streamVersion || count > slots || came > count || gone > came || over > 1 {
		return false
	}
	if a.image != nil && count != len(a.oldIDs) {
		return false
	}
	ids := make([]Entity, 0, count)
	for len(ids) < count {
		first := Entity{int32(next()), int32(next())}
		n, size := binary.Varint(in)
		step := int32(1)
		if n < 0 {
			step, n = -1, -n
		}
		last := int64(first.Index) + int64(step)*(n-1)
		if !ok || size <= 0 || n < 1 || n > int64(count-len(ids)) || int(first.Index) >= slots || last < 0 || last >= int64(slots) {
			return false
		}
		in = in[size:]
		for k := range int32(n) {
			ids = append(ids, Entity{first.Index + k*step, first.Version})
		}
	}
	a.newIDs, a.loadedCount, a.unloadedCount, a.ended = ids, came, gone, over == 1
	return len(in) == 0
}
