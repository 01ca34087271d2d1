package film

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestPNGsErrors checks that a film returns an error if a PNG cannot be written, and leaves no
// file.
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

// full is a writer that fails after a given number of bytes.
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

// seeking is a writer that can seek a limited number of times.
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

// TestWriteErrors makes a write fail at each position in a film. The error must be reported, and
// Close must fail too.
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
		if err != nil || (closed == nil) != (seeks == 0) { // a file without seeking is an error
			t.Errorf("%d seeks: error %v, Close %v", seeks, err, closed)
		}
	}
	f := NewAPNG(&seeking{full{5000}, 99}, 10) // writes the rest, but cannot write the head again
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

// TestErrors checks for every kind of film that mistakes cause clear errors, and that all later
// calls return the same error.
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
			if err == nil || err.Error() != "render: "+name+": "+c.want || first != nil && first != err {
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
		"render: GIF: 51 pictures a second: want 1 to 50":                                              func() { NewGIF(nil, 51) },
		"render: Y4M: 0 pictures a second: want 1 to 1048576":                                          func() { NewY4M(nil, 0) },
		"render: PNGs: the pattern \"a.png\" has no place for a number: want one as in frame-%04d.png": func() { NewPNGs("a.png") },
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
