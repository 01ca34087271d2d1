package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// blobTable assigns numbers to the blobs of a snapshot, starting at 1. Values refer to blobs by
// these numbers. The number 0 is the null reference.
type blobTable struct {
	numbers map[blob.Any]uint32 // numbers of the blobs that are written
	list    []blob.Any

	mu        sync.Mutex
	fileBlobs []fileBlob // blobs that are read
}

// fileBlob is a blob in a file. A fileBlob is decoded when the first value refers to it, because only
// that value's field determines the blob's type.
type fileBlob struct {
	shape   string
	data    []byte
	decoded blob.Any
}

// claimNumber assigns the next number to a blob, unless it already has a number.
func (n *blobTable) claimNumber(b blob.Any) error {
	if b.Null() || n.numbers[b] > 0 {
		return nil
	}
	if !b.Exists() {
		return errDisposed
	}
	n.list = append(n.list, b)
	n.numbers[b] = uint32(len(n.list))
	return nil
}

var errDisposed = errors.New("it refers to a blob that was disposed")

// claimNumbers assigns numbers to the blobs in the values in memory. If there is an error, it also
// returns the index of the value.
func (n *blobTable) claimNumbers(s *shape, memory []byte) (int, error) {
	for row := 0; len(memory) > 0; row++ {
		for _, r := range s.runs {
			if r.blobType == nil {
				continue
			}
			for i := range r.count {
				if err := n.claimNumber(blob.At(r.blobType, memory[r.offset+i*r.width:])); err != nil {
					return row, err
				}
			}
		}
		memory = memory[s.size:]
	}
	return 0, nil
}

// hasRefs reports whether values contain references to blobs.
func (s *shape) hasRefs() bool {
	for _, r := range s.runs {
		if r.blobType != nil {
			return true
		}
	}
	return false
}

// numberBlobs assigns numbers to all blobs in the chunks of an image, in the order of their first
// use.
func (w *writer) numberBlobs() error {
	for i := range w.archetypes {
		any := false
		for _, t := range w.archetypes[i].Components {
			k := &w.columns[w.columnIndex[t]]
			any = any || k.elemShape.hasRefs()
			for l := range k.lanes {
				any = any || k.lanes[l].hasRefs()
			}
		}
		for j := range w.archetypes[i].Chunks {
			if !any {
				break
			}
			c := w.image.Chunk(i, j)
			for k := range c.Columns {
				if err := w.numberPartBlobs(&c.Columns[k]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *writer) numberPartBlobs(p *ecs.ImageColumn) error {
	k := &w.columns[w.columnIndex[p.Component]]
	wrong := func(row int, err error) error {
		return fmt.Errorf("snapshot: %w: %s of %v: %w", ErrValue, k.name, p.Entities[row], err)
	}
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		for row := range p.Entities {
			if !k.elemShape.hasRefs() {
				break
			}
			b, _ := p.Buffer(row)
			if _, err := w.blobs.claimNumbers(&k.elemShape, b); err != nil {
				return wrong(row, err)
			}
		}
	default:
		for l := range k.lanes {
			if !k.lanes[l].hasRefs() {
				continue
			}
			if row, err := w.blobs.claimNumbers(&k.lanes[l].shape, p.Lanes[l]); err != nil {
				return wrong(row, err)
			}
		}
	}
	return nil
}

// beginBlobs begins the frame of the blobs.
func (w *writer) beginBlobs() error {
	w.blobsOut.Begin(format.KindBlobs)
	w.blobsOut.Count(len(w.blobs.list))
	for _, b := range w.blobs.list {
		shape, data, err := b.Portable()
		if err != nil {
			return fmt.Errorf("snapshot: %w: %v: %w", ErrValue, b.Type(), err)
		}
		w.blobsOut.Text(shape)
		w.blobsOut.Text(string(data))
	}
	return nil
}

// decodeBlobs decodes the frame of the blobs.
func (r *reader) decodeBlobs(d *frames.In) error {
	r.blobs.fileBlobs = make([]fileBlob, d.Count(8))
	for i := range r.blobs.fileBlobs {
		r.blobs.fileBlobs[i] = fileBlob{shape: d.Text(), data: d.Bytes()}
	}
	return checkDone(d, "the blobs")
}

// blobByNumber returns the blob with the given number, for a field of type t.
func (n *blobTable) blobByNumber(t reflect.Type, number uint32) (blob.Any, error) {
	if number == 0 {
		return blob.Any{}, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if int64(number) > int64(len(n.fileBlobs)) {
		return blob.Any{}, corrupt("it refers to blob %d of %d", number, len(n.fileBlobs))
	}
	f := &n.fileBlobs[number-1]
	if f.decoded.Null() {
		b, err := blob.LoadPortable(t, f.shape, f.data)
		switch {
		case errors.Is(err, ecs.ErrState):
			return b, fmt.Errorf("snapshot: %w: %w", ErrSchema, err)
		case err != nil:
			return b, corrupt("blob %d: %v", number, err)
		}
		f.decoded, f.data = b, nil
		n.list = append(n.list, b)
	}
	if f.decoded.Type() != t {
		return blob.Any{}, corrupt("blob %d is of two types, %v and %v", number, f.decoded.Type(), t)
	}
	return f.decoded, nil
}

// disposeDecoded disposes the blobs that were decoded.
func (n *blobTable) disposeDecoded() {
	for _, b := range n.list {
		_ = b.Dispose() // nothing else uses the blob yet, so Dispose cannot fail
	}
}

// imageBlobsKey is the key for the blobs of an image that was read.
type imageBlobsKey struct{}

// Blobs returns the blobs that were decoded when the image was read. The caller owns the blobs:
// nothing else disposes them. The worlds that are created from the image refer to them. Dispose the
// blobs after these worlds are closed.
func Blobs(m *ecs.Image) []blob.Any {
	list, _ := m.Attached(imageBlobsKey{}).([]blob.Any)
	return list
}
