package render

import (
	"fmt"
	"math"
)

// Label is a line of text on the screen. The entity is drawn once for each character, each time
// with the cell of its material's image that shows this character (see [Material].Columns). The
// characters are side by side along the entity's X axis. Each is as wide as the entity's shape.
// The program chooses the glyphs, their order in the image and their size:
//
//	type of the image    a grid of glyphs, white on transparent
//	material             Image, Columns, Rows, Blend: render.Over
//	shape                a Sprite with the size of a cell
//	label                render.LabelOf("Ahoy", render.ASCII)
//
// Changing the text is not a structural change. Other components of the entity, such as Tint,
// Hidden, Level or a parent, apply to the whole text. In batches, each character is a row with the
// id of the entity. If the entity has a Flipbook, the Flipbook has no effect. If an entity has no
// Bounds, it gets a box that contains any text.
type Label struct {
	Cells  [maxLabelCells]uint16 // cell of each character; NoCell leaves an empty space
	Length uint8                 // number of characters
	Anchor float32               // the point of the text that is at the entity's origin: 0 is the middle, -1 the end, 1 the beginning
}

// NoCell marks an empty space in a [Label].
const NoCell = math.MaxUint16

// Column returns the lanes of a column of labels.
func (Label) Column() (c labelLanes) { return }

// LabelOf returns a [Label] that shows the text. The function cell returns the cell of a character,
// as [ASCII] does. A negative result means an empty space. LabelOf returns an error of category
// ecs.ErrArgument if cell is nil, if a cell is NoCell or above, or if the text has more than 32
// characters. If the text is too long, the label contains its first 32 characters.
func LabelOf(text string, cell func(r rune) int) (l Label, err error) {
	const op = "LabelOf"
	if cell == nil {
		return l, argumentError(op, "cell is nil: it says which cell shows a character, as ASCII does")
	}
	n := 0
	for _, r := range text {
		if n < maxLabelCells {
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
	if n > maxLabelCells {
		return l, argumentError(op, "text %q has %d characters: a Label has room for %d; make several", text, n, maxLabelCells)
	}
	return l, nil
}

// ASCII returns the cell of a character in an image that contains the characters of ASCII in their
// order, from the space (cell 0) to the tilde (cell 94). For example, the grid may have 16 columns
// and 6 rows. For the space, ASCII returns a negative number, so that the label has an empty
// space. For characters outside of ASCII, the result is the cell of the question mark.
func ASCII(r rune) int {
	switch {
	case r == ' ':
		return -1
	case r > ' ' && r <= '~':
		return int(r - ' ')
	}
	return '?' - ' '
}

// String returns the numbers of the label's cells as text.
func (l Label) String() string { return fmt.Sprint(l.Cells[:min(int(l.Length), maxLabelCells)]) }

type labelLanes struct {
	Cells  [][maxLabelCells]uint16
	Length []uint8
	Anchor []float32
}

// maxLabelCells is the largest number of characters that a Label holds.
const maxLabelCells = 32

// fitsCells reports whether a material with the given number of cells contains all cells of row i.
func (l *labelLanes) fitsCells(i int, cells int32) bool {
	for _, k := range l.Cells[i][:l.length(i)] {
		if k != NoCell && int32(k) >= cells {
			return false
		}
	}
	return true
}

// length returns the number of characters of row i.
func (l *labelLanes) length(i int) int { return min(int(l.Length[i]), maxLabelCells) }

// drawCount returns how many times row i is drawn.
func (l *labelLanes) drawCount(i int) (n int32) {
	for _, k := range l.Cells[i][:l.length(i)] {
		if k != NoCell {
			n++
		}
	}
	return n
}

// writeLabel writes the characters of a row to the sorted rows, starting at index at. The caller
// has reserved those rows.
func (s *sortedRows) writeLabel(l *columnLanes, row, at int, look *look) {
	width, n, cells := look.shape.characterWidth(), l.labels.length(row), int32(look.material.Cells())
	m := &l.matrices[row]
	begin := float32(l.labels.Anchor[row]*float32(n)) - float32(n-1) // in units of half a character's width
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

// characterWidth returns the width of a character that is drawn with the shape.
func (s *Shape) characterWidth() float32 {
	if s.Kind == Sprite {
		return s.Width
	}
	return 2 * max(s.Bounds.HX, 0)
}

// labelBounds returns a box that contains a label with any text and Anchor.
func (s *Shape) labelBounds() Bounds {
	b := *s.Bounds
	if b.HX >= 0 {
		b.HX += float32(maxLabelCells * s.characterWidth())
	}
	return b
}
