package ecs

import "fmt"

// uncheckedOf says of each component of a set whether its lanes may have any bytes: types are not asked again for each chunk.
func uncheckedOf(set []*component) []bool {
	list := make([]bool, len(set))
	for k, c := range set {
		list[k] = anyBytes(c)
	}
	return list
}

// anyBytes reports whether the lanes of a component may have any bytes.
func anyBytes(c *component) bool {
	if c.kind.has(isBuffer) {
		return len(boolsOf(c.buffer.elem, 0, nil))+len(blobsOf(c.buffer.elem, 0, nil)) == 0
	}
	for _, l := range c.lanes {
		if len(boolsOf(l.Type, 0, nil))+len(blobsOf(l.Type, 0, nil)) > 0 {
			return false
		}
	}
	return true
}

// filled is ImageChunk.Filled of a chunk whose image is not there yet.
func (c *chunkImage) filled(unchecked []bool) {
	_, c.run = runOf(c.ids)
	if c.sound = c.flaw(unchecked) == nil; c.sound { // else Image says what is wrong
		d := digest{s: seeds}
		d.known(c)
	}
}

// flaw looks for what not every memory may have; nil if there is none, or what makes it a sentence with the place of the chunk.
// Unchecked says in which columns any bytes are good.
func (c *chunkImage) flaw(unchecked []bool) func(place string) string {
	for k, own := range c.columns {
		if own == nil {
			continue
		}
		comp := c.set[k]
		if len(own.on) > 0 && c.n%64 != 0 && own.on[len(own.on)-1]>>(c.n%64) != 0 {
			return func(place string) string {
				return fmt.Sprintf("column %v of %s has rows on behind the last of %d", comp.typ, place, c.n)
			}
		}
		if unchecked[k] {
			continue
		}
		find := c.lanesFlaw
		if comp.kind.has(isBuffer) {
			find = c.elementsFlaw
		}
		if wrong := find(comp, own); wrong != nil {
			return wrong
		}
	}
	return nil
}

// lanesFlaw is flaw for the lanes of a column.
func (c *chunkImage) lanesFlaw(comp *component, own *columnImage) func(place string) string {
	lanes := own.lanes(comp, c.n)
	for i, l := range comp.lanes {
		if row := danglingBlob(lanes[i], int(l.Type.Size()), blobsOf(l.Type, 0, nil)); row >= 0 {
			return c.noBlob(comp, row)
		}
		offsets := boolsOf(l.Type, 0, nil)
		if len(offsets) > 0 && !areBools(lanes[i], int(l.Type.Size()), offsets) {
			return func(place string) string {
				return fmt.Sprintf("a bool of lane %s of column %v of %s is neither 0 nor 1", l.Name, comp.typ, place)
			}
		}
	}
	return nil
}

// elementsFlaw is flaw for a column of buffers.
func (c *chunkImage) elementsFlaw(comp *component, own *columnImage) func(place string) string {
	lanes := own.lanes(comp, c.n)
	offsets, refs := boolsOf(comp.buffer.elem, 0, nil), blobsOf(comp.buffer.elem, 0, nil)
	for row := range c.n {
		if len(refs) > 0 && danglingBlob(own.elements(comp, lanes, row), comp.buffer.size, refs) >= 0 {
			return c.noBlob(comp, row)
		}
		if len(offsets) > 0 && !areBools(own.elements(comp, lanes, row), comp.buffer.size, offsets) {
			return func(place string) string {
				return fmt.Sprintf("a bool of an element of column %v in row %d of %s is neither 0 nor 1", comp.typ, row, place)
			}
		}
	}
	return nil
}

// noBlob says that a row refers to a blob that is not there.
func (c *chunkImage) noBlob(comp *component, row int) func(place string) string {
	return func(place string) string {
		return fmt.Sprintf("column %v of %v in %s refers to a blob that was disposed, or is of another type", comp.typ, c.ids[row], place)
	}
}

// areBools reports whether the bytes at the offsets of values of some size are 0 or 1.
func areBools(values []byte, size int, offsets []uintptr) bool {
	if size == 1 {
		for _, v := range values {
			if v > 1 {
				return false
			}
		}
		return true
	}
	for ; len(values) >= size; values = values[size:] {
		for _, o := range offsets {
			if values[o] > 1 {
				return false
			}
		}
	}
	return true
}
