package render

import (
	"fmt"
	"math"
)

// Label is a line of text: its entity is drawn once for each character, each time with
// another cell of its material's image (see [Material].Columns), side by side along its X
// axis, as wide as its shape is. Letters, their order in the image and their size are
// those of the program:
//
//	type of the image    a grid of glyphs, white, the rest transparent
//	material             Image, Columns, Rows, Blend: render.Over
//	shape                a Sprite as large as a cell is to be
//	label                render.LabelOf("Ahoy", render.ASCII)
//
// Another text is another value, no structural change. What else an entity has, as Tint,
// Hidden, Level or a parent, holds for all of it. Its characters are rows of the batches,
// with the entity's id; a Flipbook has no effect on them. An entity without Bounds gets
// some that have room for any text.
type Label struct {
	Cells  [labelRoom]uint16 // of each character; NoCell is an empty place
	Length uint8             // how many of them there are
	Anchor float32           // where the entity is in the text: 0 is the middle, -1 its end, 1 its beginning
}

// NoCell is an empty place in a [Label].
const NoCell = math.MaxUint16

// Column shows a column of labels.
func (Label) Column() (c labelLanes) { return }

// LabelOf returns a text as a [Label]. cell says which cell shows a character, as [ASCII]
// does; one below 0 is an empty place. The error is of category ecs.ErrArgument if cell is
// nil, or a cell is not below NoCell, or if the text has more than 32 characters; then the
// label has the first 32.
func LabelOf(text string, cell func(r rune) int) (l Label, err error) {
	const op = "LabelOf"
	if cell == nil {
		return l, argumentError(op, "cell is nil: it says which cell shows a character, as ASCII does")
	}
	n := 0
	for _, r := range text {
		if n < labelRoom {
			k := cell(r)
			if k >= NoCell {
				return Label{}, argumentError(op, "text %q: cell(%q) is %d: cells of a Label are below %d", text, r, k, NoCell)
			}
			if k < 0 {
				k = NoCell
			}
			l.Cells[n], l.Length = uint16(k), uint8(n+1)
		}
		n++
	}
	if n > labelRoom {
		return l, argumentError(op, "text %q has %d characters: a Label has room for %d; make several", text, n, labelRoom)
	}
	return l, nil
}

// ASCII says which cell shows a character in an image that has those of ASCII from the
// space (0) to the tilde (94) in their order, as 16 columns and 6 rows have room for. The
// space shows nothing; of other characters the question mark is shown.
func ASCII(r rune) int {
	switch {
	case r == ' ':
		return -1
	case r > ' ' && r <= '~':
		return int(r - ' ')
	}
	return '?' - ' '
}

// String returns the numbers of the cells.
func (l Label) String() string { return fmt.Sprint(l.Cells[:min(int(l.Length), labelRoom)]) }

type labelLanes struct {
	Cells  [][labelRoom]uint16
	Length []uint8
	Anchor []float32
}

// labelRoom is how many characters a Label has room for.
const labelRoom = 32

// fitsCells reports whether a material that has so many cells has all of those of a row.
func (l *labelLanes) fitsCells(i int, cells int32) bool {
	for _, k := range l.Cells[i][:l.length(i)] {
		if k != NoCell && int32(k) >= cells {
			return false
		}
	}
	return true
}

// length is how many characters a row has.
func (l *labelLanes) length(i int) int { return min(int(l.Length[i]), labelRoom) }

// quads is how often a row is drawn.
func (l *labelLanes) quads(i int) (n int32) {
	for _, k := range l.Cells[i][:l.length(i)] {
		if k != NoCell {
			n++
		}
	}
	return n
}

// writeLabel writes the characters of a row into sorted rows from at on, which have room for
// them.
func (s *sortedRows) writeLabel(l *lanes, row, at int, look *look) {
	width, n, cells := look.shape.characterWidth(), l.labels.length(row), int32(look.material.Cells())
	m := &l.matrices[row]
	begin := float32(l.labels.Anchor[row]*float32(n)) - float32(n-1) // in halves of a width
	for i, k := range l.labels.Cells[row][:n] {
		if k == NoCell {
			continue
		}
		s.copyRow(l, row, at)
		off := float32((begin + float32(2*i)) * width / 2)
		to := &s.matrices[at]
		to[12] = float32(m[0]*off) + m[12]
		to[13] = float32(m[1]*off) + m[13]
		to[14] = float32(m[2]*off) + m[14]
		s.cells[at] = min(int32(k), cells-1)
		at++
	}
}

// characterWidth returns the width of a character that a shape draws.
func (s *Shape) characterWidth() float32 {
	if s.Kind == Sprite {
		return s.Width
	}
	return 2 * max(s.Bounds.HX, 0)
}

// labelBounds returns the bounds of a shape for labels with any text and Anchor.
func (s *Shape) labelBounds() Bounds {
	b := *s.Bounds
	if b.HX >= 0 {
		b.HX += float32(labelRoom * s.characterWidth())
	}
	return b
}
