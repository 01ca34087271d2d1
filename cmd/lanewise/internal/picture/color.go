//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

// Color is light: red, green and blue from 0 to 1, in the screen's color space.
type Color struct{ R, G, B float64 }

func (c Color) times(s float64) Color { return Color{c.R * s, c.G * s, c.B * s} }

func mix(a, b Color, t float64) Color {
	return Color{a.R + (b.R-a.R)*t, a.G + (b.G-a.G)*t, a.B + (b.B-a.B)*t}
}

// Hex returns a color written as 0xrrggbb.
func Hex(rgb uint32) Color {
	return Color{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}

var (
	nightColor = Hex(0x05070d) // at the edge of the picture
	duskColor  = Hex(0x0d1424) // in its middle
	ringColor  = Hex(0x5b6b8c)
	titleColor = Hex(0xf2ead8)
	noteColor  = Hex(0x9aa7c2)
	nameColor  = Hex(0xe8ecf6)
)

// tints maps semi-major axes of minor planets to colors. The groups that Jupiter
// separates have different colors, and the main belt changes from gold to rose.
var tints = [...]struct {
	axis float64
	Color
}{
	{0.9, Hex(0xff5a5a)}, // near the Earth
	{1.7, Hex(0xff8a5c)},
	{1.95, Hex(0x7fe0c0)}, // Hungarias
	{2.15, Hex(0xffd27a)}, // main belt
	{2.50, Hex(0xffb75e)},
	{2.82, Hex(0xff8f6b)},
	{3.25, Hex(0xd96f9a)},
	{3.60, Hex(0xa06cd5)}, // Cybeles
	{3.97, Hex(0x8f7bff)}, // Hildas
	{4.60, Hex(0x6f8cff)},
	{5.20, Hex(0x4fc3f7)}, // Trojans
	{15, Hex(0x66e0d8)},   // Centaurs
	{39, Hex(0x8fc7ff)},   // beyond Neptune
	{60, Hex(0xb7a6ff)},
}

func tint(axis float64) Color {
	for i := 1; i < len(tints); i++ {
		if lo, hi := &tints[i-1], &tints[i]; axis < hi.axis {
			return mix(lo.Color, hi.Color, max(0, (axis-lo.axis)/(hi.axis-lo.axis)))
		}
	}
	return tints[len(tints)-1].Color
}
