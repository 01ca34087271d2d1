package catalogue_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

// keep collects faults and continues.
func keep(list *[]*catalogue.LineError) catalogue.Faults {
	return func(e *catalogue.LineError) error {
		*list = append(*list, e)
		return nil
	}
}

// stopAtFault stops the reading at the first fault.
func stopAtFault(e *catalogue.LineError) error { return e }

func TestReadMinors(t *testing.T) {
	text, want := extract(t)
	lines := strings.Split(text, "\n")
	for name, text := range map[string]string{
		"as it is":          text,
		"gzip":              zipped(text),
		"two gzips":         zipped(text[:5000]) + zipped(text[5000:]),
		"carriage returns":  strings.ReplaceAll(text, "\n", "\r\n"),
		"no last line end":  strings.TrimSuffix(text, "\n"),
		"no header":         strings.Join(lines[strings.Count(head, "\n"):], "\n"),
		"blank lines first": "\n \n" + text,
	} {
		t.Run(name, func(t *testing.T) {
			var faults []*catalogue.LineError
			got, err := catalogue.ReadMinors("extract", strings.NewReader(text), keep(&faults))
			if err != nil {
				t.Fatal(err)
			}
			if len(faults) != 1 || !errors.Is(faults[0], catalogue.ErrEmpty) {
				t.Errorf("faults are %v, want the one empty record", faults)
			}
			if len(got) != len(want) {
				t.Fatalf("%d orbits, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("orbit %d\n got %+v\nwant %+v", i, got[i], want[i])
				}
			}
		})
	}
}

// TestFaults checks that a fault names its line, and that the other lines of the file are read.
func TestFaults(t *testing.T) {
	text, want := extract(t)
	first := strings.Count(text, "\n") + 1
	list := faults()
	for _, f := range list {
		text += f.text + "\n"
	}
	var got []*catalogue.LineError
	minors, err := catalogue.ReadMinors("f.txt", strings.NewReader(text), keep(&got))
	if err != nil || len(minors) != len(want) {
		t.Errorf("%d orbits, %v; want %d", len(minors), err, len(want))
	}
	got = got[1:] // the empty record
	for i, f := range list {
		if i >= len(got) {
			t.Fatalf("no report of %q: want %q", f.text, f.report)
		}
		if e := got[i]; e.File != "f.txt" || e.Line != first+i || !strings.Contains(e.Error(), f.report) {
			t.Errorf("report is %q, want line %d and %q", e, first+i, f.report)
		}
	}
	if len(got) > len(list) {
		t.Errorf("further reports: %v", got[len(list):])
	}

	_, err = catalogue.ReadMinors("f.txt", strings.NewReader(head+list[0].text+"\n"+list[1].text), stopAtFault)
	var line *catalogue.LineError
	if !errors.As(err, &line) || line.Line != strings.Count(head, "\n")+1 {
		t.Errorf("strict reading ends with %v, want the first fault", err)
	}
}

// TestGaps checks that a shifted line is detected at every column between two fields, and at the
// last column too. It also checks that the contents of a field are not mistaken for a gap.
func TestGaps(t *testing.T) {
	text, _ := extract(t)
	sound := strings.Split(text, "\n")[strings.Count(head, "\n")]
	for _, column := range []int{20, 26, 36, 37, 47, 48, 58, 59, 69, 70, 80, 92, 104} {
		bad := sound[:column-1] + "7" + sound[column:]
		var faults []*catalogue.LineError
		if _, err := catalogue.ReadMinors("f.txt", strings.NewReader(sound+"\n"+bad), keep(&faults)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("f.txt:2: column %d, between two fields, holds '7': the line is shifted", column)
		if len(faults) != 1 || faults[0].Error() != want {
			t.Errorf("faults %v, want %s", faults, want)
		}
	}
}

// TestHopelessFiles checks that reading stops after ten bad lines if no line was good. If one line is
// good, the file is read to its end. Records without an orbit do not count as bad.
func TestHopelessFiles(t *testing.T) {
	text, _ := extract(t)
	sound := strings.Split(text, "\n")[strings.Count(head, "\n")] + "\n"
	empty := strings.Repeat(" ", 166) + "no name\n"
	for _, c := range []struct {
		name, text string
		faults     int
		want       string
	}{
		{"ten bad lines", strings.Repeat("x\n", 10), 10, "f.txt: 10 bad lines and not a good one: is this the Minor Planet Center's export format?"},
		{"a thousand", strings.Repeat("x\n\n", 1000), 10, "f.txt: 10 bad lines and not a good one"},
		{"nine", strings.Repeat("x\n", 9), 9, "holds no orbits"},
		{"nine and a good one", strings.Repeat("x\n", 9) + sound + strings.Repeat("x\n", 991), 1000, ""},
		{"empty records", strings.Repeat(empty, 40), 40, "holds no orbits"},
		{"empty records first", strings.Repeat(empty, 40) + sound, 40, ""},
	} {
		var faults []*catalogue.LineError
		_, err := catalogue.ReadMinors("f.txt", strings.NewReader(c.text), keep(&faults))
		if len(faults) != c.faults || c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %d faults, error %v; want %d and %q", c.name, len(faults), err, c.faults, c.want)
		}
	}
}

// TestNamesAreUTF8 checks that names are UTF-8, because tables and pictures need it.
func TestNamesAreUTF8(t *testing.T) {
	text, _ := extract(t)
	sound := strings.Split(text, "\n")[strings.Count(head, "\n")]
	for _, c := range []struct{ line, want string }{
		{sound[:180] + "\xe9" + sound[181:], "\\xe9"},
		{"\xff" + sound[1:], "\\xff"},
	} {
		var faults []*catalogue.LineError
		_, err := catalogue.ReadMinors("f.txt", strings.NewReader(sound+"\n"+c.line), keep(&faults))
		if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "f.txt:2: designation ") ||
			!strings.Contains(faults[0].Error(), c.want) || !strings.HasSuffix(faults[0].Error(), " is not UTF-8") {
			t.Errorf("faults %v, %v; want one of f.txt:2 that shows %s and says UTF-8", faults, err, c.want)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	text, _ := extract(t)
	packed := zipped(text)
	damaged := []byte(packed)
	damaged[len(damaged)-6] ^= 1 // its checksum
	for _, c := range []struct{ name, text, want string }{
		{"gzip cut off", packed[:len(packed)/2], "gzip is cut off"},
		{"gzip cut off in its header", packed[:6], "gzip is cut off"},
		{"gzip with a wrong sum", string(damaged), "gzip is damaged"},
		{"no gzip after all", "\x1f\x8bhello, world", "gzip is damaged"},
		{"empty", "", "holds no orbits"},
		{"prose", "It was a bright cold day in April,\nand the clocks were striking thirteen.\n", "holds no orbits"},
		{"no line ends", strings.Repeat("x", 1<<18), "holds no orbits"},
		{"header alone", head, "holds no orbits"},
	} {
		var faults []*catalogue.LineError
		if _, err := catalogue.ReadMinors("f.txt", strings.NewReader(c.text), keep(&faults)); err == nil ||
			!strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f.txt:") {
			t.Errorf("%s: error is %v, want f.txt and %q", c.name, err, c.want)
		}
	}
	// The records before the damage are not a complete list of orbits, so reading must return an
	// error with the line of the damage.
	_, err := catalogue.ReadMinors("f.txt", strings.NewReader(packed[:len(packed)-20]), stopAtFault)
	var line *catalogue.LineError
	if !errors.As(err, &line) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error is %v, want a line number and io.ErrUnexpectedEOF", err)
	}
}

func TestLongLine(t *testing.T) {
	text, want := extract(t)
	sound := strings.SplitAfter(text, "\n")[strings.Count(head, "\n")]
	for _, n := range []int{1<<16 - 2, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1 << 17, 200001} {
		var faults []*catalogue.LineError
		got, err := catalogue.ReadMinors("f.txt", strings.NewReader(head+strings.Repeat("y", n)+"\n"+sound), keep(&faults))
		if err != nil || len(got) != 1 || got[0] != want[0] || len(faults) != 1 || faults[0].Line != strings.Count(head, "\n")+1 {
			t.Errorf("a line of %d bytes: %d orbits, faults %v, error %v", n, len(got), faults, err)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, err := catalogue.Open(dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("opening a directory: %v", err)
	}
	if _, err := catalogue.Open(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening no file: %v", err)
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err) // a bytes.Buffer never fails
	}
	return b.String()
}

func FuzzReadMinors(f *testing.F) {
	for _, c := range faults() {
		f.Add([]byte(c.text))
		f.Add([]byte(zipped(c.text)))
	}
	f.Add([]byte(head))
	f.Fuzz(func(t *testing.T, text []byte) {
		seen := 0
		minors, err := catalogue.ReadMinors("f", bytes.NewReader(text), func(e *catalogue.LineError) error {
			if e.Line <= seen {
				t.Fatalf("line %d is reported after line %d", e.Line, seen)
			}
			seen = e.Line
			return nil
		})
		if err == nil && len(minors) == 0 {
			t.Fatal("neither orbits nor an error")
		}
		for _, m := range minors {
			if m.ID == "" || m.Name == "" || !(m.Ecc >= 0 && m.Ecc < 1) || !(m.Motion > 0) || !(m.Axis >= 0) {
				t.Fatalf("took %+v", m)
			}
		}
	})
}

func BenchmarkReadMinors(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(head)
	for i, m := range belt.New(100000, 1) {
		l := line{id: packPermanent(i + 1), epoch: "K2669", readable: "  (" + m.ID + ") Alice            20260609", Elements: m.Elements}
		text.WriteString(l.String())
		text.WriteByte('\n')
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalogue.ReadMinors("f", bytes.NewReader(text.Bytes()), stopAtFault); err != nil {
			b.Fatal(err)
		}
	}
}
