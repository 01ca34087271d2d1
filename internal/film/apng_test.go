package film

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"os"
	"testing"
)

// TestAPNG decodes a film with the standard library and compares it with the written pictures bit by
// bit.
//
// Conformance: 442
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
			// A decoder that does not support animations must read the first
			// picture.
			if first, err := png.Decode(bytes.NewReader(held.Bytes())); err != nil || maxDifference(first, want[0]) > 1 {
				t.Errorf("the first picture: error %v, %d off", err, maxDifference(first, want[0]))
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
				if d := maxDifference(got[i], want[i]); d > most {
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
		// Make a separate PNG of this picture: a header with its size, its
		// data, and the end.
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
