package film

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pictures returns a few pictures in which an object moves over a background of many colors,
// with or without alpha. One picture is equal to the picture before it.
func pictures(w, h int, alpha bool) []*image.RGBA {
	var all []*image.RGBA
	for n := range 5 {
		if n == 3 {
			all = append(all, all[2])
			continue
		}
		m := image.NewRGBA(image.Rect(7, 3, 7+w, 3+h)) // its corner is not at the origin
		for y := range h {
			for x := range w {
				c := color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8((x ^ y) * 3), 255}
				if dx, dy := x-5*n-4, y-2*n-4; dx*dx+dy*dy < 20 {
					c = color.RGBA{250, 240, 20, 255}
				} else if alpha && (x+y)%7 == 0 {
					c = color.RGBA{c.R / 2, c.G / 2, c.B / 2, 128}
				}
				m.SetRGBA(7+x, 3+y, c)
			}
		}
		all = append(all, m)
	}
	return all
}

// shoot passes pictures to a film.
func shoot(t *testing.T, f Film, pictures []*image.RGBA) {
	t.Helper()
	for _, m := range pictures {
		if err := f.Picture(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// maxDifference returns the largest difference of a channel between two pictures.
func maxDifference(a, b image.Image) (most int) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := a.Bounds().Min.Add(image.Pt(x, y)), b.Bounds().Min.Add(image.Pt(x, y))
			c, d := color.RGBAModel.Convert(a.At(p.X, p.Y)).(color.RGBA), color.RGBAModel.Convert(b.At(q.X, q.Y)).(color.RGBA)
			for _, k := range [][2]uint8{{c.R, d.R}, {c.G, d.G}, {c.B, d.B}, {c.A, d.A}} {
				most = max(most, int(k[0])-int(k[1]), int(k[1])-int(k[0]))
			}
		}
	}
	return most
}

// TestGIF decodes a GIF film with the standard library. The file must have all pictures, at the
// right rate and with similar colors. Parts that do not move must not flicker.
//
// Conformance: 442
func TestGIF(t *testing.T) {
	for _, size := range []image.Point{{64, 40}, {1, 1}, {33, 9}} {
		var b bytes.Buffer
		want := pictures(size.X, size.Y, false)
		shoot(t, NewGIF(&b, 30), want)
		all, err := gif.DecodeAll(&b)
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Image) != len(want) || all.LoopCount != 0 {
			t.Fatalf("%d pictures, loop count %d, want %d and 0", len(all.Image), all.LoopCount, len(want))
		}
		time, shown := 0, image.NewRGBA(image.Rectangle{Max: size})
		for i, m := range all.Image {
			time += all.Delay[i]
			before := *shown
			before.Pix = bytes.Clone(shown.Pix)
			draw.Draw(shown, m.Rect, m, m.Rect.Min, draw.Over)
			if d := maxDifference(shown, want[i]); d > 40 {
				t.Errorf("%v, picture %d is up to %d off", size, i, d)
			}
			if d := mean(shown, want[i]); d > 6 {
				t.Errorf("%v, picture %d is %.2f off on average", size, i, d)
			}
			for y := range size.Y {
				for x := range size.X {
					if i > 0 && want[i].RGBAAt(7+x, 3+y) == want[i-1].RGBAAt(7+x, 3+y) && shown.RGBAAt(x, y) != before.RGBAAt(x, y) {
						t.Fatalf("%v, picture %d flickers at (%d, %d)", size, i, x, y)
					}
				}
			}
		}
		if want := (len(want)*100 + 15) / 30; time != want {
			t.Errorf("the pictures last %d hundredths, want %d", time, want)
		}
	}
}

// mean returns the average difference of a channel.
func mean(a, b image.Image) float64 {
	sum, n := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			q := b.Bounds().Min.Add(image.Pt(x, y))
			c, d := a.At(x, y).(color.RGBA), b.At(q.X, q.Y).(color.RGBA)
			sum += abs(int(c.R)-int(d.R)) + abs(int(c.G)-int(d.G)) + abs(int(c.B)-int(d.B))
			n += 3
		}
	}
	return float64(sum) / float64(n)
}

func abs(v int) int { return max(v, -v) }

// TestFewColors checks that pictures with few colors keep their exact colors.
func TestFewColors(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 {
		m.SetRGBA(i%40, i/40, color.RGBA{uint8(i % 16 * 13), 77, uint8(i / 160 * 20), 255})
	}
	var b bytes.Buffer
	shoot(t, NewGIF(&b, 1), []*image.RGBA{m})
	got, err := gif.Decode(&b)
	if err != nil || maxDifference(got, m) != 0 {
		t.Errorf("error %v, %d off", err, maxDifference(got, m))
	}
}

// TestY4M reads a film back, by the specification of Y4M and with the inverse matrix of BT.709 in
// float64. Each channel of a picture may differ by at most two levels.
//
// Conformance: 442
func TestY4M(t *testing.T) {
	want := pictures(30, 21, false)
	var b bytes.Buffer
	shoot(t, NewY4M(&b, 24), want)
	got := readY4M(t, b.Bytes(), "YUV4MPEG2 W30 H21 F24:1 Ip A1:1 C444 XCOLORRANGE=LIMITED")
	if len(got) != len(want) {
		t.Fatalf("%d pictures, want %d", len(got), len(want))
	}
	for i := range got {
		if d := maxDifference(got[i], want[i]); d > 2 {
			t.Errorf("picture %d is %d off", i, d)
		}
	}
	for _, c := range []struct{ r, g, b, y, u, v uint8 }{
		{0, 0, 0, 16, 128, 128}, {255, 255, 255, 235, 128, 128}, {255, 0, 0, 63, 102, 240}, {0, 255, 0, 173, 42, 26}, {0, 0, 255, 32, 240, 118},
	} {
		if y, u, v := yuv(int32(c.r), int32(c.g), int32(c.b)); y != c.y || u != c.u || v != c.v {
			t.Errorf("(%d, %d, %d) is (%d, %d, %d), want (%d, %d, %d)", c.r, c.g, c.b, y, u, v, c.y, c.u, c.v)
		}
	}
}

func readY4M(t *testing.T, file []byte, head string) (all []*image.RGBA) {
	t.Helper()
	first, rest, _ := strings.Cut(string(file), "\n")
	if first != head {
		t.Fatalf("the head is %q, want %q", first, head)
	}
	var w, h, fps int
	if _, err := fmt.Sscanf(first, "YUV4MPEG2 W%d H%d F%d:1", &w, &h, &fps); err != nil {
		t.Fatal(err)
	}
	for rest != "" {
		body, ok := strings.CutPrefix(rest, "FRAME\n")
		if !ok || len(body) < 3*w*h {
			t.Fatal("a picture is not whole")
		}
		m := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			y, u, v := (float64(body[i])-16)/219, (float64(body[w*h+i])-128)/224, (float64(body[2*w*h+i])-128)/224
			r, b := y+v*2*(1-0.2126), y+u*2*(1-0.0722)
			g := (y - 0.2126*r - 0.0722*b) / 0.7152
			for k, c := range [3]float64{r, g, b} {
				m.Pix[4*i+k] = uint8(max(0, min(math.Round(255*c), 255)))
			}
			m.Pix[4*i+3] = 255
		}
		all, rest = append(all, m), body[3*w*h:]
	}
	return all
}

// TestFFprobe checks that ffprobe, of ffmpeg, recognizes the films.
//
// Conformance: 442
func TestFFprobe(t *testing.T) {
	probe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Skip("there is no ffprobe here: ffmpeg has one")
	}
	for name, make := range map[string]func(io.Writer, int) Film{"a.gif": NewGIF, "a.apng": NewAPNG, "a.y4m": NewY4M} {
		path := filepath.Join(t.TempDir(), name)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		shoot(t, make(file, 25), pictures(64, 40, false))
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(probe, "-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames", "-of", "csv=p=0", path).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != "64,40,5" {
			t.Errorf("%s: ffprobe says %q (%v), want 64,40,5", name, got, err)
		}
	}
}

// TestPNGs checks that PNGs are separate files, of any size, and that no other file is left in the
// directory.
func TestPNGs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "50%done %d[") // must not be taken for a pattern
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	want := append(pictures(20, 10, true), pictures(9, 30, false)...)
	shoot(t, NewPNGs(filepath.Join(dir, "frame-%03d.png")), want)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(want) {
		t.Fatalf("error %v, %d files, want %d", err, len(files), len(want))
	}
	for i, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(text))
		if err != nil || f.Name() != fmt.Sprintf("frame-%03d.png", i+1) || maxDifference(m, want[i]) > 1 {
			t.Errorf("%s: error %v, %d off", f.Name(), err, maxDifference(m, want[i]))
		}
	}
	shoot(t, NewPNGs(filepath.Join(dir, "none-%d.png")), nil)
}
