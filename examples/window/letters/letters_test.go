package letters

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// TestLabel checks that every character has a cell, and does not extend into another cell. The
// picture of a label must be the cells of its letters side by side.
func TestLabel(t *testing.T) {
	w, err := system.NewWorld(t.Name(), system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const text = "Ag|_~1 q"
	assets := render.NewAssets()
	picture := image.NewRGBA(image.Rect(0, 0, face.Advance*len(text), face.Height))
	if err := render.Install(w, render.Options{Renderer: &render.Software{Image: picture}, Assets: assets}); err != nil {
		t.Fatal(err)
	}
	label, err := render.LabelOf(text, render.ASCII)
	if err != nil {
		t.Fatal(err)
	}
	look := render.Look{Shape: assets.Shape(Shape("letter", float32(face.Height))), Material: assets.Material(Material("letters"))}
	w.Spawn(look, label, transform.Translation{}, transform.LocalToWorld{})
	w.Spawn(render.Camera{Height: float32(face.Height)})
	if err := system.Update(w); err != nil {
		t.Fatal(err)
	}
	all := Image()
	seen := map[string]bool{}
	for i, r := range text {
		k := max(render.ASCII(r), 0)
		at := image.Pt(k%columns*face.Advance, k/columns*face.Height)
		var glyph strings.Builder
		for y := range face.Height {
			for x := range face.Advance {
				want, got := all.RGBAAt(at.X+x, at.Y+y), picture.RGBAAt(i*face.Advance+x, y)
				if want != got {
					t.Fatalf("pixel %d, %d of %q is %v, want %v", x, y, r, got, want)
				}
				glyph.WriteByte(" #"[want.A/255])
			}
		}
		if seen[glyph.String()] || r != ' ' && !strings.Contains(glyph.String(), "#") {
			t.Errorf("%q looks like another one:\n%s", r, glyph.String())
		}
		seen[glyph.String()] = true
	}
	if bytes.Count(all.Pix, []byte{255, 255, 255, 255}) < 95*8 {
		t.Error("the letters have few pixels")
	}
}
