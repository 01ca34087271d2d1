package picture

import (
	"bytes"
	"errors"
	"flag"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

var write = flag.Bool("write", false, "write the golden picture instead of comparing with it")

const goldenFile = "testdata/scene.png"

// scene returns a small invented solar system: a ring of dots and a few discs, some close together.
func scene() *Scene {
	s := &Scene{
		Title: "A test", Notes: []string{"of 240 pixels"}, Foot: "for nobody", Reach: 4.5, Rings: []float64{1, 2.5, 4}, Chart: true,
		Discs: []Disc{
			{Name: "Sun", Radius: 60, Glow: 200, Color: Hex(0xfff1c9)},
			{Name: "Ayle", X: 1, Y: 0.2, Radius: 30, Glow: 60, Color: Hex(0x6fb1ff)},
			{Name: "Brim", X: 1.1, Y: 0.25, Radius: 30, Glow: 60, Color: Hex(0xff7a50)},
			{Name: "Corn", X: -3, Y: -2, Radius: 50, Color: Hex(0xe8b98a)},
		},
	}
	for i := range s.Discs {
		d := &s.Discs[i]
		r, phase := math.Hypot(d.X, d.Y), math.Atan2(d.Y, d.X)
		for k := range 121 {
			sin, cos := math.Sincos(phase - 2*math.Pi*float64(k)/120)
			d.Trail = append(d.Trail, Position{r * cos, r * sin})
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		axis := 2.1 + 1.2*random.Float64()
		sin, cos := math.Sincos(2 * math.Pi * random.Float64())
		s.Dots.X = append(s.Dots.X, float32(axis*cos))
		s.Dots.Y = append(s.Dots.Y, float32(axis*sin))
		s.Dots.Axis = append(s.Dots.Axis, float32(axis))
	}
	return s
}

// TestGolden compares the picture with the golden picture in testdata. It allows three levels of 256,
// because the last bits of float64 and of package math differ between machines.
func TestGolden(t *testing.T) {
	got := drawn(t, scene(), 240)
	if *write {
		var b bytes.Buffer
		if err := errors.Join(png.Encode(&b, got), os.WriteFile(goldenFile, b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the picture is %v, the golden one %v", got.Bounds(), want.Bounds())
	}
	if at, off := difference(got, want); off > 3 {
		t.Errorf("pixel %v is off by %d levels: look at the picture, then run go test -write", at, off)
	}
	// The comparison must detect a small change: one disc moved by a hundredth of an AU.
	moved := scene()
	moved.Discs[3].X += 0.01
	if _, off := difference(drawn(t, moved, 240), want); off <= 3 {
		t.Errorf("a moved disc changes the picture by %d levels at most", off)
	}
}

func drawn(t testing.TB, s *Scene, size int) *image.RGBA {
	m, err := Draw(s, size, jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func difference(a, b image.Image) (at image.Point, off int) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range [...]int{int(ar>>8) - int(br>>8), int(ag>>8) - int(bg>>8), int(ab>>8) - int(bb>>8)} {
				if d = max(d, -d); d > off {
					at, off = image.Pt(x, y), d
				}
			}
		}
	}
	return at, off
}

// TestLabels checks two rules: no two texts overlap, and every disc inside the frame has its name.
// It places planets in conjunction, in a crowd, and at the edges.
func TestLabels(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	names := []string{
		"Sun", "Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto", "Ceres", "Eris", "Makemake", "Haumea",
	}
	for round := range 300 {
		s := scene()
		s.Title, s.Notes = "The outer solar system", []string{"2027-03-01T12:00 TDB", "1,400,000 minor planets"}
		s.Root = round%2 == 0
		s.Discs = s.Discs[:0]
		spread := []float64{0, 0.05, 0.5, 4.4}[round%4]
		for i, name := range names {
			d := Disc{Name: name, Radius: 3 + float64(i%4)*2}
			if i > 0 {
				d.X, d.Y = 2*spread*(random.Float64()-0.5), 2*spread*(random.Float64()-0.5)
			}
			s.Discs = append(s.Discs, d)
		}
		f := frame{middle: 800, reach: s.Reach, root: s.Root, unit: 1, faces: faces{}}
		labels := f.layout(s)
		seen := map[string]bool{}
		for i, l := range labels {
			seen[l.text] = true
			if !l.box.within(rect{0, 0, 1600, 1600}) {
				t.Errorf("round %d: %q leaves the picture: %v", round, l.text, l.box)
			}
			for _, m := range labels[:i] {
				if l.box.overlaps(m.box) {
					t.Fatalf("round %d: %q at %v overlaps %q at %v", round, l.text, l.box, m.text, m.box)
				}
			}
		}
		for _, name := range names {
			if !seen[name] {
				t.Errorf("round %d: %s has no name", round, name)
			}
		}
	}
	// A disc outside of the frame has no name.
	s := &Scene{Reach: 1, Discs: []Disc{{Name: "Far", X: 1.01}, {Name: "Near", X: 0.99}}}
	if labels := (&frame{middle: 800, reach: 1, unit: 1, faces: faces{}}).layout(s); len(labels) != 1 || labels[0].text != "Near" {
		t.Errorf("labels are %+v, want the one inside", labels)
	}
}

func TestInside(t *testing.T) {
	s := &Scene{Reach: 2, Dots: Dots{X: []float32{0, 1.9, 2.1, -1.9, 0}, Y: []float32{0, 1.9, 0, 0, -2.1}, Axis: make([]float32, 5)}}
	if n := Inside(s); n != 3 {
		t.Errorf("%d dots are inside, want 3", n)
	}
	s.Root = true // a corner is further away than an edge
	if n := Inside(s); n != 3 {
		t.Errorf("by the square root %d dots are inside, want 3", n)
	}
}

// TestFrame checks positions in the picture: x points to the right, y up, and the edge is at the
// reach.
func TestFrame(t *testing.T) {
	for _, c := range []struct {
		root         bool
		x, y, px, py float64
	}{
		{false, 0, 0, 800, 800}, {false, 4, 0, 1600, 800}, {false, 1, 2, 1000, 400}, {false, -4, -4, 0, 1600},
		{true, 0, 0, 800, 800}, {true, 4, 0, 1600, 800}, {true, 0, 1, 800, 400}, {true, -1, 0, 400, 800},
	} {
		f := frame{middle: 800, reach: 4, root: c.root}
		if px, py := f.pixelAt(c.x, c.y); math.Abs(px-c.px) > 1e-9 || math.Abs(py-c.py) > 1e-9 {
			t.Errorf("root %v: (%v, %v) is at (%v, %v), want (%v, %v)", c.root, c.x, c.y, px, py, c.px, c.py)
		}
	}
}

// TestBlur checks that a blur keeps the total light, spreads it evenly, and loses light only at the
// edges.
func TestBlur(t *testing.T) {
	const size = 41
	lane := make([]float32, size*size)
	lane[size*20+20] = 1
	out := blur(lane, size, 4)
	var sum float64
	for i, v := range out {
		sum += float64(v)
		if mirror := out[len(out)-1-i]; math.Abs(float64(v-mirror)) > 1e-6 {
			t.Fatalf("pixel %d has %v, the one opposite %v", i, v, mirror)
		}
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("the light adds up to %v, want 1", sum)
	}
	if got := blur(lane, size, 0); got[size*20+20] != 1 {
		t.Error("a blur of radius 0 changes the light")
	}
}

// TestDrawExtremes checks extreme scenes: empty, a single pixel, and dots with NaN coordinates.
func TestDrawExtremes(t *testing.T) {
	nan := float32(math.NaN())
	for _, s := range []*Scene{
		{Reach: 1},
		{Reach: 1, Dots: Dots{X: []float32{nan, 1e30, 0}, Y: []float32{0, -1e30, nan}, Axis: []float32{nan, 0, 1e30}}},
		{Reach: 1, Root: true, Discs: []Disc{{Name: "X", X: math.Inf(1)}, {Name: "Y", Y: math.NaN()}}},
	} {
		for _, size := range []int{1, 2, 64} {
			if img := drawn(t, s, size); img.Bounds().Dx() != size {
				t.Errorf("the picture is %v, want %d pixels", img.Bounds(), size)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	s := scene()
	for range 100000 {
		s.Dots.X, s.Dots.Y, s.Dots.Axis = append(s.Dots.X, s.Dots.X[0]), append(s.Dots.Y, s.Dots.Y[0]), append(s.Dots.Axis, 3)
	}
	for b.Loop() {
		drawn(b, s, 1600)
	}
}
