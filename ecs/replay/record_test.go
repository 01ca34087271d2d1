package replay

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// limited is a stream that returns an error after a number of bytes.
type limited struct{ n int }

func (l *limited) Write(b []byte) (int, error) {
	if l.n -= len(b); l.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// wild is a stream that panics at a write.
type wild struct{ writes, at int }

func (w *wild) Write(b []byte) (int, error) {
	if w.writes++; w.writes == w.at {
		panic("wild")
	}
	return len(b), nil
}

// If a stream panics at a write, the recording ends. Nothing may be written after that, because
// the stream may contain any part of the last frame.
func TestStreamThatPanics(t *testing.T) {
	run, _, _ := newRun(t, 50, 2)
	whole := &wild{}
	rec := threeTicks(t, whole, run.World)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= whole.writes; at++ {
		to := &wild{at: at}
		rec := threeTicks(t, to, run.World)
		if rec == nil {
			continue // Record has panicked, so there is no recording
		}
		if to.writes < at && !doesPanic(func() { _ = rec.Close() }) {
			t.Fatalf("write %d: Close does not come to it", at)
		}
		if err := rec.Tick(); !errors.Is(err, ecs.ErrState) || to.writes != at {
			t.Errorf("write %d: Tick returns %v, after %d writes", at, err, to.writes)
		}
		if err := rec.Close(); at < whole.writes && !errors.Is(err, ecs.ErrState) || to.writes != at {
			t.Errorf("write %d: Close returns %v, after %d writes", at, err, to.writes)
		}
	}
}

// threeTicks records three ticks, or fewer if the stream panics before.
func threeTicks(t *testing.T, to io.Writer, w *ecs.World) (rec *Recorder) {
	t.Helper()
	doesPanic(func() {
		r, err := Record(to, w)
		if err != nil {
			t.Fatal(err)
		}
		rec = r
		for range 3 {
			if err := r.Tick(); err != nil {
				t.Fatal(err)
			}
		}
	})
	return rec
}

// doesPanic reports whether f panics.
func doesPanic(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

var update = flag.Bool("lanewise.update", false, "write the golden recording anew")

// readAll reads a recording to its end.
func readAll(from io.Reader) (ticks int, err error) {
	r, err := Read(from)
	for err == nil {
		if _, err = r.Next(); err == nil {
			ticks++
		}
	}
	if err == io.EOF {
		err = nil
	}
	return ticks, err
}

// The reader must notice every cut and every flipped bit of a recording, and must still read the
// ticks before it.
func TestTrust(t *testing.T) {
	var file bytes.Buffer
	recordFor(t, 6, &file, 20, 1, 0, Every(5), BySystem(), Values(2, 2))
	b := file.Bytes()
	if n, err := readAll(bytes.NewReader(b)); n != 6 || err != nil {
		t.Fatal(n, err)
	}
	for n := range len(b) {
		if ticks, err := readAll(bytes.NewReader(b[:n])); !errors.Is(err, ErrCorrupt) || ticks > 1+6*n/len(b) {
			t.Fatalf("cut to %d of %d: %d ticks, %v", n, len(b), ticks, err)
		}
	}
	step := 1
	if testing.Short() {
		step = 11
	}
	for bit := 0; bit < 8*len(b); bit += step {
		c := bytes.Clone(b)
		c[bit/8] ^= 1 << (bit % 8)
		if _, err := readAll(bytes.NewReader(c)); err == nil && (bit < 96 || bit >= 128) { // Replay refuses another version of hashes
			t.Fatalf("bit %d of %d is flipped, and nothing is wrong", bit, 8*len(b))
		}
	}
	if _, err := readAll(bytes.NewReader(append(bytes.Clone(b), 0))); !errors.Is(err, ErrCorrupt) {
		t.Error("it goes on behind its end", err)
	}
	c := bytes.Clone(b)
	c[8] = Version + 1
	if _, err := Read(bytes.NewReader(c)); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	c = bytes.Clone(b)
	c[12] = 77
	run, _, _ := newRun(t, 20, 1)
	if _, err := replay(bytes.NewReader(c), run); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}

// The stored recording of version 1 must be readable, and the same run must still produce the
// same bytes.
func TestGolden(t *testing.T) {
	const name = "testdata/v1.replay"
	var file bytes.Buffer
	recordFor(t, 4, &file, 20, 1, 0, Every(2), BySystem())
	if *update {
		ok(t, os.MkdirAll("testdata", 0o755))
		ok(t, os.WriteFile(name, file.Bytes(), 0o644))
	}
	b, err := os.ReadFile(name)
	ok(t, err)
	if !bytes.Equal(b, file.Bytes()) {
		t.Error("the bytes are others")
	}
	r, err := Read(bytes.NewReader(b))
	ok(t, err)
	if r.World != "run" || r.Every != 2 || r.HashVersion != ecs.HashVersion {
		t.Errorf("%+v", r)
	}
	tick, err := r.Next()
	ok(t, err)
	if got := strings.Join(tick.Systems(), " "); tick.Inputs[0].Key != "force" || !strings.Contains(got, "replay.push") || !strings.Contains(got, "replay.move") {
		t.Errorf("%+v, %s", tick, got)
	}
	run, _, _ := newRun(t, 20, 2)
	if d, err := replay(bytes.NewReader(b), run); d != nil || err != nil {
		t.Error(d, err)
	}
}

// FuzzRead reads arbitrary bytes.
func FuzzRead(f *testing.F) {
	b, err := os.ReadFile("testdata/v1.replay")
	ok(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readAll(bytes.NewReader(b)); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Error(err)
		}
	})
}
