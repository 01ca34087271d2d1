package render

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// letter returns the cell of a letter in a sheet: a is 0.
func letter(r rune) int { return int(r) - 'a' }

// label returns a text of letters and spaces.
func (s *stage) label(text string, anchor float32) Label {
	s.Helper()
	l, err := LabelOf(text, func(r rune) int {
		if r == ' ' {
			return -1
		}
		return letter(r)
	})
	s.ok(err)
	l.Anchor = anchor
	return l
}

// Each character is one sprite with its cell, side by side along the entity's X axis. An empty
// place is none.
func TestLabel(t *testing.T) {
	for _, material := range []string{"cells", "ghosts"} {
		for _, sort := range []Sort{SortDepth, SortNone, SortY} {
			s := newStage(t)
			s.atlas(0)
			s.w.Spawn(Camera{Height: 60, Sort: sort, Order: -1})
			s.assets.Shape(Shape{Name: "glyph", Kind: Sprite, Width: 2, Height: 3})
			var want []string
			add := func(e ecs.Entity, cells string, places ...float32) {
				for i, at := range places {
					want = append(want, fmt.Sprint(e, letter(rune(cells[i])), at))
				}
			}
			look := s.look("glyph", material)
			add(s.show(look, 10, 0, s.label("ab d", 0)), "abd", 7, 9, 13)
			add(s.show(look, 10, 0, s.label("abc", 1)), "abc", 11, 13, 15)
			add(s.show(look, 10, 0, s.label("h", -1)), "h", 9)
			s.show(look, 10, 0, s.label("", 0))
			s.show(look, 10, 0, s.label("    ", 0))
			add(s.show(look, 10, 0, s.label(" g", 0)), "g", 11)
			hidden := s.show(look, 10, 0, s.label("f", 0), Hidden{})
			add(s.show(look, 10, 0, Flipbook{First: 6}), "g", 10)
			s.frame()
			rows := func() (got []string) {
				for _, b := range ViewsOf(s.w)[0].Batches {
					n := 0
					for p := range b.Parts() {
						for i, e := range p.Entities {
							if p.Mask[i/64]>>(i%64)&1 != 0 {
								got = append(got, fmt.Sprint(e, p.Cells[i], p.Matrices[i][12]))
								n++
							}
						}
					}
					if n != b.Count || n == 0 {
						t.Errorf("a batch of %d has %d rows", b.Count, n)
					}
				}
				return got
			}
			got := rows()
			slices.Sort(got)
			slices.Sort(want)
			if !equal(got, want) {
				t.Errorf("%s, %v: drawn is\n%v, want\n%v", material, sort, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if v := ViewsOf(s.w)[0]; v.Seen != len(want) || len(v.Batches) != 1 {
				t.Errorf("%d seen in %d batches, want %d in one", v.Seen, len(v.Batches), len(want))
			}
			s.ok(ecs.SetEnabled[Hidden](s.w, hidden, false))
			s.frame()
			if got := rows(); len(got) != len(want)+1 {
				t.Errorf("what is no longer hidden is not drawn: %v", got)
			}
		}
	}
}

// A label turns and scales with its entity, also if the entity has a parent. The glyphs may have any
// shape.
func TestLabelPlace(t *testing.T) {
	s := newStage(t)
	s.atlas(0)
	s.w.Spawn(Camera{Height: 60, Order: -1})
	ship := s.w.Spawn(transform.Translation{X: 4, Y: 5}, transform.LocalToWorld{})
	s.w.Spawn(s.look("card", "ghosts"), s.label("ab", 0), transform.Parent{Entity: ship}, transform.LocalToParent{}, transform.LocalToWorld{},
		transform.Rotation{Z: 0.6, W: 0.8}, transform.Scale{Value: 2}, transform.Translation{}) // 2 wide, 4 in the world, at an angle whose cosine is 0.28
	s.frame()
	var got [][2]float32
	for p := range ViewsOf(s.w)[0].Batches[0].Parts() {
		for _, m := range p.Matrices {
			got = append(got, [2]float32{m[12], m[13]})
		}
	}
	want := [][2]float32{{4 - 2*0.28, 5 - 2*0.96}, {4 + 2*0.28, 5 + 2*0.96}}
	for i, at := range want {
		if len(got) != 2 || max(got[i][0]-at[0], at[0]-got[i][0], got[i][1]-at[1], at[1]-got[i][1]) > 1e-5 {
			t.Fatalf("characters are at %v, want %v", got, want)
		}
	}
}

// A camera that sees a character sees the label, wherever the label's origin is. Because of the
// computed bounds, a camera that sees no character does not see the label. Bounds of the program
// stay.
func TestLabelBounds(t *testing.T) {
	s, r := newPicture(t, 40, 40)
	s.atlas(0)
	long := s.label(strings.Repeat("b", 32), 1)
	e := s.show(s.look("sprite", "ghosts"), -31.5, 0, long) // its last character is at 0
	s.show(s.look("sprite", "ghosts"), -70, 0, long)
	own := s.show(s.look("sprite", "ghosts"), 0, 0, long, Bounds{HX: -1})
	s.show(square, 0, 40)
	s.ok(ecs.Set(s.w, s.w.Spawn(Camera{Height: 4, Order: -1, X: 0, W: 0.4, H: 0.4}), Camera{Height: 4, Order: 3, Background: color.NRGBA{A: 255}}))
	s.frame()
	if c := r.Image.RGBAAt(21, 22); c == (color.RGBA{A: 255}) {
		t.Errorf("the last character is not drawn: %v", c)
	}
	v := ViewsOf(s.w)[3]
	if v.Seen != 32 || v.Culled != 2 {
		t.Errorf("%d seen, %d culled; want 32 characters of one label and 2", v.Seen, v.Culled)
	}
	for id, want := range map[ecs.Entity]Bounds{e: {HX: 32.5, HY: 0.5}, own: {HX: -1}} {
		if b, err := ecs.Get[Bounds](s.w, id); err != nil || b != want {
			t.Errorf("bounds of %v are %v, want %v; %v", id, b, want, err)
		}
	}
	s.assets.Shape(Shape{Name: "nothing"})
	none := s.show(s.look("nothing", "ghosts"), 0, 0, s.label("abc", 0))
	s.frame()
	if b, err := ecs.Get[Bounds](s.w, none); err != nil || b != (Bounds{HX: -1, HY: -1, HZ: -1}) {
		t.Errorf("bounds of a label without a glyph are %v, %v", b, err)
	}
}

// Sprites with flipbooks, plain sprites and labels are sorted by height, and the characters of a
// label stay together.
func TestLabelSortY(t *testing.T) {
	s := newStage(t)
	s.atlas(0)
	s.w.Spawn(Camera{Height: 60, Sort: SortY, Order: -1})
	look := s.look("sprite", "ghosts")
	height, length := map[ecs.Entity]int{}, map[ecs.Entity]int{}
	for i, text := range []string{"abc", "", "hg", "-", "ab"} {
		y := float32(10 - 3*i)
		for range 70 { // more than a chunk of each
			var e ecs.Entity
			switch text {
			case "":
				e = s.show(look, 0, y, Flipbook{Rate: 3})
			case "-":
				e = s.show(s.look("card", "ghosts"), 0, y)
			default:
				e = s.show(look, 0, y, s.label(text, 0))
			}
			height[e], length[e] = i, max(len(text), 1)
		}
	}
	s.frame()
	seen, last := s.pen.seen[0], 0
	for len(seen) > 0 {
		e := seen[0]
		n := length[e]
		if height[e] < last || n == 0 || n > len(seen) || slices.ContainsFunc(seen[:n], func(other ecs.Entity) bool { return other != e }) {
			t.Fatalf("after height %d: %v at height %d, of %d characters: %v", last, e, height[e], n, seen[:min(4, len(seen))])
		}
		last, length[e], seen = height[e], 0, seen[n:]
	}
	if last != 4 {
		t.Errorf("the last one is at height %d", last)
	}
	if n := len(ViewsOf(s.w)[0].Batches); n != 3 {
		t.Errorf("%d batches, want 3: of two looks, the second in between", n)
	}
}

// A changed text is drawn in the next frame, in a presentation world too, without a structural
// change.
func TestLabelChanges(t *testing.T) {
	s := newStage(t)
	s.atlas(0)
	e := s.show(s.look("sprite", "ghosts"), 0, 0, s.label("abc", 0))
	show := newStage(t)
	s.ok(Install(show.w, Options{Assets: s.assets, Renderer: show.pen}))
	count := func(n int) {
		t.Helper()
		s.frame()
		s.ok(Extract(s.w, show.w))
		show.frame()
		if a, b := len(s.pen.seen[0]), len(show.pen.seen[0]); a != n || b != n {
			t.Errorf("%d characters, in a presentation world %d, want %d", a, b, n)
		}
	}
	count(3)
	q := s.w.Query(ecs.With[Label]())
	structure := q.OrderCount()
	s.ok(ecs.Set(s.w, e, s.label("abcdefgh", 0)))
	count(8)
	s.ok(ecs.Set(s.w, e, Label{}))
	count(0)
	s.ok(ecs.Set(s.w, e, Label{Length: 255})) // such as a file may have: the label shows as many characters as it has room for
	count(32)
	if q.OrderCount() != structure {
		t.Error("another text is a structural change")
	}
	eye := ViewsOf(s.w)[0].Entity
	if got, err := Pick(s.w, eye, 100, 51); got != e || err != nil {
		t.Errorf("picked %v, %v", got, err)
	}
}

// Cells that the material does not have are reported once.
func TestLabelFaults(t *testing.T) {
	s, r := newPicture(t, 40, 40)
	s.atlas(0)
	s.show(s.look("sprite", "cells"), 9, 9, s.label("a", 0))
	e := s.show(s.look("sprite", "cells"), 0, 0, s.label("i", 0), transform.Scale{Value: 40})
	wantError(t, system.Update(s.w), ecs.ErrState, fmt.Sprintf(`render: entity %v: the Label shows the cells [8], and material "cells" has 8 cells, from 0 (4 columns, 2 rows)`, e))
	s.flip(1)
	want(t, r, map[image.Point]color.RGBA{{22, 22}: shadeOf(7)})
}

func TestLabelOf(t *testing.T) {
	l, err := LabelOf("Hi ~é\xff", ASCII)
	if err != nil || l.Length != 6 || !equal(l.Cells[:6], []uint16{40, 73, NoCell, 94, 31, 31}) || l.Cells[6] != 0 {
		t.Errorf("%v, %v", l, err)
	}
	if l.String() != "[40 73 65535 94 31 31]" || (Label{Length: 200}).String() != fmt.Sprint([32]uint16{}) {
		t.Errorf("it prints as %v", l)
	}
	for r := ' ' + 1; r <= '~'; r++ {
		if ASCII(r) != int(r)-32 {
			t.Errorf("%q is cell %d", r, ASCII(r))
		}
	}
	full := strings.Repeat("é", 32)
	if l, err := LabelOf(full, func(rune) int { return NoCell - 1 }); err != nil || l.Length != 32 || l.Cells[31] != NoCell-1 {
		t.Errorf("32 characters: %v, %v", l, err)
	}
	l, err = LabelOf(full+"!", ASCII)
	wantError(t, err, ecs.ErrArgument, "has 33 characters: a Label has room for 32; make several")
	if l.Length != 32 {
		t.Errorf("it has %d characters, want the first 32", l.Length)
	}
	_, err = LabelOf("", nil)
	wantError(t, err, ecs.ErrArgument, "render: LabelOf: cell is nil")
	_, err = LabelOf("xy", func(r rune) int { return NoCell - 'y' + int(r) })
	wantError(t, err, ecs.ErrArgument, `render: LabelOf: text "xy": cell('y') is 65535: cells of a Label are below 65535`)
}
