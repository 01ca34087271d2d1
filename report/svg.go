package report

import (
	"html"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The sizes of pictures in pixels. They are small, so that a picture fits on a telephone, and so that several are beside
// each other on a wide screen.
const (
	wide    = 430
	high    = 290
	rune11  = 6.2 // the mean width of a letter
	padding = 8   // between the ends of the data and the frame
)

// frame is a picture with two axes. Its texts are elements of text, so a reader can select and search them.
type frame struct {
	b                        strings.Builder
	x, y                     scale
	left, top, right, bottom float64 // of the area of data
	high                     float64
}

// newFrame draws the axes of a picture. The name of the y axis is above the axis, where it is easy to read. The width
// side is left free at the right.
func newFrame(xName, yName string, x, y scale, side float64) *frame {
	f := &frame{x: x, y: y, top: 30, bottom: high - 42, high: high}
	most, total := 0.0, 0.0
	for _, t := range y.ticks {
		most = max(most, width(t.text))
	}
	f.left, f.right = min(most, 150)+14, wide-16-side
	most = 0
	for _, t := range x.ticks {
		most, total = max(most, width(t.text)), total+width(t.text)+8
	}
	turned := total > f.right-f.left
	if turned {
		f.high += float64(0.6 * most)
		f.left = max(f.left, min(float64(0.75*most), 90)) // the first text begins at the left of its position
	}
	f.element("rect", "fill", "none", "stroke", "#999", "x", f.left, "y", f.top, "width", f.right-f.left, "height", f.bottom-f.top)
	f.b.WriteString(`<g stroke="#e4e4e4">`)
	for _, t := range x.ticks {
		if x.names == 0 {
			f.line(f.left+f.across(t.at), f.top, f.left+f.across(t.at), f.bottom)
		}
	}
	for _, t := range y.ticks {
		if y.names == 0 {
			f.line(f.left, f.bottom-f.up(t.at), f.right, f.bottom-f.up(t.at))
		}
	}
	f.b.WriteString(`</g><g fill="#444">`)
	for _, t := range x.ticks {
		at := f.left + f.across(t.at)
		if turned {
			f.turned(at+3, f.bottom+14, t.text)
		} else {
			f.text(at, f.bottom+15, "middle", t.text)
		}
	}
	for _, t := range y.ticks {
		f.text(f.left-5, f.bottom-f.up(t.at)+4, "end", t.text)
	}
	f.b.WriteString(`</g>`)
	f.text(f.right, f.high-7, "end", xName)
	f.text(4, 16, "start", yName)
	return f
}

// width estimates the width of a text.
func width(text string) float64 { return float64(rune11 * float64(utf8.RuneCountInString(text))) }

// across and up return the distance of a position from the left or the lower edge. Names use all of the axis.
func (f *frame) across(p float64) float64 { return place(p, f.right-f.left, f.x.names > 0) }
func (f *frame) up(p float64) float64     { return place(p, f.bottom-f.top, f.y.names > 0) }

func place(p, length float64, names bool) float64 {
	if names {
		return float64(p * length)
	}
	return padding + float64(p*(length-2*padding))
}

// at returns the point at which a pair of numbers is drawn.
func (f *frame) at(x, y float64) (float64, float64) {
	return f.left + f.across(f.x.position(x)), f.bottom - f.up(f.y.position(y))
}

// element writes an element without contents. Attributes are names and values in turn.
func (f *frame) element(name string, attributes ...any) {
	f.begin(name, attributes...)
	f.b.WriteString("/>")
}

func (f *frame) begin(name string, attributes ...any) {
	f.b.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		text, isText := attributes[i+1].(string)
		if !isText {
			text = strconv.FormatFloat(attributes[i+1].(float64), 'f', 1, 64)
			text = strings.TrimSuffix(text, ".0")
		}
		f.b.WriteString(" " + attributes[i].(string) + `="` + text + `"`)
	}
}

func (f *frame) line(x1, y1, x2, y2 float64) {
	f.element("line", "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// dot draws a small disk, with a text that a browser shows under the mouse.
func (f *frame) dot(x, y, radius float64, title string) {
	f.begin("circle", "cx", x, "cy", y, "r", radius)
	f.b.WriteString("><title>" + html.EscapeString(title) + "</title></circle>")
}

func (f *frame) text(x, y float64, anchor, text string) {
	f.begin("text", "x", x, "y", y, "text-anchor", anchor)
	f.b.WriteString(">" + html.EscapeString(text) + "</text>")
}

// turned writes a text that ends at a point and rises towards it.
func (f *frame) turned(x, y float64, text string) {
	f.begin("text", "text-anchor", "end", "x", x, "y", y, "transform", "rotate(-35 "+strconv.FormatFloat(x, 'f', 1, 64)+" "+strconv.FormatFloat(y, 'f', 1, 64)+")")
	f.b.WriteString(">" + html.EscapeString(text) + "</text>")
}

// group begins a group of elements with a color for lines and areas. An empty string ends it.
func (f *frame) group(color string) {
	if color == "" {
		f.b.WriteString("</g>")
		return
	}
	f.begin("g", "fill", color, "stroke", color)
	f.b.WriteString(">")
}

// picture returns the element svg.
func (f *frame) picture() template.HTML {
	size := strconv.Itoa(wide) + " " + strconv.Itoa(int(f.high))
	return template.HTML(`<svg viewBox="0 0 ` + size + `" role="img" font-size="11" font-family="sans-serif">` + f.b.String() + `</svg>`)
}
