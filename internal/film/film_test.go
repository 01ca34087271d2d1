package film

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
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

// pictures are a few in which something moves over a ground of many colors, with
// alpha if there is to be some; one is the same as the one before.
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

// shoot has a film take pictures.
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

// away is the largest difference of a channel between two pictures.
func away(a, b image.Image) (most int) {
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

// What a GIF film writes, the decoder of the standard library shows: as many pictures,
// at the rate, close to the colors, and what does not move does not flicker.
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
			if d := away(shown, want[i]); d > 40 {
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

// mean is the average difference of a channel.
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

// Few colors stay what they are.
func TestFewColors(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 {
		m.SetRGBA(i%40, i/40, color.RGBA{uint8(i % 16 * 13), 77, uint8(i / 160 * 20), 255})
	}
	var b bytes.Buffer
	shoot(t, NewGIF(&b, 1), []*image.RGBA{m})
	got, err := gif.Decode(&b)
	if err != nil || away(got, m) != 0 {
		t.Errorf("error %v, %d off", err, away(got, m))
	}
}

// An animated PNG read back by an independent reader of its chunks, each picture
// decoded by the standard library, is what was written, to the last bit.
func TestAPNG(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		for _, size := range []image.Point{{64, 40}, {1, 1}} {
			want := pictures(size.X, size.Y, alpha)
			var held bytes.Buffer
			shoot(t, NewAPNG(&held, 25), want)
			file, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			file.WriteString("before")
			shoot(t, NewAPNG(file, 25), want)
			file.WriteString("after")
			text, err := os.ReadFile(file.Name())
			if err != nil || string(text) != "before"+held.String()+"after" {
				t.Fatalf("error %v, or a file has other bytes than a buffer", err)
			}
			// Who knows no animation sees the first picture.
			if first, err := png.Decode(bytes.NewReader(held.Bytes())); err != nil || away(first, want[0]) > 1 {
				t.Errorf("the first picture: error %v, %d off", err, away(first, want[0]))
			}
			got := readAPNG(t, held.Bytes(), 25)
			if len(got) != len(want) {
				t.Fatalf("%d pictures, want %d", len(got), len(want))
			}
			for i := range got {
				most := 0
				if alpha {
					most = 1 // PNG has colors that are not multiplied by alpha
				}
				if d := away(got[i], want[i]); d > most {
					t.Errorf("alpha %v, picture %d is %d off", alpha, i, d)
				}
			}
		}
	}
}

// readAPNG reads an animated PNG, chunk by chunk.
func readAPNG(t *testing.T, file []byte, fps int) (shown []*image.RGBA) {
	t.Helper()
	const signature = "\x89PNG\r\n\x1a\n"
	rest, ok := bytes.CutPrefix(file, []byte(signature))
	if !ok {
		t.Fatal("no signature")
	}
	var head, control []byte
	var data []byte
	frames, sequence := -1, uint32(0)
	number := func(b []byte) {
		if n := binary.BigEndian.Uint32(b); n != sequence {
			t.Fatalf("number %d, want %d", n, sequence)
		}
		sequence++
	}
	finish := func() {
		if control == nil {
			return
		}
		// A PNG of its own: the head with this picture's size, its data, the end.
		var b bytes.Buffer
		b.WriteString(signature)
		for _, c := range []struct {
			kind string
			data []byte
		}{{"IHDR", append(bytes.Clone(control[4:12]), head[8:]...)}, {"IDAT", data}, {"IEND", nil}} {
			chunk := append([]byte(c.kind), c.data...)
			b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(c.data))))
			b.Write(chunk)
			b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
		}
		m, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		whole := image.NewRGBA(image.Rect(0, 0, int(binary.BigEndian.Uint32(head)), int(binary.BigEndian.Uint32(head[4:]))))
		if len(shown) > 0 {
			copy(whole.Pix, shown[len(shown)-1].Pix)
		}
		at := image.Pt(int(binary.BigEndian.Uint32(control[12:])), int(binary.BigEndian.Uint32(control[16:])))
		r := image.Rectangle{Max: m.Bounds().Size()}.Add(at)
		if !r.In(whole.Rect) || control[24] != 0 || control[25] != 0 {
			t.Fatalf("picture %d at %v, dispose %d, blend %d", len(shown), r, control[24], control[25])
		}
		draw.Draw(whole, r, m, image.Point{}, draw.Src)
		if num, den := binary.BigEndian.Uint16(control[20:]), binary.BigEndian.Uint16(control[22:]); num != 1 || int(den) != fps {
			t.Errorf("a delay of %d/%d", num, den)
		}
		shown = append(shown, whole)
		data = nil
	}
	for ended := false; !ended; {
		if len(rest) < 12 {
			t.Fatal("the file ends without IEND")
		}
		n := binary.BigEndian.Uint32(rest)
		kind, body := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Fatalf("%s: wrong checksum", kind)
		}
		rest = rest[12+n:]
		switch kind {
		case "IHDR":
			head = body
		case "acTL":
			frames = int(binary.BigEndian.Uint32(body))
			if binary.BigEndian.Uint32(body[4:]) != 0 {
				t.Error("it does not play for ever")
			}
		case "fcTL":
			finish()
			number(body)
			control = body
		case "IDAT":
			data = append(data, body...)
		case "fdAT":
			number(body)
			data = append(data, body[4:]...)
		case "IEND":
			finish()
			ended = true
		}
	}
	if len(rest) != 0 || frames != len(shown) {
		t.Errorf("%d bytes too many; %d pictures, the head says %d", len(rest), len(shown), frames)
	}
	return shown
}

// A reader of Y4M by its specification, and the matrix of BT.709 backwards in
// float64, get the pictures back to two levels.
func TestY4M(t *testing.T) {
	want := pictures(30, 21, false)
	var b bytes.Buffer
	shoot(t, NewY4M(&b, 24), want)
	got := readY4M(t, b.Bytes(), "YUV4MPEG2 W30 H21 F24:1 Ip A1:1 C444 XCOLORRANGE=LIMITED")
	if len(got) != len(want) {
		t.Fatalf("%d pictures, want %d", len(got), len(want))
	}
	for i := range got {
		if d := away(got[i], want[i]); d > 2 {
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

// Films are what ffprobe takes them for, where there is one.
func TestFFprobe(t *testing.T) {
	probe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Skip("there is no ffprobe here")
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

// PNGs are files of their own, in any size, and nothing else is left in the directory.
func TestPNGs(t *testing.T) {
	dir := t.TempDir()
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
		if err != nil || f.Name() != fmt.Sprintf("frame-%03d.png", i+1) || away(m, want[i]) > 1 {
			t.Errorf("%s: error %v, %d off", f.Name(), err, away(m, want[i]))
		}
	}
	shoot(t, NewPNGs(filepath.Join(dir, "none-%d.png")), nil)
}

// A PNG that cannot be written is an error, and leaves nothing.
func TestPNGsErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a-1.png", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{filepath.Join(dir, "missing", "%d.png"), filepath.Join(dir, "a-%d.png")} {
		f := NewPNGs(pattern)
		if err := f.Picture(pictures(3, 3, false)[0]); err == nil || f.Close() == nil {
			t.Errorf("%s: no error", pattern)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files)-1)
	}
}

// full is a writer that fails behind some bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (w *full) Write(p []byte) (int, error) {
	if len(p) > w.room {
		n := w.room
		w.room = 0
		return n, errFull
	}
	w.room -= len(p)
	return len(p), nil
}

// seeking can seek, until it has done so some times.
type seeking struct {
	full
	seeks int
}

func (w *seeking) Seek(int64, int) (int64, error) {
	if w.seeks--; w.seeks < 0 {
		return 0, errFull
	}
	return 0, nil
}

// A write that fails is an error, wherever in the film it is, and the film is never
// closed without one.
func TestWriteErrors(t *testing.T) {
	all := pictures(40, 20, false)
	films := map[string]func(io.Writer, int) Film{"GIF": NewGIF, "APNG": NewAPNG, "Y4M": NewY4M}
	for name, make := range films {
		var b bytes.Buffer
		shoot(t, make(&b, 10), all)
		for room := 0; room < b.Len(); room += 1 + b.Len()/50 {
			for _, w := range []io.Writer{&full{room}, &seeking{full{room}, 99}} {
				f := make(w, 10)
				var err error
				for _, m := range all {
					if err == nil {
						err = f.Picture(m)
					}
				}
				if closed := f.Close(); !errors.Is(closed, errFull) || err != nil && !errors.Is(err, errFull) {
					t.Errorf("%s with room for %d bytes: error %v, Close %v", name, room, err, closed)
				}
			}
		}
	}
	for seeks := range 4 {
		f := NewAPNG(&seeking{full{1 << 20}, seeks}, 10)
		err := f.Picture(all[0])
		closed := f.Close()
		if err != nil || (closed == nil) != (seeks == 0) { // who cannot seek at all is held
			t.Errorf("%d seeks: error %v, Close %v", seeks, err, closed)
		}
	}
	f := NewAPNG(&seeking{full{5000}, 99}, 10) // the rest, but not the head again
	for _, m := range all[:1] {
		if err := f.Picture(m); err != nil {
			t.Fatal(err)
		}
	}
	a := f.(*apng)
	a.w = &full{12}
	if err := f.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close is %v", err)
	}
}

// Mistakes are errors that say what is wrong, of every film, and last.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(f Film) error
		want string
	}{
		{"no picture", func(Film) error { return nil }, "no picture was taken"},
		{"nil", func(f Film) error { return f.Picture(nil) }, "picture 1 is of 0×0 pixels: it has none"},
		{"0×9", func(f Film) error { return f.Picture(image.NewRGBA(image.Rect(0, 0, 0, 9))) }, "picture 1 is of 0×9 pixels: it has none"},
		{"another size", func(f Film) error {
			if err := f.Picture(pictures(4, 3, false)[0]); err != nil {
				return err
			}
			return f.Picture(pictures(5, 3, false)[0])
		}, "picture 2 is of 5×3 pixels, those before of 4×3: a film has one size"},
	} {
		for name, make := range map[string]func(io.Writer, int) Film{"GIF": NewGIF, "APNG": NewAPNG, "Y4M": NewY4M} {
			f := make(io.Discard, 20)
			first := c.run(f)
			err := f.Close()
			if err == nil || err.Error() != "film: "+name+": "+c.want || first != nil && first != err {
				t.Errorf("%s, %s: got %v, then %v", name, c.name, first, err)
			}
			if again := f.Picture(pictures(4, 3, false)[0]); again != err {
				t.Errorf("%s, %s: a picture later is %v", name, c.name, again)
			}
		}
	}
	f := NewY4M(io.Discard, 1)
	shoot(t, f, pictures(2, 2, false))
	if err := f.Picture(pictures(2, 2, false)[0]); !errors.Is(err, errClosed) {
		t.Errorf("a picture for a closed film: %v", err)
	}
	if err := NewGIF(io.Discard, 1).Picture(&image.RGBA{Rect: image.Rect(0, 0, 1<<16, 1)}); !errors.Is(err, errWide) {
		t.Errorf("a GIF too wide: %v", err)
	}
	for name, make := range map[string]func(){
		"film: NewGIF: 51 pictures a second: want 1 to 50":                                              func() { NewGIF(nil, 51) },
		"film: NewY4M: 0 pictures a second: want 1 to 1048576":                                          func() { NewY4M(nil, 0) },
		"film: NewPNGs: the pattern \"a.png\" has no place for a number: want one as in frame-%04d.png": func() { NewPNGs("a.png") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != name {
					t.Errorf("panic %q, want %q", got, name)
				}
			}()
			make()
		}()
	}
}
